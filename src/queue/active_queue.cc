#include "queue/active_queue.h"

#include "base/check.h"

namespace berth {

void ActiveQueue::Push(QueuedPod pod) {
  pod.sequence = next_sequence_++;
  const auto placed = pods_.insert(pod).first;
  const bool added = by_id_.emplace(pod.pod, placed).second;
  CHECK(added);
}

QueuedPod ActiveQueue::Pop() {
  const QueuedPod pod = *pods_.begin();
  pods_.erase(pods_.begin());
  by_id_.erase(pod.pod);
  return pod;
}

std::optional<QueuedPod> ActiveQueue::Remove(PodId pod) {
  auto found = by_id_.find(pod);
  if (found == by_id_.end()) return std::nullopt;
  const QueuedPod removed = *found->second;
  pods_.erase(found->second);
  by_id_.erase(found);
  return removed;
}

}  // namespace berth
