#include "queue/scheduling_queue.h"

#include <algorithm>

#include "base/check.h"
#include "framework/object_changes.h"

namespace berth {
namespace {

constexpr Duration kFlushInterval = Duration::Seconds(30);

// Nobody knows what extenders look at: any event of a kind that plugins may look at can help.
bool ExtendersCare(EventType event) {
  return event.resource != Resource::kVolumeAttachment &&
         event.resource != Resource::kResourceSlice;
}

QueueName NameOf(QueueEntry::Place place) {
  if (place == QueueEntry::Place::kActive) return QueueName::kActive;
  return place == QueueEntry::Place::kParked ? QueueName::kUnschedulable : QueueName::kBackoff;
}

bool IsAboutAnotherPod(const ClusterEvent& event, const PodRecord& pod) {
  const auto* about = event.AfterAs<api::Pod>();
  return event.after && (about == nullptr || about->metadata.uid != pod.uid());
}

}  // namespace

SchedulingQueue::SchedulingQueue(Cluster& cluster, Options options)
    : cluster_(cluster),
      options_(std::move(options)),
      active_(ReadyPods::By::kUrgency, options_.profiles[0]->queue_sort()),
      backoff_(ReadyPods::By::kBackoffAndUrgency, options_.profiles[0]->queue_sort()),
      error_backoff_(ReadyPods::By::kBackoff, options_.profiles[0]->queue_sort()),
      parked_(cluster),
      in_flight_(options_.measurements) {
  for (const Profile* profile : options_.profiles) rules_.emplace_back(*profile);
}

// --- places ---

QueueEntry& SchedulingQueue::NewEntry(PodId pod, size_t profile, Instant now) {
  auto entry = std::make_unique<QueueEntry>();
  const PodRecord& record = cluster_.pod(pod);
  entry->order = {pod, record.object->priority(), now, next_sequence_++};
  entry->uid = record.uid();
  entry->profile = profile;
  auto [place, added] = entries_.emplace(pod, std::move(entry));
  CHECK(added);
  return *place->second;
}

QueueEntry* SchedulingQueue::FindEntry(PodId pod) const {
  const auto found = entries_.find(pod);
  return found == entries_.end() ? nullptr : found->second.get();
}

QueueEntry::Place SchedulingQueue::PlaceOf(PodId pod) const {
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
    case Place::kParked:
      return nullptr;
  }
  return nullptr;
}

void SchedulingQueue::TakeOut(QueueEntry& entry) {
  if (entry.place == Place::kParked) {
    parked_.Erase(entry);
  } else if (ReadyPods* list = ListOf(entry.place)) {
    list->Erase(entry);
  }
  entry.place = Place::kNowhere;
}

void SchedulingQueue::PutIn(QueueEntry& entry, Place place) {
  TakeOut(entry);
  entry.place = place;
  if (place == Place::kParked) {
    parked_.Insert(entry);
  } else if (ReadyPods* list = ListOf(place)) {
    list->Insert(entry);
  }
}

void SchedulingQueue::Enter(QueueEntry& entry, Place place, EventLabel why) {
  PutIn(entry, place);
  if (options_.measurements != nullptr) options_.measurements->PodQueued(NameOf(place), why);
}

void SchedulingQueue::CountRejections(size_t profile, PluginMask plugins, int delta) const {
  if (options_.measurements == nullptr || plugins == 0) return;
  options_.measurements->RejectionsChanged(profile, plugins, delta);
}

// Its rejections no longer count: it is tried again, or gone.
void SchedulingQueue::Drop(QueueEntry& entry) {
  CountRejections(entry.profile, entry.rejectors.all(), -1);
  TakeOut(entry);
  entries_.erase(entry.order.pod);
}

// --- ways from place to place ---

bool SchedulingQueue::PassesGates(QueueEntry& entry) {
  AttemptMeter meter;
  if (Measurements* to = options_.measurements)
    meter = AttemptMeter(*to, entry.profile, sampler_.Next());
  Code verdict = Code::kSuccess;
  entry.gate = FindGate(entry, meter, verdict);
  meter.End(MeasuredPoint::kPreEnqueue, verdict);
  if (entry.gate == nullptr) return true;
  const PluginMask gate = PluginMask{1} << entry.gate->slot();
  CountRejections(entry.profile, gate & ~entry.rejectors.all(), +1);
  entry.rejectors.unschedulable |= gate;
  return false;
}

