#include "scheduler/queue/scheduling_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::queue {
namespace {

constexpr Duration kFlushInterval = Duration::Seconds(30);

// What extenders read is unknown: any event of a kind that plugins may read can help.
bool MayHelpExtenders(framework::EventType event) {
  return event.resource != framework::Resource::kVolumeAttachment &&
         event.resource != framework::Resource::kResourceSlice;
}

framework::QueueName NameOf(QueueEntry::Place place) {
  if (place == QueueEntry::Place::kActive) return framework::QueueName::kActive;
  return place == QueueEntry::Place::kUnschedulable ? framework::QueueName::kUnschedulable
                                                    : framework::QueueName::kBackoff;
}

bool IsAboutAnotherPod(const framework::ClusterEvent& event, const model::PodRecord& pod) {
  const auto* about = event.AfterAs<api::Pod>();
  return event.after && (about == nullptr || about->metadata.uid != pod.uid());
}

}  // namespace

SchedulingQueue::SchedulingQueue(model::Cluster& cluster, Options options)
    : cluster_(cluster),
      options_(std::move(options)),
      active_(ReadyPods::By::kUrgency, options_.profiles[0]->queue_sort()),
      backoff_(
          options_.pop_from_backoff ? ReadyPods::By::kBackoffAndUrgency : ReadyPods::By::kBackoff,
          options_.profiles[0]->queue_sort()),
      error_backoff_(ReadyPods::By::kBackoff, options_.profiles[0]->queue_sort()),
      unschedulable_(cluster),
      in_flight_(options_.measurements),
      ticks_(/*aligned=*/options_.pop_from_backoff) {
  for (const framework::Profile* profile : options_.profiles) hint_maps_.emplace_back(*profile);
}

// --- places ---

QueueEntry& SchedulingQueue::NewEntry(model::PodId pod, size_t profile, Instant now) {
  auto entry = std::make_unique<QueueEntry>();
  const model::PodRecord& record = cluster_.pod(pod);
  entry->order = {pod, record.object->priority(), now, next_sequence_++};
  entry->uid = record.uid();
  entry->profile = profile;
  return Own(pod, std::move(entry));
}

QueueEntry& SchedulingQueue::Own(model::PodId pod, std::unique_ptr<QueueEntry> entry) {
  if (pod.index() >= entries_.size()) entries_.resize(cluster_.pods().id_end());
  std::unique_ptr<QueueEntry>& owned = entries_[pod.index()];
  CHECK(owned == nullptr);
  owned = std::move(entry);
  return *owned;
}

QueueEntry* SchedulingQueue::FindEntry(model::PodId pod) const {
  return pod.index() < entries_.size() ? entries_[pod.index()].get() : nullptr;
}

QueueEntry::Place SchedulingQueue::PlaceOf(model::PodId pod) const {
  const QueueEntry* entry = Find(pod);
  return entry == nullptr ? Place::kNowhere : entry->place;
}

ReadyPods* SchedulingQueue::ListOf(Place place) {
  switch (place) {
    case Place::kActive:
      return &active_;
    case Place::kBackoff:
      return &backoff_;
    case Place::kErrorBackoff:
      return &error_backoff_;
    case Place::kNowhere:
    case Place::kUnschedulable:
      return nullptr;
  }
  return nullptr;
}

void SchedulingQueue::TakeOut(QueueEntry& entry) {
  if (entry.place == Place::kUnschedulable) {
    unschedulable_.Erase(entry);
  } else if (ReadyPods* list = ListOf(entry.place)) {
    list->Erase(entry);
  }
  entry.place = Place::kNowhere;
}

void SchedulingQueue::PutIn(QueueEntry& entry, Place place) {
  TakeOut(entry);
  entry.place = place;
  if (place == Place::kUnschedulable) {
    unschedulable_.Insert(entry);
  } else if (ReadyPods* list = ListOf(place)) {
    list->Insert(entry);
  }
}

