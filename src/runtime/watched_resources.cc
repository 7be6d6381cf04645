#include "runtime/watched_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace berth::runtime {
namespace {

using client::CodecOf;
using client::RawJsonCodecOf;

constexpr WatchedResource kResources[] = {
    {.resource = "namespaces", .codec = CodecOf<api::Namespace>},
    {.resource = "nodes", .codec = CodecOf<api::Node>, .raw_json_codec = RawJsonCodecOf<api::Node>},
    {.resource = "csinodes.storage.k8s.io", .codec = CodecOf<api::CsiNode>},
    {.resource = "csidrivers.storage.k8s.io", .codec = CodecOf<api::CsiDriver>},
    {.resource = "storageclasses.storage.k8s.io", .codec = CodecOf<api::StorageClass>},
    {.resource = "csistoragecapacities.storage.k8s.io", .codec = CodecOf<api::CsiStorageCapacity>},
    {.resource = "volumeattachments.storage.k8s.io", .codec = CodecOf<api::VolumeAttachment>},
    {.resource = "persistentvolumes", .codec = CodecOf<api::PersistentVolume>, .written = true},
    {.resource = "persistentvolumeclaims",
     .codec = CodecOf<api::PersistentVolumeClaim>,
     .written = true},
    {.resource = "services", .codec = CodecOf<api::Service>},
    {.resource = "replicationcontrollers", .codec = CodecOf<api::ReplicationController>},
    {.resource = "replicasets.apps", .codec = CodecOf<api::ReplicaSet>},
    {.resource = "statefulsets.apps", .codec = CodecOf<api::StatefulSet>},
    {.resource = "resourceclaims.resource.k8s.io",
     .codec = CodecOf<api::ResourceClaim>,
     .written = true,
     .feature = kDynamicResources},
    {.resource = "deviceclasses.resource.k8s.io",
     .codec = CodecOf<api::DeviceClass>,
     .feature = kDynamicResources},
    {.resource = "resourceslices.resource.k8s.io",
     .codec = CodecOf<api::ResourceSlice>,
     .feature = kDynamicResources},
    {.resource = "poddisruptionbudgets.policy", .codec = CodecOf<api::PodDisruptionBudget>},
    {.resource = "podgroups.scheduling.k8s.io",
     .codec = CodecOf<api::PodGroup>,
     .written = true,
     .feature = kPodGroups,
     .version = "v1alpha2",
     .later_version = "v1beta1",
     .gate = &scheduler::model::Features::generic_workload},
    {.resource = "podgroups.scheduling.x-k8s.io",
     .codec = client::CoschedulingGroupCodec,
     .feature = kPodGroups,
     .version = "v1alpha1",
     .gate = &scheduler::model::Features::coscheduling},
    {.resource = "pods",
     .codec = CodecOf<api::Pod>,
     .raw_json_codec = RawJsonCodecOf<api::Pod>,
     .field_selector = "status.phase!=Succeeded,status.phase!=Failed",
     .written = true},
};

}  // namespace

std::string_view WatchedResource::name() const { return resource.substr(0, resource.find('.')); }

std::string_view WatchedResource::group() const {
  const size_t dot = resource.find('.');
  return dot == std::string_view::npos ? std::string_view() : resource.substr(dot + 1);
}

std::string WatchedResource::path() const {
  if (group().empty()) return fmt::format("/api/v1/{}", name());
  return fmt::format("/apis/{}/{}/{}", group(), version, name());
}

std::string WatchedResource::later_path() const {
  if (later_version.empty()) return "";
  return fmt::format("/apis/{}/{}/{}", group(), later_version, name());
}

std::vector<WatchedResource> WatchedResources(const scheduler::model::Features& features) {
  std::vector<WatchedResource> watched;
  std::ranges::copy_if(kResources, std::back_inserter(watched), [&](const WatchedResource& row) {
    return row.gate == nullptr || features.*row.gate;
  });
  return watched;
}

const WatchedResource& FindWatchedResource(std::string_view resource) {
  const auto* found = std::ranges::find(kResources, resource, &WatchedResource::resource);
  CHECK(found != std::end(kResources));
  return *found;
}

std::vector<client::WatchSource> WatchSources(const scheduler::model::Features& features,
                                              bool raw_json) {
  std::vector<client::WatchSource> sources;
  for (const WatchedResource& watched : WatchedResources(features)) {
    const bool raw = raw_json && watched.raw_json_codec != nullptr;
    sources.push_back({.resource = std::string(watched.resource),
                       .path = watched.path(),
                       .field_selector = std::string(watched.field_selector),
                       .codec = raw ? watched.raw_json_codec() : watched.codec(),
                       .other_path = watched.later_path()});
  }
  return sources;
}

}  // namespace berth::runtime