const PreEnqueuePlugin* SchedulingQueue::FindGate(const QueueEntry& entry,
                                                  const AttemptMeter& meter, Code& verdict) const {
  const PodRecord& pod = cluster_.pod(entry.order.pod);
  PluginTimer timer(meter);
  auto stops = [&](const PreEnqueuePlugin* plugin) {
    verdict = plugin->PreEnqueue(cluster_, pod).code();
    timer.End(*plugin, MeasuredPoint::kPreEnqueue, verdict);
    return verdict != Code::kSuccess;
  };
  // The plugin that gated the pod so far most likely still does.
  if (entry.gate != nullptr && stops(entry.gate)) return entry.gate;
  for (const PreEnqueuePlugin* plugin : options_.profiles[entry.profile]->pre_enqueue()) {
    if (plugin != entry.gate && stops(plugin)) return plugin;
  }
  return nullptr;
}

void SchedulingQueue::ToActive(QueueEntry& entry, EventLabel why, Instant now) {
  // A parked entry is filed by its gate, so it is taken out before that may change.
  const bool waits_elsewhere = entry.place != Place::kNowhere && entry.place != Place::kParked;
  if (entry.place == Place::kParked) TakeOut(entry);
  if (!PassesGates(entry)) {
    if (!waits_elsewhere) Enter(entry, Place::kParked, why);
    return;
  }
  if (!entry.first_ready) entry.first_ready = now;
  Enter(entry, Place::kActive, why);
}

void SchedulingQueue::ToBackoff(QueueEntry& entry, EventLabel why) {
  TakeOut(entry);
  if (!PassesGates(entry)) return Enter(entry, Place::kParked, why);
  Enter(entry, entry.rejectors.empty() ? Place::kErrorBackoff : Place::kBackoff, why);
}

bool SchedulingQueue::BacksOff(QueueEntry& entry, Instant now) {
  if (!entry.backoff_end) entry.backoff_end = options_.backoff.EndOf(entry);
  return *entry.backoff_end >= FullSecond(now);
}

void SchedulingQueue::Requeue(QueueEntry& entry, Advice advice, EventLabel why, Instant now) {
  if (advice == Advice::kStay) {
    Enter(entry, Place::kParked, why);
  } else if (advice == Advice::kAfterBackoff && BacksOff(entry, now)) {
    ToBackoff(entry, why);
  } else {
    ToActive(entry, why, now);
  }
}

// --- pods ---

void SchedulingQueue::Add(PodId pod, size_t profile, Instant now) {
  ToActive(NewEntry(pod, profile, now), EventType{Resource::kUnschedulablePod, kAdd}, now);
}

void SchedulingQueue::Update(const std::shared_ptr<const api::Pod>& before, PodId pod,
                             size_t profile, Instant now) {
  const PodRecord& record = cluster_.pod(pod);
  auto events = [&] {
    std::vector<ClusterEvent> changes;
    for (EventType type : PodChanges(*before, *record.object)) {
      changes.push_back({.type = type, .before = before, .after = record.object});
    }
    return changes;
  };
  if (in_flight_.Contains(record.uid())) {
    for (const ClusterEvent& event : events()) in_flight_.Note(event);
    return;
  }
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr) {
    constexpr EventType kUpdated{Resource::kUnschedulablePod, kUpdate};
    return ToActive(NewEntry(pod, profile, now), kUpdated, now);
  }

  const Place place = entry->place;
  TakeOut(*entry);
  entry->order.priority = record.object->priority();
  PutIn(*entry, place);
  if (place != Place::kParked) return;
  for (const ClusterEvent& event : events()) {
    const Advice advice = Judge(*entry, record, event);
    if (advice != Advice::kStay) Requeue(*entry, advice, EventLabel(event), now);
    if (entry->place != Place::kParked) return;
  }
}

void SchedulingQueue::Remove(PodId pod) {
  if (QueueEntry* entry = FindEntry(pod)) Drop(*entry);
}

void SchedulingQueue::Activate(PodId pod, Instant now) {
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr) {
    const PodRecord& record = cluster_.pod(pod);
    if (!in_flight_.Contains(record.uid())) return;
    in_flight_.Note({.type = kEverything, .after = record.object, .label = "ForceActivate"});
  } else if (entry->place == Place::kParked) {
    ToActive(*entry, EventLabel::kForceActivate, now);
  } else if (entry->place != Place::kActive) {
    Enter(*entry, Place::kActive, EventLabel::kForceActivate);
  }
}