void SchedulingQueue::Enter(QueueEntry& entry, Place place, framework::EventLabel why,
                            Instant now) {
  PutIn(entry, place);
  if (options_.measurements != nullptr) options_.measurements->PodsQueued(NameOf(place), why, 1);
  if (options_.log.IsOn(5)) [[unlikely]]
    LogMove(entry, place, why);
  // A pod that has waited for the end of its backoff was woken by what happened before.
  const bool was_woken = entry.woken_by.event != framework::EventLabel::kScheduleAttemptFailure;
  if (place == Place::kUnschedulable ||
      (why == framework::EventLabel::kBackoffComplete && was_woken)) {
    return;
  }
  entry.woken_by = {.event = why, .time = now};
}

void SchedulingQueue::CountRejections(size_t profile, framework::PluginMask plugins,
                                      int delta) const {
  if (options_.measurements == nullptr || plugins == 0) return;
  options_.measurements->RejectionsChanged(profile, plugins, delta);
}

// Its rejections no longer count: it is tried again, or deleted.
void SchedulingQueue::LeaveQueue(QueueEntry& entry) {
  CountRejections(entry.profile, entry.rejectors.all(), -1);
  TakeOut(entry);
}

void SchedulingQueue::Drop(QueueEntry& entry) {
  LeaveQueue(entry);
  entries_[entry.order.pod.index()] = nullptr;
}

// --- moves between places ---

bool SchedulingQueue::PassesGates(QueueEntry& entry) {
  framework::AttemptMeter meter;
  if (framework::Measurements* to = options_.measurements)
    meter = framework::AttemptMeter(*to, entry.profile, sampler_.Next());
  framework::Code verdict = framework::Code::kSuccess;
  entry.gate = FindGate(entry, meter, verdict);
  meter.End(framework::MeasuredPoint::kPreEnqueue, verdict);
  if (entry.gate == nullptr) return true;
  const framework::PluginMask gate = framework::PluginMask{1} << entry.gate->slot();
  CountRejections(entry.profile, gate & ~entry.rejectors.all(), +1);
  entry.rejectors.unschedulable |= gate;
  return false;
}

const framework::PreEnqueuePlugin* SchedulingQueue::FindGate(const QueueEntry& entry,
                                                             const framework::AttemptMeter& meter,
                                                             framework::Code& verdict) const {
  const model::PodRecord& pod = cluster_.pod(entry.order.pod);
  framework::PluginTimer timer(meter);
  auto stops = [&](const framework::PreEnqueuePlugin* plugin) {
    const framework::Verdict result = plugin->PreEnqueue(cluster_, pod);
    verdict = result.code();
    timer.End(*plugin, framework::MeasuredPoint::kPreEnqueue, verdict);
    if (result.ok()) return false;
    if (options_.log.IsOn(4)) [[unlikely]]
      LogGate(entry, *plugin, result);
    return true;
  };
  // The plugin that gated the pod before most likely still does.
  if (entry.gate != nullptr && stops(entry.gate)) return entry.gate;
  for (const framework::PreEnqueuePlugin* plugin :
       options_.profiles[entry.profile]->pre_enqueue()) {
    if (plugin != entry.gate && stops(plugin)) return plugin;
  }
  return nullptr;
}

void SchedulingQueue::NoteReady(QueueEntry& entry, Instant now) {
  if (entry.first_ready) return;
  entry.first_ready = now;
  entry.ready_sequence = next_ready_++;
}

void SchedulingQueue::ToActive(QueueEntry& entry, framework::EventLabel why, Instant now) {
  // An unschedulable entry is grouped by its gate, so it is removed before that may change.
  const bool waits_elsewhere =
      entry.place != Place::kNowhere && entry.place != Place::kUnschedulable;
  if (entry.place == Place::kUnschedulable) TakeOut(entry);
  if (!PassesGates(entry)) {
    if (!waits_elsewhere) Enter(entry, Place::kUnschedulable, why, now);
    return;
  }
  NoteReady(entry, now);
  Enter(entry, Place::kActive, why, now);
}

