// How pods leave the scheduling queue to be tried, and return to it.

#include <memory>
#include <utility>

#include "scheduler/framework/cluster_event.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::queue {

std::optional<QueueEntry> SchedulingQueue::Pop(Instant now) {
  while (HasReady()) {
    const bool early = active_.empty();
    QueueEntry& entry = early ? backoff_.front() : active_.front();
    if (early && options_.measurements != nullptr)
      options_.measurements->PodsQueued(framework::QueueName::kActive,
                                        framework::EventLabel::kPopFromBackoffQ, 1);
    auto popped = TakeToFlight(entry, now);
    if (!popped) continue;  // It is in flight already.
    if (early && popped->woken_by.event == framework::EventLabel::kScheduleAttemptFailure)
      popped->woken_by = {.event = framework::EventLabel::kPopFromBackoffQ, .time = now};
    return popped;
  }
  return std::nullopt;
}

std::optional<QueueEntry> SchedulingQueue::TakeToFlight(QueueEntry& entry, Instant now) {
  NoteReady(entry, now);
  LeaveQueue(entry);
  const std::unique_ptr<QueueEntry> popped = std::move(entries_[entry.order.pod.index()]);
  ++popped->attempts;
  ++popped_;
  if (!in_flight_.Begin(popped->uid)) return std::nullopt;
  return std::move(*popped);
}

std::optional<QueueEntry> SchedulingQueue::PopSpecificPod(model::PodId pod, Instant now) {
  QueueEntry* entry = FindEntry(pod);
  if (entry == nullptr) return std::nullopt;
  Activate(pod, now);
  if (entry->place != Place::kActive) return std::nullopt;
  return TakeToFlight(*entry, now);
}

void SchedulingQueue::Return(QueueEntry entry, model::PodId pod, Rejectors why, Instant now) {
  if (FindEntry(pod) != nullptr) return Done(entry.uid);  // It was added again meanwhile.
  entry.rejectors = why;
  entry.gate = nullptr;
  entry.order = {pod, cluster_.pod(pod).object->priority(), now, next_sequence_++};
  entry.backoff_end.reset();
  entry.flushed = {};
  entry.woken_by = {};
  if (why.empty()) {
    ++entry.errors_in_row;
  } else {
    ++entry.rejections;
    entry.errors_in_row = 0;
  }
  Wake woken_by{.time = now};
  const QueueingStrategy strategy = StrategyForInFlightPod(entry, cluster_.pod(pod), woken_by);
  Done(entry.uid);
  CountRejections(entry.profile, why.all(), +1);
  QueueEntry& waiting = Own(pod, std::make_unique<QueueEntry>(std::move(entry)));
  Requeue(waiting, strategy, framework::EventLabel::kScheduleAttemptFailure, now);
  if (options_.log.IsOn(3)) [[unlikely]]
    LogReturn(waiting, strategy);
  if (waiting.place != Place::kUnschedulable) waiting.woken_by = std::move(woken_by);
}

}  // namespace berth::scheduler::queue
