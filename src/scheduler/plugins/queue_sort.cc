#include "scheduler/plugins/queue_sort.h"

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

bool PrioritySort::Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.timestamp < b.timestamp;
}

}  // namespace berth::scheduler::plugins
