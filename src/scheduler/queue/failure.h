// Failure is why a pod returns to the queue: the outcome of an attempt that did not place it.
// FailureCache reuses it for equal pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/framework/writes.h"
#include "scheduler/queue/queue_entry.h"
#include "scheduler/queue/unschedulable_pods.h"

namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::queue {

// FailureAccount is why an attempt failed, by groups of nodes. Attempts of equal pods share it.
struct FailureAccount {
  struct Group {
    std::string plugin, reason;
    size_t nodes = 0;
  };
  // Of the groups, which are as many as users write different taints.
  static constexpr size_t kMaxGroups = 64;

  uint64_t id = 0;                   // From 1; later ones are higher.
  std::vector<std::string> plugins;  // Those that rejected the pod, sorted.
  std::vector<Group> groups;         // The largest, most nodes first.
  size_t evaluated = 0;              // Nodes.

  size_t bytes() const;
};
FailureAccount AccountOf(const framework::Diagnosis& diagnosis, uint64_t id);

struct Failure {
  bool rejected = false;  // By plugins; otherwise an error.
  std::string message;
  Rejectors why = {};  // The plugins whose queueing hints decide when the pod is requeued.
  framework::Nomination nomination = {.replace = true,
                                      .node = {}};  // Cleared, unless preemption nominated a node.
  bool preemption_tried = false;                    // For metrics: the attempt reached preemption.
  // For reports of attempts; null without them, and if no plugin rejected the pod.
  std::shared_ptr<const FailureAccount> account = {};
  // The nominated node that was written since, though the API may not have shown it yet.
  std::string announced = {};

  // As in the PodScheduled condition.
  std::string_view Reason() const { return rejected ? "Unschedulable" : "SchedulerError"; }
  // As in the FailedScheduling event, whose length is limited.
  std::string Note() const;
};

// Returns the patch that writes `failure` to the pod's status, unless the status has it already.
std::optional<framework::PatchPodStatus> StatusAfter(const Failure& failure, const api::Pod& pod,
                                                     std::string_view nominated_node, Instant now);

// FailureCache stores which pods could not be scheduled while nothing changes: a copy of a pod that
// just failed would fail the same way, so it need not be tried.
//
// Ten thousand copies of a pod that fits nowhere thus cost one attempt each time they are requeued.
class FailureCache {
 public:
  // `cluster` must outlive this.
  explicit FailureCache(const model::Cluster& cluster) : cluster_(cluster) {}

  // Returns how `pod` would fail, or null if that is not known.
  const Failure* Find(const model::PodRecord& pod, size_t profile);
  // Records that `pod` has failed, unless pods of the same signature may succeed. Errors are not
  // recorded.
  void Add(const model::PodRecord& pod, size_t profile, const Failure& failure);
  void Clear();

 private:
  // Of the messages and accounts, which may be long if a pod requests many resources.
  static constexpr size_t kMaxBytes = size_t{2} << 20;

  // Reports whether the outcome depends on more than the pod's signature.
  bool IsSpecial(const model::PodRecord& pod) const;

  const model::Cluster& cluster_;
  uint64_t version_ = 0;  // Of the cluster that the failures are for.
  std::map<PodSignature, Failure> failures_;
  size_t bytes_ = 0;
};

}  // namespace berth::scheduler::queue
