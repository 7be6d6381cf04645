#include "scheduler/plugins/preemption/dry_run.h"

#include <algorithm>

#include "api/workloads.h"
#include "base/random.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/plugins/preemption/quick_dry_run.h"
#include "scheduler/plugins/preemption/victims.h"

namespace berth::scheduler::plugins {

namespace {

size_t BytesOf(const DryRunOutcome& outcome) {
  size_t bytes = sizeof(outcome);
  for (const std::string& reason : outcome.verdict.reasons())
    bytes += sizeof(reason) + reason.capacity();
  const framework::Victims& victims = outcome.victims;
  return bytes + (victims.pods.capacity() + victims.over_budget.capacity()) * sizeof(model::PodId);
}

}  // namespace

void DryRunCache::Refresh(const model::Cluster& cluster) {
  const model::RowChanges& changes = cluster.nodes().changes();
  const uint64_t budgets = cluster.objects<api::PodDisruptionBudget>().version();
  const bool outdated = budgets != budgets_ || !changes.Covers(position_);
  RefreshRatings(cluster.nodes(), outdated);
  if (outdated) {
    outcomes_.clear();
    bytes_ = 0;
  } else if (!outcomes_.empty()) {
    for (model::NodeRow row : changes.Since(position_)) {
      if (row.index() < outcomes_.size()) Drop(outcomes_[row.index()]);
    }
  }
  position_ = changes.now();
  budgets_ = budgets;
}

void DryRunCache::RefreshRatings(const model::NodeTable& nodes, bool outdated) {
  // Rating so many nodes again costs less than what the ratings of all would take.
  const size_t many = 16 + nodes.rows() / 16;
  const model::RowChanges& changes = nodes.changes();
  if (outdated || changes.now() - position_ > many) {
    ratings_ = {};
    return;
  }
  ratings_.resize(nodes.rows());
  for (model::NodeRow row : changes.Since(position_)) ratings_[row.index()] = std::nullopt;
}

const DryRunOutcome& DryRunCache::Insert(model::NodeRow node, DryRunOutcome outcome) {
  if (node.index() >= outcomes_.size()) outcomes_.resize(node.index() + 1);
  auto& entry = outcomes_[node.index()];
  Drop(entry);
  entry = std::make_unique<const DryRunOutcome>(std::move(outcome));
  bytes_ += BytesOf(*entry);
  return *entry;
}

void DryRunCache::Drop(std::unique_ptr<const DryRunOutcome>& outcome) {
  if (outcome != nullptr) bytes_ -= BytesOf(*outcome);
  outcome = nullptr;
}

namespace {

bool HaveNoStartTime(const model::Cluster& cluster, const std::vector<model::PodId>& victims) {
  const int32_t highest = cluster.pod(victims.front()).object->priority();
  return std::ranges::none_of(victims, [&](model::PodId id) {
    const api::Pod& pod = *cluster.pod(id).object;
    return pod.priority() == highest && pod.status.start_time.has_value();
  });
}

// Returns the outcome on one node, from the cache if nothing but the node's row has a part in it.
const DryRunOutcome& TryNode(framework::FailedCycle& failed, DryRunCache& cache,
                             bool depends_on_rows_alone, model::NodeRow node,
                             std::deque<DryRunOutcome>& uncached) {
  const model::Cluster& cluster = failed.attempt.cluster();
  const bool cacheable = depends_on_rows_alone && !failed.attempt.IsSpecial(node);
  if (const DryRunOutcome* known = cacheable ? cache.Find(node) : nullptr) return *known;

  DryRunOutcome outcome;
  outcome.verdict = SelectVictimsOnNode(failed.attempt, node, failed.now, outcome.victims);
  if (outcome.verdict.ok()) {
    outcome.rating.emplace(cluster, outcome.victims, failed.now);
    outcome.no_start_time = HaveNoStartTime(cluster, outcome.victims.pods);
  }
  const bool settled = outcome.verdict.ok() || outcome.verdict.rejected();
  if (cacheable && settled && IsStartOrderFinal(cluster, node, failed.now))
    return cache.Insert(node, std::move(outcome));
  return uncached.emplace_back(std::move(outcome));
}

// The candidates found so far.
class Candidates {
 public:
  explicit Candidates(size_t wanted) : wanted_(wanted) {}

  bool enough() const { return compliant_ > 0 && found() >= wanted_; }
  // How many more are wanted.
  size_t missing() const { return wanted_ - std::min(wanted_, found()); }
  // Reports whether a candidate with this rating or a higher one may be the best.
  bool MayBeBest(const framework::VictimRating& lowest) const { return !best_ || lowest < *best_; }

  void Add(const DryRunResult::Candidate& candidate) {
    if (MayBeBest(candidate.rating)) best_ = candidate.rating;
    if (candidate.rating.violates_budget()) {
      violating_.push_back(candidate);
    } else {
      ++compliant_;
      rated_.push_back(candidate);
    }
  }
  // Counts a candidate that is not the best and violates no budget.
  void PassOver() { ++compliant_; }

