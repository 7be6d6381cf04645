// What the scheduling queue logs, in kube-scheduler's messages.

#include <fmt/format.h>

#include <set>
#include <string>

#include "scheduler/framework/extender.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::queue {

std::string_view TextOf(QueueEntry::Place place) {
  switch (place) {
    case QueueEntry::Place::kActive:
      return "Active";
    case QueueEntry::Place::kBackoff:
    case QueueEntry::Place::kErrorBackoff:
      return "Backoff";
    default:
      return "Unschedulable";
  }
}

std::string SchedulingQueue::KeyOf(const QueueEntry& entry) const {
  return cluster_.pod(entry.order.pod).key().ToString();
}

std::string NamesAsSet(const framework::Profile& profile, framework::PluginMask plugins) {
  std::set<std::string_view> names;
  if ((plugins & Rejectors::kExtender) != 0) names.insert(framework::kExtenderPlugin);
  for (const auto& plugin : profile.plugins()) {
    if ((plugins >> plugin->slot() & 1) != 0) names.insert(plugin->name());
  }
  std::string set = "{";
  for (const std::string_view name : names) {
    if (set.size() > 1) set += ',';
    set.append("\"").append(name).append("\":{}");
  }
  return set + "}";
}

std::string SchedulingQueue::RejectorsOf(const QueueEntry& entry) const {
  return NamesAsSet(*options_.profiles[entry.profile], entry.rejectors.all());
}

void SchedulingQueue::LogMove(const QueueEntry& entry, Place to, framework::EventLabel why) const {
  const bool gated = to == Place::kUnschedulable && entry.gate != nullptr;
  if (to == Place::kUnschedulable && !gated) return;  // It stays, or LogReturn tells.
  ENGINE_LOG(options_.log, 5,
             gated ? "Pod moved to an internal scheduling queue, because the pod is gated"
                   : "Pod moved to an internal scheduling queue",
             {{"pod", KeyOf(entry)}, {"event", why.Text()}, {"queue", TextOf(to)}});
}

void SchedulingQueue::LogGate(const QueueEntry& entry, const framework::Plugin& gate,
                              const framework::Verdict& verdict) const {
  if (!verdict.rejected()) {
    ENGINE_LOG_ERROR(options_.log, verdict.Message(), "Unexpected error running PreEnqueue plugin",
                     {{"pod", KeyOf(entry)}, {"plugin", gate.name()}});
    return;
  }
  ENGINE_LOG(options_.log, 4, "Status after running PreEnqueue plugin",
             {{"pod", KeyOf(entry)}, {"plugin", gate.name()}, {"status", verdict.Message()}});
}

void SchedulingQueue::LogWorth(const QueueEntry& entry,
                               const framework::ClusterEvent& event) const {
  if (!event.type.wildcard()) return;
  const auto* about = event.AfterAs<api::Pod>();
  const std::string label = framework::EventLabel(event).Text();
  if (event.after && about == nullptr) return;
  if (about != nullptr && about->metadata.uid != entry.uid) {
    const api::ObjectKey other{about->metadata.namespace_, about->metadata.name};
    ENGINE_LOG(options_.log, 6,
               "Not worth requeuing because the event is wildcard, but for another pod",
               {{"pod", KeyOf(entry)}, {"event", label}, {"newObj", other.ToString()}});
    return;
  }
  ENGINE_LOG(options_.log, 6, "Worth requeuing because the event is wildcard",
             {{"pod", KeyOf(entry)}, {"event", label}});
}

void SchedulingQueue::LogStrategy(std::span<QueueEntry* const> entries,
                                  const framework::ClusterEvent& event, QueueingStrategy strategy,
                                  const Filter& concerns) const {
  for (const QueueEntry* entry : entries) {
    if (concerns != nullptr && !concerns(*entry)) continue;
    LogWorth(*entry, event);
    if (strategy != QueueingStrategy::kQueueSkip) continue;
    ENGINE_LOG(options_.log, 5, "Event is not making pod schedulable",
               {{"pod", KeyOf(*entry)}, {"event", framework::EventLabel(event).Text()}});
  }
}

void SchedulingQueue::LogReturn(const QueueEntry& entry, QueueingStrategy strategy) const {
  ENGINE_LOG(
      options_.log, 3, "Pod moved to an internal scheduling queue",
      {{"pod", KeyOf(entry)},
       {"event", framework::EventLabel(framework::EventLabel::kScheduleAttemptFailure).Text()},
       {"queue", TextOf(entry.place)},
       {"schedulingCycle", popped_},
       {"hint", static_cast<int>(strategy)},
       {"unschedulable plugins", LogJson{RejectorsOf(entry)}}});
}

void SchedulingQueue::LogCheckOfEvents(const QueueEntry& entry) const {
  ENGINE_LOG(options_.log, 5, "Checking events for in-flight pod",
             {{"pod", KeyOf(entry)},
              {"unschedulablePlugins", LogJson{RejectorsOf(entry)}},
              {"inFlightEventsSize", in_flight_.events() + in_flight_.size()},
              {"inFlightPodsSize", in_flight_.size()}});
}

}  // namespace berth::scheduler::queue
