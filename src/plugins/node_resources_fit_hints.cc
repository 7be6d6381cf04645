// Which events NodeResourcesFit's rejected pods wait for.
#include <algorithm>
#include <string>
#include <string_view>

#include "api/pod_resources.h"
#include "cluster/cluster.h"
#include "plugins/hints.h"
#include "plugins/node_resources_fit.h"

namespace berth {
namespace {

const std::string kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

// How much of a resource the list has: thousandths of cpu, units of all else.
int64_t AmountOf(std::string_view name, const api::ResourceList& list) {
  const auto found = list.find(name);
  if (found == list.end()) return 0;
  return name == "cpu" ? found->second.MilliValue() : found->second.Value();
}

// Calls visit(name, amount) for each resource that the pod asks for; returns whether it was true
// for one.
template <typename Visit>
bool AnyRequest(const Cluster& cluster, const PodRecord& pod, Visit&& visit) {
  const ResourceVector& wanted = cluster.class_of(pod).requests;
  auto ask = [&](std::string_view name, int64_t amount) {
    return amount > 0 && visit(name, amount);
  };
  return ask("cpu", wanted.milli_cpu) || ask("memory", wanted.memory) ||
         ask("ephemeral-storage", wanted.ephemeral_storage) ||
         std::ranges::any_of(wanted.scalars, [&](const ResourceVector::Scalar& scalar) {
           return ask(cluster.scalars().Text(scalar.id), scalar.amount);
         });
}

// Resources that the plugin is told to ignore count here all the same, as upstream.
bool FitsWhenEmpty(const Cluster& cluster, const PodRecord& pod, const api::Node& node) {
  const api::ResourceList& offered = node.status.allocatable;
  return AmountOf("pods", offered) >= 1 &&
         !AnyRequest(cluster, pod, [&](std::string_view name, int64_t amount) {
           return amount > AmountOf(name, offered);
         });
}

bool OffersMore(const Cluster& cluster, const PodRecord& pod, const api::Node& before,
                const api::Node& after) {
  auto grew = [&](std::string_view name) {
    return AmountOf(name, after.status.allocatable) > AmountOf(name, before.status.allocatable);
  };
  return grew("pods") ||
         AnyRequest(cluster, pod, [&](std::string_view name, int64_t) { return grew(name); });
}

// True if `other`, which runs, now takes less of something that the pod asks for.
bool LeavesMore(const api::Pod& pod, const api::Pod& before, const api::Pod& after) {
  const api::PodRequestOptions options{.use_status = true};
  const api::ResourceList taken = api::PodRequests(before, options);
  const api::ResourceList takes = api::PodRequests(after, options);
  return std::ranges::any_of(api::PodRequests(pod, options), [&](const auto& wanted) {
    const auto& [name, amount] = wanted;
    const bool counted = name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
                         api::IsScalarResource(name);
    // Less than nothing counts as nothing.
    return counted && !amount.IsZero() &&
           std::max<int64_t>(AmountOf(name, taken), 0) >
               std::max<int64_t>(AmountOf(name, takes), 0);
  });
}

Result<bool> MayHelpByPod(const PodRecord& pod, const ClusterEvent& event) {
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  if (other->after == nullptr) return TakesRoom(*other->before);
  if (IsSamePod(pod, *other->after)) return true;
  if (other->before == nullptr || other->after->spec.node_name.empty()) return false;
  return LeavesMore(*pod.object, *other->before, *other->after);
}

// A class of devices may stand for a resource: that of its own name, or one that it names.
Result<bool> MayHelpByDevices(const Cluster& cluster, const PodRecord& pod,
                              const ClusterEvent& event) {
  const auto devices = UpdateOf<api::DeviceClass>(event);
  if (!devices) return std::unexpected(devices.error());
  const auto& named = devices->after->extended_resource_name;
  const bool added = devices->before == nullptr;
  if (!added && devices->before->extended_resource_name == named) return false;
  const std::string own = kDeviceClassPrefix + devices->after->metadata.name;
  return AnyRequest(cluster, pod, [&](std::string_view name, int64_t) {
    return name == named || (added && name == own);
  });
}

}  // namespace

std::vector<Interest> NodeResourcesFit::Interests() const {
  return {{{Resource::kPod, kDelete | kUpdatePodScaleDown}},
          {{Resource::kNode, kAdd | kUpdateNodeAllocatable}},
          {{Resource::kDeviceClass, kAdd | kUpdate}}};
}

Result<bool> NodeResourcesFit::MayHelp(const Cluster& cluster, const PodRecord& pod,
                                       const ClusterEvent& event) const {
  if (KindOf(event) == Resource::kPod) return MayHelpByPod(pod, event);
  if (KindOf(event) == Resource::kDeviceClass) return MayHelpByDevices(cluster, pod, event);
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  if (!FitsWhenEmpty(cluster, pod, *node->after)) return false;
  return node->before == nullptr || OffersMore(cluster, pod, *node->before, *node->after);
}

}  // namespace berth
