#include "scheduler/groups/placement_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/groups/complete_search.h"
#include "scheduler/groups/group_description.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::groups {
namespace {

// The members of a group on the engine's own model: those on the board are assumed.
class GroupBoard final : public SearchBoard {
 public:
  // All must outlive the board. `trial` gets the members that are placed.
  GroupBoard(PodTrials& trials, const GroupCycle& cycle, const GroupContext& context,
             GroupTrial& trial)
      : trials_(trials), cycle_(cycle), context_(context), trial_(trial) {
    trial.members.resize(cycle.members.size());
  }

  std::optional<model::NodeMask> NodesFor(size_t member) override {
    return groups::NodesFor(context_, *cycle_.members[member].pod);
  }

  Placed Place(size_t member, size_t node) override {
    PodTrial tried = trials_.TryOn(cycle_.RequestFor(member, nullptr, /*post_filters=*/false),
                                   model::NodeRow{static_cast<uint32_t>(node)});
    if (!tried.node.valid()) return Placed::kNo;
    const bool permitted = tried.permitted;
    trial_.members[member] = std::move(tried);
    trial_.assumed.push_back(member);
    return permitted ? Placed::kEnough : Placed::kYes;
  }

  void Undo() override {
    const size_t member = trial_.assumed.back();
    trial_.assumed.pop_back();
    trials_.TakeBack(*cycle_.members[member].pod, trial_.members[member]);
    trial_.members[member] = {};
  }

 private:
  PodTrials& trials_;
  const GroupCycle& cycle_;
  const GroupContext& context_;
  GroupTrial& trial_;
};

}  // namespace

std::string SearchReport::Text(size_t needed) const {
  if (!decided) return fmt::format("complete search: not decided in {} steps", steps);
  std::string outcome = "complete search: there is no placement";
  if (capacity < needed) {
    outcome += fmt::format(", resources suffice for {} of {} members that must be placed", capacity,
                           needed);
  }
  return outcome;
}

Task<std::optional<GroupTrial>> PlacementSearch::Search(GroupCycle& cycle,
                                                        const framework::Placement& placement,
                                                        uint64_t steps, SearchReport& report) {
  const GroupContext context{services_.cluster, *cycle.plugins, *cycle.results, placement.nodes,
                             services_.trials.date()};
  const auto problem =
      DescribeGroup(context, cycle.pods(), MissingMembers(services_.cluster, cycle));
  if (!problem) {
    report.decided = false;
    co_return std::nullopt;
  }
  GroupTrial trial;
  GroupBoard board(services_.trials, cycle, context, trial);
  const CompleteSearchResult result = SearchCompletely(*problem, board, steps);
  cycle.steps_left -= result.steps;
  report.steps += result.steps;
  report.decided = report.decided && result.end != SearchEnd::kUndecided;
  report.capacity = std::max(report.capacity, result.capacity);
  if (result.end != SearchEnd::kFound) co_return std::nullopt;
  Task<GroupTrial> rest = members_.TryOthers(cycle, placement, std::move(trial));
  std::optional<GroupTrial> all = co_await rest;
  co_return all;
}

}  // namespace berth::scheduler::groups