void SchedulingQueue::ToBackoff(QueueEntry& entry, framework::EventLabel why, Instant now) {
  TakeOut(entry);
  if (options_.pop_from_backoff && !PassesGates(entry))
    return Enter(entry, Place::kUnschedulable, why, now);
  Enter(entry, entry.rejectors.empty() ? Place::kErrorBackoff : Place::kBackoff, why, now);
}

bool SchedulingQueue::BacksOff(QueueEntry& entry, Instant now) {
  if (!entry.backoff_end) entry.backoff_end = ticks_.Align(options_.backoff.EndOf(entry));
  return *entry.backoff_end >= ticks_.Align(now);
}

void SchedulingQueue::LeaveBackoff(QueueEntry& entry, framework::EventLabel why, Instant now) {
  if (!options_.pop_from_backoff) {
    TakeOut(entry);
    return ToActive(entry, why, now);
  }
  NoteReady(entry, now);
  Enter(entry, Place::kActive, why, now);
}

void SchedulingQueue::Requeue(QueueEntry& entry, QueueingStrategy strategy,
                              framework::EventLabel why, Instant now) {
  if (strategy == QueueingStrategy::kQueueSkip) {
    Enter(entry, Place::kUnschedulable, why, now);
  } else if (strategy == QueueingStrategy::kQueueAfterBackoff && BacksOff(entry, now)) {
    ToBackoff(entry, why, now);
  } else {
    ToActive(entry, why, now);
  }
}

// --- pods ---

void SchedulingQueue::Add(model::PodId pod, size_t profile, Instant now) {
  ToActive(NewEntry(pod, profile, now),
           framework::EventType{framework::Resource::kUnschedulablePod, framework::kAdd}, now);
}

void SchedulingQueue::Update(const std::shared_ptr<const api::Pod>& before, model::PodId pod,
                             size_t profile, std::span<const framework::EventType> changes,
                             Instant now) {
  const model::PodRecord& record = cluster_.pod(pod);
  auto event_of = [&](framework::EventType change) {
    return framework::ClusterEvent{.type = change, .before = before, .after = record.object};
  };
  if (in_flight_.Contains(record.uid())) {
    for (framework::EventType change : changes) in_flight_.Note(event_of(change));
    return;
  }
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr) {
    constexpr framework::EventType kUpdated{framework::Resource::kUnschedulablePod,
                                            framework::kUpdate};
    return ToActive(NewEntry(pod, profile, now), kUpdated, now);
  }

  const Place place = entry->place;
  TakeOut(*entry);
  entry->order.priority = record.object->priority();
  PutIn(*entry, place);
  if (place != Place::kUnschedulable) return;
  for (framework::EventType change : changes) {
    const framework::ClusterEvent event = event_of(change);
    const QueueingStrategy strategy = IsPodWorthRequeuing(*entry, record, event);
    if (options_.log.IsOn(6)) [[unlikely]]
      LogWorth(*entry, event);
    if (strategy != QueueingStrategy::kQueueSkip)
      Requeue(*entry, strategy, framework::EventLabel(event), now);
    if (entry->place == Place::kUnschedulable) continue;
    ENGINE_LOG(options_.log, 5,
               "Pod moved to an internal scheduling queue because the Pod is updated",
               {{"pod", KeyOf(*entry)},
                {"event", framework::EventLabel(event).Text()},
                {"queue", TextOf(entry->place)}});
    return;
  }
}

void SchedulingQueue::Remove(model::PodId pod) {
  if (QueueEntry* entry = FindEntry(pod)) Drop(*entry);
}

void SchedulingQueue::Activate(model::PodId pod, Instant now) {
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr) {
    const model::PodRecord& record = cluster_.pod(pod);
    if (!in_flight_.Contains(record.uid())) return;
    in_flight_.Note(
        {.type = framework::kEverything, .after = record.object, .label = "ForceActivate"});
  } else if (entry->place == Place::kUnschedulable) {
    ToActive(*entry, framework::EventLabel::kForceActivate, now);
  } else if (entry->place != Place::kActive) {
    LeaveBackoff(*entry, framework::EventLabel::kForceActivate, now);
  }
}

