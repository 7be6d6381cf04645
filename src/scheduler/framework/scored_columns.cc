#include "scheduler/framework/scored_columns.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/resource_claim.h"
#include "scheduler/devices/extended_resources.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::framework {
namespace {

// The devices of a class on a node.
struct DeviceCount {
  int64_t all = 0;
  int64_t allocated = 0;
};

bool CanUse(const api::Node& node, const devices::Slice& slice, const devices::Device& device) {
  if (device.nodes) return device.nodes->Matches(node).value_or(false);
  const api::ResourceSlice& object = slice.object();
  const bool chooses = object.node_name || object.all_nodes || object.node_selector;
  return !chooses || slice.IsRelevantTo(node).value_or(false);
}

// As in kube-scheduler, without regard to generations, taints and counters, and as if no device
// could be shared. Nothing counts if a selector fails.
DeviceCount CountDevices(const model::Devices& devices, const api::DeviceClass& device_class,
                         const api::Node& node) {
  std::vector<std::shared_ptr<devices::Selector>> selectors;
  for (const api::DeviceSelector& selector : device_class.selectors)
    selectors.push_back(devices.UseSelector(selector.cel_expression.value_or("")));
  DeviceCount count;
  bool failed = false;
  devices.slices().ForEachSliceFor(node.metadata.name, [&](const devices::Slice& slice) {
    for (const devices::Device& device : slice.devices()) {
      if (failed) return;
      if (!CanUse(node, slice, device)) continue;
      bool matches = true;
      for (size_t i = 0; matches && !failed && i < selectors.size(); ++i) {
        const bool can_be_shared = device.object->allow_multiple_allocations.value_or(false);
        const auto outcome =
            (can_be_shared ? selectors[i]->Evaluate(
                                 devices::MakeValue(slice.object().driver, *device.object, false))
                           : selectors[i]->Evaluate({device.look->slot(), device.value()}))
                .outcome;
        failed = outcome != devices::Selector::Outcome::kYes &&
                 outcome != devices::Selector::Outcome::kNo;
        matches = outcome == devices::Selector::Outcome::kYes;
      }
      if (!matches) continue;
      ++count.all;
      count.allocated += devices.allocated().IsAllocated(device.id);
    }
  });
  return failed ? DeviceCount{} : count;
}

}  // namespace

ScoredColumns::ScoredColumns(const Cycle& cycle, std::span<const ScoredResource> resources,
                             const model::NodeMask& nodes, bool nonzero) {
  const model::Cluster& cluster = cycle.cluster();
  const devices::ExtendedResources& provided = cluster.devices().extended_resources();
  columns_.reserve(resources.size());
  for (const ScoredResource& resource : resources) {
    ResourceColumns columns = ColumnsOf(resource, cycle.nodes().columns(), nonzero);
    const api::DeviceClass* device_class =
        resource.kind == ScoredResource::Kind::kScalar && !provided.empty()
            ? provided.Find(cluster.scalars().Text(resource.scalar))
            : nullptr;
    if (device_class != nullptr) {
      auto with_devices = std::make_unique<Devices>();
      with_devices->allocatable.resize(cycle.nodes().rows());
      with_devices->requested.resize(cycle.nodes().rows());
      nodes.ForEach([&](size_t row) {
        const bool is_listed = columns.allocatable != nullptr && columns.allocatable[row] != 0;
        const model::NodeRow node{static_cast<uint32_t>(row)};
        const DeviceCount count =
            is_listed
                ? DeviceCount{columns.allocatable[row], columns.requested[row]}
                : CountDevices(cluster.devices(), *device_class, *cycle.nodes().info(node).object);
        with_devices->allocatable[row] = count.all;
        with_devices->requested[row] = count.allocated;
      });
      columns = {with_devices->allocatable.data(), with_devices->requested.data()};
      devices_.push_back(std::move(with_devices));
    }
    columns_.push_back(columns);
  }
}

bool AreDevices(const model::Cluster& cluster, std::string_view resource) {
  const devices::ExtendedResources& provided = cluster.devices().extended_resources();
  return !provided.empty() && provided.Find(resource) != nullptr;
}

bool MayBeDevices(const std::vector<ResourceWeight>& resources) {
  return std::ranges::any_of(
      resources, [](const auto& resource) { return devices::IsDeviceResource(resource.name); });
}

uint64_t DeviceEpoch(const model::Cluster& cluster) {
  return cluster.devices().epoch() + cluster.devices().changes().now();
}

}  // namespace berth::scheduler::framework
