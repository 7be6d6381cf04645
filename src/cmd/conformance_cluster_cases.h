// Checks that the engine decides what it explains: besides being asked, it is given the pod to
// schedule.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "base/time.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

class DecisionCheck final : private scheduler::engine::DecisionObserver {
 public:
  // Watches the decisions of `engine`, which must outlive this.
  explicit DecisionCheck(scheduler::engine::Engine& engine);
  ~DecisionCheck() override;
  DecisionCheck(const DecisionCheck&) = delete;
  DecisionCheck& operator=(const DecisionCheck&) = delete;

  // False if the engine would not try `pod` first and now: other pods wait, or it has a node.
  bool CanDecide(const api::Pod& pod) const;

  // Gives the pod to the engine and lets it decide. The decision must be one of
  // `expected.best_nodes`, or the failure that is expected there.
  Differences Decide(const api::Ref<api::Pod>& pod, const scheduler::engine::Explanation& expected,
                     Instant now);

  // Tells the engine that the pod went to `node`, whatever it decided, or that it is gone if that
  // is empty.
  void Resolve(const api::Ref<api::Pod>& pod, const std::string& node, Instant now);

 private:
  void OnDecision(const scheduler::engine::Decision& decision) override { last_ = decision; }

  scheduler::engine::Engine& engine_;
  std::optional<scheduler::engine::Decision> last_;
};

// Runs the cases that hold a cluster and a pod (or several) through a fresh engine each: the engine
// explains what would become of the pod, then decides.
class ClusterCases {
 public:
  ClusterCases(CompareOptions compare, bool paranoid);

  // One pod: what becomes of it, node by node. Fails, like the others, if the row is not as the
  // format says.
  Result<Differences> RunPod(JsonFields::Value row);
  // One pod in a big cluster: sums, and some nodes in full.
  Result<Differences> RunDigest(JsonFields::Value row);
  // Many pods, each placed where the case says before the next is asked about.
  Result<Differences> RunSequence(JsonFields::Value row);

 private:
  CompareOptions compare_;
  bool paranoid_;
  scheduler::framework::Registry registry_;
};

}  // namespace berth::cmd
