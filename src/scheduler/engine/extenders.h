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
#include "base/result.h"
#include "scheduler/engine/extender_protocol.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/post_filter.h"

namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {
class Attempt;
}

namespace berth::scheduler::engine {

// Returns the nodes and pods that an extender's response names, ordered by name of node. They must
// be in `cluster`, and the pods on their nodes. A node without victims is an error, or is dropped
// if the extender is ignorable.
Result<std::vector<framework::PreemptionCandidate>> FindVictims(
    const framework::ExtenderConfig& extender, const MetaVictimsByNode& victims_by_node,
    const model::Cluster& cluster);

class Extenders final : public framework::PreemptionAdvisor {
 public:
  // `outbox` and `cluster` must outlive this.
  Extenders(std::vector<framework::ExtenderConfig> extenders, Outbox& outbox,
            const model::Cluster& cluster)
      : extenders_(framework::InOrderOfUse(std::move(extenders))),
        outbox_(outbox),
        cluster_(cluster) {}

  bool empty() const { return extenders_.empty(); }

  // Takes the nodes that extenders reject out of the attempt's feasible ones. Error if an extender
  // that may not fail did.
  Task<framework::Verdict> Filter(framework::Attempt& attempt);
  // True if all extenders let the pod onto this node.
  Task<bool> Pass(const model::PodRecord& pod, model::NodeRow node);
  // Adds what extenders give each feasible node to `totals` and chooses the best: among equals by
  // chance, if extenders had a say about them.
  Task<model::NodeRow> Choose(framework::Attempt& attempt, std::vector<int64_t>& totals,
                              Random& random);
  Task<framework::Verdict> ProcessPreemption(
      const model::PodRecord& preemptor,
      std::vector<framework::PreemptionCandidate>& candidates) override;
  // Lets the first extender that wants to bind the pod. Skip if none does.
  Task<framework::Verdict> Bind(const api::Pod& pod, const framework::BindPod& bind);

 private:
  using Nodes = std::vector<model::NodeRow>;
  struct Judgement {
    framework::Verdict error;
    Nodes passing;
    std::vector<std::pair<model::NodeRow, framework::Verdict>> failing;
  };

  // Calls step `step` of the extender at `index`; an error names it.
  Task<Result<std::string>> Call(size_t index, framework::ExtenderStep step, std::string body);
  Task<Judgement> CallFilter(size_t index, const api::Pod& pod, const Nodes& nodes);
  Task<std::vector<std::pair<model::NodeRow, int64_t>>> CallPrioritize(size_t index,
                                                                       const api::Pod& pod,
                                                                       const Nodes& nodes);
  std::vector<const api::Node*> ObjectsOf(const Nodes& nodes) const;
  model::NodeRow Find(std::string_view node) const;
  bool Wants(const framework::ExtenderConfig& extender, framework::ExtenderStep step,
             const api::Pod& pod) const {
    return framework::TakesPartIn(extender, step) && framework::IsInterested(extender, pod);
  }

  const std::vector<framework::ExtenderConfig> extenders_;
  Outbox& outbox_;
  const model::Cluster& cluster_;
};

}  // namespace berth::scheduler::engine
