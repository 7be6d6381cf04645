#include "plugins/dry_run.h"

#include <algorithm>

#include "plugins/victims.h"

namespace berth {
namespace {

// True if the order of the node's pods by age can no longer change: all that have started did so
// before now, and those that have not come last, today and later.
bool OrderIsSettled(const Cluster& cluster, NodeRow node, Instant now) {
  return std::ranges::all_of(cluster.nodes().info(node).pods, [&](PodId id) {
    const auto& start = cluster.pod(id).object->status.start_time;
    return !start || *start < now;
  });
}

bool AreUndated(const Cluster& cluster, const std::vector<PodId>& victims) {
  const int32_t highest = cluster.pod(victims.front()).object->priority();
  return std::ranges::none_of(victims, [&](PodId id) {
    const api::Pod& pod = *cluster.pod(id).object;
    return pod.priority() == highest && pod.status.start_time.has_value();
  });
}

}  // namespace

DryRun::DryRun(FailedCycle& failed, const KeptTrials& kept, const std::vector<NodeRow>& nodes,
               size_t wanted)
    : failed_(failed), kept_(kept), keeps_(failed.attempt.DependsOnRowsAlone()) {
  vain_.all_nodes = failed.attempt.cluster().nodes().present_count();
  vain_.absent =
      Verdict(Code::kUnschedulableAndUnresolvable, "Preemption is not helpful for scheduling");
  if (nodes.empty()) return;
  kept.Refresh(failed.attempt.cluster());
  std::vector<Candidate> violating;
  const size_t offset = failed.random.Below(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool enough = !candidates_.empty() && candidates_.size() + violating.size() >= wanted;
    if (enough && failed.report == nullptr) break;
    const NodeRow node = nodes[(offset + i) % nodes.size()];
    const TrialResult& result = Try(node);
    if (result.verdict.ok()) {
      (result.victims.budget_violations == 0 ? candidates_ : violating).push_back({node, &result});
    } else if (result.verdict.rejected()) {
      vain_.Add(node, result.verdict);
    } else {
      const std::string message = result.verdict.Message();
      if (std::ranges::find(errors_, message) == errors_.end()) errors_.push_back(message);
    }
  }
  candidates_.insert(candidates_.end(), violating.begin(), violating.end());
}

const TrialResult& DryRun::Try(NodeRow node) {
  const Cluster& cluster = failed_.attempt.cluster();
  const bool keeps = keeps_ && !failed_.attempt.IsContested(node);
  if (const TrialResult* known = keeps ? kept_.Find(node) : nullptr) return *known;

  TrialResult result;
  result.verdict = SelectVictims(failed_.attempt, node, failed_.now, result.victims);
  if (result.verdict.ok()) {
    result.rating.emplace(cluster, result.victims, failed_.now);
    result.undated = AreUndated(cluster, result.victims.pods);
  }
  const bool settled = result.verdict.ok() || result.verdict.rejected();
  if (keeps && settled && OrderIsSettled(cluster, node, failed_.now))
    return kept_.Keep(node, std::move(result));
  return unkept_.emplace_back(std::move(result));
}

}  // namespace berth
