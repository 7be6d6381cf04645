// How the engine searches for nodes for a PodGroup beyond kube-scheduler's greedy way: in topology
// domains from the smallest on, and completely, so that a placement is found if there is one.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/object.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/engine/gang_description.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {

// The members of a group on the engine's own model: those on the board are assumed.
class Engine::State::GroupBoard final : public GangBoard {
 public:
  // All must outlive the board. `trial` gets the members that are placed.
  GroupBoard(State& state, const GroupCycle& cycle, const GangContext& context, GroupTrial& trial)
      : state_(state), cycle_(cycle), context_(context), trial_(trial) {
    trial.members.resize(cycle.members.size());
  }

  std::optional<model::NodeMask> NodesFor(size_t member) override {
    return engine::NodesFor(context_, *cycle_.members[member].pod);
  }

  Placed Place(size_t member, size_t node) override {
    const model::PodRecord& pod = *cycle_.members[member].pod;
    MemberTrial tried;
    tried.results = context_.results.For(pod);
    tried.node = model::NodeRow{static_cast<uint32_t>(node)};
    tried.attempt = std::make_unique<framework::Attempt>(context_.cluster, context_.profile,
                                                         *tried.results, pod);
    framework::Attempt& attempt = *tried.attempt;
    attempt.Measure(state_.MakeMeter(cycle_));
    attempt.cycle().set_background(&state_.background_);
    attempt.cycle().set_date(context_.now);
    if (!attempt.PreFilter().ok() || !attempt.FilterNode(tried.node).ok()) return Placed::kNo;
    state_.AssumeMember(cycle_, cycle_.members[member], tried);
    if (!tried.node.valid()) return Placed::kNo;
    tried.meter = attempt.meter();
    const bool permitted = tried.permitted;
    trial_.members[member] = std::move(tried);
    trial_.assumed.push_back(member);
    return permitted ? Placed::kEnough : Placed::kYes;
  }

  void Undo() override {
    const size_t member = trial_.assumed.back();
    trial_.assumed.pop_back();
    state_.TakeBack(cycle_.members[member], trial_.members[member]);
    trial_.members[member] = {};
  }

 private:
  State& state_;
  const GroupCycle& cycle_;
  const GangContext& context_;
  GroupTrial& trial_;
};

std::vector<const model::PodRecord*> Engine::State::PodsOf(const GroupCycle& cycle) const {
  std::vector<const model::PodRecord*> pods;
  for (const GroupMember& member : cycle.members) pods.push_back(member.pod.get());
  return pods;
}

size_t Engine::State::MissingMembers(const GroupCycle& cycle) const {
  const api::PodGroup* group = cluster_.objects<api::PodGroup>().Find(cycle.group);
  if (group == nullptr || !group->min_count || *group->min_count < 0) return 1;
  const auto wanted = static_cast<size_t>(*group->min_count);
  const size_t scheduled = cluster_.groups().Of(cycle.group).scheduled.size();
  return wanted > scheduled ? wanted - scheduled : 1;
}

// --- complete search ---

std::string Engine::State::OutcomeOf(const SearchReport& report, size_t needed) {
  if (!report.decided) return fmt::format("complete search: not decided in {} steps", report.steps);
  std::string outcome = "complete search: there is no placement";
  if (report.room < needed) {
    outcome += fmt::format(", resources suffice for {} of {} members that must be placed",
                           report.room, needed);
  }
  return outcome;
}

Task<std::optional<GroupTrial>> Engine::State::SearchGroup(GroupCycle& cycle,
                                                           std::string& outcome) {
  if (!extenders_.empty()) {
    outcome = "complete search: extenders cannot be asked about thousands of placements";
    co_return std::nullopt;
  }
  const framework::GeneratedPlacements generated = PlacementsFor(cycle);
  if (!generated.verdict.ok()) co_return std::nullopt;
  SearchReport report;
  for (const framework::Placement& placement : generated.placements) {
    Task<std::optional<GroupTrial>> search =
        SearchPlacement(cycle, placement, cycle.steps_left, report);
    std::optional<GroupTrial> found = co_await search;
    if (found) co_return found;
  }
  outcome = OutcomeOf(report, MissingMembers(cycle));
  co_return std::nullopt;
}