void SchedulingQueue::CheckGates(model::PodId pod) {
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr || entry->place != Place::kUnschedulable || entry->gate != nullptr) return;
  TakeOut(*entry);
  PassesGates(*entry);
  PutIn(*entry, Place::kUnschedulable);
}

// --- events ---

SchedulingQueue::QueueingStrategy SchedulingQueue::IsPodWorthRequeuing(
    const QueueEntry& entry, const model::PodRecord& pod,
    const framework::ClusterEvent& event) const {
  const Rejectors& rejectors = entry.rejectors;
  if (rejectors.empty()) return QueueingStrategy::kQueueAfterBackoff;
  if (event.type.wildcard())
    return IsAboutAnotherPod(event, pod) ? QueueingStrategy::kQueueSkip
                                         : QueueingStrategy::kQueueAfterBackoff;
  QueueingStrategy strategy = QueueingStrategy::kQueueSkip;
  auto queue_for = [&](framework::PluginMask plugin) {
    strategy = (rejectors.pending & plugin) != 0 ? QueueingStrategy::kQueueImmediately
                                                 : QueueingStrategy::kQueueAfterBackoff;
    return strategy == QueueingStrategy::kQueueImmediately || rejectors.pending == 0;
  };
  if ((rejectors.all() & Rejectors::kExtender) != 0 && MayHelpExtenders(event.type) &&
      queue_for(Rejectors::kExtender)) {
    return strategy;
  }
  for (const QueueingHintMap::Registration& registration :
       hint_maps_[entry.profile].RegistrationsFor(event.type.resource)) {
    const framework::PluginMask plugin = framework::PluginMask{1} << registration.plugin->slot();
    if ((rejectors.all() & plugin) == 0 || !registration.event.type.Covers(event.type)) continue;
    if (QueueingHint(registration, entry, pod, event) && queue_for(plugin)) return strategy;
  }
  return strategy;
}

bool SchedulingQueue::QueueingHint(const QueueingHintMap::Registration& registration,
                                   const QueueEntry& entry, const model::PodRecord& pod,
                                   const framework::ClusterEvent& event) const {
  framework::Measurements* to = options_.measurements;
  const int64_t since = to == nullptr ? 0 : to->Read();
  const Result<bool> helps = registration.event.conditional
                                 ? registration.plugin->QueueingHint(cluster_, pod, event)
                                 : Result<bool>(true);
  if (to != nullptr) {
    const framework::HintOutcome outcome = !helps   ? framework::HintOutcome::kError
                                           : *helps ? framework::HintOutcome::kQueue
                                                    : framework::HintOutcome::kSkip;
    to->HintGiven(entry.profile, *registration.plugin, framework::EventLabel(event), outcome,
                  {to->Read() - since});
  }
  return helps.value_or(true);
}

SchedulingQueue::QueueingStrategy SchedulingQueue::StrategyForInFlightPod(
    const QueueEntry& entry, const model::PodRecord& pod, Wake& woken_by) const {
  if (entry.rejectors.empty() || !in_flight_.Contains(entry.uid))
    return QueueingStrategy::kQueueAfterBackoff;
  QueueingStrategy all = QueueingStrategy::kQueueSkip;
  if (options_.log.IsOn(5)) [[unlikely]]
    LogCheckOfEvents(entry);
  in_flight_.ForEachSince(entry.uid, [&](const framework::ClusterEvent& event) {
    ENGINE_LOG(options_.log, 5, "Checking event for in-flight pod",
               {{"pod", KeyOf(entry)}, {"event", framework::EventLabel(event).Text()}});
    const QueueingStrategy strategy = IsPodWorthRequeuing(entry, pod, event);
    if (options_.log.IsOn(6)) [[unlikely]]
      LogWorth(entry, event);
    if (strategy == QueueingStrategy::kQueueSkip) return true;
    all = strategy;
    woken_by.event = framework::EventLabel(event);
    woken_by.object = ObjectOf(event);
    return strategy != QueueingStrategy::kQueueImmediately && entry.rejectors.pending != 0;
  });
  return all;
}