// --- trying pods ---

std::optional<QueueEntry> SchedulingQueue::Pop(Instant now) {
  while (HasReady()) {
    const bool early = active_.empty();
    QueueEntry& entry = early ? backoff_.front() : active_.front();
    if (early && options_.measurements != nullptr)
      options_.measurements->PodQueued(QueueName::kActive, EventLabel::kPopFromBackoffQ);
    if (!entry.first_ready) entry.first_ready = now;
    QueueEntry popped = entry;
    Drop(entry);
    ++popped.attempts;
    popped.place = Place::kNowhere;
    if (in_flight_.Contains(popped.uid)) continue;  // It is being tried already.
    in_flight_.Begin(popped.uid);
    return popped;
  }
  return std::nullopt;
}

void SchedulingQueue::Return(QueueEntry entry, PodId pod, Rejectors why, Instant now) {
  if (FindEntry(pod) != nullptr) return Done(entry.uid);  // It came back another way.
  entry.rejectors = why;
  entry.gate = nullptr;
  entry.order = {pod, cluster_.pod(pod).object->priority(), now, next_sequence_++};
  entry.backoff_end.reset();
  entry.flushed = {};
  if (why.empty()) {
    ++entry.errors_in_row;
  } else {
    ++entry.rejections;
    entry.errors_in_row = 0;
  }
  const Advice advice = JudgeInFlight(entry, cluster_.pod(pod));
  Done(entry.uid);
  CountRejections(entry.profile, why.all(), +1);
  QueueEntry& waiting =
      *entries_.emplace(pod, std::make_unique<QueueEntry>(std::move(entry))).first->second;
  Requeue(waiting, advice, EventLabel::kScheduleAttemptFailure, now);
}

// --- events ---

SchedulingQueue::Advice SchedulingQueue::Judge(const QueueEntry& entry, const PodRecord& pod,
                                               const ClusterEvent& event) const {
  const Rejectors& rejectors = entry.rejectors;
  if (rejectors.empty()) return Advice::kAfterBackoff;
  if (event.type.wildcard())
    return IsAboutAnotherPod(event, pod) ? Advice::kStay : Advice::kAfterBackoff;
  Advice advice = Advice::kStay;
  auto queue_for = [&](PluginMask plugin) {
    advice = (rejectors.pending & plugin) != 0 ? Advice::kAtOnce : Advice::kAfterBackoff;
    return advice == Advice::kAtOnce || rejectors.pending == 0;
  };
  if ((rejectors.all() & Rejectors::kExtender) != 0 && ExtendersCare(event.type) &&
      queue_for(Rejectors::kExtender)) {
    return advice;
  }
  for (const WakeRules::Rule& rule : rules_[entry.profile].RulesAbout(event.type.resource)) {
    const PluginMask plugin = PluginMask{1} << rule.plugin->slot();
    if ((rejectors.all() & plugin) == 0 || !rule.interest.type.Covers(event.type)) continue;
    if (MayHelp(rule, entry, pod, event) && queue_for(plugin)) return advice;
  }
  return advice;
}

bool SchedulingQueue::MayHelp(const WakeRules::Rule& rule, const QueueEntry& entry,
                              const PodRecord& pod, const ClusterEvent& event) const {
  Measurements* to = options_.measurements;
  const int64_t since = to == nullptr ? 0 : to->Read();
  const Result<bool> helps =
      rule.interest.conditional ? rule.plugin->MayHelp(cluster_, pod, event) : Result<bool>(true);
  if (to != nullptr) {
    const HintOutcome outcome = !helps   ? HintOutcome::kError
                                : *helps ? HintOutcome::kQueue
                                         : HintOutcome::kSkip;
    to->HintGiven(entry.profile, *rule.plugin, EventLabel(event), outcome, {to->Read() - since});
  }
  return helps.value_or(true);
}

SchedulingQueue::Advice SchedulingQueue::JudgeInFlight(const QueueEntry& entry,
                                                       const PodRecord& pod) const {
  if (entry.rejectors.empty() || !in_flight_.Contains(entry.uid)) return Advice::kAfterBackoff;
  Advice all = Advice::kStay;
  in_flight_.ForEachSince(entry.uid, [&](const ClusterEvent& event) {
    const Advice advice = Judge(entry, pod, event);
    if (advice == Advice::kStay) return true;
    all = advice;
    return advice != Advice::kAtOnce && entry.rejectors.pending != 0;
  });
  return all;
}

