#include "scheduler/engine/scheduling_cycle.h"

#include <algorithm>

#include "scheduler/engine/extenders.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {

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

model::NodeRow FittingNominatedNode(framework::Attempt& attempt) {
  const model::NodeRow nominated = attempt.NominatedNode();
  return nominated.valid() && attempt.FilterNode(nominated).ok() ? nominated : model::NodeRow{};
}

namespace {

CycleOutcome Failed(framework::Verdict error) {
  CycleOutcome outcome;
  outcome.kind = CycleOutcome::Kind::kError;
  outcome.error = std::move(error);
  return outcome;
}

Task<CycleOutcome> FailToFit(framework::Attempt& attempt, const framework::Verdict& pre_filter,
                             SearchOptions options) {
  CycleOutcome outcome;
  outcome.kind = CycleOutcome::Kind::kFitError;
  outcome.diagnosis = attempt.Diagnose(pre_filter);
  if (!options.post_filters) co_return outcome;
  framework::FailedCycle failed{attempt, outcome.diagnosis, options.now, options.random};
  failed.advisor = options.extenders;
  failed.writes = options.writes;
  attempt.meter().Begin();
  outcome.post_filter = co_await RunPostFilters(failed);
  attempt.meter().End(framework::MeasuredPoint::kPostFilter, outcome.post_filter.verdict.code());
  outcome.diagnosis.post_filter_message = outcome.post_filter.verdict.Message();
  outcome.preemption_tried = failed.preemption_tried;
  co_return outcome;
}

// Reports whether nothing compares nodes, so that one feasible node is enough.
bool AnyNodeWillDo(const framework::Attempt& attempt, const SearchOptions& options) {
  return attempt.profile().score().empty() &&
         (options.extenders == nullptr || !options.extenders->FilterOrPrioritize());
}

// Returns how many feasible nodes are enough to choose from; absent means all of them.
std::optional<size_t> Enough(const framework::Attempt& attempt, const SearchOptions& options) {
  if (AnyNodeWillDo(attempt, options)) return 1;
  if (!options.percentage_of_nodes_to_score) return std::nullopt;
  return EnoughNodes(attempt.candidates().Count(), *options.percentage_of_nodes_to_score);
}

// Limits the feasible nodes to what is enough; the next search continues where this one ended.
// Returns how many nodes were evaluated.
size_t LimitSearch(framework::Attempt& attempt, const SearchOptions& options) {
  const std::optional<size_t> enough = Enough(attempt, options);
  if (!enough) {
    return attempt.restriction() ? attempt.candidates().Count()
                                 : attempt.cluster().nodes().present_count();
  }
  const size_t seen = attempt.KeepFirst(*enough);
  options.next_start = (options.next_start + seen) % attempt.cluster().nodes().present_count();
  return seen;
}

// After a search over all nodes the next one begins behind its choice, so that equals take turns.
// DIFFERS: kube-scheduler begins again where this search did.
void TakeTurns(framework::Attempt& attempt, model::NodeRow node, const SearchOptions& options) {
  if (attempt.limit() || !node.valid()) return;
  options.next_start = attempt.cluster().nodes().order().rank()[node.index()] + 1;
}

// Returns the best of all nodes, or an invalid one if that takes evaluating them: extenders and
// limits need to know which are feasible.
model::NodeRow SearchAll(framework::Attempt& attempt, const SearchOptions& options) {
  if (options.extenders != nullptr || options.percentage_of_nodes_to_score ||
      AnyNodeWillDo(attempt, options))
    return {};
  return attempt.Search();
}

model::NodeRow TheOnly(const model::NodeMask& nodes) {
  model::NodeRow only;
  nodes.ForEach([&](size_t row) { only = model::NodeRow{static_cast<uint32_t>(row)}; });
  return only;
}

Task<model::NodeRow> NominatedNodeThatFits(framework::Attempt& attempt, Extenders* extenders) {
  const model::NodeRow node = FittingNominatedNode(attempt);
  if (!node.valid() || extenders == nullptr) co_return node;
  const bool passes = co_await extenders->Pass(attempt.cycle().pod(), node);
  co_return passes ? node : model::NodeRow{};
}

}  // namespace

size_t EnoughNodes(size_t nodes, int32_t percentage) {
  constexpr size_t kMinimum = 100;
  if (nodes < kMinimum) return nodes;
  return std::max(nodes * static_cast<size_t>(percentage) / 100, kMinimum);
}