  std::vector<DryRunResult::Candidate> Take() && {
    rated_.insert(rated_.end(), violating_.begin(), violating_.end());
    return std::move(rated_);
  }

 private:
  size_t found() const { return compliant_ + violating_.size(); }

  const size_t wanted_;
  size_t compliant_ = 0;  // Those that violate no budget, rated or not.
  std::optional<framework::VictimRating> best_;
  std::vector<DryRunResult::Candidate> rated_, violating_;
};

// Adds `node` to the candidates if sums tell that it is one. Reports whether they do.
bool TryQuickly(framework::FailedCycle& failed, DryRunCache& cache, QuickDryRun& quick,
                model::NodeRow node, Candidates& candidates) {
  if (!quick.MayRate(node)) return false;
  const std::optional<QuickRating>* const known = cache.FindRating(node);
  const QuickRating* lowest = known != nullptr && known->has_value() ? &**known : nullptr;
  if (lowest == nullptr) {
    const PotentialVictims::List* const among =
        quick.FindVictims(node, failed.diagnosis.Of(node), failed.now);
    if (among == nullptr) return false;
    if (!among->any_over_budget) {
      lowest = &among->lowest_rating;
      cache.InsertRating(node, *lowest);
    }
  } else if (lowest->exact) {
    candidates.Add({node, lowest->At(failed.now), nullptr});
    return true;
  }
  if (lowest != nullptr && !candidates.MayBeBest(lowest->At(failed.now))) {
    candidates.PassOver();
    return true;
  }
  const std::optional<QuickRating> rating = quick.Rate(node, failed.now);
  if (!rating) return false;
  cache.InsertRating(node, *rating);
  candidates.Add({node, rating->At(failed.now), nullptr});
  return true;
}

}  // namespace

DryRunResult DryRunPreemption(framework::FailedCycle& failed, DryRunCache& cache,
                              QuickDryRun* quick, std::span<const model::NodeRow> nodes,
                              size_t wanted) {
  DryRunResult result;
  result.rejected.all_nodes = failed.attempt.cluster().nodes().present_count();
  result.rejected.absent = framework::Verdict(framework::Code::kUnschedulableAndUnresolvable,
                                              "Preemption is not helpful for scheduling");
  if (nodes.empty()) return result;
  cache.Refresh(failed.attempt.cluster());
  const bool depends_on_rows_alone = failed.attempt.DependsOnRowsAlone();
  Candidates candidates(wanted);
  const size_t offset = failed.random.Below(nodes.size());
  ENGINE_LOG(
      failed.log, 5, "Dry run the preemption",
      {{"pod", failed.attempt.cycle().pod().key().ToString()},
       {"potentialNodesNumber", nodes.size()},
       {"pdbsNumber", failed.attempt.cluster().objects<api::PodDisruptionBudget>().all().size()},
       {"offset", offset},
       {"candidatesNumber", wanted}});
  const bool prepares = quick != nullptr && !cache.has_ratings();
  size_t prepared = 0;
  std::optional<framework::VerdictTable::Number> no_victims;
  for (size_t i = 0, at = offset; i < nodes.size(); ++i, at = at + 1 < nodes.size() ? at + 1 : 0) {
    if (candidates.enough() && failed.report == nullptr) break;
    if (prepares && i == prepared) {
      // Each time takes a pass over all words of a mask.
      const size_t least = 64 + nodes.size() / 64;
      prepared += std::min(std::max(candidates.missing(), least), nodes.size() - i);
      quick->Prepare(nodes, at, prepared - i, failed.diagnosis, failed.now);
    }
    const model::NodeRow node = nodes[at];
    ENGINE_LOG(failed.log, 5, "Check the potential node for preemption",
               {{"pod", failed.attempt.cycle().pod().key().ToString()},
                {"node", failed.attempt.cluster().nodes().name(node)}});
    if (quick != nullptr) {
      if (TryQuickly(failed, cache, *quick, node, candidates)) continue;
      if (quick->HasNoVictims(node, failed.now)) {
        if (no_victims) {
          result.rejected.Add(node, *no_victims);
        } else {
          no_victims = result.rejected.Add(node, NoVictims());
        }
        continue;
      }
    }
    const DryRunOutcome& outcome =
        TryNode(failed, cache, depends_on_rows_alone, node, result.uncached);
    if (outcome.verdict.ok()) {
      candidates.Add({node, outcome.RatingAt(failed.now), &outcome});
    } else if (outcome.verdict.rejected()) {
      result.rejected.Add(node, outcome.verdict);
    } else {
      const std::string message = outcome.verdict.Message();
      if (std::ranges::find(result.errors, message) == result.errors.end())
        result.errors.push_back(message);
    }
  }
  result.candidates = std::move(candidates).Take();
  return result;
}

}  // namespace berth::scheduler::plugins
