// Extended resources that devices provide: which class a resource name stands for, and the requests
// of the special claim that the scheduler makes for the containers of a pod.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/string_hash.h"
#include "scheduler/devices/requests.h"

namespace berth::scheduler::devices {

// The resource name of each class, whether it names another or not: this, and the class's name.
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

// Reports whether a resource of this name may be provided by devices.
bool IsDeviceResource(std::string_view name);

// ExtendedResources maps resource names to classes, as events about classes come in. With several
// classes of the same resource the newest counts, and the order of events matters, as in
// kube-scheduler.
class ExtendedResources {
 public:
  void Put(const ClassRef& before, const ClassRef& after);
  void Remove(const ClassRef& removed);

  // Returns null if no class provides the resource.
  const api::DeviceClass* Find(std::string_view resource) const;
  bool empty() const { return classes_.empty(); }
  // Calls visit(resource, class), in no particular order.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& [resource, device_class] : classes_) visit(resource, device_class);
  }

 private:
  std::unordered_map<std::string, ClassRef, StringHash, std::equal_to<>> classes_;
};

// Which request of the special claim serves a container's resource.
using ExtendedResourceMapping = api::ContainerExtendedResourceRequest;

struct SpecialRequests {
  std::vector<api::DeviceRequest> requests;
  std::vector<ExtendedResourceMapping> mappings;
};

// Returns the requests for `resources`, sorted, which devices provide on some node.
SpecialRequests MakeSpecialRequests(const api::PodSpec& spec,
                                    const std::vector<std::string>& resources,
                                    const ExtendedResources& classes);

}  // namespace berth::scheduler::devices
