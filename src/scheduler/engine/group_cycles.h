// GroupCycles runs the scheduling cycles of PodGroups, one at a time. It takes the members out of
// the queue; groups::GroupScheduler decides about them; it executes what was decided.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/bindings.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/failure_handler.h"
#include "scheduler/engine/plugin_trials.h"
#include "scheduler/engine/pod_cycles.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/groups/group_conditions.h"
#include "scheduler/groups/group_scheduler.h"

namespace berth::scheduler::engine {

class GroupCycles final : private groups::MemberOutcomes {
 public:
  // All must outlive this; `measurements` may be null.
  struct Services {
    model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    Outbox& outbox;
    StatusWriter& status;
    const ServedProfiles& profiles;
    PluginTrials& trials;
    PodCycles& pods;
    Bindings& bindings;
    Evictions& evictions;
    FailureHandler& failures;
    AttemptReporter& reporter;
    groups::GroupConditions& conditions;
    framework::Measurements* measurements;
    bool has_extenders;
    framework::Log log;
  };

  GroupCycles(const EngineOptions& options, const Services& services);

  // Tries the group of the pod that was popped, with all members that are in the queue, until the
  // cycle ends or waits.
  void Run(queue::QueueEntry popped, api::ObjectKey group);
  // Continues the cycle that waits; returns whether it has ended.
  bool Resume();
  // Reports whether a cycle waits for a command: for an extender, or a write of PostFilter.
  bool waits() const { return cycle_ != nullptr; }
  // The uids of the pods whose cycle has not ended.
  std::vector<std::string> pods_in_cycle() const;

  // Returns what Run would decide; no cycle may wait. See Engine::PreviewGroup.
  Result<groups::GroupPreview> Preview(const api::ObjectKey& group);

 private:
  // Takes the other members out of the queue, and orders them all.
  std::vector<queue::QueueEntry> PopMembers(queue::QueueEntry popped, const api::ObjectKey& group);
  void FailAll(std::vector<queue::QueueEntry> entries, const std::string& error);
  groups::GroupCycle MakeCycle(api::ObjectKey group, size_t profile) const;
  void AddMember(queue::QueueEntry entry, model::PodId pod, groups::GroupCycle& cycle);
  // Retains the members that could be tried now; adds those that are held to `preview`.
  Result<groups::GroupCycle> MakePreviewCycle(const api::ObjectKey& group,
                                              groups::GroupPreview& preview);

  void Bind(groups::GroupMember member, groups::PodTrial trial,
            const groups::PermitOutcome& permit) override;
  void Return(groups::GroupMember member, const groups::PodTrial* trial,
              queue::Failure failure) override;
  void Evict(const api::PodGroup& group, const std::vector<const model::PodRecord*>& members,
             const std::vector<model::PodId>& victims) override;
  void Activate(model::PodId pod) override;

  const Services services_;
  groups::GroupScheduler scheduler_;
  std::unique_ptr<groups::GroupCycle> cycle_;
};

}  // namespace berth::scheduler::engine
