// ScoredColumns: the columns of resources for scores, with the devices that provide extended ones
// on nodes that do not list it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/scored_resource.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

// The columns of `resources`, in order; see ColumnsOf.
class ScoredColumns {
 public:
  // Computes what devices provide for the rows of `nodes` alone.
  ScoredColumns(const Cycle& cycle, std::span<const ScoredResource> resources,
                const model::NodeMask& nodes, bool nonzero);

  const std::vector<ResourceColumns>& columns() const { return columns_; }

 private:
  struct Devices {
    std::vector<int64_t> allocatable, requested;
  };
  std::vector<ResourceColumns> columns_;
  std::vector<std::unique_ptr<Devices>> devices_;
};

// Reports whether devices provide the resource on nodes that do not list it. That may change any
// time.
bool AreDevices(const model::Cluster& cluster, std::string_view resource);
// Reports whether devices may provide one of the resources.
bool MayBeDevices(const std::vector<ResourceWeight>& resources);
// A number that changes when devices change: see ScorePlugin::score_epoch.
uint64_t DeviceEpoch(const model::Cluster& cluster);

}  // namespace berth::scheduler::framework
