// Attempt runs the plugins of a profile for one pod, up to the choice of a node: PreFilter, Filter,
// PreScore, Score, and the explanation if no node is left.
//
// It changes nothing in the cluster, except while it tries out a node with other pods on it, and
// then puts it back. The steps are called in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/verdict.h"

namespace berth::scheduler::framework {

class ClassResults;

class Attempt {
 public:
  // All must outlive the attempt; `results` are those of the pod's class and `profile`.
  Attempt(model::Cluster& cluster, const Profile& profile, ClassResults& results,
          const model::PodRecord& pod);

  Cycle& cycle() { return cycle_; }
  const Profile& profile() const { return profile_; }
  model::Cluster& cluster() { return cluster_; }

  // Takes the attempt's time from now on; by default nothing does.
  void Measure(const AttemptMeter& meter) { meter_ = meter; }
  AttemptMeter& meter() { return meter_; }

  // --- PreFilter ---

  // Success, a rejection of the pod as a whole, or Error.
  Verdict PreFilter();
  // The nodes that PreFilter left to look at, by name, if it restricted them; and the plugins that
  // did so, sorted.
  const std::optional<std::vector<Symbol>>& restriction() const { return restriction_; }
  const std::vector<std::string>& restricted_by() const { return restricted_by_; }
  const model::NodeMask& candidates() const { return candidates_; }

  // --- Filter ---

  // Finds the feasible nodes among the candidates. Error if a plugin could not answer.
  Verdict Filter();
  const model::NodeMask& feasible() const { return feasible_; }

  // The node that was promised to the pod, if it is there. It is tried before all others, even if
  // PreFilter left it out.
  model::NodeRow NominatedNode() const;

  // Keeps the first `enough` feasible nodes, in node order from the place `start` on (counted
  // among the candidates, around the end), and forgets the others; equals are then chosen in that
  // order. Returns how many candidates it took to find them.
  size_t KeepFirst(size_t enough, size_t start);
  // Takes a feasible node out: somebody outside rejected it, for this reason if one is given.
  void Exclude(model::NodeRow node, std::optional<Verdict> why);

  // True if others, at least as important as the pod, were promised room on the node. Known after
  // Filter.
  bool IsContested(model::NodeRow node) const {
    return contested_.size() > 0 && contested_.Test(node.index());
  }
  // True if what the filters say about a node that is not contested depends on the pod's class and
  // the node's row alone. Known after Filter; false before.
  bool DependsOnRowsAlone() const;

  // Judges one node, waiting pods nominated to it included: the verdict of the first filter that
  // objects.
  Verdict FilterNode(model::NodeRow node);

  // Makes `pod` count as running on `node`, or no longer, while trying things out. Whoever does so
  // puts the cluster back with the opposite call and the cycle's notes with Cycle::ReplaceStates.
  void TryAdd(const model::PodRecord& pod, model::NodeRow node);
  void TryRemove(const model::PodRecord& pod, model::NodeRow node);

  // Explains why none of the candidates is feasible.
  Diagnosis Diagnose(const Verdict& pre_filter);

  // --- Score ---

  // Scores the feasible nodes. Afterwards Best() is known.
  Verdict Score();
  // The best node: the highest total; among equals the first in node order.
  model::NodeRow Best() const { return best_; }
  // The place of each row in the order in which equals are chosen.
  const std::vector<uint32_t>& rank() const;

  // What each plugin gave each feasible node, weighted; asked afresh, without the kept results.
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
  Verdict RunPreFilters(PluginMask& took_part);
  Verdict Restrict(const Plugin& plugin, std::vector<Symbol> nodes);
  Verdict RunFilters(model::NodeRow node) const;
  bool IsRival(model::PodId nominated) const;
  bool HasRivals(const std::vector<model::PodId>& nominated) const;
  Verdict FilterNominatedNodes();
  model::NodeMask CachedRejections();
  Verdict PreScore();
  Verdict ScoreFromCache();
  template <typename Total>
  Verdict AddNormalized(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                        std::vector<Total>& totals) const;
  Verdict ScoreLargeWeights();
  Verdict AddColumns(ScoreTable& table);

  model::Cluster& cluster_;
  const Profile& profile_;
  ClassResults& results_;
  Cycle cycle_;
  AttemptMeter meter_;

  std::optional<std::vector<Symbol>> restriction_;
  std::vector<std::string> restricted_by_;
  PluginMask skipped_filters_ = 0;
  PluginMask skipped_scores_ = 0;
  model::NodeMask candidates_;
  model::NodeMask feasible_;
  model::NodeMask contested_;                   // Empty if there is none.
  std::vector<uint32_t> own_rank_;              // By row, if not node order as it is.
  std::map<model::NodeRow, Verdict> excluded_;  // With reasons.
  bool excludes_ = false;
  model::NodeRow best_;
};

}  // namespace berth::scheduler::framework
