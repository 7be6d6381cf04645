#include "scheduler/groups/placements.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/groups/placement_counts.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::groups {
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

// A placement that was tried, and where the search for nodes began.
struct PlacementStart {
  const framework::Placement* placement;
  size_t next_start;
};

}  // namespace

framework::GeneratedPlacements Placements::For(const GroupCycle& cycle) {
  if (cycle.only) return {{}, {*cycle.only}};
  // Each costs a column; groups of a cluster have few.
  constexpr size_t kMaxPlacementKeys = 8;
  if (const auto* group = services_.cluster.objects<api::PodGroup>().Find(cycle.group)) {
    for (const std::string& label : group->topology_keys) {
      if (placement_keys_.contains(label)) continue;
      if (placement_keys_.size() == kMaxPlacementKeys) placement_keys_.clear();
      placement_keys_.emplace(label, services_.cluster.UseTopologyKey(label));
    }
  }
  const auto generators = cycle.plugins->placement_generate();
  if (!services_.cluster.features().topology_aware_workload_scheduling || generators.empty())
    return {{}, {{"", services_.cluster.nodes().present()}}};
  return generators[0]->GeneratePlacements(services_.cluster, cycle.group);
}

Task<GroupTrial> Placements::Try(GroupCycle& cycle, bool post_filters) {
  framework::GeneratedPlacements generated = For(cycle);
  cycle.meter.End(framework::MeasuredPoint::kPlacementGenerate, generated.verdict.code());
  if (!generated.verdict.ok()) co_return NotPlaced(std::move(generated.verdict));
  if (generated.placements.empty())
    co_return NotPlaced({framework::Code::kUnschedulable, "no feasible placements found"});
  cycle.placements = std::move(generated.placements);

  if (cycle.placements.size() == 1) {
    Task<GroupTrial> search = members_.Try(cycle, &cycle.placements[0], {post_filters});
    GroupTrial trial = co_await search;
    if (!trial.verdict.ok()) members_.TakeBack(cycle, trial);
    if (trial.verdict.rejected() && !trial.waiting_on_preemption) NameInVerdict(1, trial);
    co_return trial;
  }
  const std::vector<size_t> counts = CountMembers(cycle);
  if (!counts.empty() && !services_.paranoid) {
    Task<std::optional<GroupTrial>> counted = TryBestByCount(cycle, counts, post_filters);
    std::optional<GroupTrial> placed = co_await counted;
    if (placed) co_return *std::move(placed);
  }
  std::optional<GroupTrial> first;
  std::vector<GroupTrial> suitable;
  std::vector<PlacementStart> starts;
  for (const framework::Placement& placement : cycle.placements) {
    starts.push_back({&placement, services_.trials.turns().next_start});
    Task<GroupTrial> search = members_.Try(cycle, &placement, {post_filters});
    GroupTrial trial = co_await search;
    if (!counts.empty())
      CHECK(trial.assumed.size() == counts[&placement - cycle.placements.data()]);
    members_.TakeBack(cycle, trial);
    if (trial.verdict.code() == framework::Code::kError) co_return trial;
    for (PodTrial& member : trial.members) member.DropAttempt();
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
  if (!best) co_return NotPlaced(framework::Verdict::Error(best.error().message));
  if (!suitable[*best].verdict.ok()) co_return std::move(suitable[*best]);
  // The best once more, for good: cheaper than to retain all attempts of all placements.
  services_.trials.turns().next_start = starts[*best].next_start;
  Task<GroupTrial> again = members_.Try(cycle, starts[*best].placement, {post_filters});
  GroupTrial trial = co_await again;
  if (!trial.verdict.ok()) members_.TakeBack(cycle, trial);  // An extender has changed its mind.
  co_return trial;
}

std::vector<size_t> Placements::CountMembers(const GroupCycle& cycle) {
  if (services_.has_extenders || services_.explain) return {};
  model::NodeMask nodes(services_.cluster.nodes().rows());
  for (const framework::Placement& placement : cycle.placements) nodes |= placement.nodes;
  return CountInPlacements(
             {services_.cluster, *cycle.plugins, *cycle.results, nodes, services_.trials.date()},
             cycle.pods(), cycle.placements)
      .value_or(std::vector<size_t>());
}

Task<std::optional<GroupTrial>> Placements::TryBestByCount(GroupCycle& cycle,
                                                           const std::vector<size_t>& counts,
                                                           bool post_filters) {
  const bool is_gang = !cycle.plugins->permit().empty();
  const size_t enough = is_gang ? MissingMembers(services_.cluster, cycle) : 1;
  std::vector<framework::PlacementAssignments> assignments;
  const std::vector<const model::PodRecord*> pods = cycle.pods();
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
  if (!best) co_return NotPlaced(framework::Verdict::Error(best.error().message));
  Task<GroupTrial> search = members_.Try(cycle, assignments[*best].placement, {post_filters});
  GroupTrial trial = co_await search;
  if (trial.verdict.ok()) co_return trial;
  members_.TakeBack(cycle, trial);
  co_return std::nullopt;
}

// DIFFERS: among equals the first; kube-scheduler chooses at random.
Result<size_t> Placements::BestPlacement(
    const GroupCycle& cycle,
    const std::vector<framework::PlacementAssignments>& assignments) const {
  if (assignments.size() == 1) return 0;
  std::vector<int64_t> totals(assignments.size()), scores(assignments.size());
  for (const auto& [plugin, weight] : cycle.plugins->placement_score()) {
    const framework::Verdict verdict =
        plugin->ScorePlacements(services_.cluster, cycle.group, assignments, scores);
    if (!verdict.ok()) {
      return Fail(fmt::format("running PlacementScore plugins: plugin \"{}\" failed with: {}",
                              plugin->name(), verdict.Message()));
    }
    for (size_t i = 0; i < totals.size(); ++i) {
      totals[i] += weight * scores[i];
      ENGINE_LOG(services_.LogOf(cycle), 10, "Plugin scored placement for podGroup",
                 {{"podGroup", cycle.group.ToString()},
                  {"plugin", plugin->name()},
                  {"placement", assignments[i].placement->name},
                  {"score", weight * scores[i]}});
    }
  }
  for (size_t i = 0; i < totals.size(); ++i) {
    ENGINE_LOG(services_.LogOf(cycle), 10, "Calculated placement's final score for podGroup",
               {{"podGroup", cycle.group.ToString()},
                {"placement", assignments[i].placement->name},
                {"score", totals[i]}});
  }
  return static_cast<size_t>(std::ranges::max_element(totals) - totals.begin());
}

}  // namespace berth::scheduler::groups
