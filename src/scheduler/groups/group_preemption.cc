#include "scheduler/groups/group_preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "api/object.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::groups {
namespace {

constexpr const char* kNoPlacement = "no feasible placements found";

framework::Verdict NoSuchGroup(std::string_view doing, const api::ObjectKey& group) {
  return framework::Verdict::Error(
      fmt::format("{}podgroup.scheduling.k8s.io \"{}\" not found", doing, group.name));
}

framework::PodGroupPostFilterResult Unable(std::string_view why) {
  return {{framework::Code::kUnschedulable, std::string(why)}, {}};
}

// What is lost by evicting the victims, as kube-scheduler compares victims of a pod.
std::tuple<size_t, int64_t, int64_t, size_t> LossOf(
    const model::Cluster& cluster, const framework::PodGroupPostFilterResult& selected) {
  int64_t highest = INT64_MIN, sum = 0;
  for (model::PodId id : selected.victims) {
    const int64_t priority = cluster.pod(id).object->priority();
    highest = std::max(highest, priority);
    sum += priority - INT32_MIN;
  }
  return {selected.violations, highest, sum, selected.victims.size()};
}

}  // namespace

Task<framework::PodGroupPostFilterResult> GroupPreemption::SelectVictims(GroupCycle& cycle,
                                                                         GroupTrial& trial) {
  using framework::PodGroupPostFilterResult;
  const auto plugins = cycle.plugins->pod_group_post_filter();
  if (plugins.empty()) {
    co_return Unable(
        "default preemption plugin is not registered, workload aware preemption is disabled");
  }
  const auto& groups = services_.cluster.objects<api::PodGroup>().all();
  const auto found = groups.find(cycle.group);
  if (found == groups.end()) {
    co_return PodGroupPostFilterResult{NoSuchGroup("failed to get pod group object: ", cycle.group),
                                       {}};
  }
  const std::shared_ptr<const api::PodGroup> group = found->second;
  const framework::GroupSearch& how = cycle.plugins->group_search();
  if (!group->topology_keys.empty() && !how.complete) {
    co_return Unable(
        "workload aware preemption is not supported for pod groups with scheduling constraints");
  }
  framework::FailedGroup failed{services_.cluster, *group, {}, services_.trials.date(), {}};
  failed.spares = how.complete;
  // Finding victims may cost as much as looking for nodes.
  cycle.steps_left = how.budget;
  cycle.explains = false;
  failed.members = cycle.pods();
  failed.fits = [this, &cycle] { return Fits(cycle); };
  Task<PodGroupPostFilterResult> selection = how.complete
                                                 ? SelectLeastVictims(cycle, failed, *plugins[0])
                                                 : plugins[0]->PodGroupPostFilter(failed);
  PodGroupPostFilterResult selected = co_await selection;
  if (how.complete && selected.verdict.ok()) {
    Task<std::vector<model::NodeRow>> nominations = NodesWithout(selected.victims, cycle);
    trial.nominations = co_await nominations;
    cycle.only.reset();
  }
  co_return selected;
}

Task<framework::PodGroupPostFilterResult> GroupPreemption::SelectLeastVictims(
    GroupCycle& cycle, framework::FailedGroup& failed,
    const framework::PodGroupPostFilterPlugin& plugin) {
  const framework::GeneratedPlacements generated = placements_.For(cycle);
  framework::PodGroupPostFilterResult best{{framework::Code::kUnschedulable, kNoPlacement}, {}};
  size_t chosen = 0;
  for (size_t i = 0; i < generated.placements.size(); ++i) {
    cycle.only = generated.placements[i];
    failed.nodes = &generated.placements[i].nodes;
    Task<framework::PodGroupPostFilterResult> selection = plugin.PodGroupPostFilter(failed);
    framework::PodGroupPostFilterResult selected = co_await selection;
    const bool is_better = selected.verdict.ok() &&
                           (!best.verdict.ok() ||
                            LossOf(services_.cluster, selected) < LossOf(services_.cluster, best));
    if (!is_better && i > 0) continue;
    best = std::move(selected);
    chosen = i;
  }
  failed.nodes = nullptr;
  cycle.only.reset();
  if (best.verdict.ok()) cycle.only = generated.placements[chosen];
  co_return best;
}

Task<std::vector<model::NodeRow>> GroupPreemption::NodesWithout(
    const std::vector<model::PodId>& victims, GroupCycle& cycle) {
  for (model::PodId id : victims) services_.cluster.TakeOff(id);
  Task<GroupTrial> search = nodes_.Find(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await search;
  std::vector<model::NodeRow> nodes;
  if (trial.verdict.ok()) {
    for (const PodTrial& member : trial.members) nodes.push_back(member.node);
    members_.TakeBack(cycle, trial);
  }
  for (model::PodId id : victims | std::views::reverse) services_.cluster.PutBack(id);
  co_return nodes;
}

Task<framework::Verdict> GroupPreemption::Fits(GroupCycle& cycle) {
  Task<GroupTrial> search = nodes_.Find(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await search;
  if (trial.verdict.ok()) members_.TakeBack(cycle, trial);
  co_return std::move(trial.verdict);
}

}  // namespace berth::scheduler::groups
