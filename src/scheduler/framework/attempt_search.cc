// How an Attempt finds the best node without the cached results of the pod's class.
#include <algorithm>
#include <utility>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/node_search.h"
#include "scheduler/framework/ranking_budget.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

bool Attempt::Describe(SearchRules& rules) {
  for (const FilterPlugin* filter : profile_.filter()) {
    if (Contains(skipped_filters_, *filter)) continue;
    if (!rules.AddFilter(cycle_, *filter)) return false;
  }
  for (const Profile::Scorer& scorer : profile_.score()) {
    switch (rules.AddScorer(cycle_, scorer)) {
      case Described::kNo:
        return false;
      case Described::kSkip:
        skipped_scores_ |= MaskOf(*scorer.plugin);
        break;
      case Described::kYes:
        break;
      case Described::kByFeasibleNodes:
        rules.by_feasible_nodes.push_back(scorer);
        break;
    }
  }
  // Others may have to see the feasible nodes.
  return std::ranges::all_of(profile_.pre_score(), [&](const PreScorePlugin* plugin) {
    return Contains(results_.scorers(), *plugin);
  });
}

// Returns the nodes that the pod loses to rivals; absent after an error. Describes the rules anew
// if trying nodes with other pods may have moved what they refer to.
std::optional<std::vector<model::NodeRow>> Attempt::LostNodes(SearchRules& rules) {
  std::vector<model::NodeRow> lost;
  if (cluster_.nominations().empty()) return lost;
  bool failed = false;
  const model::NodeMask contested = view().contested();
  contested.ForEach([&](size_t row) {
    const model::NodeRow node{static_cast<uint32_t>(row)};
    const Verdict verdict = FilterNode(node);
    failed |= !verdict.ok() && !verdict.rejected();
    if (!verdict.ok()) lost.push_back(node);
  });
  if (failed) return std::nullopt;
  rules = {};
  Describe(rules);
  return lost;
}

model::NodeRow Attempt::Search() {
  NodeSearch* const search = results_.search();
  if (search == nullptr || restriction_ || placement_ != nullptr ||
      results_.highest_total() > kMaxTotal)
    return {};
  const bool almost_current = results_.AreAlmostCurrent(cluster_.nodes());
  // A search evaluates nodes with rivals apart; the cached results have taken them into account.
  constexpr size_t kFewContested = 32;
  const bool many_contested = cluster_.nominations().by_node().size() > kFewContested;
  const bool scans_cost_more = !results_.scans() || results_.WouldDomainsCostMore();
  const bool cached_cost_less = (almost_current && scans_cost_more) || many_contested;
  if (cached_cost_less && CachedFiltersSuffice()) return {};
  // Trying a pod on a node counts the volumes there. If the pod fits nowhere, which is likely where
  // others are nominated, each contested node would be tried twice.
  if (many_contested && cycle_.pod_class().uses_storage) return {};
  SearchRules rules;
  if (!Describe(rules)) return {};
  const bool scans = !rules.by_feasible_nodes.empty();
  results_.set_scans(scans);
  const bool by_domain = scans && !many_contested && DomainsCostLess(rules, almost_current);
  if (scans && !by_domain) results_.set_domains_cost_more();
  if (scans && almost_current && !by_domain) return {};
  if (ranking_ != nullptr && ranking_->Take(RankingBudget::kPerNode * cluster_.nodes().rows()))
    return {};
  if (rules.only_rows) return EvaluateOnly(*rules.only_rows);
  if (!scans) return SearchByUsage(*search, std::move(rules));
  if (by_domain) {
    if (const auto best = SearchByDomain(*search, rules)) return *best;
  }
  return almost_current ? model::NodeRow{} : Scan(*search, rules);
}

// Reports whether rating domains, and few nodes, costs less than rating all nodes: from the cached
// results, if they are almost current, or by their bounds.
bool Attempt::DomainsCostLess(const SearchRules& rules, bool almost_current) const {
  if (rules.domain_scores.size() != rules.by_feasible_nodes.size()) return false;
  // As many rows as are rated meanwhile, in passes over all.
  constexpr size_t kPerSearch = 1'000, kPerDomain = 50, kPerException = 20;
  size_t cost = kPerSearch;
  if (rules.division) cost += kPerDomain * rules.division->domains->domains().size();
  for (const auto& [score, weight] : rules.domain_scores)
    cost += kPerException * score->exceptions();
  const size_t rows = cluster_.nodes().rows();
  return cost <= (almost_current ? rows : 2 * rows);
}

