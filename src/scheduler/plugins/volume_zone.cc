#include "scheduler/plugins/volume_zone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/volume_claims.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
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
  std::vector<Symbol> values;  // Those that any node may have; sorted.
  friend constexpr auto operator<=>(const ZoneCondition&, const ZoneCondition&) = default;
};

// The node is in the zones and regions of the pod's volumes.
struct ZoneState final : framework::CycleState, framework::NodePredicate {
  std::vector<ZoneCondition> conditions;      // Sorted, unique.
  std::array<Symbol, kLabels.size()> labels;  // Invalid if no node has such a label.

  bool Holds(const framework::Cycle& cycle, model::NodeRow node) const override;
  // Pods whose volumes are in the same zones share a selection of nodes.
  bool AppendKey(const framework::Cycle& cycle, std::string& key) const override;
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<ZoneState>(*this);
  }
};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Returns the zones of a label value, which are joined with "__"; nothing if one of them is empty.
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

// Returns the zones and regions that the labels of the volume name, by label.
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
    std::ranges::sort(condition.values);
  }
}

Symbol Find(model::LabelSpan labels, Symbol key) {
  return key.valid() ? model::FindLabel(labels, key) : Symbol{};
}

bool ZoneState::Holds(const framework::Cycle& cycle, model::NodeRow node) const {
  const model::LabelSpan on_node = cycle.nodes().info(node).labels;
  // A node without zones and regions counts as being in the only zone.
  const bool has_topology =
      std::ranges::any_of(labels, [&](Symbol label) { return Find(on_node, label).valid(); });
  if (!has_topology) return true;
  return std::ranges::all_of(conditions, [&](const ZoneCondition& condition) {
    Symbol value = Find(on_node, condition.key);
    if (!value.valid()) value = Find(on_node, condition.newer);
    return value.valid() && std::ranges::find(condition.values, value) != condition.values.end();
  });
}

bool ZoneState::AppendKey(const framework::Cycle& cycle, std::string& key) const {
  // Of pods with more conditions, few have the same ones.
  constexpr size_t kMaxConditions = 16;
  constexpr size_t kMaxValues = 16;
  const bool is_small = conditions.size() <= kMaxConditions &&
                        std::ranges::all_of(conditions, [](const ZoneCondition& condition) {
                          return condition.values.size() <= kMaxValues;
                        });
  if (!is_small) return false;
  const SymbolTable& symbols = cycle.cluster().symbols();
  const auto text = [&](Symbol symbol) {
    return symbol.valid() ? symbols.Text(symbol) : std::string();
  };
  model::KeyWriter writer(key);
  writer.Put(conditions.size());
  for (const ZoneCondition& condition : conditions) {
    writer.PutAll(text(condition.key), text(condition.newer), condition.values.size());
    for (Symbol value : condition.values) writer.Put(text(value));
  }
  return true;
}

// Returns the value that a node has for a zone or region label of a volume, or null.
const std::string* ValueOn(const api::StringMap& labels, const TopologyLabel& label) {
  auto found = labels.find(label.name);
  if (found == labels.end()) found = labels.find(label.newer);
  return found == labels.end() ? nullptr : &found->second;
}

// Returns how the volume and a node with these labels differ: "in zone "a", the node is in zone
// "b""; empty if they do not.
std::string Disagreement(const api::PersistentVolume& volume, const api::StringMap& labels) {
  for (const TopologyLabel& label : kLabels) {
    const auto wanted = volume.metadata.labels.find(label.name);
    if (wanted == volume.metadata.labels.end()) continue;
    const auto zones = ZonesOf(wanted->second);
    if (!zones) continue;
    const std::string* value = ValueOn(labels, label);
    if (value != nullptr && std::ranges::find(*zones, *value) != zones->end()) continue;
    return fmt::format("in {}, the node {}",
                       FormatDomain(label.name, fmt::format("{}", fmt::join(*zones, "\", \""))),
                       value == nullptr
                           ? fmt::format("has no label {}", label.newer)
                           : fmt::format("is in {}", FormatDomain(label.name, *value)));
  }
  return "";
}

