#include "scheduler/engine/questions.h"

#include <fmt/format.h>

#include <utility>

#include "api/object.h"
#include "scheduler/engine/explain.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {

template <typename Answer>
Result<Answer> Questions::Ask(std::shared_ptr<const api::Pod> pod,
                              const std::function<Answer(framework::Attempt&)>& question) {
  const auto profile = profiles_.For(*pod);
  if (!profile) {
    return Fail(fmt::format("no profile serves schedulerName \"{}\" of pod {}/{}",
                            pod->spec.scheduler_name, pod->metadata.namespace_,
                            pod->metadata.name));
  }
  const ServedProfile& served = profiles_[*profile];
  const model::PodRecord visitor = cluster_.MakeHypotheticalPod(std::move(pod));
  Answer answer;
  {
    auto results = served.results->For(visitor);
    framework::Attempt attempt(cluster_, *served.profile, *results, visitor);
    answer = question(attempt);
  }
  cluster_.Release(visitor);
  profiles_.DropRemovedClasses();  // Those of thousands of questions would remain otherwise.
  return answer;
}

Result<Explanation> Questions::Explain(std::shared_ptr<const api::Pod> pod, Instant at) {
  return Ask<Explanation>(std::move(pod), [&](framework::Attempt& attempt) {
    return ExplainAttempt(attempt, at, turns_.random, ExplainDepth::kDetails);
  });
}

Result<bool> Questions::MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                                    bool* has_equals) {
  return Ask<bool>(std::move(pod), [&](framework::Attempt& attempt) {
    const model::NodeTable& nodes = cluster_.nodes();
    if (node.empty()) return FitsNowhere(attempt);
    const model::NodeRow row = nodes.Find(cluster_.symbols().Find(node));
    return row.valid() && nodes.present().Test(row.index()) &&
           MightChoose(attempt, row, has_equals);
  });
}

Result<Decision> Questions::Preview(std::shared_ptr<const api::Pod> pod, Instant at) {
  const std::shared_ptr<const api::Pod> asked = pod;
  return Ask<Decision>(std::move(pod), [&](framework::Attempt& attempt) {
    Random random = turns_.random;  // A copy: asking does not advance the engine's generator.
    size_t next_start = turns_.next_start;
    Task<CycleOutcome> search =
        FindNode(attempt, {.now = at, .random = random, .next_start = next_start});
    search.Start();  // No extender is called and nothing is written, so it does not wait.
    return DecisionOf(*asked, search.result());
  });
}

Decision Questions::DecisionOf(const api::Pod& pod, const CycleOutcome& outcome) const {
  Decision decision;
  decision.key = {pod.metadata.namespace_, pod.metadata.name};
  if (outcome.kind == CycleOutcome::Kind::kNode) {
    decision.node = cluster_.nodes().name(outcome.node);
    return decision;
  }
  decision.kind = outcome.kind == CycleOutcome::Kind::kError ? Decision::Kind::kFailed
                                                             : Decision::Kind::kUnschedulable;
  decision.message = outcome.Message();
  for (model::PodId victim : outcome.post_filter.victims) {
    decision.nominated_node = cluster_.symbols().Text(outcome.post_filter.nomination.node);
    decision.victims.push_back(cluster_.pod(victim).key());
  }
  return decision;
}

Result<PodFit> Questions::Evaluate(std::shared_ptr<const api::Pod> pod,
                                   std::span<const std::string> nodes, Instant at) {
  return Ask<PodFit>(std::move(pod), [&](framework::Attempt& attempt) {
    return EvaluateNodes(attempt, nodes, at);
  });
}

}  // namespace berth::scheduler::engine
