#include "scheduler/plugins/node_volume_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/model/volume_claims.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

// The pod's volumes. They depend on the node only in whether in-tree volumes are served by CSI
// drivers, as on nodes with a CSINode.
struct LimitsState final : framework::CycleState {
  std::map<std::string, std::vector<model::CsiVolume>>
      wanted;  // By driver, on nodes with a CSINode.
  framework::Verdict with_csi_node,
      without_csi_node;  // What is wrong with the pod's own volumes, if anything.
  // The drivers that must be installed on the node, on nodes with a CSINode and on others.
  std::vector<std::string> required, required_without_csi_node;

  // Reports whether the result depends on more than the limits of a node.
  bool depends_on_csi_node() const {
    return !with_csi_node.ok() || !required.empty() || !required_without_csi_node.empty();
  }

  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<LimitsState>(*this);
  }
};

// Returns the drivers among those of `volumes` that keep pods off nodes where they are missing,
// sorted.
std::vector<std::string> DriversThatMustExist(const model::Cluster& cluster,
                                              const std::set<model::CsiVolume>& volumes) {
  std::set<std::string> names;
  for (const model::CsiVolume& volume : volumes) {
    const auto* driver = cluster.objects<api::CsiDriver>().Find({"", volume.driver});
    if (driver != nullptr && driver->prevent_pod_scheduling_if_missing.value_or(false))
      names.insert(volume.driver);
  }
  return {names.begin(), names.end()};
}

// Returns the first driver that must be installed on the node and is not, or null.
const std::string* FindMissingDriver(const LimitsState& state, const api::CsiNode* csi_node) {
  if (csi_node == nullptr) {
    return state.required_without_csi_node.empty() ? nullptr : &state.required_without_csi_node[0];
  }
  for (const std::string& name : state.required) {
    if (std::ranges::find(csi_node->drivers, name, &api::CsiNodeDriver::name) ==
        csi_node->drivers.end())
      return &name;
  }
  return nullptr;
}

const api::CsiNode* CsiNodeOf(const framework::Cycle& cycle, model::NodeRow node) {
  return cycle.cluster().objects<api::CsiNode>().Find({"", cycle.nodes().name(node)});
}

framework::Verdict AsVerdict(const model::PodCsiVolumes::Failure& failure) {
  if (!failure.claim_missing) return framework::Verdict::Error(failure.message);
  return {framework::Code::kUnschedulableAndUnresolvable, failure.message};
}

// Returns how many of the wanted volumes of a driver are not on the node yet.
int64_t CountNew(const std::vector<model::CsiVolume>& wanted,
                 const model::AttachedVolumes::Node& node) {
  return std::ranges::count_if(
      wanted, [&](const model::CsiVolume& volume) { return !node.used.contains(volume); });
}

// A driver that would exceed its limit.
struct FullDriver {
  std::string name;
  int64_t limit = 0, used = 0, added = 0;
};

std::optional<FullDriver> FindFullDriver(const LimitsState& state,
                                         const model::AttachedVolumes::Node& node) {
  for (const auto& [driver, wanted] : state.wanted) {
    const auto limit = node.limits.find(driver);
    const int64_t added = CountNew(wanted, node);
    if (limit == node.limits.end() || added == 0) continue;
    const auto count = node.counts.find(driver);
    const int64_t used = count == node.counts.end() ? 0 : count->second;
    if (added + used > limit->second) return FullDriver{driver, limit->second, used, added};
  }
  return std::nullopt;
}

framework::Verdict JudgeAttached(const LimitsState& state,
                                 const model::AttachedVolumes::Node& node) {
  if (!node.error.empty()) return framework::Verdict::Error(node.error);
  if (!FindFullDriver(state, node)) return {};
  return {framework::Code::kUnschedulable, "node(s) exceed max volume count"};
}

// A driver that the node did not have, or did not limit, counts as limited to 0.
bool SomeLimitGrew(const api::CsiNode& before, const api::CsiNode& after) {
  std::map<std::string_view, int32_t> limits;
  for (const api::CsiNodeDriver& driver : before.drivers) {
    limits[driver.name] = driver.allocatable_count.value_or(0);
  }
  return std::ranges::any_of(after.drivers, [&](const api::CsiNodeDriver& driver) {
    return driver.allocatable_count.value_or(0) > limits[driver.name];
  });
}

// The driver of the claim is not checked.
bool MayHaveVolumeOf(const std::string& driver, const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [&](const api::Volume& volume) {
    if (std::holds_alternative<api::PersistentVolumeClaimSource>(volume.source)) return true;
    const model::InTreePlugin* in_tree = model::InTreePluginOf(volume);
    return in_tree != nullptr && in_tree->driver == driver;
  });
}

}  // namespace

framework::PreFilterResult NodeVolumeLimits::PreFilter(framework::Cycle& cycle) const {
  if (!cycle.pod_class().uses_storage) return {framework::Verdict::Skip(), {}};
  const model::PodCsiVolumes& volumes = cycle.cluster().storage().pod_volumes();
  const api::Pod& pod = *cycle.pod().object;
  auto state = std::make_unique<LimitsState>();
  const auto with = volumes.OfNewPod(pod, /*migrated=*/true);
  const bool drivers_must_exist = cycle.cluster().features().volume_limit_scaling;
  if (with) {
    for (const model::CsiVolume& volume : *with) state->wanted[volume.driver].push_back(volume);
    if (drivers_must_exist) state->required = DriversThatMustExist(cycle.cluster(), *with);
  } else {
    state->with_csi_node = AsVerdict(with.error());
  }
  if (!with || drivers_must_exist) {
    // Without a CSINode, volumes that cannot be migrated are not an error.
    const auto without = volumes.OfNewPod(pod, /*migrated=*/false);
    if (!without) {
      state->without_csi_node = AsVerdict(without.error());
    } else if (drivers_must_exist) {
      state->required_without_csi_node = DriversThatMustExist(cycle.cluster(), *without);
    }
  }
  cycle.SetState(*this, std::move(state));
  return {};
}

