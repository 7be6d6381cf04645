#include "scheduler/plugins/node_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "api/selector.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/node_selector.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

// A label that a node must have with one of some values. Nodes are in columns by label, so that all
// are compared in one loop.
struct NarrowingLabel {
  model::Topology::KeyRef key;
  std::vector<Symbol> values;

  void Narrow(model::NodeMask& nodes) const {
    std::vector<model::DomainId> domains;
    for (Symbol value : values) {
      if (const model::DomainId domain = key->Find(value); domain.valid())
        domains.push_back(domain);
    }
    const std::vector<model::DomainId>& domain_of = key->domain_of();
    if (domains.size() == 1) {
      nodes.KeepIf([&, only = domains[0]](size_t row) { return domain_of[row] == only; });
    } else {
      nodes.KeepIf([&](size_t row) { return std::ranges::count(domains, domain_of[row]) > 0; });
    }
  }
};

bool HasMoreThan(const model::NodeMask& nodes, size_t limit) {
  size_t count = 0;
  return std::ranges::any_of(nodes.words(), [&](uint64_t word) {
    if (word != 0) count += static_cast<size_t>(std::popcount(word));
    return count > limit;
  });
}

const api::NodeAffinity* AffinityOf(const api::PodSpec& spec) {
  return spec.affinity && spec.affinity->node_affinity ? &*spec.affinity->node_affinity : nullptr;
}

// The node matches the pod's nodeSelector and required terms.
struct MatchesPod final : framework::NodePredicate {
  MatchesPod(const api::PodSpec& spec, SymbolHolder& symbols) : required(spec, symbols) {}

  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return required.Matches(cycle.nodes().info(node), cycle.cluster().symbols());
  }
  void Keep(const framework::Cycle& cycle, model::NodeMask& nodes) const override {
    constexpr size_t kFewNodes = 16;  // Looking at each is as fast as at the columns.
    if (HasMoreThan(nodes, kFewNodes)) {
      for (const NarrowingLabel& label : narrowing) label.Narrow(nodes);
    }
    NodePredicate::Keep(cycle, nodes);
  }
  bool AppendKey(const framework::Cycle& cycle, std::string& key) const override {
    model::KeyWriter writer(key);
    writer.Put(cycle.spec().node_selector);
    const api::NodeAffinity* own = AffinityOf(cycle.spec());
    if (own != nullptr) writer.Put(own->required);
    return true;
  }

  std::vector<NarrowingLabel> narrowing;  // All are necessary, but maybe not sufficient.
  model::RequiredNodeAffinity required;
};

// The node matches the required terms of addedAffinity, which are the same for all pods.
struct MatchesAdded final : framework::NodePredicate {
  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override {
    return required->Matches(cycle.nodes().info(node), cycle.cluster().symbols());
  }
  bool AppendKey(const framework::Cycle&, std::string&) const override { return true; }

  std::optional<model::RequiredNodeAffinity> required;  // Absent if there are none.
};

// As a value of nodes: the sum of the weights of the preferred terms that match.
struct CompiledAffinity final : framework::ClassState, framework::NodeValue {
  CompiledAffinity(const api::PodSpec& spec, SymbolTable& table)
      : symbols(table), matches_pod(spec, symbols) {}

  int64_t Of(const framework::Cycle& cycle, model::NodeRow node) const override {
    const model::NodeInfo& info = cycle.nodes().info(node);
    const SymbolTable& all_symbols = cycle.cluster().symbols();
    int64_t weight = preferred->WeightOf(info, all_symbols);
    if (added_preferred) weight += added_preferred->WeightOf(info, all_symbols);
    return std::max<int64_t>(weight, 0);  // DIFFERS: kube-scheduler fails if the sum is negative.
  }
  void AppendValueKey(const framework::Cycle& cycle, std::string& key) const override {
    const api::NodeAffinity* own = AffinityOf(cycle.spec());
    if (own != nullptr) model::KeyWriter(key).Put(own->preferred);
  }

  SymbolHolder symbols;
  bool skips_filter = false;
  bool skips_score = false;
  // The nodes that the required terms name, sorted; absent if some term names none.
  std::optional<std::vector<Symbol>> named;
  MatchesAdded matches_added;
  MatchesPod matches_pod;
  std::optional<model::PreferredNodeAffinity> added_preferred;
  Result<model::PreferredNodeAffinity> preferred;
};

