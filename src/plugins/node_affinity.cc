#include "plugins/node_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "api/selector.h"
#include "cluster/node_affinity.h"
#include "framework/cycle.h"
#include "framework/normalize.h"
#include "plugins/hints.h"
#include "plugins/wording.h"

namespace berth {
namespace {

struct Compiled final : ClassState {
  explicit Compiled(RequiredNodeAffinity own) : required(std::move(own)) {}

  bool skips_filter = false;
  bool skips_score = false;
  // The nodes that the required terms name, sorted; absent if some term names none.
  std::optional<std::vector<Symbol>> named;
  std::optional<RequiredNodeAffinity> added_required;
  RequiredNodeAffinity required;
  std::optional<PreferredNodeAffinity> added_preferred;
  Result<PreferredNodeAffinity> preferred;
};

const api::NodeAffinity* AffinityOf(const api::PodSpec& spec) {
  return spec.affinity && spec.affinity->node_affinity ? &*spec.affinity->node_affinity : nullptr;
}

// The names that one term admits, or nothing if it does not select by name.
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
                                              SymbolTable& symbols) {
  if (selector.terms.empty()) return std::nullopt;
  std::set<Symbol> all;
  for (const api::NodeSelectorTerm& term : selector.terms) {
    const auto names = NamesOf(term);
    if (!names) return std::nullopt;
    for (const std::string& name : *names) all.insert(symbols.Intern(name));
  }
  return std::vector<Symbol>(all.begin(), all.end());
}

// Whether the pod's nodeSelector and required terms match. Fails if no term matches and one does
// not parse.
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

Result<std::unique_ptr<Plugin>> NodeAffinity::Make(const NodeAffinityArgs& args) {
  if (args.added_affinity) {
    SymbolTable scratch;
    if (args.added_affinity->required) {
      auto required = api::CompiledNodeSelector::Make(*args.added_affinity->required);
      if (!required) {
        return Fail("parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: " +
                    required.error().message);
      }
    }
    auto preferred = PreferredNodeAffinity::Make(args.added_affinity->preferred, scratch);
    if (!preferred) {
      return Fail("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: " +
                  preferred.error().message);
    }
  }
  return std::unique_ptr<Plugin>(new NodeAffinity(args));
}

std::unique_ptr<const ClassState> NodeAffinity::Compile(Cluster& cluster,
                                                        const PodClass& pod_class) const {
  SymbolTable& symbols = cluster.mutable_symbols();
  const api::PodSpec& spec = pod_class.spec();
  const api::NodeAffinity* own = AffinityOf(spec);
  const api::NodeAffinity* added = args_.added_affinity ? &*args_.added_affinity : nullptr;

  auto state = std::make_unique<Compiled>(RequiredNodeAffinity(spec, symbols));
  if (own != nullptr && own->required) state->named = NamedNodes(*own->required, symbols);
  if (added != nullptr && added->required) state->added_required.emplace(*added->required, symbols);
  state->skips_filter =
      (own == nullptr || !own->required) && !state->added_required && !spec.node_selector;

  if (added != nullptr && !added->preferred.empty()) {
    state->added_preferred = *PreferredNodeAffinity::Make(added->preferred, symbols);
  }
  state->preferred = PreferredNodeAffinity::Make(
      own != nullptr ? own->preferred : std::vector<api::PreferredSchedulingTerm>{}, symbols);
  state->skips_score = (own == nullptr || own->preferred.empty()) && !state->added_preferred;
  return state;
}

PreFilterResult NodeAffinity::PreFilter(Cycle& cycle) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  if (compiled.skips_filter) return {Verdict::Skip(), {}};
  if (compiled.named && compiled.named->empty()) {
    return {Verdict(Code::kUnschedulableAndUnresolvable, "pod affinity terms conflict"), {}};
  }
  return {Verdict(), compiled.named};
}