bool SchedulingQueue::GateCares(const QueueEntry& entry, const ClusterEvent& event) const {
  if (entry.gate == nullptr || event.type.wildcard()) return true;
  for (const WakeRules::Rule& rule : rules_[entry.profile].RulesAbout(event.type.resource)) {
    if (rule.plugin == static_cast<const Plugin*>(entry.gate) &&
        rule.interest.type.Covers(event.type))
      return true;
  }
  return false;
}

void SchedulingQueue::Move(const ClusterEvent& event, Instant now, const Filter& concerns) {
  const bool extenders_care = options_.has_extenders && ExtendersCare(event.type);
  if (!extenders_care && std::ranges::none_of(rules_, [&](const WakeRules& rules) {
        return rules.AnyoneCares(event.type);
      })) {
    return;
  }
  std::vector<std::pair<QueueEntry*, Advice>> woken;
  parked_.ForEachGroup([&](const ParkedPods::Group& group) {
    const QueueEntry& any = *group.members.front();
    if (!GateCares(any, event)) return;
    const Advice advice = Judge(any, cluster_.pod(any.order.pod), event);
    if (advice == Advice::kStay) return;
    for (QueueEntry* entry : group.members) {
      if (concerns == nullptr || concerns(*entry)) woken.emplace_back(entry, advice);
    }
  });
  Wake(std::move(woken), EventLabel(event), now);
  in_flight_.Note(event);
}

void SchedulingQueue::Wake(std::vector<std::pair<QueueEntry*, Advice>> woken, EventLabel why,
                           Instant now) {
  std::ranges::sort(woken, {}, [](const auto& item) { return item.first->order.sequence; });
  for (auto [entry, advice] : woken) Requeue(*entry, advice, why, now);
}

// --- time ---

void SchedulingQueue::PassTime(Instant now) {
  for (ReadyPods* waiting : {&backoff_, &error_backoff_}) {
    while (!waiting->empty() && !BacksOff(waiting->front(), now)) {
      QueueEntry& entry = waiting->front();
      if (!entry.first_ready) entry.first_ready = now;
      Enter(entry, Place::kActive, EventLabel::kBackoffComplete);
    }
  }
  FlushLeftovers(now);
}

void SchedulingQueue::FlushLeftovers(Instant now) {
  if (!next_flush_) next_flush_ = now + kFlushInterval;
  if (now < *next_flush_) return;
  const int64_t missed = (now - *next_flush_).nanos / kFlushInterval.nanos;
  // What counts is how long pods had been parked at the last tick, whenever we hear of it.
  const Instant tick = *next_flush_ + Duration{missed * kFlushInterval.nanos};
  next_flush_ = tick + kFlushInterval;
  if (parked_.empty()) return;
  // Longer than `max_parked`, not as long.
  const Instant limit{tick.nanos - options_.max_parked.nanos - 1};
  const std::vector<QueueEntry*> leftovers = parked_.ParkedSince(limit);
  for (QueueEntry* entry : leftovers) {
    TakeOut(*entry);
    entry->flushed = now;
    Requeue(*entry, Advice::kAfterBackoff, EventLabel::kUnschedulableTimeout, now);
  }
  // Pods in flight hear of it as of any event.
  if (!leftovers.empty()) in_flight_.Note({.type = kEverything, .label = "UnschedulableTimeout"});
}

std::optional<Instant> SchedulingQueue::next_wake() const {
  std::optional<Instant> next;
  auto at = [&](Instant time) { next = next ? std::min(*next, time) : time; };
  for (const ReadyPods* waiting : {&backoff_, &error_backoff_}) {
    if (!waiting->empty()) at(LeavesAt(*waiting->front().backoff_end));
  }
  if (!parked_.empty() && next_flush_) {
    const Instant due = parked_.oldest() + options_.max_parked;
    Instant flush = *next_flush_;
    if (due >= flush) {
      const int64_t ticks = (due - flush).nanos / kFlushInterval.nanos + 1;
      flush = flush + Duration{ticks * kFlushInterval.nanos};
    }
    at(flush);
  }
  return next;
}

SchedulingQueue::Sizes SchedulingQueue::sizes() const {
  return {.active = active_.size(),
          .backoff = backoff_.size() + error_backoff_.size(),
          .unschedulable = parked_.size() - parked_.gated(),
          .gated = parked_.gated(),
          .in_flight = in_flight_.size(),
          .in_flight_events = in_flight_.events()};
}

}  // namespace berth
