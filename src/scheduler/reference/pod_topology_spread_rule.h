// OwnerSelector gives the selector that a pod's services and its controller have in common: the
// pods that count as its replicas when it has no spread constraints of its own.
#pragma once

#include <memory>

#include "api/selector.h"
#include "scheduler/reference/rule.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// Everything if nothing selects the pod.
api::Selector OwnerSelector(const Snapshot& world, const api::Pod& pod);

// PodTopologySpread keeps the numbers of matching pods in zones, on hosts and so on alike: hard
// constraints reject nodes, soft ones score them.
std::unique_ptr<Rule> MakePodTopologySpread(const EvaluationInput& input);

}  // namespace berth::scheduler::reference
