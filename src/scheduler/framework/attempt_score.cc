// How an Attempt scores the feasible nodes.
#include <fmt/format.h>

#include <optional>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/scores.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

Verdict PreScoreError(const Verdict& verdict, const Plugin& plugin) {
  return Verdict::Error(
      fmt::format("running PreScore plugin \"{}\": {}", plugin.name(), verdict.Message()));
}

}  // namespace

Verdict Attempt::PreScore() {
  PluginMask took_part = 0;
  PluginTimer timer(meter_);
  for (const PreScorePlugin* plugin : profile_.pre_score()) {
    Verdict verdict = plugin->PreScore(cycle_, feasible_);
    timer.End(*plugin, MeasuredPoint::kPreScore, verdict.code());
    if (verdict.skipped()) {
      skipped_scores_ |= MaskOf(*plugin);
    } else if (verdict.ok()) {
      took_part |= MaskOf(*plugin);
    } else {
      meter_.End(MeasuredPoint::kPreScore, Code::kError);
      return PreScoreError(verdict, *plugin);
    }
  }
  meter_.TookPart(MeasuredPoint::kPreScore, took_part);
  meter_.TookPart(MeasuredPoint::kScore, results_.scorers() & ~skipped_scores_);
  meter_.End(MeasuredPoint::kPreScore, Code::kSuccess);
  return {};
}

Verdict Attempt::Score() {
  if (Verdict error = PreScore(); !error.ok()) return error;
  const bool uncached = bypasses_cache_ || results_.highest_total() > kMaxTotal;
  Verdict verdict = uncached ? ScoreUncached() : ScoreFromCache();
  meter_.End(MeasuredPoint::kScore, verdict.code());
  return verdict;
}

Verdict Attempt::ScoreFromCache() {
  Verdict refreshed = results_.RefreshScores(cycle_, skipped_scores_, meter_);
  if (!refreshed.ok()) return refreshed;

  std::vector<const ClassResults::Raw*> uneven;
  for (const ClassResults::Raw& raw : results_.raw()) {
    if (raw.skipped) continue;
    if (raw.different > 0) {
      uneven.push_back(&raw);
    } else if (raw.common_normalized < 0 || raw.common_normalized > ScorePlugin::kMaxScore) {
      return InvalidScore(*raw.scorer.plugin, raw.common_normalized);
    }
  }
  std::vector<Profile::Scorer> changing;
  for (const Profile::Scorer& scorer : profile_.score()) {
    if (scorer.plugin->score_scope() == Scope::kNode || Contains(skipped_scores_, *scorer.plugin))
      continue;
    if (!scorer.plugin->AllScoresAreZero(cycle_)) changing.push_back(scorer);
  }

  const model::NodeOrder& order = cluster_.nodes().order();
  const bool all_cached = feasible_ == results_.feasible();
  if (uneven.empty() && changing.empty() && all_cached && !limit_) {
    best_ = results_.Best(order, start_);
    scored_ = Scored::kTournament;
    return {};
  }
  auto& [totals, scratch, scores] = results_.buffers();
  totals.resize(feasible_.size());
  scratch.resize(feasible_.size());
  scores.resize(feasible_.size());
  CopyRows(feasible_, results_.totals(), totals);
  for (const ClassResults::Raw* raw : uneven) {
    feasible_.ForEach([&](size_t row) { scores[row] = raw->scores[row]; });
    if (Verdict error = AddNormalized(raw->scorer, scores, totals); !error.ok()) return error;
  }
  for (const Profile::Scorer& scorer : changing) {
    Verdict verdict = AddChangingScores(scorer, scores, scratch, totals);
    if (!verdict.ok()) return verdict;
  }
  best_ = limit_ ? SelectBest(feasible_, std::span<const int32_t>(totals), own_rank_, 0)
                 : SelectBest(totals, order.rank(), start_, order.rows());
  scored_ = Scored::kTotals;
  return {};
}

