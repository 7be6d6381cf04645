#include "scheduler/groups/find_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/object.h"
#include "scheduler/groups/group_description.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::groups {
namespace {

// Names the first member that fits nowhere, and says why; empty if there is none.
std::string FirstStopped(const GroupCycle& cycle, const GroupTrial& trial) {
  for (size_t i = 0; i < trial.members.size(); ++i) {
    const std::optional<queue::Failure>& failure = trial.members[i].failure;
    if (failure && failure->rejected)
      return fmt::format("{}: {}", cycle.members[i].pod->key().name, failure->message);
  }
  return "";
}

}  // namespace

Task<GroupTrial> NodeFinder::Find(GroupCycle& cycle, bool post_filters) {
  const framework::GroupSearch& how = cycle.plugins->group_search();
  if (!how.topology_levels.empty()) {
    Task<std::optional<GroupTrial>> levels = TryLevels(cycle);
    std::optional<GroupTrial> near = co_await levels;
    if (near) co_return *std::move(near);
  }
  if (!how.complete) {
    Task<GroupTrial> search = TryGreedily(cycle, post_filters);
    GroupTrial trial = co_await search;
    co_return trial;
  }
  // Nobody is evicted while it is not known whether the group fits without.
  Task<GroupTrial> greedy = TryGreedily(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await greedy;
  if (!trial.verdict.rejected()) co_return trial;
  std::string outcome;
  Task<std::optional<GroupTrial>> search = SearchPlacements(cycle, outcome);
  std::optional<GroupTrial> found = co_await search;
  if (found) co_return *std::move(found);
  if (!post_filters) co_return trial;
  Task<GroupTrial> again = TryGreedily(cycle, post_filters);
  trial = co_await again;
  if (trial.verdict.rejected()) {
    AddReason(outcome, trial.verdict);
    if (std::string stopped = FirstStopped(cycle, trial); !stopped.empty())
      AddReason(std::move(stopped), trial.verdict);
  }
  co_return trial;
}

Task<GroupTrial> NodeFinder::TryGreedily(GroupCycle& cycle, bool post_filters) {
  if (services_.cluster.features().topology_aware_workload_scheduling) {
    Task<GroupTrial> search = placements_.Try(cycle, post_filters);
    GroupTrial trial = co_await search;
    co_return trial;
  }
  Task<GroupTrial> search = members_.Try(cycle, nullptr, {post_filters});
  GroupTrial trial = co_await search;
  if (!trial.verdict.ok()) members_.TakeBack(cycle, trial);
  co_return trial;
}

// --- complete search ---

Task<std::optional<GroupTrial>> NodeFinder::SearchPlacements(GroupCycle& cycle,
                                                             std::string& outcome) {
  if (services_.has_extenders) {
    outcome = "complete search: extenders cannot be asked about thousands of placements";
    co_return std::nullopt;
  }
  const framework::GeneratedPlacements generated = placements_.For(cycle);
  if (!generated.verdict.ok()) co_return std::nullopt;
  SearchReport report;
  for (const framework::Placement& placement : generated.placements) {
    Task<std::optional<GroupTrial>> search =
        search_.Search(cycle, placement, cycle.steps_left, report);
    std::optional<GroupTrial> found = co_await search;
    if (found) co_return found;
  }
  outcome = report.Text(MissingMembers(services_.cluster, cycle));
  co_return std::nullopt;
}

// --- topology levels ---

Task<std::optional<GroupTrial>> NodeFinder::TryLevels(GroupCycle& cycle) {
  const framework::GeneratedPlacements generated = placements_.For(cycle);
  if (!generated.verdict.ok() || generated.placements.empty()) co_return std::nullopt;
  model::NodeMask nodes(services_.cluster.nodes().rows());
  for (const framework::Placement& placement : generated.placements) nodes |= placement.nodes;
  const GroupContext context{services_.cluster, *cycle.plugins, *cycle.results, nodes,
                             services_.trials.date()};
  const size_t missing = MissingMembers(services_.cluster, cycle);
  const auto problem = DescribeGroup(context, cycle.pods(), missing);
  if (!problem) co_return std::nullopt;
  std::vector<model::NodeRow> scheduled;
  for (model::PodId id : services_.cluster.groups().Of(cycle.group).scheduled)
    scheduled.push_back(services_.cluster.pod(id).node);
  const GroupDomains domains(services_.cluster, *problem,
                             cycle.plugins->group_search().topology_levels, generated.placements,
                             scheduled);
  Task<std::optional<GroupTrial>> all = TryDomains(cycle, domains, cycle.members.size());
  std::optional<GroupTrial> trial = co_await all;
  const api::PodGroup* group = services_.cluster.objects<api::PodGroup>().Find(cycle.group);
  const bool is_gang = group != nullptr && group->min_count.has_value();
  if (trial || !is_gang || missing >= cycle.members.size()) co_return trial;
  // Not all members near each other, but as many as must be.
  Task<std::optional<GroupTrial>> enough = TryDomains(cycle, domains, missing);
  trial = co_await enough;
  co_return trial;
}

Task<std::optional<GroupTrial>> NodeFinder::TryDomains(GroupCycle& cycle,
                                                       const GroupDomains& domains,
                                                       size_t members) {
  const framework::GroupSearch& how = cycle.plugins->group_search();
  // A search finds as many members as must be placed, not more.
  const bool searches = how.complete && !services_.has_extenders &&
                        members <= MissingMembers(services_.cluster, cycle);
  for (size_t level = 0; level < domains.levels(); ++level) {
    // Each level has its part of the budget, and so has the search everywhere.
    const uint64_t part = std::min(how.budget / (domains.levels() + 1), cycle.steps_left);
    const uint64_t reserved = cycle.steps_left - part;
    for (const GroupDomains::Domain* domain : domains.Holding(level, members)) {
      const framework::Placement placement = domains.PlacementOf(*domain);
      Task<GroupTrial> greedy =
          members_.Try(cycle, &placement, {.post_filters = false, .at_least = members});
      GroupTrial trial = co_await greedy;
      if (trial.verdict.ok() && trial.assumed.size() >= members) co_return trial;
      members_.TakeBack(cycle, trial);
      if (!searches) continue;
      SearchReport report;
      Task<std::optional<GroupTrial>> search =
          search_.Search(cycle, placement, cycle.steps_left - reserved, report);
      std::optional<GroupTrial> found = co_await search;
      if (found) co_return found;
    }
  }
  co_return std::nullopt;
}

}  // namespace berth::scheduler::groups
