#include "plugins/priority_sort.h"

#include "framework/queued_pod.h"

namespace berth {

bool PrioritySort::Less(const QueuedPod& a, const QueuedPod& b) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.timestamp < b.timestamp;
}

}  // namespace berth
