#include "scheduler/engine/failure_handler.h"

#include <memory>
#include <utility>

#include "api/object.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

Decision FailedDecision(const model::PodRecord& pod, const queue::Failure& failure) {
  Decision decision;
  decision.pod = pod.id;
  decision.key = pod.key();
  decision.kind = failure.rejected ? Decision::Kind::kUnschedulable : Decision::Kind::kFailed;
  decision.message = failure.message;
  return decision;
}

void FailureHandler::EndAttempt(queue::QueueEntry entry, const model::PodRecord& pod,
                                const queue::Failure& failure, const framework::AttemptMeter& meter,
                                const Decision& decision, const framework::Diagnosis* diagnosis) {
  services_.reporter.ReportFailed(entry, pod, failure, meter, decision, diagnosis);
  Handle(std::move(entry), pod, failure, meter);
  services_.reporter.Report(decision);
}

void FailureHandler::Handle(queue::QueueEntry entry, const model::PodRecord& pod,
                            const queue::Failure& failure, framework::AttemptMeter meter) {
  if (meter.to() != nullptr) {
    meter.Begin();
    meter.to()->AttemptEnded(meter.profile(),
                             failure.rejected ? framework::AttemptResult::kUnschedulable
                                              : framework::AttemptResult::kError,
                             meter.so_far());
  }
  const model::PodId id =
      services_.cluster.pods().Find(pod.object->metadata.namespace_, pod.object->metadata.name);
  if (services_.log.IsOn(framework::LogMessage::kError)) LogFailure(pod, failure);
  if (id.valid() && services_.cluster.pod(id).uid() != pod.uid()) {
    ENGINE_LOG(services_.log, 2,
               "Pod was recreated while handling scheduling failure. Skip requeueing and status "
               "updates.",
               {{"pod", pod.key().ToString()},
                {"oldUID", pod.uid()},
                {"newUID", services_.cluster.pod(id).uid()}});
    return services_.queue.Done(entry.uid);
  }
  std::shared_ptr<const api::Pod> object = pod.object;
  if (!id.valid() || services_.cluster.pod(id).state != model::PodState::kPending) {
    services_.queue.Done(entry.uid);  // It was deleted, or bound after all.
    if (services_.log.IsOn(0)) LogNotReturned(pod, id);
  } else {
    object = services_.cluster.pod(id).object;
    services_.queue.Return(std::move(entry), id, failure.why, services_.outbox.now());
    if (failure.nomination.replace) {
      services_.cluster.Nominate(id, failure.nomination.node);
    } else {
      services_.handlers.NominateFromStatus(id);
    }
  }
  services_.outbox.Post(
      framework::RecordEvent{.pod = pod.key(),
                             .uid = pod.uid(),
                             .type = "Warning",
                             .reason = "FailedScheduling",
                             .action = "Scheduling",
                             .note = failure.Note(),
                             .scheduler_name = object->spec.scheduler_name,
                             .resource_version = pod.object->metadata.resource_version});
  const Symbol node = failure.nomination.node;
  const std::string nominated =
      node.valid() ? services_.cluster.symbols().Text(node) : std::string();
  if (services_.log.IsOn(3)) [[unlikely]]
    LogStatus(pod, failure, nominated);
  if (auto patch = queue::StatusAfter(failure, *object, nominated, services_.outbox.wall_now()))
    services_.status.Patch(*std::move(patch));
}

// --- what is logged, if its level is on ---

void FailureHandler::LogFailure(const model::PodRecord& pod, const queue::Failure& failure) const {
  const std::string key = pod.key().ToString();
  if (!failure.rejected) {
    ENGINE_LOG_ERROR(services_.log, failure.message, "Error scheduling pod; retrying",
                     {{"pod", key}});
  } else if (!failure.why.empty()) {
    ENGINE_LOG(services_.log, 2, "Unable to schedule pod; no fit; waiting",
               {{"pod", key}, {"err", failure.message}});
  } else if (services_.cluster.nodes().present_count() == 0) {
    ENGINE_LOG(services_.log, 2,
               "Unable to schedule pod; no nodes are registered to the cluster; waiting",
               {{"pod", key}});
  } else {
    ENGINE_LOG(services_.log, 2, "Unable to schedule pod belonging to a pod group; waiting",
               {{"pod", key}, {"err", failure.message}});
  }
}

void FailureHandler::LogNotReturned(const model::PodRecord& pod, model::PodId id) const {
  const std::string key = pod.key().ToString();
  if (!id.valid()) {
    ENGINE_LOG(services_.log, 0, "Pod doesn't exist in informer cache",
               {{"pod", key}, {"err", "pod \"" + pod.key().name + "\" not found"}});
    return;
  }
  const std::string& node = services_.cluster.pod(id).object->spec.node_name;
  if (node.empty()) return;
  ENGINE_LOG(services_.log, 0, "Pod has been assigned to node. Abort adding it back to queue.",
             {{"pod", key}, {"node", node}});
}

void FailureHandler::LogStatus(const model::PodRecord& pod, const queue::Failure& failure,
                               const std::string& nominated_node) const {
  constexpr const char* kText = "Updating pod condition and nominated node name";
  const std::string key = pod.key().ToString();
  if (!failure.nomination.replace) {
    ENGINE_LOG(services_.log, 3, kText,
               {{"pod", key},
                {"conditionType", "PodScheduled"},
                {"conditionStatus", "False"},
                {"conditionReason", failure.Reason()}});
    return;
  }
  ENGINE_LOG(services_.log, 3, kText,
             {{"pod", key},
              {"conditionType", "PodScheduled"},
              {"conditionStatus", "False"},
              {"conditionReason", failure.Reason()},
              {"nominatedNodeName", nominated_node},
              {"nominatingMode", 1}});
}

}  // namespace berth::scheduler::engine
