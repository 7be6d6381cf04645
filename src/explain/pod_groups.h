// PodGroups explains many pods at once: those of a workload, or all that are pending, in groups
// with the same cause.
#pragma once

#include <cstddef>
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
  std::string sentence;  // Of a workload: why pods of it are missing. Empty if none are.
  size_t pods = 0;
  std::vector<PodGroup> groups;  // Most pods first.
};

// Groups with fixes: a user mends the largest first.
inline constexpr size_t kGroupsWithFixes = 5;

// Explains the pods, as ExplainPod does: each of their classes once. Pods of one workload with the
// same obstacle are a group; those without a workload, with the same sentence. Pods that fit one by
// one are placed one after the other, and those that fit no more then are groups, too.
//
// The largest groups have the fixes of their first pod, each with how many of the group it lets run
// together.
Result<PodGroups> GroupPods(scheduler::engine::Engine& engine,
                            const std::vector<api::Ref<api::Pod>>& pods, const std::string& profile,
                            Instant now, const ExplainOptions& options);

}  // namespace berth::explain
