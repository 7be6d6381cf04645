// ReadyPods are pods in the order in which they are to be tried: the pods that are ready, or those
// that back off, by the end of their wait.
//
// Refers to entries that the queue owns; what they are ordered by must not change while they are
// in. All operations are O(log n).
#pragma once

#include <set>

#include "queue/queue_entry.h"

namespace berth {

class ReadyPods {
 public:
  enum class By : uint8_t {
    kUrgency,            // The QueueSort plugin's order, then order of arrival.
    kBackoffAndUrgency,  // The end of the wait, to the second, first.
    kBackoff,            // The end of the wait, then order of arrival.
  };

  // `sort` must outlive this.
  ReadyPods(By by, const QueueSortPlugin& sort) : entries_(Before{by, &sort}) {}

  void Insert(QueueEntry& entry) { entries_.insert(&entry); }
  void Erase(QueueEntry& entry) { entries_.erase(&entry); }
  QueueEntry& front() const { return **entries_.begin(); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  struct Before {
    By by;
    const QueueSortPlugin* sort;
    bool operator()(const QueueEntry* a, const QueueEntry* b) const {
      if (by != By::kUrgency && a->backoff_end != b->backoff_end)
        return a->backoff_end < b->backoff_end;
      if (by != By::kBackoff) {
        if (sort->Less(a->order, b->order)) return true;
        if (sort->Less(b->order, a->order)) return false;
      }
      return a->order.sequence < b->order.sequence;
    }
  };

  std::set<QueueEntry*, Before> entries_;
};

}  // namespace berth
