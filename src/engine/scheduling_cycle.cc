#include "engine/scheduling_cycle.h"

#include <fmt/format.h>

namespace berth {

std::string CycleOutcome::Message() const {
  switch (kind) {
    case Kind::kNode:
      return "";
    case Kind::kNoNodes:
      return "no nodes available to schedule pods";
    case Kind::kFitError:
      return diagnosis.Message();
    case Kind::kError:
      return error.Message();
  }
  return "";
}

NodeRow FittingNominatedNode(Attempt& attempt) {
  const NodeRow nominated = attempt.NominatedNode();
  return nominated.valid() && attempt.FilterNode(nominated).ok() ? nominated : NodeRow{};
}

namespace {

CycleOutcome Failed(Verdict error) {
  CycleOutcome outcome;
  outcome.kind = CycleOutcome::Kind::kError;
  outcome.error = std::move(error);
  return outcome;
}

CycleOutcome FitsNowhere(Attempt& attempt, const Verdict& pre_filter, Instant now, Random& random) {
  CycleOutcome outcome;
  outcome.kind = CycleOutcome::Kind::kFitError;
  outcome.diagnosis = attempt.Diagnose(pre_filter);
  FailedCycle failed{attempt, outcome.diagnosis, now, random};
  outcome.post_filter = RunPostFilters(failed);
  outcome.diagnosis.post_filter_message = outcome.post_filter.verdict.Message();
  return outcome;
}

}  // namespace

CycleOutcome FindNode(Attempt& attempt, Instant now, Random& random) {
  CycleOutcome outcome;
  if (attempt.cluster().nodes().present_count() == 0) {
    outcome.kind = CycleOutcome::Kind::kNoNodes;
    return outcome;
  }
  const Verdict pre_filter = attempt.PreFilter();
  if (pre_filter.rejected()) return FitsNowhere(attempt, pre_filter, now, random);
  if (!pre_filter.ok()) return Failed(pre_filter);

  outcome.node = FittingNominatedNode(attempt);
  if (outcome.node.valid()) return outcome;

  if (Verdict error = attempt.Filter(); !error.ok()) return Failed(std::move(error));
  const size_t feasible = attempt.feasible().Count();
  if (feasible == 0) return FitsNowhere(attempt, pre_filter, now, random);
  if (feasible == 1) {
    attempt.feasible().ForEach(
        [&](size_t row) { outcome.node = NodeRow{static_cast<uint32_t>(row)}; });
    return outcome;
  }
  if (Verdict error = attempt.Score(); !error.ok()) return Failed(std::move(error));
  outcome.node = attempt.Best();
  return outcome;
}

PostFilterResult RunPostFilters(FailedCycle& failed) {
  PostFilterResult all;
  std::vector<std::string> reasons;
  std::string_view first_to_reject;
  for (const PostFilterPlugin* plugin : failed.attempt.profile().post_filter()) {
    PostFilterResult result = plugin->PostFilter(failed);
    if (result.verdict.ok() || !result.verdict.rejected() ||
        result.verdict.code() == Code::kUnschedulableAndUnresolvable) {
      result.verdict = std::move(result.verdict).By(plugin->name());
      return result;
    }
    if (first_to_reject.empty()) first_to_reject = plugin->name();
    reasons.insert(reasons.end(), result.verdict.reasons().begin(), result.verdict.reasons().end());
    if (result.nomination.replace) all.nomination = result.nomination;
  }
  all.verdict = Verdict(Code::kUnschedulable, std::move(reasons)).By(first_to_reject);
  return all;
}

}  // namespace berth