Task<CycleOutcome> FindNode(framework::Attempt& attempt, SearchOptions options) {
  CycleOutcome outcome;
  if (attempt.cluster().nodes().present_count() == 0) {
    outcome.kind = CycleOutcome::Kind::kNoNodes;
    co_return outcome;
  }
  framework::AttemptMeter& meter = attempt.meter();
  attempt.cycle().set_date(options.now);
  attempt.StartAt(options.next_start % attempt.cluster().nodes().present_count());
  const framework::Verdict pre_filter = attempt.PreFilter();
  meter.End(framework::MeasuredPoint::kPreFilter, pre_filter.code());
  if (pre_filter.rejected()) co_return co_await FailToFit(attempt, pre_filter, options);
  if (!pre_filter.ok()) co_return Failed(pre_filter);

  if (attempt.NominatedNode().valid()) {
    outcome.node = co_await NominatedNodeThatFits(attempt, options.extenders);
    meter.End(framework::MeasuredPoint::kFilter, framework::Code::kSuccess);
    outcome.evaluated = outcome.feasible = 1;
    if (outcome.node.valid()) co_return outcome;
  }

  outcome.node = SearchAll(attempt, options);
  if (outcome.node.valid()) {
    if (!attempt.searched()) {
      outcome.evaluated = attempt.candidates().Count();
      outcome.feasible = attempt.feasible().Count();
    }
    TakeTurns(attempt, outcome.node, options);
    co_return outcome;
  }
  framework::Verdict filtered = attempt.Filter();
  meter.End(framework::MeasuredPoint::kFilter, filtered.code());
  if (!filtered.ok()) co_return Failed(std::move(filtered));
  outcome.evaluated = LimitSearch(attempt, options);
  if (options.extenders != nullptr) {
    framework::Verdict error = co_await options.extenders->Filter(attempt);
    meter.Begin();
    if (!error.ok()) co_return Failed(std::move(error));
  }
  const size_t feasible = attempt.feasible().Count();
  if (feasible == 0) co_return co_await FailToFit(attempt, pre_filter, options);
  outcome.feasible = feasible;
  if (feasible == 1) {
    outcome.node = TheOnly(attempt.feasible());
  } else if (options.extenders == nullptr) {
    if (framework::Verdict error = attempt.Score(); !error.ok()) co_return Failed(std::move(error));
    outcome.node = attempt.Best();
  } else {
    framework::Attempt::ScoreTable table;
    if (framework::Verdict error = attempt.ScoreInDetail(table); !error.ok())
      co_return Failed(std::move(error));
    outcome.node = co_await options.extenders->Choose(attempt, table.totals, options.random);
    meter.Begin();
  }
  TakeTurns(attempt, outcome.node, options);
  co_return outcome;
}

bool FitsNowhere(framework::Attempt& attempt) {
  if (attempt.cluster().nodes().present_count() == 0) return true;
  const framework::Verdict pre_filter = attempt.PreFilter();
  if (!pre_filter.ok()) return pre_filter.rejected();
  if (FittingNominatedNode(attempt).valid()) return false;
  return attempt.Filter().ok() && attempt.feasible().None();
}

bool MightChoose(framework::Attempt& attempt, model::NodeRow node) {
  // Among equals the first from the start on is chosen: `node`, if it is one of them.
  attempt.StartAt(attempt.cluster().nodes().order().rank()[node.index()]);
  if (!attempt.PreFilter().ok()) return false;
  const model::NodeRow nominated = FittingNominatedNode(attempt);
  if (nominated.valid()) return nominated == node;
  if (!attempt.Filter().ok() || !attempt.feasible().Test(node.index())) return false;
  return attempt.feasible().Count() == 1 || (attempt.Score().ok() && attempt.Best() == node);
}

Task<framework::PostFilterResult> RunPostFilters(framework::FailedCycle& failed) {
  framework::PostFilterResult all;
  std::vector<std::string> reasons;
  std::string_view first_to_reject;
  framework::PluginTimer timer(failed.attempt.meter());
  for (const framework::PostFilterPlugin* plugin : failed.attempt.profile().post_filter()) {
    framework::PostFilterResult result = co_await plugin->PostFilter(failed);
    timer.End(*plugin, framework::MeasuredPoint::kPostFilter, result.verdict.code());
    if (result.verdict.ok() || !result.verdict.rejected() ||
        result.verdict.code() == framework::Code::kUnschedulableAndUnresolvable) {
      result.verdict = std::move(result.verdict).By(plugin->name());
      co_return result;
    }
    if (first_to_reject.empty()) first_to_reject = plugin->name();
    reasons.insert(reasons.end(), result.verdict.reasons().begin(), result.verdict.reasons().end());
    if (result.nomination.replace) all.nomination = result.nomination;
  }
  all.verdict =
      framework::Verdict(framework::Code::kUnschedulable, std::move(reasons)).By(first_to_reject);
  co_return all;
}

}  // namespace berth::scheduler::engine
