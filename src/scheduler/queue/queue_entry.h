// QueueEntry is what the queue knows of a pod. The queue owns the entries of the pods that wait in
// it; the entry of a pod that is being tried is with whoever tries it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"

namespace berth::scheduler::queue {

// The plugins that keep a pod from being scheduled.
struct Rejectors {
  // Stands for all extenders.
  static constexpr framework::PluginMask kExtender = framework::PluginMask{1} << 63;
  // Stands for whoever says no in nobody's name: no event pleases him.
  static constexpr framework::PluginMask kNoPlugin = framework::PluginMask{1} << 62;

  framework::PluginMask unschedulable = 0;
  framework::PluginMask pending =
      0;  // Those that wait for something outside: then the pod need not back off.

  framework::PluginMask all() const { return unschedulable | pending; }
  bool empty() const { return all() == 0; }
  friend auto operator<=>(const Rejectors&, const Rejectors&) = default;
};

struct QueueEntry {
  enum class Place : uint8_t {
    kNowhere,       // Being tried, or new.
    kActive,        // Ready to be tried.
    kBackoff,       // Rejected; waits out its backoff, but is tried early if nothing else is ready.
    kErrorBackoff,  // Failed with an error; always waits out its backoff.
    kUnschedulable,  // Rejected or gated; waits for something to happen.
  };

  framework::QueuedPod order;
  std::string uid;
  size_t profile = 0;  // Which of the queue's profiles serves the pod.

  std::optional<Instant> first_ready;  // When it could first be tried.
  uint32_t attempts = 0;
  uint32_t rejections = 0;     // Attempts that some plugin rejected.
  uint32_t errors_in_row = 0;  // Attempts since then that failed with an error.
  Rejectors rejectors = {};
  const framework::PreEnqueuePlugin* gate = nullptr;  // The plugin that keeps the pod out.
  std::optional<Instant> backoff_end = {};
  Instant flushed = {};  // When it was last woken because it had been unschedulable for too long.

  Place place = Place::kNowhere;
};

// How long a pod waits after it could not be scheduled: twice as long each time, up to a limit.
struct BackoffPolicy {
  Duration initial = Duration::Seconds(1);
  Duration max = Duration::Seconds(10);

  // When the entry's wait ends, to the second; the beginning of time if it need not wait.
  Instant EndOf(const QueueEntry& entry) const;
};

// Waits end together at full seconds, so that urgent pods of one second come first. A pod leaves at
// the first full second after its end.
inline Instant LeavesAt(Instant backoff_end) { return backoff_end + Duration::Seconds(1); }

// ReadyPods are pods in the order in which they are to be tried: the pods that are ready, or those
// that back off, by the end of their wait.
//
// Refers to entries that the queue owns; what they are ordered by must not change while they are
// in. All operations are O(log n).
class ReadyPods {
 public:
  enum class By : uint8_t {
    kUrgency,            // The QueueSort plugin's order, then order of arrival.
    kBackoffAndUrgency,  // The end of the wait, to the second, first.
    kBackoff,            // The end of the wait, then order of arrival.
  };

  // `sort` must outlive this.
  ReadyPods(By by, const framework::QueueSortPlugin& sort) : entries_(Before{by, &sort}) {}

  void Insert(QueueEntry& entry) { entries_.insert(&entry); }
  void Erase(QueueEntry& entry) { entries_.erase(&entry); }
  QueueEntry& front() const { return **entries_.begin(); }
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

 private:
  struct Before {
    By by;
    const framework::QueueSortPlugin* sort;
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

}  // namespace berth::scheduler::queue