framework::Verdict NodeVolumeLimits::FilterNodes(const framework::Cycle& cycle,
                                                 model::NodeMask& nodes) const {
  const auto& state = cycle.state<LimitsState>(*this);
  framework::Verdict error;
  auto judge = [&](size_t row) {
    framework::Verdict verdict = FilterNode(cycle, model::NodeRow{static_cast<uint32_t>(row)});
    if (verdict.ok()) return true;
    if (!verdict.rejected() && error.ok()) error = std::move(verdict);
    return false;
  };
  if (state.depends_on_csi_node()) {
    nodes.KeepIf(judge);
    return error;
  }
  auto look_at = [&](Symbol name) {
    const model::NodeRow row = cycle.nodes().Find(name);
    if (!row.valid() || !nodes.Test(row.index())) return;
    nodes.Assign(row.index(), judge(row.index()));
  };
  for (const auto& [driver, wanted] : state.wanted) {
    const auto count = static_cast<int64_t>(wanted.size());
    cycle.cluster().storage().attached().ForEachFull(driver, count, look_at);
  }
  if (!state.wanted.empty()) {
    for (Symbol name : cycle.cluster().storage().attached().uncountable()) look_at(name);
  }
  return error;
}

framework::Verdict NodeVolumeLimits::FilterNode(const framework::Cycle& cycle,
                                                model::NodeRow node) const {
  const auto& state = cycle.state<LimitsState>(*this);
  if (state.depends_on_csi_node()) {
    const api::CsiNode* csi_node = CsiNodeOf(cycle, node);
    const framework::Verdict& own =
        csi_node != nullptr ? state.with_csi_node : state.without_csi_node;
    if (!own.ok()) return own;
    if (const std::string* driver = FindMissingDriver(state, csi_node)) {
      return {framework::Code::kUnschedulable,
              *driver + " CSI driver is not installed on the node"};
    }
  }
  if (state.wanted.empty()) return {};
  const model::AttachedVolumes::Node* attached =
      cycle.cluster().storage().attached().Find(cycle.nodes().info(node).name);
  return attached == nullptr ? framework::Verdict() : JudgeAttached(state, *attached);
}

framework::Conditions NodeVolumeLimits::Require(const framework::Cycle& cycle) const {
  const auto& state = cycle.state<LimitsState>(*this);
  const model::AttachedVolumes& attached = cycle.cluster().storage().attached();
  const bool may_fail = !state.with_csi_node.ok() || !state.without_csi_node.ok() ||
                        (!state.wanted.empty() && !attached.uncountable().empty());
  const bool is_limited = std::ranges::any_of(
      state.wanted, [&](const auto& wanted) { return attached.Limits(wanted.first); });
  if (!may_fail && !is_limited && !state.depends_on_csi_node()) return {};
  return {framework::Opaque{.filter = this, .evaluates_all = may_fail}};
}

std::string NodeVolumeLimits::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& state = cycle.state<LimitsState>(*this);
  if (const std::string* driver = FindMissingDriver(state, CsiNodeOf(cycle, node))) {
    return fmt::format(
        "driver {} is not in the node's CSINode, and its CSIDriver keeps pods off such nodes",
        *driver);
  }
  const model::AttachedVolumes::Node* attached =
      cycle.cluster().storage().attached().Find(cycle.nodes().info(node).name);
  if (!state.with_csi_node.ok() || attached == nullptr) return "";
  const auto full = FindFullDriver(state, *attached);
  if (!full) return "";
  return fmt::format(
      "driver {} attaches up to {} to the node, {} in use, and the pod needs {} more", full->name,
      FormatCount(full->limit, "volume"),
      full->used == 1 ? "1 is" : fmt::format("{} are", full->used), full->added);
}

std::vector<framework::ClusterEventWithHint> NodeVolumeLimits::EventsToRegister() const {
  return {{{framework::Resource::kCsiNode, framework::kAdd}, /*conditional=*/false},
          {{framework::Resource::kCsiNode, framework::kUpdate}},
          {{framework::Resource::kPod, framework::kDelete}},
          {{framework::Resource::kPersistentVolumeClaim, framework::kAdd}},
          {{framework::Resource::kVolumeAttachment, framework::kDelete}}};
}

Result<bool> NodeVolumeLimits::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                            const framework::ClusterEvent& event) const {
  switch (KindOf(event)) {
    case framework::Resource::kCsiNode: {
      const auto node = UpdateOf<api::CsiNode>(event);
      if (!node) return std::unexpected(node.error());
      return node->before == nullptr || SomeLimitGrew(*node->before, *node->after);
    }
    case framework::Resource::kPersistentVolumeClaim: {
      const auto claim = UpdateOf<api::PersistentVolumeClaim>(event);
      if (!claim) return std::unexpected(claim.error());
      return UsesClaim(*pod.object, *claim->after);
    }
    case framework::Resource::kVolumeAttachment: {
      const auto attachment = RemovalOf<api::VolumeAttachment>(event);
      if (!attachment) return std::unexpected(attachment.error());
      return MayHaveVolumeOf((*attachment)->attacher, pod.object->spec);
    }
    default: {
      const auto deleted = RemovalOf<api::Pod>(event);
      if (!deleted) return std::unexpected(deleted.error());
      return UsesCapacity(**deleted) && model::UsesStorage((*deleted)->spec);
    }
  }
}

}  // namespace berth::scheduler::plugins
