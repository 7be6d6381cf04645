// SchedulingQueue holds the pods that wait for a node and decides which is tried next, and when a
// pod that could not be scheduled is worth another try.
//
// A pod is in exactly one place: ready, backing off, parked until something happens that may help
// it, or in flight (taken out with Pop and neither Returned nor Done). Events that come while a pod
// is in flight are kept for it, so that no wake-up is lost.
//
// Owned by the engine thread. Time comes in with each call and never goes back. The pods themselves
// are in the cluster; a pod's record there must exist, and be current, whenever its id is passed
// in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/cluster.h"
#include "framework/measurements.h"
#include "framework/profile.h"
#include "framework/wake_rules.h"
#include "queue/backoff.h"
#include "queue/in_flight.h"
#include "queue/parked_pods.h"
#include "queue/queue_entry.h"
#include "queue/ready_pods.h"

namespace berth {

class SchedulingQueue {
 public:
  struct Options {
    BackoffPolicy backoff = {};
    // A pod that is parked for longer is tried again, whatever happens.
    Duration max_parked = Duration::Seconds(300);
    // The first profile's QueueSort plugin orders the queue. All must outlive it.
    std::vector<const Profile*> profiles;
    bool has_extenders = false;
    Measurements* measurements = nullptr;  // May be null.
  };

  SchedulingQueue(Cluster& cluster, Options options);

  // --- pods ---

  // A new pod. `profile` is the one that serves it.
  void Add(PodId pod, size_t profile, Instant now);
  // The pod was `before` and has changed.
  void Update(const std::shared_ptr<const api::Pod>& before, PodId pod, size_t profile,
              Instant now);
  // The pod is gone, or bound. What is known of it in flight stays until Done.
  void Remove(PodId pod);
  // Makes the pod ready if it waits, whatever it waits for; gates aside.
  void Activate(PodId pod, Instant now);

  // --- trying pods ---

  // Takes the most urgent pod that is ready, or, if none is, the one whose backoff ends first.
  std::optional<QueueEntry> Pop(Instant now);
  // The pod could not be scheduled: `why` says who rejected it (empty: it failed with an error).
  // Done, too.
  void Return(QueueEntry entry, PodId pod, Rejectors why, Instant now);
  // The pod is no longer in flight.
  void Done(const std::string& uid) { in_flight_.Done(uid); }

  // --- what happens ---

  // Wakes the pods that the event may help, as far as `concerns` says yes (all if null).
  using Filter = std::function<bool(const QueueEntry&)>;
  void Move(const ClusterEvent& event, Instant now, const Filter& concerns = nullptr);
  // Lets go on what waits for a time up to `now`.
  void PassTime(Instant now);
  // When PassTime will next have something to do, if ever.
  std::optional<Instant> next_wake() const;

  // --- looking in ---

  // Where the pod is; kNowhere if it is not in the queue.
  QueueEntry::Place PlaceOf(PodId pod) const;
  const QueueEntry* Find(PodId pod) const { return FindEntry(pod); }
  bool InFlightNow(const std::string& uid) const { return in_flight_.Contains(uid); }
  // True if Pop would give a pod.
  bool HasReady() const { return !active_.empty() || !backoff_.empty(); }
  struct Sizes {
    size_t active = 0, backoff = 0, unschedulable = 0, gated = 0;
    size_t in_flight = 0, in_flight_events = 0;
  };
  Sizes sizes() const;

 private:
  using Place = QueueEntry::Place;
  // What an event, or all that came while it was in flight, means for a pod.
  enum class Advice : uint8_t { kStay, kAfterBackoff, kAtOnce };

  QueueEntry& NewEntry(PodId pod, size_t profile, Instant now);
  QueueEntry* FindEntry(PodId pod) const;
  // The list of a place that has one; parked pods are filed otherwise.
  ReadyPods* ListOf(Place place);
  void TakeOut(QueueEntry& entry);
  void PutIn(QueueEntry& entry, Place place);
  // Puts in a pod that was elsewhere, and tells why.
  void Enter(QueueEntry& entry, Place place, EventLabel why);
  void Drop(QueueEntry& entry);

  // Asks the PreEnqueue plugins; notes who gates the pod, if anyone does.
  bool PassesGates(QueueEntry& entry);
  // The first of the PreEnqueue plugins to object, or null.
  const PreEnqueuePlugin* FindGate(const QueueEntry& entry, const AttemptMeter& meter,
                                   Code& verdict) const;
  void ToActive(QueueEntry& entry, EventLabel why, Instant now);
  void ToBackoff(QueueEntry& entry, EventLabel why);
  void Requeue(QueueEntry& entry, Advice advice, EventLabel why, Instant now);
  bool BacksOff(QueueEntry& entry, Instant now);

  // What the event means for a pod with these rejectors.
  Advice Judge(const QueueEntry& entry, const PodRecord& pod, const ClusterEvent& event) const;
  Advice JudgeInFlight(const QueueEntry& entry, const PodRecord& pod) const;
  // Whether a rule that covers the event thinks that it may help the pod.
  bool MayHelp(const WakeRules::Rule& rule, const QueueEntry& entry, const PodRecord& pod,
               const ClusterEvent& event) const;
  bool GateCares(const QueueEntry& entry, const ClusterEvent& event) const;
  void Wake(std::vector<std::pair<QueueEntry*, Advice>> woken, EventLabel why, Instant now);
  void FlushLeftovers(Instant now);
  void CountRejections(size_t profile, PluginMask plugins, int delta) const;

  Cluster& cluster_;
  const Options options_;
  std::vector<WakeRules> rules_;  // By profile.
  std::unordered_map<PodId, std::unique_ptr<QueueEntry>> entries_;
  ReadyPods active_;
  ReadyPods backoff_;
  ReadyPods error_backoff_;
  ParkedPods parked_;
  InFlight in_flight_;
  Sampler sampler_;  // Of what PreEnqueue plugins are asked.
  uint64_t next_sequence_ = 0;
  std::optional<Instant> next_flush_;
};

}  // namespace berth