// Returns labels that every node has which matches the spec's selector and required terms.
std::vector<NarrowingLabel> NarrowingLabels(const api::PodSpec& spec, model::Cluster& cluster,
                                            SymbolHolder& symbols) {
  // A new column costs as much as evaluating all nodes once; one or two are enough to leave few.
  constexpr size_t kMaxLabels = 2;
  // Comparing with more values costs more than it saves.
  constexpr size_t kFewValues = 8;
  std::vector<NarrowingLabel> labels;
  for (const auto& [key, value] : spec.node_selector.value_or(api::StringMap())) {
    if (labels.size() < kMaxLabels)
      labels.push_back({cluster.UseTopologyKey(key), {symbols.Intern(value)}});
  }
  const api::NodeAffinity* own = AffinityOf(spec);
  if (own == nullptr || !own->required || own->required->terms.size() != 1) return labels;
  for (const auto& [key, op, values] : own->required->terms[0].match_expressions) {
    if (op != "In" || values.size() > kFewValues || labels.size() == kMaxLabels) continue;
    NarrowingLabel& label = labels.emplace_back();
    label.key = cluster.UseTopologyKey(key);
    for (const std::string& value : values) label.values.push_back(symbols.Intern(value));
  }
  return labels;
}

// Returns the names that one term allows, or nothing if it does not select by name.
std::optional<std::set<std::string>> NamesOf(const api::NodeSelectorTerm& term) {
  std::optional<std::set<std::string>> names;
  for (const api::NodeSelectorRequirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != "In") continue;
    const std::set<std::string> listed(field.values.begin(), field.values.end());
    if (!names) {
      names = listed;
    } else {
      std::erase_if(*names, [&](const std::string& name) { return !listed.contains(name); });
    }
  }
  return names;
}

std::optional<std::vector<Symbol>> NamedNodes(const api::NodeSelector& selector,
                                              SymbolHolder& symbols) {
  if (selector.terms.empty()) return std::nullopt;
  std::set<Symbol> all;
  for (const api::NodeSelectorTerm& term : selector.terms) {
    const auto names = NamesOf(term);
    if (!names) return std::nullopt;
    for (const std::string& name : *names) all.insert(symbols.Intern(name));
  }
  return std::vector<Symbol>(all.begin(), all.end());
}

// Reports whether the pod's nodeSelector and required terms match. Fails if no term matches and one
// does not parse.
Result<bool> RequiredMatches(const api::PodSpec& spec, const api::Node& node) {
  const api::ObjectMeta& meta = node.metadata;
  if (spec.node_selector && !api::Selector::FromMap(*spec.node_selector).Matches(meta.labels)) {
    return false;
  }
  const api::NodeAffinity* own = AffinityOf(spec);
  if (own == nullptr || !own->required) return true;
  const auto required = api::CompiledNodeSelector::MakeLazy(*own->required);
  if (required.Matches(meta.labels, meta.name)) return true;
  if (required.parse_error()) return std::unexpected(*required.parse_error());
  return false;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeAffinity::Make(
    const framework::NodeAffinityArgs& args) {
  if (args.added_affinity) {
    SymbolTable table;
    SymbolHolder scratch(table);
    if (args.added_affinity->required) {
      auto required = api::CompiledNodeSelector::Make(*args.added_affinity->required);
      if (!required) {
        return Fail("parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: " +
                    required.error().message);
      }
    }
    auto preferred = model::PreferredNodeAffinity::Make(args.added_affinity->preferred, scratch);
    if (!preferred) {
      return Fail("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: " +
                  preferred.error().message);
    }
  }
  return std::unique_ptr<framework::Plugin>(new NodeAffinity(args));
}

std::unique_ptr<framework::ClassState> NodeAffinity::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  const api::PodSpec& spec = pod_class.spec();
  const api::NodeAffinity* own = AffinityOf(spec);
  const api::NodeAffinity* added = args_.added_affinity ? &*args_.added_affinity : nullptr;

  auto state = std::make_unique<CompiledAffinity>(spec, cluster.mutable_symbols());
  SymbolHolder& symbols = state->symbols;
  state->matches_pod.narrowing = NarrowingLabels(spec, cluster, symbols);
  if (own != nullptr && own->required) state->named = NamedNodes(*own->required, symbols);
  if (added != nullptr && added->required)
    state->matches_added.required.emplace(*added->required, symbols);
  state->skips_filter =
      (own == nullptr || !own->required) && !state->matches_added.required && !spec.node_selector;

  if (added != nullptr && !added->preferred.empty()) {
    state->added_preferred = *model::PreferredNodeAffinity::Make(added->preferred, symbols);
  }
  state->preferred = model::PreferredNodeAffinity::Make(
      own != nullptr ? own->preferred : std::vector<api::PreferredSchedulingTerm>{}, symbols);
  state->skips_score = (own == nullptr || own->preferred.empty()) && !state->added_preferred;
  return state;
}

