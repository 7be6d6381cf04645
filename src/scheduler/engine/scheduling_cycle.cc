#include "scheduler/engine/scheduling_cycle.h"

#include <algorithm>
#include <array>

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

void LogPostFilter(const framework::Log& log, framework::Attempt& attempt,
                   const framework::Verdict& verdict) {
  constexpr const char* kText = "Status after running PostFilter plugins for pod";
  const auto key = [&] { return attempt.cycle().pod().key().ToString(); };
  if (verdict.code() == framework::Code::kError) {
    ENGINE_LOG_ERROR(log, "", kText, {{"pod", key()}, {"status", verdict.Message()}});
  } else {
    ENGINE_LOG(log, 5, kText, {{"pod", key()}, {"status", verdict.Message()}});
  }
}

Task<CycleOutcome> FailToFit(framework::Attempt& attempt, const framework::Verdict& pre_filter,
                             SearchOptions options) {
  CycleOutcome outcome;
  outcome.kind = CycleOutcome::Kind::kFitError;
  outcome.diagnosis = attempt.Diagnose(pre_filter);
  const auto key = [&] { return attempt.cycle().pod().key().ToString(); };
  if (pre_filter.rejected()) {
    ENGINE_LOG(options.log, 5, "Status after running PreFilter plugins for pod",
               {{"pod", key()}, {"status", pre_filter.Message()}});
  }
  if (!options.post_filters) co_return outcome;
  if (attempt.profile().post_filter().empty()) {
    ENGINE_LOG(options.log, 3,
               "No PostFilter plugins are registered, so no preemption will be performed",
               {{"pod", key()}});
  }
  framework::FailedCycle failed{attempt, outcome.diagnosis, options.now, options.random};
  failed.advisor = options.extenders;
  failed.writes = options.writes;
  failed.log = options.log;
  attempt.meter().Begin();
  outcome.post_filter = co_await RunPostFilters(failed);
  attempt.meter().End(framework::MeasuredPoint::kPostFilter, outcome.post_filter.verdict.code());
  outcome.diagnosis.post_filter_message = outcome.post_filter.verdict.Message();
  if (!attempt.profile().post_filter().empty())
    LogPostFilter(options.log, attempt, outcome.post_filter.verdict);
  outcome.preemption_tried = failed.preemption_tried;
  co_return outcome;
}

// One feasible node is enough then.
bool NothingComparesNodes(const framework::Attempt& attempt, const SearchOptions& options) {
  return attempt.profile().score().empty() &&
         (options.extenders == nullptr || !options.extenders->FilterOrPrioritize());
}

// Returns how many feasible nodes are enough to choose from; absent means all of them.
std::optional<size_t> Enough(const framework::Attempt& attempt, const SearchOptions& options) {
  if (NothingComparesNodes(attempt, options)) return 1;
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
void AdvanceStart(framework::Attempt& attempt, model::NodeRow node, const SearchOptions& options) {
  if (attempt.limit() || !node.valid()) return;
  options.next_start = attempt.cluster().nodes().order().rank()[node.index()] + 1;
}

// The level at which every score is logged.
constexpr int kLevelOfScores = 10;

// Returns the best of all nodes, or an invalid one if that takes evaluating them: extenders, limits
// and the log of scores need to know which are feasible.
model::NodeRow SearchAll(framework::Attempt& attempt, const SearchOptions& options) {
  if (options.extenders != nullptr || options.percentage_of_nodes_to_score ||
      NothingComparesNodes(attempt, options) || options.log.IsOn(kLevelOfScores))
    return {};
  return attempt.Search();
}

void LogScores(const framework::Log& log, framework::Attempt& attempt,
               const framework::Attempt::ScoreTable& table) {
  const std::string pod = attempt.cycle().pod().key().ToString();
  const std::vector<model::NodeRow> nodes = attempt.FeasibleInOrder();
  const auto name = [&](model::NodeRow row) { return attempt.cluster().nodes().name(row); };
  for (const model::NodeRow row : nodes) {
    for (const auto& [plugin, scores] : table.plugins) {
      ENGINE_LOG(
          log, kLevelOfScores, "Plugin scored node for pod",
          {{"pod", pod}, {"plugin", plugin}, {"node", name(row)}, {"score", scores[row.index()]}});
    }
  }
  for (const model::NodeRow row : nodes) {
    ENGINE_LOG(log, kLevelOfScores, "Calculated node's final score for pod",
               {{"pod", pod}, {"node", name(row)}, {"score", table.totals[row.index()]}});
  }
}

void LogScores(const framework::Log& log, framework::Attempt& attempt) {
  framework::Attempt::ScoreTable table;
  if (attempt.ScoreInDetail(table).ok()) LogScores(log, attempt, table);
}

model::NodeRow OnlyNodeOf(const model::NodeMask& nodes) {
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
    AdvanceStart(attempt, outcome.node, options);
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
    outcome.node = OnlyNodeOf(attempt.feasible());
  } else if (options.extenders == nullptr) {
    if (framework::Verdict error = attempt.Score(); !error.ok()) co_return Failed(std::move(error));
    outcome.node = attempt.Best();
    if (options.log.IsOn(kLevelOfScores)) [[unlikely]]
      LogScores(options.log, attempt);
  } else {
    framework::Attempt::ScoreTable table;
    if (framework::Verdict error = attempt.ScoreInDetail(table); !error.ok())
      co_return Failed(std::move(error));
    if (options.log.IsOn(kLevelOfScores)) [[unlikely]]
      LogScores(options.log, attempt, table);
    outcome.node = co_await options.extenders->Choose(attempt, table.totals, options.random);
    meter.Begin();
  }
  AdvanceStart(attempt, outcome.node, options);
  co_return outcome;
}

bool FitsNowhere(framework::Attempt& attempt) {
  if (attempt.cluster().nodes().present_count() == 0) return true;
  const framework::Verdict pre_filter = attempt.PreFilter();
  if (!pre_filter.ok()) return pre_filter.rejected();
  if (FittingNominatedNode(attempt).valid()) return false;
  return attempt.Filter().ok() && attempt.feasible().None();
}

bool MightChoose(framework::Attempt& attempt, model::NodeRow node, bool* has_equals) {
  // Among equals the first from the start on is chosen: `node`, if it is one of them.
  attempt.StartAt(attempt.cluster().nodes().order().rank()[node.index()]);
  if (!attempt.PreFilter().ok()) return false;
  const model::NodeRow nominated = FittingNominatedNode(attempt);
  if (nominated.valid()) return nominated == node;
  if (!attempt.Filter().ok() || !attempt.feasible().Test(node.index())) return false;
  if (attempt.feasible().Count() == 1) return true;
  if (!attempt.Score().ok() || attempt.Best() != node) return false;
  std::array<framework::ScoredNode, 2> best;
  if (has_equals != nullptr)
    *has_equals = attempt.Rank(best) == best.size() && best[0].score == best[1].score;
  return true;
}

Task<framework::PostFilterResult> RunPostFilters(framework::FailedCycle& failed) {
  framework::PostFilterResult all;
  std::vector<std::string> reasons;
  std::string_view first_to_reject;
  framework::PluginTimer timer(failed.attempt.meter());
  const framework::Log log = failed.log;
  std::string logger;
  for (const framework::PostFilterPlugin* plugin : failed.attempt.profile().post_filter()) {
    if (log.IsOn(2)) [[unlikely]] {
      logger = std::string("PostFilter.").append(plugin->name());
      failed.log = log.Named(logger);
    }
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
