// The random devices and claims of simulated worlds.
//
// There are three kinds of devices: those of kGpuDriver are used by one claim at a time, and may
// have binding conditions; those of kSlotDriver draw on counters of their pool; those of
// kLinkDriver are shared, and have a capacity.
#pragma once

#include <string>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "base/random.h"

namespace berth::simulation {

inline constexpr const char* kGpuDriver = "gpu.example.com";
inline constexpr const char* kSlotDriver = "slot.example.com";
inline constexpr const char* kLinkDriver = "link.example.com";
// The extended resource that devices of kGpuDriver provide.
inline constexpr const char* kGpuResource = "example.com/gpu";
inline constexpr const char* kReady = "Attached";  // A binding condition.
inline constexpr const char* kBroken = "Broken";   // One that says that a device failed.
inline constexpr const char* kSpecialClaim = "resource.kubernetes.io/extended-resource-claim";

// Reports whether the pod uses devices, by claims or as extended resources.
bool UsesDevices(const api::Pod& pod);

// A class for each driver, with its name.
std::vector<api::DeviceClass> MakeDeviceClasses();
// The slices of a node: devices of some of the drivers.
std::vector<api::ResourceSlice> RandomSlices(const std::string& node, Random& random);
// A claim for devices of one driver, or one that is hard to meet.
api::ResourceClaim RandomDeviceClaim(std::string name, Random& random);

}  // namespace berth::simulation
