// Slice is a ResourceSlice as the allocator uses it: its devices with their ids, and the nodes that
// it is for, compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/node.h"
#include "api/resource_slice.h"
#include "api/selector.h"
#include "base/result.h"
#include "cel/device.h"
#include "scheduler/devices/device_look.h"
#include "scheduler/devices/device_names.h"

namespace berth::scheduler::devices {

class Slice;

// NodeChoice is which nodes a slice or a device is for (upstream: NodeMatches).
class NodeChoice {
 public:
  NodeChoice(const std::optional<std::string>& node_name, const std::optional<bool>& all_nodes,
             const std::optional<api::NodeSelector>& selector);
  // Fails if the node selector does not parse.
  Result<bool> Matches(const api::Node& node) const;
  // Reports whether nothing is chosen, not even in vain.
  bool empty() const { return node_name_.empty() && !all_nodes_ && !selector_; }

 private:
  std::string node_name_;
  bool all_nodes_;
  std::optional<Result<api::CompiledNodeSelector>> selector_;
};

struct Device {
  const api::Device* object = nullptr;
  const Slice* slice = nullptr;
  DeviceId id;
  std::shared_ptr<const DeviceLook> look;
  bool shareable = false;  // Several claims may have it at the same time.
  // A request without capacities can have it, unless somebody shares it.
  bool always_has_capacity = false;
  // With perDeviceNodeSelection.
  std::optional<NodeChoice> nodes;

  // As selectors see it; made on first use.
  const cel::Device& value() const;
};

class Slice {
 public:
  // `names` and `looks` must outlive this.
  Slice(std::shared_ptr<const api::ResourceSlice> object, DeviceNames& names, DeviceLooks& looks,
        bool consumable_capacity);
  Slice(const Slice&) = delete;
  Slice& operator=(const Slice&) = delete;

  const api::ResourceSlice& object() const { return *object_; }
  const std::string& name() const { return object_->metadata.name; }
  PoolId pool() const { return pool_.held()[0]; }
  const std::vector<Device>& devices() const { return devices_; }
  bool has_counters() const { return !object_->shared_counters.empty(); }
  // Reports whether some device draws on counters.
  bool uses_counters() const { return uses_counters_; }
  // The node that it is for, if that is one node by name.
  std::string_view node_name() const {
    return object_->node_name ? std::string_view(*object_->node_name) : std::string_view();
  }

  // Reports whether the slice belongs to the pool as `node` sees it. Fails if a node selector does
  // not parse; the message is kube-scheduler's.
  Result<bool> IsRelevantTo(const api::Node& node) const;

 private:
  const std::shared_ptr<const api::ResourceSlice> object_;
  PoolHolder pool_;
  DeviceHolder ids_;
  NodeChoice nodes_;
  std::vector<Device> devices_;
  bool uses_counters_ = false;
};

}  // namespace berth::scheduler::devices