Verdict NodeAffinity::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const SymbolTable& symbols = cycle.cluster().symbols();
  nodes.KeepIf([&](size_t row) {
    const NodeInfo& node = cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)});
    return (!compiled.added_required || compiled.added_required->Matches(node, symbols)) &&
           compiled.required.Matches(node, symbols);
  });
  return {};
}

Verdict NodeAffinity::Explain(const Cycle& cycle, NodeRow node) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const SymbolTable& symbols = cycle.cluster().symbols();
  const NodeInfo& info = cycle.nodes().info(node);
  if (compiled.added_required && !compiled.added_required->Matches(info, symbols)) {
    return {Code::kUnschedulableAndUnresolvable,
            "node(s) didn't match scheduler-enforced node affinity"};
  }
  if (!compiled.required.Matches(info, symbols)) {
    return {Code::kUnschedulableAndUnresolvable,
            "node(s) didn't match Pod's node affinity/selector"};
  }
  return {};
}

std::string NodeAffinity::Details(const Cycle& cycle, NodeRow node) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const NodeInfo& info = cycle.nodes().info(node);
  const api::ObjectMeta& meta = info.object->metadata;
  if (compiled.added_required &&
      !compiled.added_required->Matches(info, cycle.cluster().symbols())) {
    return fmt::format("addedAffinity of the configuration {}",
                       WhyNoTermMatches(*args_.added_affinity->required, meta.labels, meta.name));
  }
  for (const auto& [key, value] : cycle.spec().node_selector.value_or(api::StringMap())) {
    const auto found = meta.labels.find(key);
    if (found != meta.labels.end() && found->second == value) continue;
    return fmt::format("the nodeSelector wants {}={}, {}", key, value,
                       HasInstead(meta.labels, key));
  }
  const api::NodeAffinity* own = AffinityOf(cycle.spec());
  if (own == nullptr || !own->required) return "";
  return fmt::format("the node affinity {}",
                     WhyNoTermMatches(*own->required, meta.labels, meta.name));
}

Verdict NodeAffinity::PreScore(Cycle& cycle, const NodeMask&) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  if (compiled.skips_score) return Verdict::Skip();
  if (!compiled.preferred) return Verdict::Error(compiled.preferred.error().message);
  return {};
}

Verdict NodeAffinity::Score(const Cycle& cycle, const NodeMask& nodes,
                            std::span<int64_t> out) const {
  const auto& compiled = cycle.compiled<Compiled>(*this);
  const SymbolTable& symbols = cycle.cluster().symbols();
  nodes.ForEach([&](size_t row) {
    const NodeInfo& node = cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)});
    out[row] = compiled.preferred->WeightOf(node, symbols);
    if (compiled.added_preferred) out[row] += compiled.added_preferred->WeightOf(node, symbols);
  });
  return {};
}

void NodeAffinity::Normalize(const Cycle&, const NodeMask& feasible,
                             std::span<int64_t> scores) const {
  DefaultNormalize(feasible, /*reverse=*/false, scores);
}

std::vector<Interest> NodeAffinity::Interests() const {
  return {{{Resource::kNode, kAdd | kUpdateNodeLabel}}};
}

Result<bool> NodeAffinity::MayHelp(const Cluster&, const PodRecord& pod,
                                   const ClusterEvent& event) const {
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  const api::ObjectMeta& meta = node->after->metadata;
  if (args_.added_affinity && args_.added_affinity->required) {
    const auto added = api::CompiledNodeSelector::MakeLazy(*args_.added_affinity->required);
    if (!added.Matches(meta.labels, meta.name)) return false;
  }
  const auto matches = RequiredMatches(pod.object->spec, *node->after);
  if (!matches || !*matches || node->before == nullptr) return matches;
  // What the operator's affinity said of the node before is not asked, as upstream.
  const auto matched = RequiredMatches(pod.object->spec, *node->before);
  if (!matched) return matched;
  return !*matched;
}

}  // namespace berth
