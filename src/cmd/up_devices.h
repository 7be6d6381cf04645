// Example devices of `berth up`: what a driver of GPUs would publish.
#pragma once

#include <cstddef>

#include "apiserver/registry/api.h"
#include "base/result.h"

namespace berth::cmd {

// The API accepts no more devices in a slice.
inline constexpr size_t kMaxGpus = 128;

// Creates the DeviceClass "gpu.example.com" and, for each node, a ResourceSlice with `count` GPUs,
// which the garbage collector removes with the node. Existing ones are not changed.
Status MakeGpus(apiserver::registry::Api& api, size_t count);

}  // namespace berth::cmd