Task<std::optional<GroupTrial>> Engine::State::SearchPlacement(
    GroupCycle& cycle, const framework::Placement& placement, uint64_t steps,
    SearchReport& report) {
  const ServedProfile& served = profiles_[cycle.profile];
  const GangContext context{cluster_, *served.profile, *served.results, placement.nodes,
                            outbox_.latest_wall()};
  const auto problem = DescribeGang(context, PodsOf(cycle), MissingMembers(cycle));
  if (!problem) {
    report.decided = false;
    co_return std::nullopt;
  }
  GroupTrial trial;
  GroupBoard board(*this, cycle, context, trial);
  const GangSearchResult result = SearchGang(*problem, board, steps);
  cycle.steps_left -= result.steps;
  report.steps += result.steps;
  report.decided = report.decided && result.end != GangSearchEnd::kUndecided;
  report.room = std::max(report.room, result.room);
  if (result.end != GangSearchEnd::kFound) co_return std::nullopt;
  Task<GroupTrial> rest = TryOthers(cycle, placement, std::move(trial));
  std::optional<GroupTrial> all = co_await rest;
  co_return all;
}

Task<GroupTrial> Engine::State::TryOthers(GroupCycle& cycle, const framework::Placement& placement,
                                          GroupTrial trial) {
  FailureCache failures(cluster_);
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    MemberTrial& member = trial.members[i];
    if (member.node.valid()) continue;
    Task<MemberTrial> attempt =
        TryMember(cycle, cycle.members[i], &placement, /*post_filters=*/false, failures);
    member = co_await attempt;
    if (member.node.valid()) trial.assumed.push_back(i);
  }
  co_return trial;
}

// --- topology levels ---

Task<std::optional<GroupTrial>> Engine::State::TryLevels(GroupCycle& cycle) {
  const ServedProfile& served = profiles_[cycle.profile];
  const framework::GeneratedPlacements generated = PlacementsFor(cycle);
  if (!generated.verdict.ok() || generated.placements.empty()) co_return std::nullopt;
  model::NodeMask nodes(cluster_.nodes().rows());
  for (const framework::Placement& placement : generated.placements) nodes |= placement.nodes;
  const GangContext context{cluster_, *served.profile, *served.results, nodes,
                            outbox_.latest_wall()};
  const size_t missing = MissingMembers(cycle);
  const auto problem = DescribeGang(context, PodsOf(cycle), missing);
  if (!problem) co_return std::nullopt;
  std::vector<model::NodeRow> scheduled;
  for (model::PodId id : cluster_.groups().Of(cycle.group).scheduled)
    scheduled.push_back(cluster_.pod(id).node);
  const GangDomains domains(cluster_, *problem, served.profile->group_search().topology_levels,
                            generated.placements, scheduled);
  Task<std::optional<GroupTrial>> all = TryDomains(cycle, domains, cycle.members.size());
  std::optional<GroupTrial> trial = co_await all;
  const api::PodGroup* group = cluster_.objects<api::PodGroup>().Find(cycle.group);
  const bool is_gang = group != nullptr && group->min_count.has_value();
  if (trial || !is_gang || missing >= cycle.members.size()) co_return trial;
  // Not all members near each other, but as many as must be.
  Task<std::optional<GroupTrial>> enough = TryDomains(cycle, domains, missing);
  trial = co_await enough;
  co_return trial;
}

Task<std::optional<GroupTrial>> Engine::State::TryDomains(GroupCycle& cycle,
                                                          const GangDomains& domains,
                                                          size_t members) {
  const framework::GroupSearch& how = profiles_[cycle.profile].profile->group_search();
  // A search finds as many members as must be placed, not more.
  const bool searches = how.complete && extenders_.empty() && members <= MissingMembers(cycle);
  for (size_t level = 0; level < domains.levels(); ++level) {
    // Each level has its part of the budget, and so has the search everywhere.
    const uint64_t part = std::min(how.budget / (domains.levels() + 1), cycle.steps_left);
    const uint64_t reserved = cycle.steps_left - part;
    for (const GangDomains::Domain* domain : domains.Holding(level, members)) {
      const framework::Placement placement = domains.PlacementOf(*domain);
      Task<GroupTrial> greedy =
          TryMembers(cycle, &placement, {.post_filters = false, .at_least = members});
      GroupTrial trial = co_await greedy;
      if (trial.verdict.ok() && trial.assumed.size() >= members) co_return trial;
      TakeBack(cycle, trial);
      if (!searches) continue;
      SearchReport report;
      Task<std::optional<GroupTrial>> search =
          SearchPlacement(cycle, placement, cycle.steps_left - reserved, report);
      std::optional<GroupTrial> found = co_await search;
      if (found) co_return found;
    }
  }
  co_return std::nullopt;
}

}  // namespace berth::scheduler::engine
