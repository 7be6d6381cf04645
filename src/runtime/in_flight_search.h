// InFlightSearch looks for a state of the cluster on which the engine agrees with a decision, among
// those that the other scheduler can have seen when it decided.
//
// What that scheduler saw is the cluster at a moment between the pod's entry into its queue and the
// event that shows the decision, and on it the pods that it had tried before, visible or not. So a
// state is a moment, and for each decision about another pod whether it was made before
// (DecisionOrder). The search tries, until the engine agrees:
//
//   1. The likeliest state: now, with the order of decisions as known or estimated.
//   2. A few more or fewer of the decisions whose order is unknown.
//   3. Changes of objects other than pods, which may have reached the other scheduler earlier; no
//      nomination of a pod that is deleted soon, which may have been placed elsewhere, unseen.
//   4. Earlier moments, back to the pod's entry: a deletion or a change of a node was not seen yet.
//   5. Many more or fewer of the decisions whose order is unknown.
//   6. Both 2 and 4.
//
// Each state differs from the one before by one change of the model, so that it costs about as much
// as a decision. While a search exists, the engine is in one of these states and must get no event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/time.h"
#include "runtime/decision_order.h"
#include "runtime/shadow_timeline.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/what_if.h"

namespace berth::runtime {

class InFlightSearch {
 public:
  struct Limits {
    size_t states = 0;     // How many are tried.
    size_t reordered = 0;  // See DecisionOrder.
    Duration watch_lag;    // By how much the watch of one resource may lag behind that of another.
  };

  // Searches for the first held event, which is a decision. The engine is in the likeliest state
  // then. All must outlive the search.
  InFlightSearch(scheduler::engine::Engine& engine, const ShadowTimeline& timeline, Limits limits,
                 Instant date);

  // Returns kAgreesInFlight, kDiffers or kNotJudged. The engine is in the likeliest state again.
  Judgement::Result Run();

  uint32_t tried() const { return tried_; }

 private:
  // Something that was not known at an earlier moment.
  struct Step {
    uint64_t position = 0;
    const Moment* event = nullptr;         // Either this is undone,
    const OtherDecision* other = nullptr;  // or this could not be made yet.
  };
  // A state, to return to.
  struct Mark {
    size_t changes = 0, excluded = 0;
  };

  void CollectSteps();

  // Changes of the state. They return false if nothing was to change.
  bool Include(const OtherDecision& other);
  bool Exclude(const OtherDecision& other);
  bool GoBack(const Step& step);
  bool GoForward(const Moment& moment);
  bool EndNomination(const api::Pod& pod);
  Mark mark() const { return {what_if_.size(), excluded_order_.size()}; }
  void ReturnTo(const Mark& mark);
  // The pod in the model; null if it is not there.
  const api::Pod* FindPod(const api::ObjectMeta& meta) const;

  // They return true at the end of the search: the engine agrees, or the limit is reached.
  // Otherwise they leave the state as it was.
  bool Try();
  bool TryNumbers(size_t most, const std::function<bool()>& attempt);
  bool TryLateEvents();
  bool TryEarlierMoments(size_t most);

  // Reports whether the engine agrees in the present state.
  bool Agrees();
  // Reports whether the engine agrees in an extreme order of the decisions whose order is unknown.
  bool MightAgreeInSomeOrder();

  scheduler::engine::Engine& engine_;
  const ShadowTimeline& timeline_;
  const Limits limits_;
  const Instant date_;
  const ObservedDecision& decision_;
  const DecisionOrder order_;
  std::vector<Step> steps_;  // Latest first.
  scheduler::engine::WhatIf what_if_;
  std::unordered_set<std::string> excluded_;  // Uids of pods,
  std::vector<std::string> excluded_order_;   // in the order of Exclude.
  Mark likeliest_;
  uint32_t tried_ = 0;
  bool agrees_ = false;
};

}  // namespace berth::runtime
