// ActiveQueue holds the pods that are ready to be tried, most urgent first.
//
// The order is the QueueSort plugin's; pods that it does not tell apart come in order of arrival.
// Push, Pop and Remove are O(log n).
#pragma once

#include <optional>
#include <set>
#include <unordered_map>

#include "framework/plugin.h"
#include "framework/queued_pod.h"

namespace berth {

class ActiveQueue {
 public:
  // `order` must outlive the queue.
  explicit ActiveQueue(const QueueSortPlugin& order) : pods_(Before{&order}) {}

  // The pod must not be in the queue. Its sequence is set here.
  void Push(QueuedPod pod);
  // Takes the most urgent pod. The queue must not be empty.
  QueuedPod Pop();
  // Takes this pod, if it is in the queue.
  std::optional<QueuedPod> Remove(PodId pod);

  bool Contains(PodId pod) const { return by_id_.contains(pod); }
  bool empty() const { return pods_.empty(); }
  size_t size() const { return pods_.size(); }

 private:
  struct Before {
    const QueueSortPlugin* order;
    bool operator()(const QueuedPod& a, const QueuedPod& b) const {
      if (order->Less(a, b)) return true;
      if (order->Less(b, a)) return false;
      return a.sequence < b.sequence;
    }
  };
  using Pods = std::set<QueuedPod, Before>;

  Pods pods_;
  std::unordered_map<PodId, Pods::iterator> by_id_;
  uint64_t next_sequence_ = 0;
};

}  // namespace berth
