// What a VolumePlan knows of the nodes that it allows, so that few have to be evaluated.
#include <algorithm>
#include <string>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/plugins/volume_binding/volume_plan.h"

namespace berth::scheduler::plugins {
namespace {

using Volume = model::StorageCatalog::Volume;

// Reports whether access to the volume depends on the labels of nodes alone: not on which in-tree
// plugins are migrated there.
bool DependsOnLabelsAlone(const Volume& volume) { return volume.in_tree == nullptr; }

// Returns the rows of the nodes that may match the affinity of `volume`, absent if they are many or
// not simple to find.
std::optional<std::vector<model::NodeRow>> FewRowsFor(const model::NodeTable& nodes,
                                                      const Volume& volume) {
  constexpr size_t kMost = framework::Rows::kFew;
  const model::LabelRequirement* pivot = volume.affinity ? volume.affinity->Pivot() : nullptr;
  if (pivot == nullptr || pivot->values.size() > kMost) return std::nullopt;
  const model::Topology::Key& key = *volume.pivot_key;
  std::vector<model::NodeRow> rows;
  size_t wanted = 0;
  std::vector<model::DomainId> domains;
  for (Symbol value : pivot->values) {
    const model::DomainId domain = key.Find(value);
    if (!domain.valid()) continue;
    const size_t size = key.domains()[domain.index()].nodes;
    wanted += size;
    if (wanted > kMost) return std::nullopt;
    // The hostname of a node is usually its name.
    const model::NodeRow named = nodes.Find(value);
    if (size == 1 && named.valid() && key.domain_of()[named.index()] == domain) {
      rows.push_back(named);
    } else {
      domains.push_back(domain);
    }
  }
  for (size_t row = 0; row < nodes.rows() && rows.size() < wanted; ++row) {
    if (std::ranges::count(domains, key.domain_of()[row]) > 0)
      rows.push_back(model::NodeRow{static_cast<uint32_t>(row)});
  }
  return rows;
}

// Large conditions, and more than a few, are left out, so that keys remain short.
constexpr size_t kMaxConditions = 8;
constexpr size_t kMaxValues = 32;

template <typename Terms, typename SizeOf>
bool IsSmall(const Terms& terms, SizeOf&& size_of) {
  size_t values = 0;
  for (const auto& term : terms) values += 1 + size_of(term);
  return values <= kMaxValues;
}

bool IsSmall(const api::NodeSelector& affinity) {
  return IsSmall(affinity.terms, [](const api::NodeSelectorTerm& term) {
    size_t values = term.match_expressions.size() + term.match_fields.size();
    for (const auto& requirement : term.match_expressions) values += requirement.values.size();
    for (const auto& requirement : term.match_fields) values += requirement.values.size();
    return values;
  });
}

bool IsSmall(const std::vector<api::TopologySelectorTerm>& allowed) {
  return IsSmall(allowed, [](const api::TopologySelectorTerm& term) {
    size_t values = term.match_label_expressions.size();
    for (const auto& wanted : term.match_label_expressions) values += wanted.values.size();
    return values;
  });
}

// The labels of the node meet a condition that For implies.
class LabelCondition final : public framework::NodePredicate {
 public:
  // `terms` are those of `source`, and of `volume` if they are not of a storage class.
  template <typename Source>
  LabelCondition(const Source& source, const model::NodeLabelTerms& terms, const Volume* volume)
      : terms_(terms), volume_(volume) {
    model::KeyWriter(text_).PutAll(volume != nullptr, source);
  }

  // The same for equal conditions.
  const std::string& text() const { return text_; }

  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return terms_.Match(cycle.nodes().info(node).labels, cycle.cluster().symbols());
  }
  // A label with one value is compared for all nodes at once.
  void Keep(const framework::Cycle& cycle, model::NodeMask& nodes) const override {
    const model::LabelRequirement* pivot =
        volume_ == nullptr ? nullptr : volume_->affinity->Pivot();
    if (pivot != nullptr && pivot->values.size() == 1) {
      const model::DomainId only = volume_->pivot_key->Find(pivot->values[0]);
      const std::vector<model::DomainId>& domain_of = volume_->pivot_key->domain_of();
      if (only.valid()) nodes.KeepIf([&](size_t row) { return domain_of[row] == only; });
    }
    NodePredicate::Keep(cycle, nodes);
  }
  bool AppendKey(const framework::Cycle&, std::string& key) const override {
    model::KeyWriter(key).Put(text_);
    return true;
  }

 private:
  const model::NodeLabelTerms& terms_;
  const Volume* const volume_;
  std::string text_;
};

}  // namespace