bool SchedulingQueue::GateIsRegisteredFor(const QueueEntry& entry,
                                          const framework::ClusterEvent& event) const {
  if (entry.gate == nullptr || event.type.wildcard()) return true;
  for (const QueueingHintMap::Registration& registration :
       hint_maps_[entry.profile].RegistrationsFor(event.type.resource)) {
    if (registration.plugin == static_cast<const framework::Plugin*>(entry.gate) &&
        registration.event.type.Covers(event.type))
      return true;
  }
  return false;
}

// Each member of a gang that arrives would requeue all that wait for the rest, which are gated
// again.
bool SchedulingQueue::StaysGated(const UnschedulablePods::Group& group,
                                 const framework::ClusterEvent& event) const {
  const QueueEntry& any = *group.members.front();
  if (any.gate == nullptr || !any.gate->GatesGroups()) return false;
  const framework::Verdict verdict = any.gate->PreEnqueue(cluster_, cluster_.pod(any.order.pod));
  if (verdict.ok()) return false;
  if (options_.measurements != nullptr) {
    options_.measurements->PodsQueued(framework::QueueName::kUnschedulable,
                                      framework::EventLabel(event), group.members.size());
  }
  if (options_.log.IsOn(4)) [[unlikely]] {
    for (const QueueEntry* entry : group.members) {
      LogGate(*entry, *entry->gate, verdict);
      LogMove(*entry, Place::kUnschedulable, framework::EventLabel(event));
    }
  }
  return true;
}

bool SchedulingQueue::IsEventOfInterest(framework::EventType event) const {
  if (options_.has_extenders && MayHelpExtenders(event)) return true;
  return std::ranges::any_of(hint_maps_, [&](const QueueingHintMap& hint_map) {
    return hint_map.IsEventOfInterest(event);
  });
}

void SchedulingQueue::MoveAllToActiveOrBackoffQueue(const framework::ClusterEvent& event,
                                                    Instant now, const Filter& concerns) {
  if (!IsEventOfInterest(event.type)) {
    ENGINE_LOG(options_.log, 6, "receive an event that isn't interested by any enabled plugins",
               {{"event", framework::EventLabel(event).Text()}});
    return;
  }
  std::vector<std::pair<QueueEntry*, QueueingStrategy>> to_requeue;
  unschedulable_.ForEachGroup([&](const UnschedulablePods::Group& group) {
    const QueueEntry& any = *group.members.front();
    if (!GateIsRegisteredFor(any, event)) return;
    const QueueingStrategy strategy = IsPodWorthRequeuing(any, cluster_.pod(any.order.pod), event);
    if (options_.log.IsOn(5)) [[unlikely]]
      LogStrategy(group.members, event, strategy, concerns);
    if (strategy == QueueingStrategy::kQueueSkip) return;
    if (concerns == nullptr && StaysGated(group, event)) return;
    for (QueueEntry* entry : group.members) {
      if (concerns == nullptr || concerns(*entry)) to_requeue.emplace_back(entry, strategy);
    }
  });
  if (!to_requeue.empty()) RequeueAll(std::move(to_requeue), event, now);
  if (in_flight_.empty()) return;
  in_flight_.Note(event);
  ENGINE_LOG(options_.log, 5, "Event received while pods are in flight",
             {{"event", framework::EventLabel(event).Text()}});
}

