// EventHandlers applies what the API reports to the model and the queue: an object that is added,
// updated or deleted changes the cluster, and moves pods in the queue that it may make schedulable.
// The counterpart of kube-scheduler's eventhandlers.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/object_fwd.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

class EventHandlers {
 public:
  using ProfileIndex = std::unordered_map<std::string, size_t>;  // By scheduler name.
  // What happened to which kind of object; nothing for kinds and pods that are not scheduled by.
  using HandledEvent = std::optional<framework::EventType>;

  // All must outlive this. The time is that of `outbox`.
  EventHandlers(model::Cluster& cluster, queue::SchedulingQueue& queue,
                framework::WaitingPods& waiting, const Outbox& outbox,
                const ProfileIndex& profile_of)
      : cluster_(cluster),
        queue_(queue),
        waiting_(waiting),
        outbox_(outbox),
        profile_of_(profile_of) {}

  HandledEvent Put(const api::Object& object);
  HandledEvent Delete(const api::Object& object);

  // The profile that serves the pod, if any.
  std::optional<size_t> ProfileOf(const api::Pod& pod) const;
  // Returns the pod as it would look on `node`: queueing hints read where a deleted pod was.
  std::shared_ptr<const api::Pod> Placed(const api::Pod& pod, model::NodeRow node) const;
  // Nominates the pod to the node that its status names, if any.
  void NominateFromStatus(model::PodId id);

 private:
  template <typename T>
  HandledEvent PutObject(const std::shared_ptr<const T>& object);
  template <typename T>
  HandledEvent DeleteObject(const std::shared_ptr<const T>& object);
  HandledEvent PutPod(const std::shared_ptr<const api::Pod>& pod);
  HandledEvent HandlePodDelete(const std::shared_ptr<const api::Pod>& pod);
  HandledEvent PutNode(const std::shared_ptr<const api::Node>& node);
  HandledEvent HandlePodAdd(const std::shared_ptr<const api::Pod>& pod);
  void HandlePendingPodUpdate(const std::shared_ptr<const api::Pod>& before, model::PodId id);
  // An assumed pod is terminating or deleted: its capacity is free.
  void HandleAssumedPodDelete(model::PodId id);
  // `pod` no longer has its nominated node: other pods of at most its priority may use it.
  void HandleNominationEnd(const std::shared_ptr<const api::Pod>& pod);
  Instant now() const { return outbox_.now(); }

  model::Cluster& cluster_;
  queue::SchedulingQueue& queue_;
  framework::WaitingPods& waiting_;
  const Outbox& outbox_;
  const ProfileIndex& profile_of_;
};

}  // namespace berth::scheduler::engine