framework::Conditions VolumePlan::Require(const framework::NodeFilter& plugin) const {
  if (any_node_) return {};
  if (MayFail()) return {framework::Opaque{.filter = &plugin, .evaluates_all = true}};
  if (hints_ == nullptr) hints_ = std::make_shared<const Hints>(FindHints());
  framework::Conditions conditions;
  if (hints_->few) conditions.push_back(framework::Rows{nullptr, *hints_->few, std::nullopt});
  for (const auto& labels : hints_->labels)
    conditions.push_back(framework::NodeClass{labels.get(), std::nullopt});
  for (const model::NodeMask* only : hints_->only)
    conditions.push_back(framework::Rows{only, {}, std::nullopt});
  conditions.push_back(framework::Opaque{.filter = &plugin, .only_explains = hints_->suffice});
  return conditions;
}

VolumePlan::Hints VolumePlan::FindHints() const {
  Hints hints;
  hints.few = OnlyRows();
  if (hints.few) return hints;
  std::vector<std::shared_ptr<const LabelCondition>> labels;
  const auto text_of = [](const auto& condition) { return condition->text(); };
  // Adds a condition, each once. Volumes of a zone have the same one, so that their pods share a
  // selection of nodes. Returns false if it is left out.
  const auto add = [&](const auto& source, const model::NodeLabelTerms& terms,
                       const Volume* volume) {
    if (!IsSmall(source)) return false;
    auto condition = std::make_shared<const LabelCondition>(source, terms, volume);
    if (std::ranges::find(labels, condition->text(), text_of) != labels.end()) return true;
    if (labels.size() == kMaxConditions) return false;
    labels.push_back(std::move(condition));
    return true;
  };
  hints.suffice = all_bound();
  for (const auto& [claim, volume] : bound_) {
    if (!DependsOnLabelsAlone(*volume)) {
      hints.suffice = false;
    } else if (volume->affinity) {
      hints.suffice &= add(*volume->object->node_affinity, *volume->affinity, volume);
    }
  }
  for (const Waiting& waiting : waiting_) {
    if (const model::NodeMask* only = OnlyNodes(waiting)) hints.only.push_back(only);
    if (MustProvision(waiting) && waiting.storage_class->allowed)
      add(waiting.storage_class->object->allowed_topologies, *waiting.storage_class->allowed,
          nullptr);
  }
  std::ranges::sort(labels, {}, text_of);
  hints.labels.assign(labels.begin(), labels.end());
  return hints;
}

// Reports whether For fails on some node, which ends the cycle wherever else the pod fits, or
// rejects every node.
bool VolumePlan::MayFail() const {
  const bool bound_fails = std::ranges::any_of(bound_, [](const Bound& bound) {
    return bound.volume == nullptr ||
           (bound.volume->in_tree != nullptr && !bound.volume->migrated_affinity);
  });
  return bound_fails || std::ranges::any_of(waiting_, [](const Waiting& waiting) {
           return waiting.selected_node == nullptr && !waiting.matching;
         });
}

// Reports whether there is no volume that the claim could get on any node.
bool VolumePlan::MustProvision(const Waiting& waiting) {
  const model::NodeMask* matching = (*waiting.matching)->only_nodes();
  return matching != nullptr && matching->None();
}

// Returns the only nodes where there may be a volume for a claim without a selected node, or
// capacity for a new one; null if there may be on any.
const model::NodeMask* VolumePlan::OnlyNodes(const Waiting& waiting) {
  if (!Provisions(*waiting.storage_class->object)) return (*waiting.matching)->only_nodes();
  return MustProvision(waiting) && waiting.has_capacity ? &*waiting.has_capacity : nullptr;
}

// Returns a few nodes outside which For rejects every one; absent if there may be many.
std::optional<std::vector<model::NodeRow>> VolumePlan::OnlyRows() const {
  const model::NodeTable& nodes = cluster_.nodes();
  for (const Waiting& waiting : waiting_) {
    if (waiting.selected_node == nullptr) continue;
    const model::NodeRow row = nodes.Find(cluster_.symbols().Find(*waiting.selected_node));
    return row.valid() ? std::vector{row} : std::vector<model::NodeRow>();
  }
  for (const auto& [claim, volume] : bound_) {
    if (!DependsOnLabelsAlone(*volume)) continue;
    if (auto rows = FewRowsFor(nodes, *volume)) return rows;
  }
  for (const Waiting& waiting : waiting_) {
    const model::NodeMask* only = OnlyNodes(waiting);
    if (only == nullptr || only->Count() > framework::Rows::kFew) continue;
    std::vector<model::NodeRow> rows;
    only->ForEach([&](size_t row) { rows.push_back(model::NodeRow{static_cast<uint32_t>(row)}); });
    return rows;
  }
  return std::nullopt;
}

}  // namespace berth::scheduler::plugins
