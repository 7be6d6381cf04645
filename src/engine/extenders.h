// Extenders asks the HTTP services that have a say in scheduling, through commands, and takes their
// answers into account.
//
// A scheduling cycle waits for what it asks; the engine keeps the cluster as it is meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "engine/outbox.h"
#include "framework/attempt.h"
#include "framework/extender.h"
#include "framework/failed_cycle.h"

namespace berth {

class Extenders final : public PreemptionAdvisor {
 public:
  // `outbox` and `cluster` must outlive this.
  Extenders(std::vector<ExtenderConfig> extenders, Outbox& outbox, const Cluster& cluster)
      : extenders_(InOrderOfUse(std::move(extenders))), outbox_(outbox), cluster_(cluster) {}

  bool empty() const { return extenders_.empty(); }

  // Takes the nodes that extenders reject out of the attempt's feasible ones. Error if an extender
  // that may not fail did.
  Task<Verdict> Filter(Attempt& attempt);
  // True if all extenders let the pod onto this node.
  Task<bool> Pass(const PodRecord& pod, NodeRow node);
  // Adds what extenders give each feasible node to `totals` and chooses the best: among equals by
  // chance, if extenders had a say about them.
  Task<NodeRow> Choose(Attempt& attempt, std::vector<int64_t>& totals, Random& random);
  Task<Verdict> Narrow(const PodRecord& preemptor,
                       std::vector<PreemptionCandidate>& candidates) override;
  // Lets the first extender that wants to bind the pod. Skip if none does.
  Task<Verdict> Bind(const api::Pod& pod, const BindPod& bind);

 private:
  using Nodes = std::vector<NodeRow>;
  struct Judgement {
    Verdict error;
    Nodes passing;
    std::vector<std::pair<NodeRow, Verdict>> failing;
  };

  // Calls step `step` of the extender at `index`; an error names it.
  Task<Result<std::string>> Call(size_t index, ExtenderStep step, std::string body);
  Task<Judgement> Ask(size_t index, const api::Pod& pod, const Nodes& nodes);
  Task<std::vector<std::pair<NodeRow, int64_t>>> AskForScores(size_t index, const api::Pod& pod,
                                                              const Nodes& nodes);
  std::vector<const api::Node*> ObjectsOf(const Nodes& nodes) const;
  NodeRow Find(std::string_view node) const;
  bool Wants(const ExtenderConfig& extender, ExtenderStep step, const api::Pod& pod) const {
    return TakesPartIn(extender, step) && IsInterested(extender, pod);
  }

  const std::vector<ExtenderConfig> extenders_;
  Outbox& outbox_;
  const Cluster& cluster_;
};

}  // namespace berth
