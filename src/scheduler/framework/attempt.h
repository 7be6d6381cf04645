// Attempt runs the plugins of a profile for one pod, up to the choice of a node: PreFilter, Filter,
// PreScore, Score, and the diagnosis if no node is left.
//
// It does not change the cluster, except for dry runs with other pods on a node, which it reverts.
// The steps are called in order.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {

class ClassResults;
class NodeSearch;
class NodeSelection;
class PriorityView;
class RankingBudget;
struct SearchRules;

class Attempt {
 public:
  // `results` are those of the pod's class and `profile`. They must live as long as the steps below
  // are called, their compiled states and the others as long as the attempt.
  Attempt(model::Cluster& cluster, const Profile& profile, ClassResults& results,
          const model::PodRecord& pod);

  Cycle& cycle() { return cycle_; }
  const Profile& profile() const { return profile_; }
  model::Cluster& cluster() { return cluster_; }

  // Measures the attempt from now on; by default nothing is measured.
  void Measure(const AttemptMeter& meter) {
    meter_ = meter;
    cycle_.set_measurements(meter.to());
  }
  AttemptMeter& meter() { return meter_; }
  // Evaluates all nodes instead of searching, as long as the budget lasts, for Rank.
  void RankWithin(RankingBudget& budget) { ranking_ = &budget; }

  // Evaluates only these nodes, and counts them alone as those of the cluster; all if `placement`
  // is null. It must live as long as the steps below are called.
  void ConfineTo(const model::NodeMask* placement) { placement_ = placement; }
  // Null if the attempt is not confined.
  const model::NodeMask* placement() const { return placement_; }

  // --- PreFilter ---

  // Returns Success, a rejection of the pod as a whole, or Error.
  Verdict PreFilter();
  // The only nodes to evaluate, by name, if PreFilter restricted them; and the plugins that did so,
  // sorted.
  const std::optional<std::vector<Symbol>>& restriction() const { return restriction_; }
  const std::vector<std::string>& restricted_by() const { return restricted_by_; }
  const model::NodeMask& candidates() const { return candidates_; }
  // The plugins that PreFilter found to have nothing to reject.
  PluginMask skipped_filters() const { return skipped_filters_; }

  // --- Filter and Score at once ---

  // Returns the node that Filter, Score and Best would choose, without the cached results of the
  // class. Invalid if the pod fits nowhere or its plugins do not allow it (see search_rules.h), or
  // if the cached results cost less: Filter follows.
  model::NodeRow Search();
  // Reports whether Search has not even filtered every node, so that feasible() is not known.
  bool searched() const { return searched_; }

  // --- Filter ---

  // Finds the feasible nodes among the candidates. Returns Error if a plugin failed.
  Verdict Filter();
  const model::NodeMask& feasible() const { return feasible_; }

  // The pod's nominated node, if it exists. It is tried before all others, even if PreFilter
  // excluded it.
  model::NodeRow NominatedNode() const;

  // The position in node order at which the search starts; it goes around the end. Among equals
  // the first from there on is chosen. 0 by default.
  void StartAt(size_t position) { start_ = static_cast<uint32_t>(position); }
  size_t start() const { return start_; }

  // Limits the feasible nodes to the first `enough` from the start on, which is then counted among
  // the candidates. Returns how many candidates that took.
  size_t KeepFirst(size_t enough);
  // How many were enough, if the feasible nodes are limited.
  std::optional<size_t> limit() const { return limit_; }
  // Removes a feasible node that an extender rejected, with a reason if one is given.
  void Exclude(model::NodeRow node, std::optional<Verdict> why);

  // Reports whether the node was evaluated for this pod alone: because of the pods nominated to it,
  // other pods of the class may have another result. Known after Filter.
  bool IsSpecial(model::NodeRow node) const {
    return special_.size() > 0 && special_.Test(node.index());
  }
  // Reports whether the filters' results for nodes that are not special depend on the pod's class
  // and the node's row alone, among them the pods nominated to it. Known after Filter; false
  // before.
  bool DependsOnRowsAlone() const;

