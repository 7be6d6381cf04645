#include "plugins/kept_trials.h"

namespace berth {

void KeptTrials::Refresh(const Cluster& cluster) const {
  const RowChanges& changes = cluster.nodes().changes();
  const uint64_t budgets = cluster.objects<api::PodDisruptionBudget>().version();
  if (budgets != budgets_ || !changes.Covers(position_)) {
    results_.clear();
  } else {
    for (NodeRow row : changes.Since(position_)) {
      if (row.index() < results_.size()) results_[row.index()] = nullptr;
    }
  }
  position_ = changes.now();
  budgets_ = budgets;
}

const TrialResult& KeptTrials::Keep(NodeRow node, TrialResult result) const {
  if (node.index() >= results_.size()) results_.resize(node.index() + 1);
  auto& kept = results_[node.index()];
  kept = std::make_unique<const TrialResult>(std::move(result));
  return *kept;
}

}  // namespace berth