// Absent if the rules do not allow it.
std::optional<model::NodeRow> Attempt::SearchByDomain(NodeSearch& search, SearchRules& rules) {
  const auto lost = LostNodes(rules);
  if (!lost) return std::nullopt;
  const NodeSearch::NodeEvaluation evaluation{
      .fits = [&](model::NodeRow row) { return Passes(rules.conditions, cycle_, row); },
      .score =
          [&](model::NodeRow row) {
            return ExactScore(rules.scorers, row) + ExactScore(rules.other_scorers, row);
          },
      .lost = *lost};
  const auto best = search.BestByDomain(cycle_, rules, start_, evaluation);
  if (!best) return std::nullopt;
  return EndSearch(*best);
}

// Filters and scores these nodes. No other passes, and no filter fails: each is described.
model::NodeRow Attempt::EvaluateOnly(std::span<const model::NodeRow> rows) {
  const model::NodeMask& present = cluster_.nodes().present();
  candidates_ = model::NodeMask(cluster_.nodes().rows());
  for (model::NodeRow row : rows) candidates_.Assign(row.index(), present.Test(row.index()));
  const Verdict filtered = FilterWithoutCache();
  candidates_ = present;
  const size_t count = feasible_.Count();
  if (filtered.ok() && count > 0) {
    meter_.TookPart(MeasuredPoint::kFilter, results_.filters() & ~skipped_filters_);
    meter_.End(MeasuredPoint::kFilter, Code::kSuccess);
  }
  if (filtered.ok() && count == 1) {
    feasible_.ForEach([&](size_t row) { best_ = model::NodeRow{static_cast<uint32_t>(row)}; });
    return best_;
  }
  if (filtered.ok() && count > 1 && Score().ok()) return best_;
  bypasses_cache_ = false;  // Filter follows.
  return {};
}

// Few nodes are evaluated.
model::NodeRow Attempt::SearchByUsage(NodeSearch& search, SearchRules rules) {
  const auto lost = LostNodes(rules);
  if (!lost) return {};
  const auto evaluate = [&](model::NodeRow row) -> int32_t {
    if (std::ranges::count(*lost, row) > 0 || !Passes(rules.conditions, cycle_, row)) return -1;
    return ExactScore(rules.scorers, row) + ExactScore(rules.other_scorers, row);
  };
  const auto best = search.Best(cycle_, rules, start_, evaluate);
  return best ? EndSearch(*best) : model::NodeRow{};
}

model::NodeRow Attempt::EndSearch(model::NodeRow best) {
  if (!best.valid()) return {};
  best_ = best;
  searched_ = true;
  MeasureSearch();
  return best_;
}

int32_t Attempt::ExactScore(std::span<const Profile::Scorer> scorers, model::NodeRow row) const {
  int64_t sum = 0;
  for (const auto& [plugin, weight] : scorers) sum += weight * plugin->ScoreOneNode(cycle_, row);
  return static_cast<int32_t>(sum);
}

// Plugins have little to do in a search; that they took part is measured all the same.
void Attempt::MeasureSearch() {
  PluginTimer timer(meter_);
  for (const FilterPlugin* filter : profile_.filter()) {
    if (!Contains(skipped_filters_, *filter))
      timer.End(*filter, MeasuredPoint::kFilter, Code::kSuccess);
  }
  for (const Profile::Scorer& scorer : profile_.score()) {
    if (!Contains(skipped_scores_, *scorer.plugin))
      timer.End(*scorer.plugin, MeasuredPoint::kScore, Code::kSuccess);
  }
  meter_.TookPart(MeasuredPoint::kFilter, results_.filters() & ~skipped_filters_);
  meter_.End(MeasuredPoint::kFilter, Code::kSuccess);
  PluginMask pre_scorers = 0;
  for (const PreScorePlugin* plugin : profile_.pre_score()) pre_scorers |= MaskOf(*plugin);
  meter_.TookPart(MeasuredPoint::kPreScore, pre_scorers & ~skipped_scores_);
  meter_.TookPart(MeasuredPoint::kScore, results_.scorers() & ~skipped_scores_);
  meter_.End(MeasuredPoint::kPreScore, Code::kSuccess);
  meter_.End(MeasuredPoint::kScore, Code::kSuccess);
}

