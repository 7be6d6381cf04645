#include "scheduler/framework/plugin.h"

#include "scheduler/framework/cycle.h"

namespace berth::scheduler::framework {

std::unique_ptr<const ClassState> Plugin::Compile(model::Cluster&, const model::PodClass&) const {
  return nullptr;
}

std::vector<ClusterEventWithHint> Plugin::EventsToRegister() const {
  std::vector<ClusterEventWithHint> all;
  for (Resource resource :
       {Resource::kPod, Resource::kNode, Resource::kPersistentVolume,
        Resource::kPersistentVolumeClaim, Resource::kCsiNode, Resource::kCsiDriver,
        Resource::kCsiStorageCapacity, Resource::kStorageClass, Resource::kResourceClaim,
        Resource::kDeviceClass}) {
    all.push_back({{resource, kAllActions}, /*conditional=*/false});
  }
  return all;
}

}  // namespace berth::scheduler::framework
