#include "scheduler/groups/member_trials.h"

#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/cluster.h"

namespace berth::scheduler::groups {
namespace {

constexpr const char* kUnschedulable = "pod group is unschedulable";

}  // namespace

Task<GroupTrial> MemberTrials::Try(const GroupCycle& cycle, const framework::Placement* placement,
                                   TrialOptions options) {
  GroupTrial trial = NotPlaced({framework::Code::kUnschedulable, kUnschedulable});
  bool needs_preemption = false;
  queue::FailureCache failures(services_.cluster);
  const framework::Log log = services_.LogOf(cycle);
  if (placement != nullptr) {
    ENGINE_LOG(log, 4, "Assuming placement in snapshot", {{"placement", placement->name}});
  }
  ENGINE_LOG(
      log, 5, "Running a pod group scheduling algorithm",
      {{"podGroup", cycle.group.ToString()}, {"unscheduledPodsCount", cycle.members.size()}});
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    Task<PodTrial> attempt = TryMember(cycle, i, placement, options.post_filters, failures);
    PodTrial tried = co_await attempt;
    if (tried.node.valid()) trial.assumed.push_back(trial.members.size());
    trial.members.push_back(std::move(tried));
    const PodTrial& last = trial.members.back();
    if (!last.node.valid()) {
      const size_t failed = trial.members.size() - trial.assumed.size();
      if (options.at_least > 0 && cycle.members.size() - failed < options.at_least) break;
      if (last.failure->rejected) continue;
      trial.verdict = framework::Verdict::Error("failed to schedule other pod from a pod group: " +
                                                last.failure->message);
      trial.waiting_on_preemption = false;
      break;
    }
    needs_preemption |= last.needs_preemption;
    if (!last.permitted) continue;
    if (needs_preemption) {
      const std::vector<std::string> reasons = {kUnschedulable,
                                                "pod group is waiting for preemption to complete"};
      trial.verdict = {framework::Code::kUnschedulable, reasons};
      trial.waiting_on_preemption = true;
    } else {
      trial.verdict = {};
    }
  }
  co_return trial;
}

Task<GroupTrial> MemberTrials::TryOthers(const GroupCycle& cycle,
                                         const framework::Placement& placement, GroupTrial trial) {
  queue::FailureCache failures(services_.cluster);
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    PodTrial& member = trial.members[i];
    if (member.node.valid()) continue;
    Task<PodTrial> attempt = TryMember(cycle, i, &placement, /*post_filters=*/false, failures);
    member = co_await attempt;
    if (member.node.valid()) trial.assumed.push_back(i);
  }
  co_return trial;
}

Task<PodTrial> MemberTrials::TryMember(const GroupCycle& cycle, size_t index,
                                       const framework::Placement* placement, bool post_filters,
                                       queue::FailureCache& failures) {
  ENGINE_LOG(
      services_.LogOf(cycle), 4, "Attempting to schedule a pod belonging to a pod group",
      {{"podGroup", cycle.group.ToString()}, {"pod", cycle.members[index].pod->key().ToString()}});
  return services_.trials.Try(cycle.RequestFor(index, placement, post_filters), failures);
}

void MemberTrials::TakeBack(const GroupCycle& cycle, GroupTrial& trial) {
  for (const size_t i : trial.assumed | std::views::reverse)
    services_.trials.TakeBack(*cycle.members[i].pod, trial.members[i]);
  trial.assumed.clear();
}

}  // namespace berth::scheduler::groups
