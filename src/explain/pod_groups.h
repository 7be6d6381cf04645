// PodGroups explains many pods at once: those of a workload, or all that are pending, in groups
// with the same cause.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "explain/pod_explanation.h"

namespace berth::explain {

struct PodGroup {
  static constexpr size_t kExamples = 5;

  std::string cause;    // What the pods have in common: "NodeResourcesFit: Insufficient cpu".
  ObjectName workload;  // That the pods belong to; without a name if they belong to none.
  size_t pods = 0;
  std::vector<api::ObjectKey> examples;  // Some of them.
  PodExplanation explanation;            // Of the first one.
};

struct PodGroups {
  struct NotCreated {
    ObjectName workload;
    Sentence sentence;
  };

  std::string sentence;    // Of a workload: why pods of it are missing. Empty if none are.
  std::vector<Fix> fixes;  // So that they are created.
  // Of all pending pods: the workloads of which not all pods were created.
  std::vector<NotCreated> not_created;
  size_t pods = 0;
  std::vector<PodGroup> groups;  // Most pods first.
};

// PodGrouping explains pods, as ExplainPod does, each of their classes once, and puts those
// together that have the same cause: pods of one workload with the same obstacle, and pods without
// a workload with the same sentence. Pods that fit one by one are placed one after the other, and
// those that fit no more then are groups, too.
//
// Fixes take longer than all else, so they are found group by group, afterwards.
class PodGrouping {
 public:
  // `engine` must outlive this, and get no event meanwhile. Changes nothing in it in the end.
  PodGrouping(scheduler::engine::Engine& engine, std::string profile, Instant now,
              const ExplainOptions& options);
  ~PodGrouping();
  PodGrouping(const PodGrouping&) = delete;
  PodGrouping& operator=(const PodGrouping&) = delete;

  // Makes the groups, without fixes. Is called once.
  Status Add(const std::vector<api::Ref<api::Pod>>& pods);

  PodGroups& groups() { return groups_; }

  // Finds the fixes of the group of that number: those of its first pod, each with how many of the
  // group it lets run together. A group that needs none gets none.
  Status FindFixes(size_t number);

 private:
  class State;

  PodGroups groups_;
  std::unique_ptr<State> state_;
};

}  // namespace berth::explain
