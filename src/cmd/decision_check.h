// Checks that the engine decides what it explains: besides being asked, it is given the pod to
// schedule.
#pragma once

#include "api/object.h"
#include "base/time.h"
#include "cmd/comparison.h"
#include "engine/engine.h"

namespace berth {

class DecisionCheck final : private DecisionObserver {
 public:
  // Watches the decisions of `engine`, which must outlive this.
  explicit DecisionCheck(Engine& engine);
  ~DecisionCheck() override;
  DecisionCheck(const DecisionCheck&) = delete;
  DecisionCheck& operator=(const DecisionCheck&) = delete;

  // False if the engine would not try `pod` first and now: other pods wait, or it has a node.
  bool CanDecide(const api::Pod& pod) const;

  // Gives the pod to the engine and lets it decide. The decision must be one of
  // `expected.best_nodes`, or the failure that is expected there.
  Differences Decide(const api::Ref<api::Pod>& pod, const Explanation& expected, Instant now);

  // Tells the engine that the pod went to `node`, whatever it decided, or that it is gone if that
  // is empty.
  void Settle(const api::Ref<api::Pod>& pod, const std::string& node, Instant now);

 private:
  void OnDecision(const Decision& decision) override { last_ = decision; }

  Engine& engine_;
  std::optional<Decision> last_;
};

}  // namespace berth
