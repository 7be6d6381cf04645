// Runs the conformance cases with a cluster and one or more pods: a fresh engine explains each pod,
// then schedules it, and both results are compared with the recorded ones.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// DecisionCheck checks that the engine decides what it explains.
class DecisionCheck final : private scheduler::engine::DecisionObserver {
 public:
  // Observes the decisions of `engine`, which must outlive this.
  explicit DecisionCheck(scheduler::engine::Engine& engine);
  ~DecisionCheck() override;
  DecisionCheck(const DecisionCheck&) = delete;
  DecisionCheck& operator=(const DecisionCheck&) = delete;

  // Reports whether the engine would attempt `pod` next: no other pod is ready, and it is not
  // bound.
  bool CanDecide(const api::Pod& pod) const;

  // Delivers the pod to the engine and schedules it. The decision must be one of
  // `expected.best_nodes`, or the expected failure.
  Differences Decide(const api::Ref<api::Pod>& pod, const scheduler::engine::Explanation& expected,
                     Instant now);

  // Delivers the pod to the engine as bound to `node`, whatever it decided, or as deleted if `node`
  // is empty.
  void Resolve(const api::Ref<api::Pod>& pod, const std::string& node, Instant now);

 private:
  void AnswerWritesOfCycle(Instant now);
  void OnDecision(const scheduler::engine::Decision& decision) override { last_ = decision; }

  scheduler::engine::Engine& engine_;
  std::optional<scheduler::engine::Decision> last_;
};

class ClusterCases {
 public:
  ClusterCases(CompareOptions compare, bool paranoid);

  // Runs a case with one pod, compared node by node. Fails, like the others, if the row does not
  // have the documented format.
  Result<Differences> RunPod(JsonFields::Value row);
  // Runs a case with one pod in a big cluster, compared by sums and a sample of nodes.
  Result<Differences> RunDigest(JsonFields::Value row);
  // Runs a case with many pods, each bound to the recorded node before the next.
  Result<Differences> RunSequence(JsonFields::Value row);

 private:
  CompareOptions compare_;
  bool paranoid_;
  scheduler::framework::Registry registry_;
};

}  // namespace berth::cmd
