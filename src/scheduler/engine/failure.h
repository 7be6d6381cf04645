// Failure is what became of an attempt that did not place its pod, and what users are told of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/writes.h"
#include "scheduler/queue/queue_entry.h"
#include "scheduler/queue/unschedulable_pods.h"

namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::engine {

struct Failure {
  bool rejected = false;  // By plugins; else something went wrong.
  std::string message;
  queue::Rejectors why = {};  // Whom an event must please for the pod to be tried again.
  framework::Nomination nomination = {.replace = true,
                                      .node = {}};  // Cleared, unless preemption found room.
  // The nominated node that the API was told since, though it may not have shown it yet.
  std::string announced = {};

  // As in the PodScheduled condition.
  std::string_view Reason() const { return rejected ? "Unschedulable" : "SchedulerError"; }
  // As in the FailedScheduling event, whose length is limited.
  std::string Note() const;
};

// The patch that tells the API of `failure`, if the pod's status does not say so already.
std::optional<framework::PatchPodStatus> StatusAfter(const Failure& failure, const api::Pod& pod,
                                                     std::string_view nominated_node, Instant now);

// FailureCache remembers which pods could not be scheduled for as long as nothing changes: a copy
// of a pod that just failed would fail the same way, so it need not be tried.
//
// Ten thousand copies of a pod that fits nowhere thus cost one attempt each time they are woken.
class FailureCache {
 public:
  // `cluster` must outlive this.
  explicit FailureCache(const model::Cluster& cluster) : cluster_(cluster) {}

  // How `pod` would fail, if that is known.
  const Failure* Find(const model::PodRecord& pod, size_t profile);
  // Notes that `pod` has failed, unless others like it may fare differently. What went wrong with
  // an error is always tried again.
  void Add(const model::PodRecord& pod, size_t profile, const Failure& failure);

 private:
  // Whether the pod's own story plays a part.
  bool IsSpecial(const model::PodRecord& pod) const;

  const model::Cluster& cluster_;
  uint64_t version_ = 0;  // Of the cluster that the failures are for.
  std::map<queue::PodSignature, Failure> failures_;
};

}  // namespace berth::scheduler::engine
