// ClassResults caches, for one pod class, the results of a profile's node-scoped plugins for each
// node, and recomputes only rows that changed.
//
// So the next pod of a class costs the rows that changed since the last one, not all rows. Cached
// results always equal newly computed ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/verdict.h"

namespace berth {
class Workers;
}
namespace berth::scheduler::model {
class NodeOrder;
class NodeTable;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

// Returns the error of a score that is not in 0..100 after Normalize.
Verdict InvalidScore(const ScorePlugin& plugin, int64_t score);

class NodeSearch;

class ClassResults {
 public:
  // `profile` must outlive the results, and so must `workers`, which share the rows when there are
  // many to evaluate; without them, one thread evaluates all. `search`, which finds nodes without
  // the cached results, must live as long as attempts use them; without it every node is evaluated.
  // So must `views`; without them every attempt looks for rivals anew.
  ClassResults(const Profile& profile, model::Cluster& cluster, const model::PodClass& pod_class,
               Workers* workers = nullptr, NodeSearch* search = nullptr,
               PriorityViews* views = nullptr);

  NodeSearch* search() const { return search_; }
  PriorityViews* views() const { return views_; }
  // Reports whether bringing the results up to date costs less than a search: few rows have changed
  // since, or the class is asked for again and again. To be asked once per attempt.
  bool AreAlmostCurrent(const model::NodeTable& nodes);
  // The alternative is a scan of all rows: scores of the class depend on which nodes are feasible.
  void set_scans(bool scans) { scans_ = scans; }
  bool scans() const { return scans_; }
  // Rating domains would have cost more than the cached results: the next attempts need not find
  // out again. WouldDomainsCostMore is to be asked once per attempt.
  void set_domains_cost_more() { domains_cost_more_ = kAttemptsPerEstimate; }
  bool WouldDomainsCostMore() {
    if (domains_cost_more_ == 0) return false;
    --domains_cost_more_;
    return true;
  }

  const ClassStates& compiled() const { return *compiled_; }
  // The same, which may outlive the results: a binding cycle needs it for long.
  std::shared_ptr<const ClassStates> share_compiled() const { return compiled_; }

  // --- filters ---

  // How many of the profile's filters feasible() covers: the node-scoped ones before the first
  // other, so that the order of filters is preserved.
  static size_t CachedFilters(const Profile& profile);

  // The rows that rivals are nominated to, and how the cached filters judge one of them when the
  // rivals are on it.
  struct Contest {
    const model::NodeMask& rows;
    std::function<Verdict(model::NodeRow)> filter;
  };
  // Updates feasible(). `skipped` holds the plugins that PreFilter disabled. Without a contest no
  // pod may be nominated to a node. Attempts call this.
  Verdict RefreshFilters(const Cycle& cycle, PluginMask skipped, const AttemptMeter& meter = {},
                         const Contest* contest = nullptr);

  // The present nodes that pass the cached filters, both as they are and with rivals of the class.
  const model::NodeMask& feasible() const { return feasible_; }

  // The verdict of the first filter that rejects a row outside feasible(), as a number in
  // verdicts(); for the rows in explained(), whose verdicts were passed to CacheVerdict.
  std::span<const VerdictTable::Number> verdict_of() const { return verdict_of_; }
  const VerdictTable& verdicts() const { return verdicts_; }
  const model::NodeMask& explained() const { return explained_; }
  void CacheVerdict(model::NodeRow row, Verdict verdict);
  // The same for some of the 64 rows of a word, with a verdict that is in verdicts().
  void CacheVerdicts(size_t word, uint64_t rows, VerdictTable::Number verdict);

  // --- scores of the rows of feasible() ---

  // Updates the scores; RefreshFilters comes first. `skipped` holds the plugins that PreScore
  // disabled.
  Verdict RefreshScores(const Cycle& cycle, PluginMask skipped, const AttemptMeter& meter = {});

  // The weighted sum of the node-scoped scores that need no Normalize; -1 for rows that are not
  // feasible.
  std::span<const int32_t> totals() const { return totals_; }
  // Returns the row with the highest of totals(), and among equals the first in node order from
  // `start` on, around the end; invalid if none is feasible. Costs the rows that changed since the
  // last call.
  model::NodeRow Best(const model::NodeOrder& order, size_t start);
  // Writes `best`, which Best has just returned, and the next best rows, highest total first.
  // Returns how many. O(log n).
  size_t Rank(const model::NodeOrder& order, model::NodeRow best, std::span<ScoredNode> into) const;

  // The raw scores of a node-scoped plugin that normalizes, or whose weight is too large for
  // totals().
  struct Raw {
    Profile::Scorer scorer;
    bool skipped = false;
    std::vector<int64_t> scores;
    // How many feasible rows differ from `common`. If none does, all nodes get the same normalized
    // score, `common_normalized`.
    int64_t common = 0;
    int64_t common_normalized = 0;
    size_t different = 0;
  };
  std::span<const Raw> raw() const { return raw_; }

  // All filters and scorers of the profile.
  PluginMask filters() const { return filters_; }
  PluginMask scorers() const { return scorers_; }

  // The highest possible weighted sum of all scores of the profile.
  int64_t highest_total() const { return highest_total_; }

  // Buffers for a cycle's sums, one entry per row: allocated once, not in every cycle.
  struct Buffers {
    std::vector<int32_t> totals, scratch;
    std::vector<int64_t> scores;
  };
  Buffers& buffers() { return buffers_; }

