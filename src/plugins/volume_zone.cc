#include "plugins/volume_zone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/volume_claims.h"
#include "framework/cycle.h"
#include "plugins/hints.h"
#include "plugins/wording.h"

namespace berth {
namespace {

// A zone or region label, and the newer name that nodes may have it under.
struct TopologyLabel {
  std::string_view name;
  std::string_view newer;
};
constexpr std::array<TopologyLabel, 4> kLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

// A node must have one of `values` under `key`, or under `newer` if it lacks `key`.
struct ZoneCondition {
  Symbol key, newer;
  std::vector<Symbol> values;  // Those that any node may have.
};

struct State final : CycleState {
  std::vector<ZoneCondition> conditions;
  std::array<Symbol, kLabels.size()> labels;  // Invalid if no node has such a label.

  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<State>(*this); }
};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// The zones of a label value, which are joined with "__"; nothing if one of them is empty.
std::optional<std::vector<std::string_view>> ZonesOf(std::string_view value) {
  std::vector<std::string_view> zones;
  while (true) {
    const size_t end = value.find("__");
    zones.push_back(Trimmed(value.substr(0, end)));
    if (zones.back().empty()) return std::nullopt;
    if (end == std::string_view::npos) return zones;
    value.remove_prefix(end + 2);
  }
}

// The zones and regions that the labels of the volume name, by label.
std::map<std::string_view, std::set<std::string_view>> TopologyOf(
    const api::PersistentVolume& volume) {
  std::map<std::string_view, std::set<std::string_view>> topology;
  for (const TopologyLabel& label : kLabels) {
    const auto found = volume.metadata.labels.find(label.name);
    if (found == volume.metadata.labels.end()) continue;
    if (const auto zones = ZonesOf(found->second)) {
      topology[label.name] = {zones->begin(), zones->end()};
    }
  }
  return topology;
}

void AddConditions(const api::PersistentVolume& volume, const SymbolTable& symbols,
                   std::vector<ZoneCondition>& conditions) {
  for (const TopologyLabel& label : kLabels) {
    const auto found = volume.metadata.labels.find(label.name);
    if (found == volume.metadata.labels.end()) continue;
    const auto zones = ZonesOf(found->second);
    if (!zones) continue;
    ZoneCondition& condition = conditions.emplace_back();
    condition.key = symbols.Find(label.name);
    condition.newer = symbols.Find(label.newer);
    for (std::string_view zone : *zones) {
      if (const Symbol value = symbols.Find(zone); value.valid()) condition.values.push_back(value);
    }
  }
}

Symbol Find(LabelSpan labels, Symbol key) {
  return key.valid() ? FindLabel(labels, key) : Symbol{};
}

bool Admits(const State& state, LabelSpan labels) {
  // A node without zones and regions is taken for the only zone that there is.
  const bool has_topology =
      std::ranges::any_of(state.labels, [&](Symbol label) { return Find(labels, label).valid(); });
  if (!has_topology) return true;
  return std::ranges::all_of(state.conditions, [&](const ZoneCondition& condition) {
    Symbol value = Find(labels, condition.key);
    if (!value.valid()) value = Find(labels, condition.newer);
    return value.valid() && std::ranges::find(condition.values, value) != condition.values.end();
  });
}

// The value that a node has for a zone or region label of a volume, or null.
const std::string* ValueOn(const api::StringMap& labels, const TopologyLabel& label) {
  auto found = labels.find(label.name);
  if (found == labels.end()) found = labels.find(label.newer);
  return found == labels.end() ? nullptr : &found->second;
}

// How the volume and a node with these labels disagree: "in zone "a", the node is in zone "b"";
// empty if they do not.
std::string Disagreement(const api::PersistentVolume& volume, const api::StringMap& labels) {
  for (const TopologyLabel& label : kLabels) {
    const auto wanted = volume.metadata.labels.find(label.name);
    if (wanted == volume.metadata.labels.end()) continue;
    const auto zones = ZonesOf(wanted->second);
    if (!zones) continue;
    const std::string* value = ValueOn(labels, label);
    if (value != nullptr && std::ranges::find(*zones, *value) != zones->end()) continue;
    return fmt::format("in {}, the node {}",
                       Domain(label.name, fmt::format("{}", fmt::join(*zones, "\", \""))),
                       value == nullptr ? fmt::format("has no label {}", label.newer)
                                        : fmt::format("is in {}", Domain(label.name, *value)));
  }
  return "";
}

Verdict Reject(std::string reason) {
  return {Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Whether it is all right that the claim has no volume yet.
Verdict JudgeUnbound(const Cluster& cluster, const api::PersistentVolumeClaim& claim) {
  const std::string& name = StorageClassOf(claim);
  if (name.empty()) return Reject("PersistentVolumeClaim had no pv name and storageClass name");
  const auto* storage_class = cluster.objects<api::StorageClass>().Find({"", name});
  if (storage_class == nullptr) return Reject(NotFound("storageclass.storage.k8s.io", name));
  if (!storage_class->volume_binding_mode) {
    return Reject(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name));
  }
  if (*storage_class->volume_binding_mode == "WaitForFirstConsumer") return {};
  return Reject("PersistentVolume had no name");
}

Verdict Collect(const Cluster& cluster, const PodClass& pod_class,
                std::vector<ZoneCondition>& conditions) {
  const SymbolTable& symbols = cluster.symbols();
  for (Symbol name : pod_class.claims) {
    const api::ObjectKey key{symbols.Text(pod_class.namespace_), symbols.Text(name)};
    if (key.name.empty()) return Reject("PersistentVolumeClaim had no name");
    const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
    if (claim == nullptr) return Reject(NotFound("persistentvolumeclaim", key.name));
    if (claim->volume_name.empty()) {
      if (Verdict verdict = JudgeUnbound(cluster, *claim); !verdict.ok()) return verdict;
      continue;
    }
    const auto* volume = cluster.objects<api::PersistentVolume>().Find({"", claim->volume_name});
    if (volume == nullptr) return Reject(NotFound("persistentvolume", claim->volume_name));
    AddConditions(*volume, symbols, conditions);
  }
  return {};
}

}  // namespace

PreFilterResult VolumeZone::PreFilter(Cycle& cycle) const {
  if (cycle.pod_class().claims.empty()) return {Verdict::Skip(), {}};
  auto state = std::make_unique<State>();
  Verdict verdict = Collect(cycle.cluster(), cycle.pod_class(), state->conditions);
  if (!verdict.ok()) return {std::move(verdict), {}};
  if (state->conditions.empty()) return {Verdict::Skip(), {}};
  for (size_t i = 0; i < kLabels.size(); ++i) {
    state->labels[i] = cycle.cluster().symbols().Find(kLabels[i].name);
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

Verdict VolumeZone::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const auto& state = cycle.state<State>(*this);
  nodes.KeepIf([&](size_t row) {
    return Admits(state, cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)}).labels);
  });
  return {};
}

