// Extenders calls the HTTP services that take part in scheduling, through commands, and applies
// their responses.
//
// A scheduling cycle waits for its calls; the engine does not change the cluster meanwhile.
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
  // Reports whether an extender takes part in filtering or in comparing nodes.
  bool FilterOrPrioritize() const;

  // Removes the nodes that extenders reject from the attempt's feasible ones. Returns Error if an
  // extender that is not ignorable failed.
  Task<framework::Verdict> Filter(framework::Attempt& attempt);
  // Reports whether all extenders accept this node.
  Task<bool> Pass(const model::PodRecord& pod, model::NodeRow node);
  // Adds the extenders' scores to `totals` and returns the best node: among equals a random one, if
  // extenders scored them.
  Task<model::NodeRow> Choose(framework::Attempt& attempt, std::vector<int64_t>& totals,
                              Random& random);
  Task<framework::Verdict> ProcessPreemption(
      const model::PodRecord& preemptor,
      std::vector<framework::PreemptionCandidate>& candidates) override;
  // Calls the first extender that binds such pods. Returns Skip if there is none.
  Task<framework::Verdict> Bind(const api::Pod& pod, const framework::BindPod& bind);

 private:
  using Nodes = std::vector<model::NodeRow>;
  struct Judgement {
    framework::Verdict error;
    Nodes passing;
    std::vector<std::pair<model::NodeRow, framework::Verdict>> failing;
  };

  // Calls the extender at `index`; an error names it.
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
