// FailureHandler ends attempts that did not place their pod: the pod returns to the queue, and its
// status and an event say why. The counterpart of kube-scheduler's handleSchedulingFailure.
#pragma once

#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/queue/failure.h"

namespace berth::scheduler::engine {

// Returns the decision that the attempt has failed.
Decision FailedDecision(const model::PodRecord& pod, const queue::Failure& failure);

class FailureHandler {
 public:
  // All must outlive this.
  struct Services {
    model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    Outbox& outbox;
    StatusWriter& status;
    EventHandlers& handlers;
    AttemptReporter& reporter;
    framework::Log log;
  };

  explicit FailureHandler(const Services& services) : services_(services) {}

  // The pod of `entry` was not placed, or not bound: returns it to the queue and writes its status.
  void Handle(queue::QueueEntry entry, const model::PodRecord& pod, const queue::Failure& failure,
              framework::AttemptMeter meter);
  // Does so at the end of a scheduling cycle, and reports the attempt. `diagnosis` may be null.
  void EndAttempt(queue::QueueEntry entry, const model::PodRecord& pod,
                  const queue::Failure& failure, const framework::AttemptMeter& meter,
                  const Decision& decision, const framework::Diagnosis* diagnosis = nullptr);

 private:
  void LogFailure(const model::PodRecord& pod, const queue::Failure& failure) const;
  // The pod need not be tried again; `id` is that in the model, if it is there.
  void LogNotReturned(const model::PodRecord& pod, model::PodId id) const;
  void LogStatus(const model::PodRecord& pod, const queue::Failure& failure,
                 const std::string& nominated_node) const;

  const Services services_;
};

}  // namespace berth::scheduler::engine