Verdict VolumeZone::Explain(const Cycle& cycle, NodeRow node) const {
  if (Admits(cycle.state<State>(*this), cycle.nodes().info(node).labels)) return {};
  return Reject("node(s) had no available volume zone");
}

std::string VolumeZone::Details(const Cycle& cycle, NodeRow node) const {
  const Cluster& cluster = cycle.cluster();
  const PodClass& pod_class = cycle.pod_class();
  const api::StringMap& labels = cycle.nodes().info(node).object->metadata.labels;
  for (Symbol name : pod_class.claims) {
    const api::ObjectKey key{cluster.symbols().Text(pod_class.namespace_),
                             cluster.symbols().Text(name)};
    const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
    if (claim == nullptr) continue;
    const auto* volume = cluster.objects<api::PersistentVolume>().Find({"", claim->volume_name});
    if (volume == nullptr) continue;
    const std::string disagreement = Disagreement(*volume, labels);
    if (disagreement.empty()) continue;
    return fmt::format("claim \"{}\" is bound to volume {}, which is {}", key.name,
                       claim->volume_name, disagreement);
  }
  return "";
}

std::vector<Interest> VolumeZone::Interests() const {
  return {{{Resource::kStorageClass, kAdd}},
          {{Resource::kNode, kAdd | kUpdateNodeLabel}, /*conditional=*/false},
          {{Resource::kPersistentVolumeClaim, kAdd | kUpdate}},
          {{Resource::kPersistentVolume, kAdd | kUpdate}}};
}

Result<bool> VolumeZone::MayHelp(const Cluster&, const PodRecord& pod,
                                 const ClusterEvent& event) const {
  switch (KindOf(event)) {
    case Resource::kStorageClass: {
      const auto storage_class = UpdateOf<api::StorageClass>(event);
      if (!storage_class) return std::unexpected(storage_class.error());
      return storage_class->after->volume_binding_mode == "WaitForFirstConsumer";
    }
    case Resource::kPersistentVolumeClaim: {
      const auto claim = UpdateOf<api::PersistentVolumeClaim>(event);
      if (!claim) return std::unexpected(claim.error());
      return NamesClaim(*pod.object, *claim->after);
    }
    default: {
      const auto volume = UpdateOf<api::PersistentVolume>(event);
      if (!volume) return std::unexpected(volume.error());
      return volume->before == nullptr || TopologyOf(*volume->before) != TopologyOf(*volume->after);
    }
  }
}

}  // namespace berth