framework::PreFilterResult NodeAffinity::PreFilter(framework::Cycle& cycle) const {
  const auto& compiled = cycle.compiled<CompiledAffinity>(*this);
  if (compiled.skips_filter) return {framework::Verdict::Skip(), {}};
  if (compiled.named && compiled.named->empty()) {
    return {framework::Verdict(framework::Code::kUnschedulableAndUnresolvable,
                               "pod affinity terms conflict"),
            {}};
  }
  return {framework::Verdict(), compiled.named};
}

framework::Conditions NodeAffinity::Require(const framework::Cycle& cycle) const {
  constexpr auto kCode = framework::Code::kUnschedulableAndUnresolvable;
  const auto& compiled = cycle.compiled<CompiledAffinity>(*this);
  framework::Conditions conditions;
  if (compiled.matches_added.required) {
    conditions.push_back(framework::NodeClass{
        &compiled.matches_added,
        framework::Rejection{kCode, "node(s) didn't match scheduler-enforced node affinity"}});
  }
  conditions.push_back(framework::NodeClass{
      &compiled.matches_pod,
      framework::Rejection{kCode, "node(s) didn't match Pod's node affinity/selector"}});
  return conditions;
}

std::string NodeAffinity::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& compiled = cycle.compiled<CompiledAffinity>(*this);
  const api::ObjectMeta& meta = cycle.nodes().info(node).object->metadata;
  if (compiled.matches_added.required && !compiled.matches_added.Holds(cycle, node)) {
    return fmt::format("addedAffinity of the configuration {}",
                       WhyNoTermMatches(*args_.added_affinity->required, meta.labels, meta.name));
  }
  for (const auto& [key, value] : cycle.spec().node_selector.value_or(api::StringMap())) {
    const auto found = meta.labels.find(key);
    if (found != meta.labels.end() && found->second == value) continue;
    return fmt::format("the nodeSelector requires {}={}, {}", key, value,
                       FormatActualLabel(meta.labels, key));
  }
  const api::NodeAffinity* own = AffinityOf(cycle.spec());
  if (own == nullptr || !own->required) return "";
  return fmt::format("the node affinity {}",
                     WhyNoTermMatches(*own->required, meta.labels, meta.name));
}

framework::Verdict NodeAffinity::PreScore(framework::Cycle& cycle, const model::NodeMask&) const {
  const auto& compiled = cycle.compiled<CompiledAffinity>(*this);
  if (compiled.skips_score) return framework::Verdict::Skip();
  if (!compiled.preferred) return framework::Verdict::Error(compiled.preferred.error().message);
  return {};
}

framework::Rating NodeAffinity::Rate(const framework::Cycle& cycle) const {
  const auto& compiled = cycle.compiled<CompiledAffinity>(*this);
  if (compiled.skips_score) return framework::NoScores{};
  if (!compiled.preferred) return framework::Unrated{};  // PreScore fails.
  return framework::StaticScore{&compiled};
}

std::vector<framework::ClusterEventWithHint> NodeAffinity::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}}};
}

Result<bool> NodeAffinity::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                        const framework::ClusterEvent& event) const {
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  const api::ObjectMeta& meta = node->after->metadata;
  if (args_.added_affinity && args_.added_affinity->required) {
    const auto added = api::CompiledNodeSelector::MakeLazy(*args_.added_affinity->required);
    if (!added.Matches(meta.labels, meta.name)) return false;
  }
  const auto matches = RequiredMatches(pod.object->spec, *node->after);
  if (!matches || !*matches || node->before == nullptr) return matches;
  // Whether the added affinity matched the node before is not checked, as upstream.
  const auto matched = RequiredMatches(pod.object->spec, *node->before);
  if (!matched) return matched;
  return !*matched;
}

}  // namespace berth::scheduler::plugins