size_t Attempt::Rank(std::span<ScoredNode> into) {
  if (scored_ == Scored::kNothing || !best_.valid()) return 0;
  if (scored_ == Scored::kBest) {
    into[0] = {best_, best_total_};
    return 1;
  }
  const size_t ranked = scored_ == Scored::kTournament
                            ? results_.Rank(cluster_.nodes().order(), best_, into)
                            : RankTotals(into);
  // What all nodes get alike is not compared.
  int64_t common = 0;
  for (const ClassResults::Raw& raw : results_.raw()) {
    if (!raw.skipped && raw.different == 0) common += raw.common_normalized * raw.scorer.weight;
  }
  for (ScoredNode& scored : into.first(ranked)) scored.score += common;
  return ranked;
}

size_t Attempt::RankTotals(std::span<ScoredNode> into) {
  const model::NodeOrder& order = cluster_.nodes().order();
  std::vector<int32_t>& totals = results_.buffers().totals;
  size_t ranked = 0;
  // A row that was found is excluded until all are.
  for (model::NodeRow row = best_; row.valid();) {
    into[ranked++] = {row, totals[row.index()]};
    totals[row.index()] = kRowOut;
    if (ranked == into.size()) break;
    row = SelectBest(totals, order.rank(), start_, order.rows());
  }
  for (const ScoredNode& scored : into.first(ranked))
    totals[scored.node.index()] = static_cast<int32_t>(scored.score);
  return ranked;
}

Verdict Attempt::AddChangingScores(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                                   std::vector<int32_t>& scratch,
                                   std::vector<int32_t>& totals) const {
  PluginTimer timer(meter_);
  const auto weight = static_cast<int32_t>(scorer.weight);
  if (scorer.plugin->AddScores(cycle_, weight, totals, scratch)) {
    timer.End(*scorer.plugin, MeasuredPoint::kScore, Code::kSuccess);
    return {};
  }
  Verdict verdict = scorer.plugin->Score(cycle_, feasible_, scores);
  timer.End(*scorer.plugin, MeasuredPoint::kScore, verdict.code());
  return verdict.ok() ? AddNormalized(scorer, scores, totals) : verdict;
}

// For few nodes, and for weights whose sums may need more than 32 bits.
Verdict Attempt::ScoreUncached() {
  ScoreTable table;
  if (Verdict error = AddColumns(table); !error.ok()) return error;
  best_ = BestOf(table.totals);
  if (best_.valid()) best_total_ = table.totals[best_.index()];
  scored_ = Scored::kBest;
  return {};
}

template <typename Total>
Verdict Attempt::AddNormalized(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                               std::vector<Total>& totals) const {
  if (scorer.plugin->scale() != Scale::kNone) {
    PluginTimer timer(meter_);
    scorer.plugin->Normalize(cycle_, feasible_, scores);
    timer.End(*scorer.plugin, MeasuredPoint::kScoreExtensionNormalize, Code::kSuccess);
  }
  std::optional<int64_t> invalid;
  feasible_.ForEach([&](size_t row) {
    if (scores[row] < 0 || scores[row] > ScorePlugin::kMaxScore) invalid = scores[row];
    scores[row] *= scorer.weight;
    totals[row] += static_cast<Total>(scores[row]);
  });
  return invalid ? InvalidScore(*scorer.plugin, *invalid) : Verdict();
}

template Verdict Attempt::AddNormalized(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                                        std::vector<int32_t>& totals) const;

Verdict Attempt::ScoreInDetail(ScoreTable& table) {
  if (Verdict error = PreScore(); !error.ok()) return error;
  Verdict verdict = AddColumns(table);
  meter_.End(MeasuredPoint::kScore, verdict.code());
  return verdict;
}

Verdict Attempt::AddColumns(ScoreTable& table) {
  table.totals.assign(feasible_.size(), 0);
  for (const Profile::Scorer& scorer : profile_.score()) {
    if (Contains(skipped_scores_, *scorer.plugin)) continue;
    PluginScores& column = table.plugins.emplace_back();
    column.plugin = scorer.plugin->name();
    column.scores.resize(feasible_.size());
    PluginTimer timer(meter_);
    Verdict verdict = scorer.plugin->Score(cycle_, feasible_, column.scores);
    timer.End(*scorer.plugin, MeasuredPoint::kScore, verdict.code());
    if (verdict.ok()) verdict = AddNormalized(scorer, column.scores, table.totals);
    if (!verdict.ok()) return verdict;
  }
  return {};
}

}  // namespace berth::scheduler::framework
