// How the engine tries a PodGroup in all topology domains in which it may be, and takes the best.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/engine/placement_counts.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::engine {
namespace {

// Any event that helps in one of the placements is worth another cycle.
void AddRejectors(const GroupTrial& from, GroupTrial& to) {
  for (size_t i = 0; i < from.members.size(); ++i) {
    if (!from.members[i].failure || !to.members[i].failure) continue;
    queue::Rejectors& all = to.members[i].failure->why;
    all.unschedulable |= from.members[i].failure->why.unschedulable;
    all.pending |= from.members[i].failure->why.pending;
  }
}

// The verdict about the first placement becomes one about all of them.
void NameInVerdict(size_t placements, GroupTrial& trial) {
  trial.verdict = {framework::Code::kUnschedulable,
                   fmt::format("0/{} placements are available, first placement status: {}",
                               placements, trial.verdict.Message())};
}

GroupTrial NowherePlaced(framework::Verdict verdict) {
  GroupTrial trial;
  trial.verdict = std::move(verdict);
  return trial;
}

}  // namespace

framework::GeneratedPlacements Engine::State::PlacementsFor(const GroupCycle& cycle) {
  if (cycle.only) return {{}, {*cycle.only}};
  // Each costs a column; groups of a cluster have few.
  constexpr size_t kMaxPlacementKeys = 8;
  if (const auto* group = cluster_.objects<api::PodGroup>().Find(cycle.group)) {
    for (const std::string& label : group->topology_keys) {
      if (placement_keys_.contains(label)) continue;
      if (placement_keys_.size() == kMaxPlacementKeys) placement_keys_.clear();
      placement_keys_.emplace(label, cluster_.UseTopologyKey(label));
    }
  }
  const auto generators = profiles_[cycle.profile].profile->placement_generate();
  if (!cluster_.features().topology_aware_workload_scheduling || generators.empty())
    return {{}, {{"", cluster_.nodes().present()}}};
  return generators[0]->GeneratePlacements(cluster_, cycle.group);
}

Task<GroupTrial> Engine::State::TryPlacements(GroupCycle& cycle, bool post_filters) {
  framework::GeneratedPlacements generated = PlacementsFor(cycle);
  cycle.meter.End(framework::MeasuredPoint::kPlacementGenerate, generated.verdict.code());
  if (!generated.verdict.ok()) co_return NowherePlaced(std::move(generated.verdict));
  if (generated.placements.empty())
    co_return NowherePlaced({framework::Code::kUnschedulable, "no feasible placements found"});
  cycle.placements = std::move(generated.placements);

  if (cycle.placements.size() == 1) {
    Task<GroupTrial> search = TryMembers(cycle, &cycle.placements[0], {post_filters});
    GroupTrial trial = co_await search;
    if (!trial.verdict.ok()) TakeBack(cycle, trial);
    if (trial.verdict.rejected() && !trial.waiting_on_preemption) NameInVerdict(1, trial);
    co_return trial;
  }
  const std::vector<size_t> counts = CountMembers(cycle);
  if (!counts.empty() && !paranoid_) {
    Task<std::optional<GroupTrial>> counted = TryBestByCount(cycle, counts, post_filters);
    std::optional<GroupTrial> placed = co_await counted;
    if (placed) co_return *std::move(placed);
  }
  std::optional<GroupTrial> first;
  std::vector<GroupTrial> suitable;
  std::vector<PlacementStart> starts;
  for (const framework::Placement& placement : cycle.placements) {
    starts.push_back({&placement, next_start_});
    Task<GroupTrial> search = TryMembers(cycle, &placement, {post_filters});
    GroupTrial trial = co_await search;
    if (!counts.empty())
      CHECK(trial.assumed.size() == counts[&placement - cycle.placements.data()]);
    TakeBack(cycle, trial);
    if (trial.verdict.code() == framework::Code::kError) co_return trial;
    for (MemberTrial& member : trial.members) member.DropAttempt();
    if (trial.verdict.ok() || trial.waiting_on_preemption) {
      suitable.push_back(std::move(trial));
      continue;
    }
    starts.pop_back();
    if (first) {
      AddRejectors(trial, *first);
    } else {
      first = std::move(trial);
    }
  }
  if (suitable.empty()) {
    NameInVerdict(cycle.placements.size(), *first);
    co_return *std::move(first);
  }
  std::vector<framework::PlacementAssignments> assignments;
  for (size_t i = 0; i < suitable.size(); ++i) {
    framework::PlacementAssignments& assigned = assignments.emplace_back();
    assigned.placement = starts[i].placement;
    for (size_t j = 0; j < suitable[i].members.size(); ++j) {
      if (suitable[i].members[j].node.valid())
        assigned.members.push_back(cycle.members[j].pod.get());
    }
  }
  const Result<size_t> best = BestPlacement(cycle, assignments);
  cycle.meter.End(framework::MeasuredPoint::kPlacementScore,
                  best ? framework::Code::kSuccess : framework::Code::kError, suitable.size() > 1);
  if (!best) co_return NowherePlaced(framework::Verdict::Error(best.error().message));
  if (!suitable[*best].verdict.ok()) co_return std::move(suitable[*best]);
  // The same once more, for good: cheaper than to retain all attempts of all placements.
  next_start_ = starts[*best].next_start;
  Task<GroupTrial> again = TryMembers(cycle, starts[*best].placement, {post_filters});
  GroupTrial trial = co_await again;
  if (!trial.verdict.ok()) TakeBack(cycle, trial);  // An extender has changed its mind.
  co_return trial;
}

