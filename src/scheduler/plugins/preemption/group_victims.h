// Which pods must be evicted so that a whole group finds room.
#pragma once

#include "base/task.h"
#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

// Finds the victims in the whole cluster: all units of lower priority than the group's are taken
// off, and as many as the group still fits with are reprieved, those protected by a disruption
// budget first, the most important first. A unit is a pod, or all pods of a group that is disrupted
// as a whole. Returns why it does not help otherwise. The cluster is unchanged afterwards.
Task<framework::PodGroupPostFilterResult> SelectVictimsForGroup(framework::FailedGroup& failed);

}  // namespace berth::scheduler::plugins
