#include "framework/plugin.h"

#include "framework/cycle.h"

namespace berth {

std::unique_ptr<const ClassState> Plugin::Compile(Cluster&, const PodClass&) const {
  return nullptr;
}

std::vector<Interest> Plugin::Interests() const {
  std::vector<Interest> all;
  for (Resource resource :
       {Resource::kPod, Resource::kNode, Resource::kPersistentVolume,
        Resource::kPersistentVolumeClaim, Resource::kCsiNode, Resource::kCsiDriver,
        Resource::kCsiStorageCapacity, Resource::kStorageClass, Resource::kResourceClaim,
        Resource::kDeviceClass}) {
    all.push_back({{resource, kAllActions}, /*conditional=*/false});
  }
  return all;
}

}  // namespace berth
