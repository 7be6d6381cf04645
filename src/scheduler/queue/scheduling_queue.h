// SchedulingQueue holds the pods that wait for a node and decides which is tried next, and when a
// pod that could not be scheduled is worth another attempt.
//
// A pod is in exactly one place: active, backing off, unschedulable until an event requeues it, or
// in flight (taken with Pop and neither Returned nor Done). Events received while a pod is in
// flight are recorded for it, so that none is lost.
//
// Owned by the engine thread. The time is passed with each call and never decreases. The pods
// themselves are in the cluster; a pod's record there must exist, and be current, whenever its id
// is passed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_fwd.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/queue/in_flight_events.h"
#include "scheduler/queue/queue_entry.h"
#include "scheduler/queue/queueing_hints.h"
#include "scheduler/queue/unschedulable_pods.h"

namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::queue {

// Returns kube-scheduler's name of the queue, such as "Active".
std::string_view TextOf(QueueEntry::Place place);

// Returns the plugins as klog prints a set: {"NodeAffinity":{},"NodeResourcesFit":{}}.
std::string NamesAsSet(const framework::Profile& profile, framework::PluginMask plugins);

class SchedulingQueue {
 public:
  struct Options {
    BackoffPolicy backoff = {};
    // A pod that is unschedulable for longer is tried again, even without an event.
    Duration max_in_unschedulable_pods = Duration::Seconds(300);
    // The first profile's QueueSort plugin orders the queue. All must outlive it.
    std::vector<const framework::Profile*> profiles;
    bool has_extenders = false;
    // The feature SchedulerPopFromBackoffQ: pods that back off are tried early if no other is
    // ready. PreEnqueue plugins then run before the backoff, not after it.
    bool pop_from_backoff = true;
    framework::Measurements* measurements = nullptr;  // May be null.
    bool name_wakes = false;  // Name the object of the event that requeues a pod: see Wake.
    framework::Log log = {};
  };

  SchedulingQueue(model::Cluster& cluster, Options options);

  // --- pods ---

  // A new pod. `profile` is the one that serves it.
  void Add(model::PodId pod, size_t profile, Instant now);
  // The pod has changed; it was `before`, and `changes` are its PodSchedulingPropertiesChange.
  void Update(const std::shared_ptr<const api::Pod>& before, model::PodId pod, size_t profile,
              std::span<const framework::EventType> changes, Instant now);
  // The pod was deleted or bound. Its in-flight record remains until Done.
  void Remove(model::PodId pod);
  // Moves the pod to the active queue wherever it waits, unless it is gated.
  void Activate(model::PodId pod, Instant now);
  // Gates the pod if it is unschedulable and a PreEnqueue plugin rejects it now. It would be gated
  // when it is requeued; the caller knows of a change that matters to the plugin.
  void CheckGates(model::PodId pod);

  // --- attempts ---

  // Removes and returns the first active pod, or, if there is none and Options::pop_from_backoff,
  // the one whose backoff ends first.
  std::optional<QueueEntry> Pop(Instant now);
  // Removes and returns the pod wherever it waits, unless it is gated or not in the queue.
  std::optional<QueueEntry> PopSpecificPod(model::PodId pod, Instant now);
  // The pod could not be scheduled: `why` are the plugins that rejected it (empty: it failed with
  // an error). Includes Done.
  void Return(QueueEntry entry, model::PodId pod, Rejectors why, Instant now);
  // The pod is no longer in flight.
  void Done(const std::string& uid) { in_flight_.Done(uid); }

  // --- events and time ---

  // Reports whether a plugin or an extender registered for such events.
  bool IsEventOfInterest(framework::EventType event) const;
  // Requeues the pods that the event may make schedulable, among those that `concerns` accepts (all
  // if null).
  using Filter = std::function<bool(const QueueEntry&)>;
  void MoveAllToActiveOrBackoffQueue(const framework::ClusterEvent& event, Instant now,
                                     const Filter& concerns = nullptr);
  // Moves the pods whose backoff or wait ends up to `now`.
  void PassTime(Instant now);
  // When PassTime next has something to do, if ever.
  std::optional<Instant> next_wake() const;

  // --- inspection ---

  // The place of the pod; kNowhere if it is not in the queue.
  QueueEntry::Place PlaceOf(model::PodId pod) const;
  const QueueEntry* Find(model::PodId pod) const { return FindEntry(pod); }
  bool InFlightNow(const std::string& uid) const { return in_flight_.Contains(uid); }
  // Reports whether Pop would return a pod.
  bool HasReady() const {
    return !active_.empty() || (options_.pop_from_backoff && !backoff_.empty());
  }
  struct Sizes {
    size_t active = 0, backoff = 0, unschedulable = 0, gated = 0;
    size_t in_flight = 0, in_flight_events = 0;
  };
  Sizes sizes() const;

 private:
  using Place = QueueEntry::Place;
  // What to do with a pod upon an event, or upon all events received while it was in flight.
  enum class QueueingStrategy : uint8_t { kQueueSkip, kQueueAfterBackoff, kQueueImmediately };

  QueueEntry& NewEntry(model::PodId pod, size_t profile, Instant now);
  QueueEntry& Own(model::PodId pod, std::unique_ptr<QueueEntry> entry);
  QueueEntry* FindEntry(model::PodId pod) const;
  // The list of a place that has one; unschedulable pods are grouped instead.
  ReadyPods* ListOf(Place place);
  void TakeOut(QueueEntry& entry);
  void PutIn(QueueEntry& entry, Place place);
  // Inserts a pod that was elsewhere; `why` is for the metrics, and what woke it.
  void Enter(QueueEntry& entry, Place place, framework::EventLabel why, Instant now);
  // Removes the entry from its place for good; the queue still owns it.
  void LeaveQueue(QueueEntry& entry);
  void Drop(QueueEntry& entry);

  // Removes the entry from its place; returns nothing if the pod is in flight already.
  std::optional<QueueEntry> TakeToFlight(QueueEntry& entry, Instant now);
  void NoteReady(QueueEntry& entry, Instant now);
  // Runs the PreEnqueue plugins; records the one that gates the pod, if any.
  bool PassesGates(QueueEntry& entry);
  // Returns the first PreEnqueue plugin that rejects the pod, or null.
  const framework::PreEnqueuePlugin* FindGate(const QueueEntry& entry,
                                              const framework::AttemptMeter& meter,
                                              framework::Code& verdict) const;
  void ToActive(QueueEntry& entry, framework::EventLabel why, Instant now);
  void ToBackoff(QueueEntry& entry, framework::EventLabel why, Instant now);
  void Requeue(QueueEntry& entry, QueueingStrategy strategy, framework::EventLabel why,
               Instant now);
  // The backoff of a pod in `entry`'s place has ended, or it is activated.
  void LeaveBackoff(QueueEntry& entry, framework::EventLabel why, Instant now);
  bool BacksOff(QueueEntry& entry, Instant now);

  // What to do upon the event with a pod of these rejectors.
  QueueingStrategy IsPodWorthRequeuing(const QueueEntry& entry, const model::PodRecord& pod,
                                       const framework::ClusterEvent& event) const;
  // `woken_by` is the event that decides, if one does.
  QueueingStrategy StrategyForInFlightPod(const QueueEntry& entry, const model::PodRecord& pod,
                                          Wake& woken_by) const;
  // Runs the plugin's QueueingHint for a registration that covers the event.
  bool QueueingHint(const QueueingHintMap::Registration& registration, const QueueEntry& entry,
                    const model::PodRecord& pod, const framework::ClusterEvent& event) const;
  bool GateIsRegisteredFor(const QueueEntry& entry, const framework::ClusterEvent& event) const;
  // Reports whether the plugin that gates the pods still does, for all of them.
  bool StaysGated(const UnschedulablePods::Group& group,
                  const framework::ClusterEvent& event) const;
  void RequeueAll(std::vector<std::pair<QueueEntry*, QueueingStrategy>> to_requeue,
                  const framework::ClusterEvent& event, Instant now);
  std::shared_ptr<const std::string> ObjectOf(const framework::ClusterEvent& event) const;
  void FlushUnschedulablePods(Instant now);

  // What is logged, if its level is on.
  void LogMove(const QueueEntry& entry, Place to, framework::EventLabel why) const;
  void LogGate(const QueueEntry& entry, const framework::Plugin& gate,
               const framework::Verdict& verdict) const;
  // What an event came to for the pods that the strategy is about.
  void LogStrategy(std::span<QueueEntry* const> entries, const framework::ClusterEvent& event,
                   QueueingStrategy strategy, const Filter& concerns) const;
  void LogWorth(const QueueEntry& entry, const framework::ClusterEvent& event) const;
  void LogReturn(const QueueEntry& entry, QueueingStrategy strategy) const;
  void LogCheckOfEvents(const QueueEntry& entry) const;
  std::string KeyOf(const QueueEntry& entry) const;
  std::string RejectorsOf(const QueueEntry& entry) const;

  void CountRejections(size_t profile, framework::PluginMask plugins, int delta) const;

  model::Cluster& cluster_;
  const Options options_;
  std::vector<QueueingHintMap> hint_maps_;            // By profile.
  std::vector<std::unique_ptr<QueueEntry>> entries_;  // By pod id; null for others.
  ReadyPods active_;
  ReadyPods backoff_;
  ReadyPods error_backoff_;
  UnschedulablePods unschedulable_;
  InFlightEvents in_flight_;
  framework::Sampler sampler_;  // Of PreEnqueue calls.
  uint64_t popped_ = 0;         // Counts the attempts.
  uint64_t next_sequence_ = 0;
  uint64_t next_ready_ = 0;
  BackoffTicks ticks_;
  std::optional<Instant> next_flush_;
};

}  // namespace berth::scheduler::queue