  // The approximate size of everything that grows with the number of nodes.
  size_t bytes() const;

 private:
  static constexpr uint32_t kAttemptsPerEstimate = 32;

  // Sets batch_ to the rows that changed. Reports whether they are many; otherwise they are in
  // changed_, too.
  bool CollectChanges(const model::NodeTable& nodes);
  Verdict RunFilters(const Cycle& cycle, PluginMask skipped, model::NodeMask& rows,
                     const AttemptMeter& meter) const;
  Verdict RunFiltersOnChangedRows(const Cycle& cycle, PluginMask skipped, size_t changed,
                                  const AttemptMeter& meter);
  Verdict RunFiltersWithRivals(const Contest& contest);
  void StoreFiltered(const model::NodeMask* changed);
  void MarkStale(const model::NodeMask* changed);
  Verdict RunScorer(const Cycle& cycle, const ScorePlugin& plugin, const model::NodeMask& rows,
                    std::span<int64_t> out) const;
  size_t PartsOf(size_t rows) const;
  Verdict RunScorers(const Cycle& cycle, const model::NodeMask& rows, PluginMask skipped,
                     const AttemptMeter& meter);
  void ChooseCommon(const Cycle& cycle, const model::NodeMask& rows, Raw& raw);
  void DropScores(size_t row);
  bool ScoresOutdated(const model::Cluster& cluster);

  const Profile& profile_;
  Workers* const workers_;
  NodeSearch* const search_;
  PriorityViews* const views_;
  const std::shared_ptr<const ClassStates> compiled_;
  const size_t cached_filters_;
  PluginMask filters_ = 0, scorers_ = 0;

  bool started_ = false;
  uint64_t position_ = 0;      // In the node table's log of changes.
  uint64_t last_attempt_ = 0;  // The same, when the class was last asked for.
  uint32_t in_a_row_ = 0;      // Attempts with few changes between them.
  bool scans_ = false;
  uint32_t domains_cost_more_ = 0;  // For so many attempts.
  std::vector<model::NodeRow> changed_;
  model::NodeMask feasible_;
  model::NodeMask batch_;  // The rows being evaluated, then those of them that pass.
  model::NodeMask explained_;
  VerdictTable verdicts_;
  size_t verdict_bytes_ = 0;
  std::vector<VerdictTable::Number> verdict_of_;  // By row.

  std::vector<Profile::Scorer> plain_scorers_;  // Node-scoped, without Normalize.
  std::vector<Raw> raw_;                        // Node-scoped, with Normalize.
  std::vector<uint64_t> epochs_;                // Of plain_scorers_, then raw_.
  int64_t highest_total_ = 0;
  std::vector<int32_t> totals_;
  Tournament tournament_;                  // Of totals_, in node order.
  std::vector<model::NodeRow> unentered_;  // Rows whose totals are not in the tournament.
  std::optional<uint64_t> entered_order_;
  model::NodeMask scored_;  // Rows whose scores are counted.
  // Rows whose scores must be recomputed. If that is all of them, there is no list: a class that
  // fits nowhere has no scores, however often nodes change.
  bool all_are_stale_ = true;
  std::vector<model::NodeRow> stale_;
  std::vector<int64_t> scratch_;
  Buffers buffers_;
};

// ClassResultsCache holds the ClassResults of a profile by pod class.
//
// Results are large (a few words per node), so only those of the classes used last are retained,
// and none of a class that was removed.
class ClassResultsCache {
 public:
  // All must outlive the cache; `workers` may be null.
  ClassResultsCache(const Profile& profile, model::Cluster& cluster, Workers* workers);
  ~ClassResultsCache();

  // Returns the results of the pod's class, created if necessary. They remain valid for the caller
  // when the cache drops them.
  std::shared_ptr<ClassResults> For(const model::PodRecord& pod);

  // Drops the results of classes that do not exist any more. O(classes).
  void DropRemovedClasses();
  void Clear();
  // The number of results.
  size_t size() const { return cached_; }

 private:
  // The approximate limit of all cached results together: those of 1,400 classes on 5,000 nodes,
  // and of 90 on 100,000. Other classes are searched for.
  static constexpr size_t kMaxBytes = size_t{256} << 20;
  static constexpr size_t kMaxBytesPerNode = 1 << 10;
  // More classes than are likely to come again before others do: what is compiled for one takes
  // some kilobytes.
  static constexpr size_t kMaxResults = 8'192;
  // The limit of the pod counters that rules of cached classes use; they are shared by profiles.
  static constexpr size_t kMaxCounterBytes = size_t{128} << 20;
  static constexpr size_t kMaxCounterBytesPerNode = 2 << 10;

  struct Entry {
    uint64_t serial = 0;  // Of the class that the results are for.
    uint64_t last_used = 0;
    size_t bytes = 0;  // When another class was last used after it.
    std::shared_ptr<ClassResults> results;
  };

  bool IsFull(bool has_new);
  void Measure(Entry& entry);
  void Drop(Entry& entry);
  void DropOldest();

  const Profile& profile_;
  model::Cluster& cluster_;
  Workers* const workers_;
  const std::unique_ptr<NodeSearch> search_;
  PriorityViews views_;
  std::vector<Entry> entries_;  // By class id.
  size_t last_ = 0;             // The entry used last.
  size_t cached_ = 0;
  uint64_t created_ = 0;  // Since the size of the counters was last looked at.
  size_t bytes_ = 0;      // Of all entries.
  uint64_t uses_ = 0;
};

}  // namespace berth::scheduler::framework
