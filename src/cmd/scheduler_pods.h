// The pods in which a cluster runs berth-scheduler: for `berth why`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/object.h"

namespace berth::cmd {

struct SchedulerPod {
  api::ObjectKey key;
  bool leads = false;  // It holds a lease.

  friend bool operator==(const SchedulerPod&, const SchedulerPod&) = default;
};

// Reports whether the pod runs a berth-scheduler: its label app or app.kubernetes.io/name, or the
// name of the image of a container, is berth-scheduler.
bool RunsBerthScheduler(const api::Pod& pod);

// Returns those of `pods` that run a berth-scheduler, leaders first, then by name. `holders` are
// the holder identities of the leases of their namespace: a host name, '_' and an id.
std::vector<SchedulerPod> FindSchedulerPods(std::span<const api::Ref<api::Pod>> pods,
                                            std::span<const std::string> holders);

// Returns the holder identities in a list of leases; empty if `list` is none.
std::vector<std::string> LeaseHolders(std::string_view list);

}  // namespace berth::cmd
