// Changes to the pod itself that may remove an obstacle: a toleration, a selector or a term less, a
// host port less.
#pragma once

#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Of several taints, labels or ports that keep the pod off the node, the first alone is changed:
// the others are obstacles that remain.
std::vector<Change> PodChanges(const Obstacle& obstacle);

// Returns the change that relaxes the topology spread constraint of that number: to `max_skew`, or
// to ScheduleAnyway if that is 0.
Change RelaxSpread(const api::Pod& pod, size_t number, int32_t max_skew);

// Returns the change that gives the pod the priority, by the PriorityClass of that name; by a new
// one if that is empty.
Change RaisePriority(const api::Pod& pod, int32_t priority, const std::string& priority_class);

// Returns the list of a template: without those that the API server adds to every pod.
std::string TolerationsJson(const std::vector<api::Toleration>& tolerations);

// Names the pod as the object of a change.
ObjectName NameOfPod(const api::Pod& pod);

}  // namespace berth::explain
