// What an update of a pod or a node amounts to, in events that plugins wait for.
#pragma once

#include <vector>

#include "api/node.h"
#include "api/pod.h"
#include "framework/cluster_event.h"

namespace berth {

// One event for each kind of change, in kube-scheduler's order; an unspecific Update if there is
// none. They are about an assigned pod if the pod is on a node now, else about an unschedulable
// one.
std::vector<EventType> PodChanges(const api::Pod& before, const api::Pod& after);

// One event for each kind of change, in kube-scheduler's order; none if nothing changed that
// concerns scheduling. A node that is uncordoned and loses a taint gives two of the same type.
std::vector<EventType> NodeChanges(const api::Node& before, const api::Node& after);

}  // namespace berth
