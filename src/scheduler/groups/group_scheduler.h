// GroupScheduler schedules the members of a PodGroup: all that wait are tried in one cycle, each on
// the cluster with the ones before it, and only then it is decided whether any is bound.
//
// It decides; the engine acts. The engine takes the members out of its queue, tries single pods
// (PodTrials), and binds them or returns them to the queue (MemberOutcomes).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/task.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/groups/find_nodes.h"
#include "scheduler/groups/group_conditions.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/groups/group_preemption.h"
#include "scheduler/groups/group_preview.h"
#include "scheduler/groups/member_trials.h"
#include "scheduler/groups/placements.h"

namespace berth::scheduler::groups {

// MemberOutcomes executes what was decided about members. The engine implements it, with what it
// does for any pod.
class MemberOutcomes {
 public:
  virtual ~MemberOutcomes() = default;

  // Starts the binding cycle of a member that is assumed.
  virtual void Bind(GroupMember member, PodTrial trial, const PermitOutcome& permit) = 0;
  // Returns a member to the queue. `trial` is null if it was not tried.
  virtual void Return(GroupMember member, const PodTrial* trial, queue::Failure failure) = 0;
  // Starts to evict pods for the group as a whole.
  virtual void Evict(const api::PodGroup& group,
                     const std::vector<const model::PodRecord*>& members,
                     const std::vector<model::PodId>& victims) = 0;
  // Lets a pod that is in the queue be tried at once.
  virtual void Activate(model::PodId pod) = 0;
};

class GroupScheduler {
 public:
  // All must outlive this; `measurements` may be null.
  GroupScheduler(const GroupServices& services, MemberOutcomes& outcomes,
                 GroupConditions& conditions, framework::Measurements* measurements)
      : services_(services),
        outcomes_(outcomes),
        conditions_(conditions),
        measurements_(measurements) {}

  // Runs the cycle, to its end: all members are bound or in the queue then. It waits for extenders
  // and for writes of PostFilter plugins.
  Task<bool> Run(GroupCycle& cycle);
  // Adds to `preview` what Run would decide, without preemption by single members. Nothing is
  // written, and the model is as before: it does not wait.
  void Preview(GroupCycle& cycle, GroupPreview& preview);

 private:
  // A group that is not placed leaves no trace in the model: in paranoid mode that is checked.
  void CheckUnchanged(const GroupCycle& cycle) const;
  // Starts to evict pods for the group; returns why it cannot.
  Task<framework::Verdict> Preempt(GroupCycle& cycle, GroupTrial& trial);
  Task<bool> RunPreview(GroupCycle& cycle, GroupPreview& preview);

  // --- submit_group.cc ---

  // Binds the members that have a node, or returns all to the queue.
  void Submit(GroupCycle& cycle, GroupTrial trial);
  // Asks the Permit plugins about the members that have a node. Those that are rejected have none
  // then; if too few are left, the trial has failed, and nothing is returned.
  std::vector<PermitOutcome> AskPermits(const GroupCycle& cycle, GroupTrial& trial);
  // Why the member returns to the queue.
  queue::Failure FailureOf(const GroupTrial& trial, const PodTrial* member) const;
  void LogOutcome(const GroupCycle& cycle, const GroupTrial& trial, size_t not_bound) const;

  const GroupServices services_;
  MemberOutcomes& outcomes_;
  GroupConditions& conditions_;
  framework::Measurements* const measurements_;
  MemberTrials members_{services_};
  Placements placements_{services_, members_};
  NodeFinder nodes_{services_, members_, placements_};
  GroupPreemption preemption_{services_, members_, placements_, nodes_};
};

}  // namespace berth::scheduler::groups