  // What pods of this priority share, up to date.
  PriorityView& view();
  // The filters that take part and read just that.
  std::vector<const FilterPlugin*> FiltersThatRead(Reads what) const;
  // What filters require, of all of them.
  Conditions RequiredBy(std::span<const FilterPlugin* const> filters) const;

  // Clears from `nodes` those that a cached filter rejects as they are, without the pods nominated
  // to them. Known after PreFilter.
  Verdict FilterWithoutRivals(model::NodeMask& nodes);

  // Evaluates one node, together with pods nominated to it: returns the verdict of the first filter
  // that rejects it.
  Verdict FilterNode(model::NodeRow node);

  // Returns the verdicts of all filters that reject the node, not only of the first, without pods
  // nominated to it. To explain: a filter may be called that the pod would never reach.
  std::vector<Verdict> AllRejections(model::NodeRow node) const;

  // Counts `pod` as running on `node`, or no longer, in a dry run. The caller reverts the cluster
  // with the opposite call and the cycle states with Cycle::ReplaceStates.
  void TryAdd(const model::PodRecord& pod, model::NodeRow node);
  void TryRemove(const model::PodRecord& pod, model::NodeRow node);

  // Explains why none of the candidates is feasible.
  Diagnosis Diagnose(const Verdict& pre_filter);

  // --- Score ---

  // Scores the feasible nodes; Best() is known afterwards.
  Verdict Score();
  // The best node: the highest total; among equals the first from the start on.
  model::NodeRow Best() const { return best_; }
  // Writes the best node and the next best, highest total first, with their totals; `into` has at
  // least one element. Returns how many: none if no totals were compared, as in most searches, and
  // only the best if those of the others are not known. Only right after Score or Search.
  size_t Rank(std::span<ScoredNode> into);
  // Reports whether Rank reads the totals of all rows; otherwise it is O(log n).
  bool rank_reads_all_rows() const { return scored_ == Scored::kTotals; }
  // Returns the best of the feasible nodes for given totals, by row.
  model::NodeRow BestOf(std::span<const int64_t> totals) const;
  // The feasible nodes, in the order in which equals are chosen.
  std::vector<model::NodeRow> FeasibleInOrder() const;

  // None of the steps above is called again: releases what grows with the number of nodes.
  void EndSteps();

  // The weighted scores of each plugin for each feasible node, computed without the cached results.
  struct PluginScores {
    std::string plugin;
    std::vector<int64_t> scores;  // By row; meaningless for nodes that are not feasible.
  };
  struct ScoreTable {
    std::vector<PluginScores> plugins;  // Those that did not skip, in order.
    std::vector<int64_t> totals;        // By row.
  };
  Verdict ScoreInDetail(ScoreTable& table);

 private:
  // Up to so many, PreFilter's restriction makes the results of all nodes not worth their cost.
  static constexpr size_t kFewNodes = 64;

  // What Rank reads.
  enum class Scored : uint8_t { kNothing, kBest, kTournament, kTotals };

