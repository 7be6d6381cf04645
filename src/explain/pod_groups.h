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

  std::string cause;  // What the pods have in common: "NodeResourcesFit: Insufficient cpu".
  size_t pods = 0;
  std::vector<api::ObjectKey> examples;  // Some of them.
  PodExplanation explanation;            // Of the first one.
};

struct PodGroups {
  size_t pods = 0;
  std::vector<PodGroup> groups;  // Most pods first.
};

// Groups with fixes: a user mends the largest first.
inline constexpr size_t kGroupsWithFixes = 5;

// Explains the pods, as ExplainPod does. Pods of the same class are explained once, and fixes are
// those of the first pod of each of the largest groups.
Result<PodGroups> GroupPods(scheduler::engine::Engine& engine,
                            const std::vector<api::Ref<api::Pod>>& pods, const std::string& profile,
                            Instant now, const ExplainOptions& options);

}  // namespace berth::explain
