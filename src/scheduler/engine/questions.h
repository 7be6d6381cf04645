// Questions answers what the engine would do about a pod, which need not be known. Nothing changes:
// the pod is a guest of the model for as long as the question takes.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/pod_fit.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/groups/pod_trial.h"

namespace berth::scheduler::engine {

class Questions {
 public:
  // All must outlive this. `turns` are those of the next trial.
  Questions(model::Cluster& cluster, ServedProfiles& profiles, const groups::Turns& turns)
      : cluster_(cluster), profiles_(profiles), turns_(turns) {}

  // See Engine, which has the same. They fail if no profile serves the pod.
  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);
  Result<bool> MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                           bool* has_equals);
  Result<Decision> Preview(std::shared_ptr<const api::Pod> pod, Instant now);
  Result<PodFit> Evaluate(std::shared_ptr<const api::Pod> pod, std::span<const std::string> nodes,
                          Instant now);

 private:
  // Returns the answer of `question` about an attempt of `pod`.
  template <typename Answer>
  Result<Answer> Ask(std::shared_ptr<const api::Pod> pod,
                     const std::function<Answer(framework::Attempt&)>& question);
  Decision DecisionOf(const api::Pod& pod, const CycleOutcome& outcome) const;

  model::Cluster& cluster_;
  ServedProfiles& profiles_;
  const groups::Turns& turns_;
};

}  // namespace berth::scheduler::engine