void SchedulingQueue::RequeueAll(std::vector<std::pair<QueueEntry*, QueueingStrategy>> to_requeue,
                                 const framework::ClusterEvent& event, Instant now) {
  std::ranges::sort(to_requeue, {}, [](const auto& item) { return item.first->order.sequence; });
  const framework::EventLabel why(event);
  const std::shared_ptr<const std::string> object = ObjectOf(event);
  for (auto [entry, strategy] : to_requeue) {
    TakeOut(*entry);
    Requeue(*entry, strategy, why, now);
    if (entry->place != Place::kUnschedulable) entry->woken_by.object = object;
  }
}

std::shared_ptr<const std::string> SchedulingQueue::ObjectOf(
    const framework::ClusterEvent& event) const {
  const std::optional<api::Object>& object = event.after ? event.after : event.before;
  if (!options_.name_wakes || !object) return nullptr;
  const api::KindInfo& kind = api::KindOf(*object);
  const api::ObjectMeta& meta = api::MetaOf(*object);
  return std::make_shared<const std::string>(
      kind.namespaced ? fmt::format("{}/{}/{}", kind.kind, meta.namespace_, meta.name)
                      : fmt::format("{}/{}", kind.kind, meta.name));
}

// --- time ---

void SchedulingQueue::PassTime(Instant now) {
  const Instant tick = ticks_.Last(now);
  for (ReadyPods* waiting : {&backoff_, &error_backoff_}) {
    while (!waiting->empty() && *waiting->front().backoff_end < tick)
      LeaveBackoff(waiting->front(), framework::EventLabel::kBackoffComplete, now);
  }
  FlushUnschedulablePods(now);
}

void SchedulingQueue::FlushUnschedulablePods(Instant now) {
  if (!next_flush_) next_flush_ = now + kFlushInterval;
  if (now < *next_flush_) return;
  const int64_t missed = (now - *next_flush_) / kFlushInterval;
  // What counts is how long pods had been unschedulable at the last tick, whenever this is called.
  const Instant tick = *next_flush_ + kFlushInterval * missed;
  next_flush_ = tick + kFlushInterval;
  if (unschedulable_.empty()) return;
  // Longer than `max_in_unschedulable_pods`, not equally long.
  const Instant limit = tick - options_.max_in_unschedulable_pods - Duration{1};
  const framework::ClusterEvent timeout{.type = framework::kEverything,
                                        .label = "UnschedulableTimeout"};
  const std::vector<QueueEntry*> leftovers = unschedulable_.UnschedulableSince(limit);
  for (QueueEntry* entry : leftovers) {
    if (options_.log.IsOn(6)) [[unlikely]]
      LogWorth(*entry, timeout);
    TakeOut(*entry);
    entry->flushed = now;
    Requeue(*entry, QueueingStrategy::kQueueAfterBackoff,
            framework::EventLabel::kUnschedulableTimeout, now);
  }
  // Pods in flight record it like any event.
  if (!leftovers.empty()) in_flight_.Note(timeout);
}

std::optional<Instant> SchedulingQueue::next_wake() const {
  std::optional<Instant> next;
  auto at = [&](Instant time) { next = next ? std::min(*next, time) : time; };
  for (const ReadyPods* waiting : {&backoff_, &error_backoff_}) {
    if (!waiting->empty()) at(ticks_.After(*waiting->front().backoff_end));
  }
  if (!unschedulable_.empty() && next_flush_) {
    const Instant due = unschedulable_.oldest() + options_.max_in_unschedulable_pods;
    Instant flush = *next_flush_;
    if (due >= flush) {
      const int64_t ticks = (due - flush) / kFlushInterval + 1;
      flush += kFlushInterval * ticks;
    }
    at(flush);
  }
  return next;
}

SchedulingQueue::Sizes SchedulingQueue::sizes() const {
  return {.active = active_.size(),
          .backoff = backoff_.size() + error_backoff_.size(),
          .unschedulable = unschedulable_.size() - unschedulable_.gated(),
          .gated = unschedulable_.gated(),
          .in_flight = in_flight_.size(),
          .in_flight_events = in_flight_.events()};
}

}  // namespace berth::scheduler::queue
