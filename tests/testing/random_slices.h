// Random ResourceSlices and DeviceClasses, with values from small pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "base/random.h"

namespace berth::generate {

inline constexpr const char* kGpuDriver = "gpu.example.com";
// An extended resource that classes may back, and device plugins of some nodes offer.
inline constexpr const char* kGpuResource = "example.com/gpu";

// Nodes have the label zone: a or b.
api::NodeSelector InZone(const std::string& zone);

// Returns classes with the names any, gpu, a100 and nic; rarely one that is broken.
std::vector<api::DeviceClass> RandomDeviceClasses(Random& random);

api::Device RandomDevice(Random& random, const std::string& name);

// Returns the slices of a pool for one node, or for several; `next` numbers slices. Some pools are
// incomplete or invalid, or have slices of other generations.
std::vector<api::ResourceSlice> RandomNodePool(Random& random, const std::string& node,
                                               uint64_t& next);
std::vector<api::ResourceSlice> RandomSharedPool(Random& random, size_t number, uint64_t& next);

}  // namespace berth::generate
