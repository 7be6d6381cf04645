// EventHandlers applies what the API reports to the model and the queue: an object that is added,
// updated or deleted changes the cluster, and moves pods in the queue that it may make schedulable.
// The counterpart of kube-scheduler's eventhandlers.go.
#pragma once

#include <memory>
#include <vector>

#include "api/object_fwd.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/groups/group_conditions.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

class EventHandlers {
 public:
  // What happened to which kind of object, by the names that metrics have for it: an update is one
  // event for each kind of change. Empty for objects that no handler is registered for.
  using HandledEvents = std::vector<framework::EventType>;

  // All must outlive this. The time is that of `outbox`.
  EventHandlers(model::Cluster& cluster, queue::SchedulingQueue& queue,
                framework::WaitingPods& waiting, const Outbox& outbox,
                groups::GroupConditions& group_conditions, const ServedProfiles& profiles,
                framework::Log log)
      : cluster_(cluster),
        queue_(queue),
        waiting_(waiting),
        outbox_(outbox),
        group_conditions_(group_conditions),
        profiles_(profiles),
        log_(log) {}

  // The result is valid until the next call of either.
  const HandledEvents& Put(const api::Object& object);
  const HandledEvents& Delete(const api::Object& object);

  // Moves pods that writes of claims may make schedulable, as soon as the engine knows of them.
  void HandleAssumedClaims();

  // Returns the pod as it would look on `node`: queueing hints read where a deleted pod was.
  std::shared_ptr<const api::Pod> Placed(const api::Pod& pod, model::NodeRow node) const;
  // Nominates the pod to the node that its status names, if any.
  void NominateFromStatus(model::PodId id);

 private:
  template <typename T>
  void PutObject(const std::shared_ptr<const T>& object);
  template <typename T>
  void DeleteObject(const std::shared_ptr<const T>& object);
  std::shared_ptr<const api::Pod> WithItsGroup(const std::shared_ptr<const api::Pod>& pod) const;
  void PutPod(const std::shared_ptr<const api::Pod>& delivered);
  void HandlePodDelete(const std::shared_ptr<const api::Pod>& pod);
  void PutNode(const std::shared_ptr<const api::Node>& node);
  void LogNodePut(const api::Node* before, const api::Node& node) const;
  void HandlePodAdd(const std::shared_ptr<const api::Pod>& pod);
  void HandleAssignedPodUpdate(const std::shared_ptr<const api::Pod>& before,
                               const std::shared_ptr<const api::Pod>& pod);
  void HandlePendingPodUpdate(const std::shared_ptr<const api::Pod>& before, model::PodId id);
  // An assumed pod is terminating or deleted: its capacity is free.
  void HandleAssumedPodDelete(model::PodId id);
  // `pod` no longer has its nominated node: other pods of at most its priority may use it.
  void HandleNominationEnd(const std::shared_ptr<const api::Pod>& pod);
  bool IsGated(model::PodId id) const;
  // Reports whether the group exists with enough members; otherwise nothing is reserved for them.
  bool CanBePlaced(const api::ObjectKey& group) const;
  // The group has a member less, or is gone: GangScheduling may gate the others.
  void CheckGatesOfGroup(const api::ObjectKey& group);
  // Moves pods that the event may make schedulable, and notes it.
  void Move(const framework::ClusterEvent& event);
  Instant now() const { return outbox_.now(); }

  model::Cluster& cluster_;
  queue::SchedulingQueue& queue_;
  framework::WaitingPods& waiting_;
  const Outbox& outbox_;
  groups::GroupConditions& group_conditions_;
  const ServedProfiles& profiles_;
  const framework::Log log_;
  HandledEvents handled_;
};

}  // namespace berth::scheduler::engine
