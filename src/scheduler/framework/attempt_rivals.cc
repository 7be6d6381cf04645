// How an Attempt leaves room for rivals: pods of at least the same priority that are nominated to a
// node. A node passes if it does both with and without them.
#include <algorithm>
#include <deque>
#include <utility>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

// The rivals of a row count in its sums until this is destroyed.
class RivalSums {
 public:
  RivalSums(model::Cluster& cluster, const PriorityView& view, model::NodeRow row)
      : cluster_(cluster), rivals_(view.rivals(row)), row_(row) {
    cluster.TryAddSums(row, rivals_.requests, rivals_.pods);
  }
  ~RivalSums() { cluster_.TrySubtractSums(row_, rivals_.requests, rivals_.pods); }
  RivalSums(const RivalSums&) = delete;
  RivalSums& operator=(const RivalSums&) = delete;

 private:
  model::Cluster& cluster_;
  const PriorityView::Rivals& rivals_;
  const model::NodeRow row_;
};

// The sums of all rows have their rivals, if the view counts them, until this is destroyed.
class AllRivalSums {
 public:
  AllRivalSums(model::Cluster& cluster, PriorityView& view) : cluster_(cluster), view_(view) {
    cluster.TrySwapSums(view.sums_with_rivals());
  }
  ~AllRivalSums() { cluster_.TrySwapSums(view_.sums_with_rivals()); }
  AllRivalSums(const AllRivalSums&) = delete;
  AllRivalSums& operator=(const AllRivalSums&) = delete;

 private:
  model::Cluster& cluster_;
  PriorityView& view_;
};

}  // namespace

bool Attempt::IsRival(model::PodId id) const {
  const model::PodRecord& other = cluster_.pod(id);
  const model::PodRecord& own = cycle_.pod();
  return other.object != own.object && other.uid() != own.uid() &&
         cluster_.class_of(other).priority >= cycle_.pod_class().priority;
}

bool Attempt::HasRivals(const std::vector<model::PodId>& nominated) const {
  return std::ranges::any_of(nominated, [&](model::PodId id) { return IsRival(id); });
}

PriorityView& Attempt::view() {
  const int32_t priority = cycle_.pod_class().priority;
  if (results_.views() != nullptr) {
    view_ = results_.views()->For(cluster_, priority);
  } else {
    if (view_ == nullptr) view_ = std::make_shared<PriorityView>(priority);
    view_->Refresh(cluster_);
  }
  return *view_;
}

// Returns the row that this very pod is nominated to: there it is no rival of its own, as it is of
// others of its class.
model::NodeRow Attempt::OwnNominatedRow() const {
  const model::PodRecord& own = cycle_.pod();
  const model::PodId id =
      cluster_.pods().Find(own.object->metadata.namespace_, own.object->metadata.name);
  if (!id.valid() || cluster_.pod(id).uid() != own.uid()) return {};
  const Symbol node = cluster_.nominations().NodeOf(id);
  return node.valid() ? cluster_.nodes().Find(node) : model::NodeRow{};
}

std::vector<const FilterPlugin*> Attempt::FiltersThatRead(Reads what) const {
  std::vector<const FilterPlugin*> filters;
  for (const FilterPlugin* filter : profile_.filter()) {
    if (filter->reads() == what && !Contains(skipped_filters_, *filter)) filters.push_back(filter);
  }
  return filters;
}

Conditions Attempt::RequiredBy(std::span<const FilterPlugin* const> filters) const {
  Conditions all;
  for (const FilterPlugin* filter : filters) {
    const Conditions conditions = filter->Require(cycle_);
    all.insert(all.end(), conditions.begin(), conditions.end());
  }
  return all;
}

// Reports whether no cached filter sees more of pods than the sums of what they request.
bool Attempt::CachedFiltersSeeSums() const {
  return std::ranges::all_of(profile_.filter().first(ClassResults::CachedFilters(profile_)),
                             [&](const FilterPlugin* filter) {
                               return filter->reads() != Reads::kNode ||
                                      Contains(skipped_filters_, *filter);
                             });
}

Verdict Attempt::RefreshCachedFilters() {
  if (cluster_.nominations().empty())
    return results_.RefreshFilters(cycle_, skipped_filters_, meter_);
  PriorityView& shared = view();
  if (!CachedFiltersSeeSums()) {
    const ClassResults::Contest contest{
        shared.contested(), [&](model::NodeRow node) { return FilterCachedWithRivals(node); }};
    return results_.RefreshFilters(cycle_, skipped_filters_, meter_, &contest);
  }
  // Those that see nothing of pods pass: only nodes that pass without rivals are asked for.
  const Conditions conditions = RequiredBy(FiltersThatRead(Reads::kSums));
  const auto judge = [&](model::NodeRow node) -> Verdict {
    if (!shared.rivals(node).are_small) return FilterCachedWithRivals(node);
    const RivalSums sums(cluster_, shared, node);
    const bool passes = Passes(conditions, cycle_, node);
    return passes ? Verdict() : Verdict(Code::kUnschedulable);
  };
  // No node passes because of its rivals: it is filtered once, with those that sums can count.
  const AllRivalSums sums(cluster_, shared);
  const ClassResults::Contest contest{shared.uncounted(), judge};
  return results_.RefreshFilters(cycle_, skipped_filters_, meter_, &contest);
}

