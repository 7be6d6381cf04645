// DevicePool is a pool of devices as one node sees it: the slices of its current generation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/node.h"
#include "api/resource_slice.h"
#include "base/result.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct DevicePool {
  enum class State : uint8_t {
    kUsable,
    kIncomplete,  // Slices are missing: the driver is updating the pool.
    kInvalid,     // The slices contradict each other.
  };

  std::string driver;
  std::string name;
  State state = State::kUsable;
  // By name: the slices with devices for the node. Empty unless the pool is usable, like the rest.
  std::vector<const api::ResourceSlice*> slices = {};
  // Slices for other nodes; their devices may consume the same counters.
  std::vector<const api::ResourceSlice*> slices_elsewhere = {};
  // The counter sets of the pool, by name.
  std::map<std::string, api::Counters> counter_sets = {};

  // Returns "driver/name".
  std::string ToString() const { return driver + "/" + name; }
};

// Returns the pools that are relevant for the node, in the order in which devices are tried: by
// driver and name, pools with binding conditions last. Fails on a node selector that does not
// parse.
Result<std::vector<DevicePool>> GatherPools(const Snapshot& snapshot, const api::Node& node,
                                            const model::Features& features);

// Reports whether the slice counts only with the feature DRAPartitionableDevices.
bool NeedsPartitionableDevices(const api::ResourceSlice& slice);

// Reports whether devices with this node selection are for the node.
Result<bool> NodeMatches(const api::Node& node, const std::optional<std::string>& node_name,
                         const std::optional<bool>& all_nodes,
                         const std::optional<api::NodeSelector>& selector);

}  // namespace berth::scheduler::reference