framework::Verdict Unresolvable(std::string reason) {
  return {framework::Code::kUnschedulableAndUnresolvable, std::move(reason)};
}

// Reports whether the claim may be without a volume.
framework::Verdict JudgeUnbound(const model::Cluster& cluster,
                                const api::PersistentVolumeClaim& claim) {
  const std::string& name = model::StorageClassOf(claim);
  if (name.empty())
    return Unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
  const auto* storage_class = cluster.objects<api::StorageClass>().Find({"", name});
  if (storage_class == nullptr)
    return Unresolvable(model::NotFound("storageclass.storage.k8s.io", name));
  if (!storage_class->volume_binding_mode) {
    return Unresolvable(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", name));
  }
  if (*storage_class->volume_binding_mode == "WaitForFirstConsumer") return {};
  return Unresolvable("PersistentVolume had no name");
}

framework::Verdict Collect(const model::Cluster& cluster, const model::PodClass& pod_class,
                           std::vector<ZoneCondition>& conditions) {
  const SymbolTable& symbols = cluster.symbols();
  for (Symbol name : pod_class.claims) {
    const api::ObjectKey key{symbols.Text(pod_class.namespace_), symbols.Text(name)};
    if (key.name.empty()) return Unresolvable("PersistentVolumeClaim had no name");
    const auto* claim = cluster.objects<api::PersistentVolumeClaim>().Find(key);
    if (claim == nullptr) return Unresolvable(model::NotFound("persistentvolumeclaim", key.name));
    if (claim->volume_name.empty()) {
      if (framework::Verdict verdict = JudgeUnbound(cluster, *claim); !verdict.ok()) return verdict;
      continue;
    }
    const auto* volume = cluster.objects<api::PersistentVolume>().Find({"", claim->volume_name});
    if (volume == nullptr)
      return Unresolvable(model::NotFound("persistentvolume", claim->volume_name));
    AddConditions(*volume, symbols, conditions);
  }
  return {};
}

}  // namespace

framework::PreFilterResult VolumeZone::PreFilter(framework::Cycle& cycle) const {
  if (cycle.pod_class().claims.empty()) return {framework::Verdict::Skip(), {}};
  auto state = std::make_unique<ZoneState>();
  framework::Verdict verdict = Collect(cycle.cluster(), cycle.pod_class(), state->conditions);
  if (!verdict.ok()) return {std::move(verdict), {}};
  if (state->conditions.empty()) return {framework::Verdict::Skip(), {}};
  std::ranges::sort(state->conditions);
  const auto repeated = std::ranges::unique(state->conditions);
  state->conditions.erase(repeated.begin(), repeated.end());
  for (size_t i = 0; i < kLabels.size(); ++i) {
    state->labels[i] = cycle.cluster().symbols().Find(kLabels[i].name);
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

framework::Conditions VolumeZone::Require(const framework::Cycle& cycle) const {
  return {framework::NodeClass{
      .is = &cycle.state<ZoneState>(*this),
      .rejection = framework::Rejection{framework::Code::kUnschedulableAndUnresolvable,
                                        "node(s) had no available volume zone"}}};
}

std::string VolumeZone::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const model::Cluster& cluster = cycle.cluster();
  const model::PodClass& pod_class = cycle.pod_class();
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

std::vector<framework::ClusterEventWithHint> VolumeZone::EventsToRegister() const {
  return {{{framework::Resource::kStorageClass, framework::kAdd}},
          {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel},
           /*conditional=*/false},
          {{framework::Resource::kPersistentVolumeClaim, framework::kAdd | framework::kUpdate}},
          {{framework::Resource::kPersistentVolume, framework::kAdd | framework::kUpdate}}};
}

Result<bool> VolumeZone::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                      const framework::ClusterEvent& event) const {
  switch (KindOf(event)) {
    case framework::Resource::kStorageClass: {
      const auto storage_class = UpdateOf<api::StorageClass>(event);
      if (!storage_class) return std::unexpected(storage_class.error());
      return storage_class->after->volume_binding_mode == "WaitForFirstConsumer";
    }
    case framework::Resource::kPersistentVolumeClaim: {
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

}  // namespace berth::scheduler::plugins