Verdict Attempt::FilterWithoutRivals(model::NodeMask& nodes) {
  if (cluster_.nominations().empty()) {
    if (Verdict error = RefreshCachedFilters(); !error.ok()) return error;
    nodes &= results_.feasible();
    return {};
  }
  for (const FilterPlugin* filter :
       profile_.filter().first(ClassResults::CachedFilters(profile_))) {
    if (Contains(skipped_filters_, *filter)) continue;
    if (Verdict error = filter->Filter(cycle_, nodes); !error.ok()) return error;
  }
  return {};
}

// Evaluates a contested node as all pods of the class see it.
Verdict Attempt::FilterCachedWithRivals(model::NodeRow node) {
  std::vector<model::PodId> rivals =
      cluster_.nominations().PodsOn(cluster_.nodes().info(node).name);
  std::erase_if(rivals, [&](model::PodId id) {
    return cluster_.class_of(cluster_.pod(id)).priority < cycle_.pod_class().priority;
  });
  return RunFiltersWith(rivals, node,
                        profile_.filter().first(ClassResults::CachedFilters(profile_)));
}

Verdict Attempt::FilterNode(model::NodeRow node) {
  const std::vector<model::PodId>& nominated =
      cluster_.nominations().PodsOn(cluster_.nodes().info(node).name);
  if (HasRivals(nominated)) {
    std::vector<model::PodId> rivals = nominated;
    std::erase_if(rivals, [&](model::PodId id) { return !IsRival(id); });
    Verdict verdict = RunFiltersWith(rivals, node, profile_.filter());
    if (!verdict.ok()) return verdict;
  }
  return RunFilters(node, profile_.filter());
}

Verdict Attempt::RunFiltersWith(const std::vector<model::PodId>& rivals, model::NodeRow node,
                                std::span<const FilterPlugin* const> filters) {
  CycleStates saved = cycle_.CloneStates();
  for (model::PodId id : rivals) TryAdd(cluster_.pod(id), node);
  Verdict verdict = RunFilters(node, filters);
  for (model::PodId id : rivals) cluster_.TryRemovePod(cluster_.pod(id), node);
  cycle_.ReplaceStates(std::move(saved));
  return verdict;
}

// Evaluates each of the contested nodes for this pod.
Verdict Attempt::FilterContestedNodes() {
  if (cluster_.nominations().empty()) return {};
  special_ = view().contested();
  return FilterSpecialNodes();
}

Verdict Attempt::FilterSpecialNodes() {
  Verdict error;
  special_.ForEach([&](size_t row) {
    if (error.ok()) error = FilterSpecialNode(model::NodeRow{static_cast<uint32_t>(row)});
  });
  return error;
}

// The cached results have taken rivals into account, except that they see one in this very pod.
Verdict Attempt::CorrectCachedResults() {
  const model::NodeRow own = OwnNominatedRow();
  if (CachedFiltersSuffice()) {
    special_ = {};
  } else {
    // A cached filter rejects the others beside their rivals; those that are not cached come later.
    special_ = view().contested();
    special_ &= results_.feasible();
  }
  if (own.valid()) {
    special_.Resize(candidates_.size());
    special_.Set(own.index());
  }
  Verdict error = FilterSpecialNodes();
  if (own.valid() && feasible_.Test(own.index()) && !results_.feasible().Test(own.index()))
    bypasses_cache_ = true;  // It has no cached scores.
  return error;
}

Verdict Attempt::FilterSpecialNode(model::NodeRow node) {
  if (!candidates_.Test(node.index())) return {};
  Verdict verdict = FilterNode(node);
  if (!verdict.ok() && !verdict.rejected()) return verdict;
  feasible_.Assign(node.index(), verdict.ok());
  return {};
}

// Caches the verdicts of nodes that a cached filter rejects when the rivals are there.
void Attempt::ExplainWithRivals(model::NodeMask rejected) {
  PriorityView& shared = view();
  const bool by_sums = CachedFiltersSeeSums();
  model::NodeMask uncounted = rejected;
  uncounted &= by_sums ? shared.uncounted() : shared.contested();
  rejected -= uncounted;
  ExplainUncounted(std::move(uncounted));
  bool explained = false;
  if (by_sums) {
    const AllRivalSums sums(cluster_, shared);
    explained = CacheVerdicts(rejected).ok();
  } else {
    explained = CacheVerdicts(rejected).ok();
  }
  if (!explained) ExplainEach(rejected);
}

// The same for contested nodes whose rivals are not counted with those of the others.
void Attempt::ExplainUncounted(model::NodeMask rejected) {
  if (rejected.None()) return;
  if (CachedFiltersSeeSums()) {
    const PriorityView& shared = view();
    model::NodeMask small = rejected;
    small.KeepIf([&](size_t row) {
      return shared.rivals(model::NodeRow{static_cast<uint32_t>(row)}).are_small;
    });
    std::deque<RivalSums> sums;
    small.ForEach([&](size_t row) {
      sums.emplace_back(cluster_, shared, model::NodeRow{static_cast<uint32_t>(row)});
    });
    if (CacheVerdicts(small).ok()) rejected -= small;
  }
  ExplainEach(rejected);
}

}  // namespace berth::scheduler::framework
