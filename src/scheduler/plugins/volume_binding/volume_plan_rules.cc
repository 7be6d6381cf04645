// How a VolumePlan describes the nodes that it allows for a search.
#include <algorithm>
#include <string>

#include "scheduler/framework/search_rules.h"
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
  constexpr size_t kMost = framework::SearchRules::kFewRows;
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

// LabelConditions adds conditions on labels to the rules, each once.
//
// Volumes of a zone have the same condition, so that their pods share a selection of nodes. Large
// conditions, and more than a few, are left out: keys remain short.
class LabelConditions {
 public:
  // Adds the affinity of a volume. Returns false if it is left out.
  bool Add(const Volume& volume) {
    size_t values = 0;
    for (const api::NodeSelectorTerm& term : volume.object->node_affinity->terms) {
      values += 1 + term.match_expressions.size() + term.match_fields.size();
      for (const auto& requirement : term.match_expressions) values += requirement.values.size();
      for (const auto& requirement : term.match_fields) values += requirement.values.size();
    }
    return values <= kMaxValues && Add(*volume.object->node_affinity, *volume.affinity, &volume);
  }
  // Adds allowedTopologies. Returns false if they are left out.
  bool Add(const model::StorageCatalog::Class& storage_class) {
    const auto& allowed = storage_class.object->allowed_topologies;
    size_t values = 0;
    for (const api::TopologySelectorTerm& term : allowed) {
      values += 1 + term.match_label_expressions.size();
      for (const auto& wanted : term.match_label_expressions) values += wanted.values.size();
    }
    return values <= kMaxValues && Add(allowed, *storage_class.allowed, nullptr);
  }

  void WriteTo(size_t slot, framework::SearchRules& rules) {
    if (conditions_.empty()) return;
    std::ranges::sort(conditions_, {}, &Condition::text);
    model::KeyWriter key(rules.key);
    key.PutAll(slot, conditions_.size());
    for (const auto& [text, terms, volume] : conditions_) {
      key.Put(text);
      rules.label_terms.push_back(terms);
      if (volume != nullptr) Narrow(*volume, rules);
    }
  }

 private:
  static constexpr size_t kMaxConditions = 8;
  static constexpr size_t kMaxValues = 32;

  struct Condition {
    std::string text;
    const model::NodeLabelTerms* terms;
    const Volume* volume;  // Null if it is of a storage class.
  };

  template <typename Source>
  bool Add(const Source& source, const model::NodeLabelTerms& terms, const Volume* volume) {
    std::string text;
    model::KeyWriter(text).PutAll(volume != nullptr, source);
    if (std::ranges::find(conditions_, text, &Condition::text) != conditions_.end()) return true;
    if (conditions_.size() == kMaxConditions) return false;
    conditions_.push_back({std::move(text), &terms, volume});
    return true;
  }

  // A label with one value is compared for all nodes at once.
  static void Narrow(const Volume& volume, framework::SearchRules& rules) {
    const model::LabelRequirement* pivot = volume.affinity->Pivot();
    if (pivot == nullptr || pivot->values.size() != 1) return;
    const model::DomainId domain = volume.pivot_key->Find(pivot->values[0]);
    if (domain.valid()) rules.only_domains.push_back({volume.pivot_key->domain_of(), domain});
  }

  std::vector<Condition> conditions_;
};

}  // namespace

framework::Described VolumePlan::Describe(const framework::FilterPlugin& plugin,
                                          framework::SearchRules& rules) const {
  if (any_node_) return framework::Described::kSkip;
  if (MayFail()) return framework::Described::kNo;
  rules.only_rows = OnlyRows();
  if (rules.only_rows) return framework::Described::kYes;
  LabelConditions conditions;
  bool sufficient = all_bound();
  for (const auto& [claim, volume] : bound_) {
    if (!DependsOnLabelsAlone(*volume)) {
      sufficient = false;
    } else if (volume->affinity) {
      sufficient &= conditions.Add(*volume);
    }
  }
  for (const Waiting& waiting : waiting_) {
    if (const model::NodeMask* only = OnlyNodes(waiting))
      rules.row_rules.push_back(framework::RowRule::InSet(*only));
    if (MustProvision(waiting) && waiting.storage_class->allowed)
      conditions.Add(*waiting.storage_class);
  }
  conditions.WriteTo(plugin.slot(), rules);
  if (!sufficient) rules.filters.push_back(&plugin);
  return framework::Described::kYes;
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
    if (only == nullptr || only->Count() > framework::SearchRules::kFewRows) continue;
    std::vector<model::NodeRow> rows;
    only->ForEach([&](size_t row) { rows.push_back(model::NodeRow{static_cast<uint32_t>(row)}); });
    return rows;
  }
  return std::nullopt;
}

}  // namespace berth::scheduler::plugins
