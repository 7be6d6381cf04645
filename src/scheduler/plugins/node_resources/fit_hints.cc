// NodeResourcesFit's queueing hints: which events may free, or add, what a pod requests.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod_resources.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/scored_columns.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/node_resources/fit.h"

namespace berth::scheduler::plugins {
namespace {

// Returns the amount of a resource in the list; see model::AmountOf.
int64_t AmountOf(std::string_view name, const api::ResourceList& list) {
  const auto found = list.find(name);
  return found == list.end() ? 0 : model::AmountOf(name, found->second);
}

// Calls visit(name, amount) for each resource that the pod requests; returns whether it was true
// for one.
template <typename Visit>
bool AnyRequest(const model::Cluster& cluster, const model::PodRecord& pod, Visit&& visit) {
  const model::ResourceVector& wanted = cluster.class_of(pod).requests;
  auto ask = [&](std::string_view name, int64_t amount) {
    return amount > 0 && visit(name, amount);
  };
  return ask("cpu", wanted.milli_cpu) || ask("memory", wanted.memory) ||
         ask("ephemeral-storage", wanted.ephemeral_storage) ||
         std::ranges::any_of(wanted.scalars, [&](const model::ResourceVector::Scalar& scalar) {
           return ask(cluster.scalars().Text(scalar.id), scalar.amount);
         });
}

// Resources that the plugin is configured to ignore count here all the same, as upstream.
bool FitsWhenEmpty(const model::Cluster& cluster, const model::PodRecord& pod,
                   const api::Node& node) {
  const api::ResourceList& offered = node.status.allocatable;
  return AmountOf("pods", offered) >= 1 &&
         !AnyRequest(cluster, pod, [&](std::string_view name, int64_t amount) {
           const int64_t has = AmountOf(name, offered);
           return amount > has && !(has <= 0 && framework::AreDevices(cluster, name));
         });
}

bool OffersMore(const model::Cluster& cluster, const model::PodRecord& pod, const api::Node& before,
                const api::Node& after) {
  auto grew = [&](std::string_view name) {
    return AmountOf(name, after.status.allocatable) > AmountOf(name, before.status.allocatable);
  };
  return grew("pods") || AnyRequest(cluster, pod, [&](std::string_view name, int64_t) {
           return grew(name) || framework::AreDevices(cluster, name);
         });
}

// Reports whether `other`, which runs, now requests less of something that the pod requests.
bool LeavesMore(const api::Pod& pod, const api::Pod& before, const api::Pod& after,
                const model::Features& features) {
  const api::PodRequestOptions options = model::ScaledPodRequests(features);
  const api::ResourceList taken = api::PodRequests(before, options);
  const api::ResourceList takes = api::PodRequests(after, options);
  return std::ranges::any_of(api::PodRequests(pod, options), [&](const auto& wanted) {
    const auto& [name, amount] = wanted;
    const bool counted = name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
                         api::IsScalarResource(name);
    return counted && !amount.IsZero() && AmountOf(name, taken) > AmountOf(name, takes);
  });
}

Result<bool> HintForPod(const model::Cluster& cluster, const model::PodRecord& pod,
                        const framework::ClusterEvent& event) {
  const auto other = ChangeOf<api::Pod>(event);
  if (!other) return std::unexpected(other.error());
  if (other->after == nullptr) return UsesCapacity(*other->before);
  if (IsSamePod(pod, *other->after)) return true;
  if (other->before == nullptr || other->after->spec.node_name.empty()) return false;
  return LeavesMore(*pod.object, *other->before, *other->after, cluster.features());
}

// A device class may correspond to a resource: that of its own name, or one that it names.
Result<bool> MayHelpByDevices(const model::Cluster& cluster, const model::PodRecord& pod,
                              const framework::ClusterEvent& event) {
  const auto changed = UpdateOf<api::DeviceClass>(event);
  if (!changed) return std::unexpected(changed.error());
  const auto& named = changed->after->extended_resource_name;
  const bool added = changed->before == nullptr;
  if (!added && changed->before->extended_resource_name == named) return false;
  const std::string own = std::string(devices::kDeviceClassPrefix) + changed->after->metadata.name;
  return AnyRequest(cluster, pod, [&](std::string_view name, int64_t) {
    return name == named || (added && name == own);
  });
}

}  // namespace

std::vector<framework::ClusterEventWithHint> NodeResourcesFit::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kDelete | framework::kUpdatePodScaleDown}},
          {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeAllocatable}},
          {{framework::Resource::kDeviceClass, framework::kAdd | framework::kUpdate}}};
}

Result<bool> NodeResourcesFit::QueueingHint(const model::Cluster& cluster,
                                            const model::PodRecord& pod,
                                            const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPod) return HintForPod(cluster, pod, event);
  if (KindOf(event) == framework::Resource::kDeviceClass)
    return MayHelpByDevices(cluster, pod, event);
  const auto node = UpdateOf<api::Node>(event);
  if (!node) return std::unexpected(node.error());
  if (!FitsWhenEmpty(cluster, pod, *node->after)) return false;
  return node->before == nullptr || OffersMore(cluster, pod, *node->before, *node->after);
}

}  // namespace berth::scheduler::plugins