  // The order in which equals are chosen: by rank, from a first one on, around the end.
  struct Order {
    std::span<const uint32_t> rank;  // By row.
    uint32_t start = 0;
  };
  Order order() const;
  bool Describe(SearchRules& rules);
  std::optional<std::vector<model::NodeRow>> LostNodes(SearchRules& rules);
  void MeasureSearch();
  bool DomainsCostLess(const SearchRules& rules, bool almost_current) const;
  std::optional<model::NodeRow> SearchByDomain(NodeSearch& search, SearchRules& rules);
  model::NodeRow SearchByUsage(NodeSearch& search, SearchRules rules);
  model::NodeRow EndSearch(model::NodeRow best);
  model::NodeRow EvaluateOnly(std::span<const model::NodeRow> rows);
  model::NodeRow Scan(NodeSearch& search, const SearchRules& rules);
  bool FilterSelected(const NodeSelection& selection, const SearchRules& rules);
  bool AddAllScores(NodeSearch& search, const NodeSelection& selection, const SearchRules& rules);
  model::NodeRow SelectExactly(NodeSearch& search, const SearchRules& rules);
  int32_t ExactScore(std::span<const Profile::Scorer> scorers, model::NodeRow row) const;
  // Reports whether all filters that take part are cached.
  bool CachedFiltersSuffice() const;
  Verdict RunPreFilters(PluginMask& took_part);
  Verdict Restrict(const Plugin& plugin, std::vector<Symbol> nodes);
  Verdict RunFilters(model::NodeRow node, std::span<const FilterPlugin* const> filters) const;
  Verdict RunFiltersWith(const std::vector<model::PodId>& rivals, model::NodeRow node,
                         std::span<const FilterPlugin* const> filters);
  bool IsRival(model::PodId nominated) const;
  bool HasRivals(const std::vector<model::PodId>& nominated) const;
  model::NodeRow OwnNominatedRow() const;
  bool CachedFiltersSeeSums() const;
  Verdict FilterCachedWithRivals(model::NodeRow node);
  Verdict RefreshCachedFilters();
  Verdict FilterWithoutCache();
  Verdict RunUncachedFilters(std::span<const FilterPlugin* const> filters);
  Verdict FilterContestedNodes();
  Verdict FilterSpecialNodes();
  Verdict CorrectCachedResults();
  Verdict FilterSpecialNode(model::NodeRow node);
  model::NodeMask CachedRejections();
  void ExplainEach(const model::NodeMask& rejected);
  void ExplainWithRivals(model::NodeMask rejected);
  void ExplainUncounted(model::NodeMask rejected);
  size_t AllNodes() const;
  Verdict CacheVerdicts(model::NodeMask rejected);
  void CacheVerdictsOfKinds(const FilterPlugin& filter, const model::NodeMask& rejected);
  void AddUncachedRejections(model::NodeMask& nodes, Diagnosis& diagnosis);
  // Calls explain(NodeRow) for one node of each kind of those that `filter` rejects, which returns
  // the number of its verdict, and repeat(word, rows, number) for others, of 64 rows at a time.
  template <typename Explain, typename Repeat>
  void ExplainKinds(const FilterPlugin& filter, const model::NodeMask& rejected, Explain&& explain,
                    Repeat&& repeat) const;
  Verdict PreScore();
  Verdict ScoreFromCache();
  size_t RankTotals(std::span<ScoredNode> into);
  Verdict AddChangingScores(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                            std::vector<int32_t>& scratch, std::vector<int32_t>& totals) const;
  template <typename Total>
  Verdict AddNormalized(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                        std::vector<Total>& totals) const;
  Verdict ScoreUncached();
  Verdict AddColumns(ScoreTable& table);

  model::Cluster& cluster_;
  const Profile& profile_;
  ClassResults& results_;
  Cycle cycle_;
  AttemptMeter meter_;
  RankingBudget* ranking_ = nullptr;  // Null: only the best node is wanted.

  const model::NodeMask* placement_ = nullptr;
  std::optional<std::vector<Symbol>> restriction_;
  std::vector<std::string> restricted_by_;
  PluginMask skipped_filters_ = 0;
  PluginMask skipped_scores_ = 0;
  model::NodeMask candidates_;
  model::NodeMask feasible_;
  // The nodes that were left before each filter whose results are not cached; after the last, too,
  // without a filter.
  struct Step {
    const FilterPlugin* filter;
    model::NodeMask before;
  };
  std::vector<Step> steps_;
  std::shared_ptr<PriorityView> view_;  // Null before it is used.
  model::NodeMask special_;             // See IsSpecial. Empty if there is none.
  uint32_t start_ = 0;
  std::optional<size_t> limit_;
  std::vector<uint32_t> own_rank_;              // By row, if the feasible nodes are limited.
  std::map<model::NodeRow, Verdict> excluded_;  // With reasons.
  bool excludes_ = false;
  bool searched_ = false;
  bool bypasses_cache_ = false;  // Neither feasible_ nor scores come from results_.
  model::NodeRow best_;
  int64_t best_total_ = 0;  // If that is all that Rank reads.
  Scored scored_ = Scored::kNothing;
};

}  // namespace berth::scheduler::framework