std::vector<size_t> Engine::State::CountMembers(const GroupCycle& cycle) {
  if (!extenders_.empty() || explain_) return {};
  const ServedProfile& served = profiles_[cycle.profile];
  model::NodeMask nodes(cluster_.nodes().rows());
  for (const framework::Placement& placement : cycle.placements) nodes |= placement.nodes;
  return CountInPlacements(
             {cluster_, *served.profile, *served.results, nodes, outbox_.latest_wall()},
             PodsOf(cycle), cycle.placements)
      .value_or(std::vector<size_t>());
}

Task<std::optional<GroupTrial>> Engine::State::TryBestByCount(GroupCycle& cycle,
                                                              const std::vector<size_t>& counts,
                                                              bool post_filters) {
  const bool is_gang = !profiles_[cycle.profile].profile->permit().empty();
  const size_t enough = is_gang ? MissingMembers(cycle) : 1;
  std::vector<framework::PlacementAssignments> assignments;
  const std::vector<const model::PodRecord*> pods = PodsOf(cycle);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < enough) continue;
    const auto placed = std::span(pods).first(counts[i]);
    assignments.push_back({&cycle.placements[i], {placed.begin(), placed.end()}});
  }
  if (assignments.empty()) co_return std::nullopt;
  const Result<size_t> best = BestPlacement(cycle, assignments);
  cycle.meter.End(framework::MeasuredPoint::kPlacementScore,
                  best ? framework::Code::kSuccess : framework::Code::kError,
                  assignments.size() > 1);
  if (!best) co_return NowherePlaced(framework::Verdict::Error(best.error().message));
  Task<GroupTrial> search = TryMembers(cycle, assignments[*best].placement, {post_filters});
  GroupTrial trial = co_await search;
  if (trial.verdict.ok()) co_return trial;
  TakeBack(cycle, trial);
  co_return std::nullopt;
}

// DIFFERS: among equals the first; kube-scheduler chooses at random.
Result<size_t> Engine::State::BestPlacement(
    const GroupCycle& cycle,
    const std::vector<framework::PlacementAssignments>& assignments) const {
  if (assignments.size() == 1) return 0;
  std::vector<int64_t> totals(assignments.size()), scores(assignments.size());
  for (const auto& [plugin, weight] : profiles_[cycle.profile].profile->placement_score()) {
    const framework::Verdict verdict =
        plugin->ScorePlacements(cluster_, cycle.group, assignments, scores);
    if (!verdict.ok()) {
      return Fail(fmt::format("running PlacementScore plugins: plugin \"{}\" failed with: {}",
                              plugin->name(), verdict.Message()));
    }
    for (size_t i = 0; i < totals.size(); ++i) {
      totals[i] += weight * scores[i];
      ENGINE_LOG(LogOf(cycle), 10, "Plugin scored placement for podGroup",
                 {{"podGroup", cycle.group.ToString()},
                  {"plugin", plugin->name()},
                  {"placement", assignments[i].placement->name},
                  {"score", weight * scores[i]}});
    }
  }
  for (size_t i = 0; i < totals.size(); ++i) {
    ENGINE_LOG(LogOf(cycle), 10, "Calculated placement's final score for podGroup",
               {{"podGroup", cycle.group.ToString()},
                {"placement", assignments[i].placement->name},
                {"score", totals[i]}});
  }
  return static_cast<size_t>(std::ranges::max_element(totals) - totals.begin());
}

}  // namespace berth::scheduler::engine
