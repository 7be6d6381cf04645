// QueueEntry is the queue's record of a pod (upstream: QueuedPodInfo); with the backoff of pods and
// their order. The queue owns the entries of the pods in it; the entry of a pod in flight is with
// the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::queue {

// The plugins that rejected a pod.
struct Rejectors {
  // All extenders.
  static constexpr framework::PluginMask kExtender = framework::PluginMask{1} << 63;
  // A rejection that names no plugin: no event requeues the pod.
  static constexpr framework::PluginMask kNoPlugin = framework::PluginMask{1} << 62;

  framework::PluginMask unschedulable = 0;
  framework::PluginMask pending =
      0;  // Those that wait for something outside: the pod then does not back off.

  framework::PluginMask all() const { return unschedulable | pending; }
  bool empty() const { return all() == 0; }
  friend auto operator<=>(const Rejectors&, const Rejectors&) = default;
};

// What let a pod leave the unschedulable pods, or the queue accept it.
struct Wake {
  framework::EventLabel event = framework::EventLabel::kScheduleAttemptFailure;
  Instant time = {};
  // "Node/a-1", "Pod/shop/web-1"; null if the event is about no other object, or without
  // SchedulingQueue::Options::name_wakes.
  std::shared_ptr<const std::string> object = {};
};

struct QueueEntry {
  enum class Place : uint8_t {
    kNowhere,        // In flight, or new.
    kActive,         // Ready to be tried.
    kBackoff,        // Rejected; backs off, but may be tried early if no other pod is ready.
    kErrorBackoff,   // Failed with an error; always backs off.
    kUnschedulable,  // Rejected or gated; waits for an event.
  };

  framework::QueuedPod order;
  std::string uid;
  size_t profile = 0;  // The index of the profile that serves the pod.

  std::optional<Instant> first_ready;  // When it could first be tried.
  uint64_t ready_sequence = 0;         // Orders the pods that became ready at the same instant.
  uint32_t attempts = 0;
  uint32_t rejections = 0;     // Attempts that a plugin rejected.
  uint32_t errors_in_row = 0;  // Attempts since then that failed with an error.
  Rejectors rejectors = {};
  const framework::PreEnqueuePlugin* gate = nullptr;  // The plugin that gates the pod.
  std::optional<Instant> backoff_end = {};
  Instant flushed = {};  // When it was last moved because it had been unschedulable for too long.
  Wake woken_by = {};

  Place place = Place::kNowhere;
};

// The backoff of a pod that could not be scheduled: twice as long each time, up to a limit.
struct BackoffPolicy {
  Duration initial = Duration::Seconds(1);
  Duration max = Duration::Seconds(10);

  // Returns when the entry's backoff ends; the beginning of time if it does not back off.
  Instant EndOf(const QueueEntry& entry) const;
};

// BackoffTicks are the instants, a second apart, at which pods whose backoff has ended leave.
//
// Aligned ticks are at full seconds, and a backoff counts as ending at the start of its second:
// pods of one second leave together, those of higher priority first. Others count from the first
// use.
class BackoffTicks {
 public:
  static constexpr Duration kInterval = Duration::Seconds(1);

  explicit BackoffTicks(bool aligned) : aligned_(aligned) {}

  // Returns the time that is compared with the ends of backoffs, and that an end is rounded to.
  Instant Align(Instant time) const { return aligned_ ? time.FloorToSecond() : time; }
  // Returns the last tick up to `now`, which never decreases.
  Instant Last(Instant now) {
    if (aligned_) return now.FloorToSecond();
    if (!first_) first_ = now;
    return *first_ + kInterval * ((now - *first_) / kInterval);
  }
  // Returns the first tick after `end`, an aligned time.
  Instant After(Instant end) const {
    if (aligned_ || !first_) return end + kInterval;
    return end < *first_ ? *first_ : *first_ + kInterval * ((end - *first_) / kInterval + 1);
  }

 private:
  const bool aligned_;
  std::optional<Instant> first_;
};

// ReadyPods is an ordered set of pods: those that are ready, or those that back off.
//
// Refers to entries that the queue owns; their order must not change while they are in. All
// operations are O(log n).
class ReadyPods {
 public:
  enum class By : uint8_t {
    kUrgency,            // The QueueSort plugin's order, then arrival.
    kBackoffAndUrgency,  // The end of the backoff, to the second, then as kUrgency.
    kBackoff,            // The end of the backoff, then arrival.
  };

  // `sort` must outlive this.
  ReadyPods(By by, const framework::QueueSortPlugin& sort) : entries_(Before{by, &sort}) {}

  void Insert(QueueEntry& entry) { entries_.insert(&entry); }
  void Erase(QueueEntry& entry) {
    // The first, which is what Pop removes, is found without comparing it with others.
    if (&front() == &entry) {
      entries_.erase(entries_.begin());
    } else {
      entries_.erase(&entry);
    }
  }
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
