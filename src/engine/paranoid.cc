#include "engine/paranoid.h"

#include "base/check.h"
#include "framework/select.h"

namespace berth {

void CheckAgainstFreshAttempt(Attempt& attempt, const CycleOutcome& outcome) {
  Cluster& cluster = attempt.cluster();
  if (outcome.kind != CycleOutcome::Kind::kNode && outcome.kind != CycleOutcome::Kind::kFitError)
    return;
  ClassResults results(attempt.profile(), cluster, attempt.cycle().pod_class());
  Attempt fresh(cluster, attempt.profile(), results, attempt.cycle().pod());
  const Verdict pre_filter = fresh.PreFilter();
  CHECK(pre_filter.ok() || outcome.kind == CycleOutcome::Kind::kFitError);
  if (!pre_filter.ok()) return;

  if (const NodeRow nominated = FittingNominatedNode(fresh); nominated.valid()) {
    CHECK(outcome.node == nominated);
    return;
  }
  const Verdict filtered = fresh.Filter();
  CHECK(filtered.ok());
  CHECK(fresh.candidates() == attempt.candidates());
  fresh.candidates().ForEach([&](size_t row) {
    const bool fits = fresh.FilterNode(NodeRow{static_cast<uint32_t>(row)}).ok();
    CHECK(fits == attempt.feasible().Test(row));
    CHECK(fits == fresh.feasible().Test(row));
  });
  if (outcome.kind == CycleOutcome::Kind::kFitError) {
    CHECK(attempt.feasible().None());
    return;
  }
  if (fresh.feasible().Count() == 1) {
    CHECK(fresh.feasible().Test(outcome.node.index()));
    return;
  }
  Attempt::ScoreTable table;
  const Verdict scored = fresh.ScoreInDetail(table);
  CHECK(scored.ok());
  const NodeOrder& order = cluster.nodes().order();
  CHECK(outcome.node ==
        SelectBest(fresh.feasible(), std::span<const int64_t>(table.totals), order.rank()));
}

}  // namespace berth