// All nodes are filtered exactly, and scored by bounds, which are almost always exact: then only
// the best ones need be evaluated.
model::NodeRow Attempt::Scan(NodeSearch& search, const SearchRules& rules) {
  const NodeSelection* const selection = search.SelectionFor(cycle_, rules);
  if (selection == nullptr || !FilterSelected(*selection, rules)) return {};
  const size_t count = feasible_.Count();
  if (count == 0) return {};
  meter_.TookPart(MeasuredPoint::kFilter, results_.filters() & ~skipped_filters_);
  meter_.End(MeasuredPoint::kFilter, Code::kSuccess);
  if (count > 1) {
    if (!PreScore().ok() || !AddAllScores(search, *selection, rules)) return {};
    best_ = SelectExactly(search, rules);
    if (best_.valid()) best_total_ = search.buffers().totals[best_.index()];
    scored_ = Scored::kBest;
    meter_.End(MeasuredPoint::kScore, Code::kSuccess);
  } else {
    feasible_.ForEach([&](size_t row) { best_ = model::NodeRow{static_cast<uint32_t>(row)}; });
  }
  return best_;
}

bool Attempt::FilterSelected(const NodeSelection& selection, const SearchRules& rules) {
  candidates_ = cluster_.nodes().present();
  feasible_ = selection.rows();
  PluginTimer timer(meter_);
  for (const FilterPlugin* filter : profile_.filter()) {
    if (Contains(skipped_filters_, *filter)) continue;
    if (!Contains(rules.static_filters, *filter) && !filter->Filter(cycle_, feasible_).ok())
      return false;
    timer.End(*filter, MeasuredPoint::kFilter, Code::kSuccess);
  }
  return FilterContestedNodes().ok();
}

// Leaves the totals in the buffers: exact but for those of rules.scorers, which are bounds.
bool Attempt::AddAllScores(NodeSearch& search, const NodeSelection& selection,
                           const SearchRules& rules) {
  ScoreBound bound = rules.bound;
  bound.others = 0;
  search.BoundAll(cluster_.nodes(), bound);
  auto& [bounds, totals, scratch, scores] = search.buffers();
  CopyRows(feasible_, bounds, totals);
  for (size_t i = 0; i < rules.static_scorers.size(); ++i) {
    feasible_.ForEach([&](size_t row) { scores[row] = selection.group_of(row).scores[i]; });
    if (!AddNormalized(rules.static_scorers[i], scores, totals).ok()) return false;
  }
  for (const Profile::Scorer& scorer : rules.other_scorers) {
    if (!scorer.plugin->Score(cycle_, feasible_, scores).ok() ||
        !AddNormalized(scorer, scores, totals).ok())
      return false;
  }
  for (const Profile::Scorer& scorer : rules.by_feasible_nodes) {
    if (Contains(skipped_scores_, *scorer.plugin) || scorer.plugin->AllScoresAreZero(cycle_))
      continue;
    if (!AddChangingScores(scorer, scores, scratch, totals).ok()) return false;
  }
  return true;
}

// Replaces the bounds of the best nodes by their scores, until the best one is exact.
model::NodeRow Attempt::SelectExactly(NodeSearch& search, const SearchRules& rules) {
  // Each costs a pass over all nodes. If so many bounds are too high, all nodes are evaluated.
  constexpr int kMaxTries = 32;
  auto& [bounds, totals, scratch, scores] = search.buffers();
  const model::NodeOrder& order = cluster_.nodes().order();
  for (int i = 0; i < kMaxTries; ++i) {
    const model::NodeRow best = SelectBest(totals, order.rank(), start_, order.rows());
    if (!best.valid()) return {};
    const int32_t excess = bounds[best.index()] - ExactScore(rules.scorers, best);
    if (excess == 0) return best;
    bounds[best.index()] -= excess;
    totals[best.index()] -= excess;
  }
  return {};
}

}  // namespace berth::scheduler::framework
