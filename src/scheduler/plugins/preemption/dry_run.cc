#include "scheduler/plugins/preemption/dry_run.h"

#include <algorithm>

#include "api/workloads.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/plugins/preemption/victims.h"

namespace berth::scheduler::plugins {

void DryRunCache::Refresh(const model::Cluster& cluster) const {
  const model::RowChanges& changes = cluster.nodes().changes();
  const uint64_t budgets = cluster.objects<api::PodDisruptionBudget>().version();
  if (budgets != budgets_ || !changes.Covers(position_)) {
    results_.clear();
  } else {
    for (model::NodeRow row : changes.Since(position_)) {
      if (row.index() < results_.size()) results_[row.index()] = nullptr;
    }
  }
  position_ = changes.now();
  budgets_ = budgets;
}

const DryRunOutcome& DryRunCache::Insert(model::NodeRow node, DryRunOutcome result) const {
  if (node.index() >= results_.size()) results_.resize(node.index() + 1);
  auto& cache = results_[node.index()];
  cache = std::make_unique<const DryRunOutcome>(std::move(result));
  return *cache;
}

namespace {

// True if the order of the node's pods by age can no longer change: all that have started did so
// before now, and those that have not come last, today and later.
bool IsStartOrderFinal(const model::Cluster& cluster, model::NodeRow node, Instant now) {
  return std::ranges::all_of(cluster.nodes().info(node).pods, [&](model::PodId id) {
    const auto& start = cluster.pod(id).object->status.start_time;
    return !start || *start < now;
  });
}

bool HaveNoStartTime(const model::Cluster& cluster, const std::vector<model::PodId>& victims) {
  const int32_t highest = cluster.pod(victims.front()).object->priority();
  return std::ranges::none_of(victims, [&](model::PodId id) {
    const api::Pod& pod = *cluster.pod(id).object;
    return pod.priority() == highest && pod.status.start_time.has_value();
  });
}

}  // namespace

DryRun::DryRun(framework::FailedCycle& failed, const DryRunCache& cache,
               const std::vector<model::NodeRow>& nodes, size_t wanted)
    : failed_(failed), cache_(cache), cacheable_(failed.attempt.DependsOnRowsAlone()) {
  rejected_.all_nodes = failed.attempt.cluster().nodes().present_count();
  rejected_.absent = framework::Verdict(framework::Code::kUnschedulableAndUnresolvable,
                                        "Preemption is not helpful for scheduling");
  if (nodes.empty()) return;
  cache.Refresh(failed.attempt.cluster());
  std::vector<Candidate> violating;
  const size_t offset = failed.random.Below(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool enough = !candidates_.empty() && candidates_.size() + violating.size() >= wanted;
    if (enough && failed.report == nullptr) break;
    const model::NodeRow node = nodes[(offset + i) % nodes.size()];
    const DryRunOutcome& result = Try(node);
    if (result.verdict.ok()) {
      (result.victims.budget_violations == 0 ? candidates_ : violating).push_back({node, &result});
    } else if (result.verdict.rejected()) {
      rejected_.Add(node, result.verdict);
    } else {
      const std::string message = result.verdict.Message();
      if (std::ranges::find(errors_, message) == errors_.end()) errors_.push_back(message);
    }
  }
  candidates_.insert(candidates_.end(), violating.begin(), violating.end());
}

const DryRunOutcome& DryRun::Try(model::NodeRow node) {
  const model::Cluster& cluster = failed_.attempt.cluster();
  const bool cacheable = cacheable_ && !failed_.attempt.IsContested(node);
  if (const DryRunOutcome* known = cacheable ? cache_.Find(node) : nullptr) return *known;

  DryRunOutcome result;
  result.verdict = SelectVictimsOnNode(failed_.attempt, node, failed_.now, result.victims);
  if (result.verdict.ok()) {
    result.rating.emplace(cluster, result.victims, failed_.now);
    result.no_start_time = HaveNoStartTime(cluster, result.victims.pods);
  }
  const bool settled = result.verdict.ok() || result.verdict.rejected();
  if (cacheable && settled && IsStartOrderFinal(cluster, node, failed_.now))
    return cache_.Insert(node, std::move(result));
  return uncached_.emplace_back(std::move(result));
}

}  // namespace berth::scheduler::plugins
