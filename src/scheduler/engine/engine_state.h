// Engine::State is the state of an engine, and the handlers that change it.
//
// Besides engine.cc, its methods are in schedule_one.cc, which tries pods, schedule_group.cc,
// try_placements.cc, search_group.cc, preempt_group.cc, submit_group.cc and preview_group.cc, which
// try groups of pods, failure_handling.cc, which ends failed attempts and binding cycles, and
// attempt_report.cc, which reports attempts.
// Objects that the API reports go through EventHandlers.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "scheduler/engine/attempt_report.h"
#include "scheduler/engine/binding_cycle.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/extenders.h"
#include "scheduler/engine/failure.h"
#include "scheduler/engine/gang_domains.h"
#include "scheduler/engine/gang_search.h"
#include "scheduler/engine/group_conditions.h"
#include "scheduler/engine/group_cycle.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/paranoid_check.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/ranking_budget.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

// A profile and what the engine computes with it.
struct ServedProfile {
  std::unique_ptr<framework::Profile> profile;
  std::unique_ptr<framework::ClassResultsCache> results;
  std::unique_ptr<ParanoidCheck> paranoid_check;  // In paranoid mode.
  std::optional<int32_t> percentage_of_nodes_to_score;

  // The plugins that the diagnosis names.
  queue::Rejectors RejectorsIn(const framework::Diagnosis& diagnosis) const;
  framework::PluginMask MaskOf(std::string_view plugin) const;
};

class Engine::State {
 public:
  using Profiles = std::vector<std::unique_ptr<framework::Profile>>;

  // `profiles` are those of options.profiles, in the same order.
  State(const EngineOptions& options, Profiles profiles);

  void Handle(const Event& event, const Now& now);
  // Tries one pod; returns false if none is ready, or the cycle of the last one has not ended: it
  // waits for an extender, for a write, or for its victims to be evicted.
  bool ScheduleOne();
  // Advances the time, and everything that waits for a time up to `now`.
  void PassTime(const Now& now);
  std::optional<Instant> next_wake() const;
  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);
  Result<bool> MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                           bool* has_equals);
  Result<Decision> Preview(std::shared_ptr<const api::Pod> pod, Instant now);
  Result<PodFit> Evaluate(std::shared_ptr<const api::Pod> pod, std::span<const std::string> nodes,
                          Instant now);
  Result<GroupPreview> PreviewGroup(const api::ObjectKey& group);
  // For WhatIf, which calls DropRemovedClasses after each change.
  model::Cluster& mutable_cluster() { return cluster_; }
  void DropRemovedClasses();
  // Reports whether a cycle, of a pod or a group, waits for a command.
  bool cycle_waits() const { return cycle_ != nullptr || group_cycle_ != nullptr; }
  // Passes the current sizes to the measurements.
  void ReportSizes() const;
  framework::EngineSizes Sizes() const;

 private:
  friend class Engine;

  std::vector<ServedProfile> Serve(const EngineOptions& options, Profiles profiles);
  queue::SchedulingQueue::Options QueueOptions(const EngineOptions& options) const;
  Instant now() const { return outbox_.now(); }
  // Where the next search begins; the search advances it.
  size_t& NextStart() {
    if (!equals_take_turns_) next_start_ = 0;
    return next_start_;
  }
  Now present() const { return {outbox_.now(), outbox_.wall_now()}; }
  // Returns the meter of an attempt that begins now.
  framework::AttemptMeter MakeMeter(size_t profile) {
    if (measurements_ == nullptr) return {};
    return {*measurements_, profile, sampler_.Next()};
  }

  // --- events (engine.cc) ---

  // Return what the event is called in metrics.
  using HandledEvents = std::span<const framework::EventType>;
  HandledEvents On(const ObjectPut& put) { return handlers_.Put(put.object); }
  HandledEvents On(const ObjectDeleted& deleted) { return handlers_.Delete(deleted.object); }
  HandledEvents On(const WriteDone& done);
  HandledEvents On(const PermitDecision& decision);
  // Resumes the scheduling cycle that waits for a command, or defers the event.
  void HandleDuringCycle(const Event& event, const Now& time);

  // --- schedule_one.cc ---

  // A scheduling cycle: the pod that is being tried, and the search for its node.
  struct RunningCycle {
    std::shared_ptr<framework::ClassResults> results;
    BindingCycle::Placement placement;
    Decision decision;
    Task<CycleOutcome> search;
  };

  // A cycle that lasts until its victims are evicted. Only without the feature
  // SchedulerAsyncPreemption.
  struct PreemptingCycle {
    std::unique_ptr<RunningCycle> cycle;
    Failure failure;
    SymbolHolder symbols;  // Of the nominated node.
  };

  void TryPod(queue::QueueEntry entry);
  // Acts on the result of the search of `cycle_`.
  void FinishCycle();
  void PreemptWithinCycle(std::unique_ptr<RunningCycle> cycle, Failure failure);
  // The victims of `preempting_` are evicted, or could not be.
  void FinishPreemptingCycle(const framework::Verdict& evicted);
  // The last step of a cycle that found no node.
  void EndFailedCycle(RunningCycle& cycle, const Failure& failure);
  void CacheFailure(const model::PodRecord& pod, size_t profile, const Failure& failure);
  // Runs Reserve and Permit; on success the binding cycle has started.
  std::optional<Failure> Place(BindingCycle::Placement& placement);
  std::optional<Failure> RunReservePlugins(size_t profile, framework::Attempt& attempt,
                                           model::NodeRow node);
  PermitOutcome RunPermitPlugins(size_t profile, framework::Attempt& attempt, model::NodeRow node);
  // The pod waits for the plugins that returned Wait, if any did.
  void AwaitPermit(BindingCycle::Placement& placement, const PermitOutcome& permit);
  void StartBinding(BindingCycle::Placement placement);
  Failure FailureOf(const CycleOutcome& outcome, const ServedProfile& served);
  Decision DecisionOf(const api::Pod& pod, const CycleOutcome& outcome) const;
  // Returns the answer of `question` about an attempt of `pod`, which need not be known.
  template <typename Answer>
  Result<Answer> Ask(std::shared_ptr<const api::Pod> pod,
                     const std::function<Answer(framework::Attempt&)>& question);
  // The failure of an attempt that ends with a plugin's verdict about the chosen node.
  Failure FailureAt(model::NodeRow node, framework::Verdict verdict, const ServedProfile& served);

  // --- attempt_report.cc ---

  // Null if nobody observes attempts.
  std::shared_ptr<const FailureAccount> Account(const framework::Diagnosis& diagnosis);
  // Writes the best nodes of an attempt that has just found one; returns how many.
  size_t RankNodes(framework::Attempt& attempt, std::span<framework::ScoredNode> into);
  // For an observer, which there must be.
  uint64_t ReportPlaced(const BindingCycle::Placement& placement,
                        std::span<const framework::ScoredNode> candidates);
  // `decision` has the result of preemption, `diagnosis` the verdicts of all nodes; either may be
  // null.
  void ReportFailed(const queue::QueueEntry& entry, const model::PodRecord& pod,
                    const Failure& failure, const framework::AttemptMeter& meter,
                    const Decision* decision, const framework::Diagnosis* diagnosis);

  // --- schedule_group.cc ---

  // Tries the group of the pod that was popped, with all members that are in the queue.
  void TryGroup(queue::QueueEntry popped, api::ObjectKey group);
  // Takes the other members out of the queue, and orders them all.
  std::vector<queue::QueueEntry> PopMembers(queue::QueueEntry popped, const api::ObjectKey& group);
  // Drops what need not be tried: pods that are being deleted or have a node.
  bool IsSkipped(const queue::QueueEntry& entry);
  void FailAll(std::vector<queue::QueueEntry> entries, const std::string& error);
  Task<bool> RunGroupCycle(GroupCycle& cycle);
  // A group that is not placed leaves no trace in the model: in paranoid mode that is checked.
  void CheckUnchanged(const GroupCycle& cycle) const;
  // Finds nodes for the members. They remain assumed upon success, and only then.
  Task<GroupTrial> FindNodesForGroup(GroupCycle& cycle, bool post_filters);
  // One member after the other, as kube-scheduler does.
  Task<GroupTrial> TryGreedily(GroupCycle& cycle, bool post_filters);

  // --- try_placements.cc ---

  framework::GeneratedPlacements PlacementsFor(const GroupCycle& cycle);
  Task<GroupTrial> TryPlacements(GroupCycle& cycle, bool post_filters);
  // Returns how many members each placement of the cycle holds; empty if that takes trying them.
  std::vector<size_t> CountMembers(const GroupCycle& cycle);
  // Tries the best of the placements that hold enough; returns nothing if none does.
  Task<std::optional<GroupTrial>> TryBestByCount(GroupCycle& cycle,
                                                 const std::vector<size_t>& counts,
                                                 bool post_filters);
  // Returns the index of the best of the placements, which suit the group.
  Result<size_t> BestPlacement(
      const GroupCycle& cycle,
      const std::vector<framework::PlacementAssignments>& assignments) const;

  // --- schedule_group.cc, for each placement ---

  // The members that have a node remain assumed. All nodes may be used if `placement` is null.
  Task<GroupTrial> TryMembers(GroupCycle& cycle, const framework::Placement* placement,
                              TrialOptions options);
  // `failures` are those of members that were tried in the same way before.
  Task<MemberTrial> TryMember(const GroupCycle& cycle, const GroupMember& member,
                              const framework::Placement* placement, bool post_filters,
                              FailureCache& failures);
  // Assumes the member on the node that was found, and asks Reserve and Permit plugins.
  void AssumeMember(const GroupCycle& cycle, const GroupMember& member, MemberTrial& trial);
  // Reverts AssumeMember, of one member or of all.
  void TakeBack(const GroupMember& member, MemberTrial& trial);
  void TakeBack(const GroupCycle& cycle, GroupTrial& trial);

  // --- search_group.cc ---

  class GroupBoard;
  // What searches of several placements came to.
  struct SearchReport {
    bool decided = true;  // That there is none.
    uint64_t steps = 0;
    size_t room = 0;  // Members for which one of the placements has resources, at most.
  };
  static std::string OutcomeOf(const SearchReport& report, size_t needed);
  // Searches the placements of the group, one after the other, until one suits. Returns nothing if
  // none does; `outcome` then tells whether that is certain.
  Task<std::optional<GroupTrial>> SearchGroup(GroupCycle& cycle, std::string& outcome);
  // Searches one placement, with at most so many of the steps that are left; adds to `report`.
  Task<std::optional<GroupTrial>> SearchPlacement(GroupCycle& cycle,
                                                  const framework::Placement& placement,
                                                  uint64_t steps, SearchReport& report);
  // Places the members that have no node yet, if they fit.
  Task<GroupTrial> TryOthers(GroupCycle& cycle, const framework::Placement& placement,
                             GroupTrial trial);
  // Tries the domains of the topology levels, from the smallest on. Returns nothing if no domain
  // holds the group.
  Task<std::optional<GroupTrial>> TryLevels(GroupCycle& cycle);
  // The same with at least so many members.
  Task<std::optional<GroupTrial>> TryDomains(GroupCycle& cycle, const GangDomains& domains,
                                             size_t members);
  std::vector<const model::PodRecord*> PodsOf(const GroupCycle& cycle) const;
  // How many more members must have a node before any is bound.
  size_t MissingMembers(const GroupCycle& cycle) const;

  // --- preempt_group.cc ---

  // Starts to evict pods for the group; returns why it cannot.
  // Nominates the members in `trial`, if their nodes were decided, too.
  Task<framework::Verdict> PreemptForGroup(GroupCycle& cycle, GroupTrial& trial);
  // Selects the pods to evict for the group, and nodes for its members as above.
  Task<framework::PodGroupPostFilterResult> SelectVictimsForGroup(GroupCycle& cycle,
                                                                  GroupTrial& trial);
  // Selects victims in each placement of the group, and returns those that cost the least. The
  // cycle is then confined to that placement.
  Task<framework::PodGroupPostFilterResult> SelectLeastVictims(
      GroupCycle& cycle, framework::FailedGroup& failed,
      const framework::PodGroupPostFilterPlugin& plugin);
  // Returns the nodes of the members in a cluster without the victims.
  Task<std::vector<model::NodeRow>> NodesWithout(const std::vector<model::PodId>& victims,
                                                 GroupCycle& cycle);
  // Success if the group would be placed now, without preemption.
  Task<framework::Verdict> GroupFits(GroupCycle& cycle);

  // --- preview_group.cc ---

  // Retains the members that could be tried now; adds those that are held to `preview`.
  Result<GroupCycle> MakePreviewCycle(const api::ObjectKey& group, GroupPreview& preview);
  Task<bool> PreviewCycle(GroupCycle& cycle, GroupPreview& preview);
  // The meter of an attempt that begins now; a preview is not measured.
  framework::AttemptMeter MakeMeter(const GroupCycle& cycle) {
    return cycle.is_preview ? framework::AttemptMeter() : MakeMeter(cycle.profile);
  }

  // --- submit_group.cc ---

  // Binds the members that have a node, or returns all to the queue.
  void SubmitGroup(GroupCycle& cycle, GroupTrial trial);
  // Asks the Permit plugins about the members that have a node. Those that are rejected have none
  // then; if too few are left, the trial has failed, and nothing is returned.
  std::vector<PermitOutcome> AskPermits(const GroupCycle& cycle, GroupTrial& trial);
  void BindMember(GroupMember member, MemberTrial trial, const PermitOutcome& permit);
  // Why the member returns to the queue.
  Failure FailureOfMember(const GroupTrial& trial, const MemberTrial* member) const;
  void ReturnMember(GroupMember member, const MemberTrial* trial, Failure failure);
  // Reports whether it is a gang of which too few members have a node.
  bool IsBroken(const api::ObjectKey& group) const;
  // A member could not be bound. If the gang has too few now, the others are not bound either, as
  // far as they can be stopped.
  void StopBrokenGang(const model::PodRecord& failed);

  // --- failure_handling.cc ---

  // The pod of `entry` was not placed: returns it to the queue and writes its status.
  void HandleFailure(queue::QueueEntry entry, const model::PodRecord& pod, const Failure& failure,
                     framework::AttemptMeter meter);
  // Finishes the permits, binding cycles and evictions that have ended; notes what they assumed.
  void Reap();
  void FinishBinding(BindingCycle& binding);
  void Unreserve(framework::Attempt& attempt, model::NodeRow node);
  void Activate(framework::Cycle& cycle);
  Eviction::Services::Stopped StopBinding(const std::string& uid);
  bool IsStopping(const std::string& uid) const;
  void Report(const Decision& decision) const {
    if (observer_ != nullptr) observer_->OnDecision(decision);
  }

  // --- engine_log.cc: what is logged, if its level is on ---

  void LogAttempt(model::PodId pod, int level) const;
  // A Reserve or Permit plugin did not accept the pod.
  void LogRejection(const model::PodRecord& pod, const framework::Plugin& plugin,
                    const framework::Verdict& verdict) const;
  // The pod has failed but need not be tried again; `id` is that in the model, if it is there.
  void LogNotReturned(const model::PodRecord& pod, model::PodId id) const;
  void LogStatus(const model::PodRecord& pod, const Failure& failure,
                 const std::string& nominated_node) const;
  // A preview is not logged.
  framework::Log LogOf(const GroupCycle& cycle) const {
    return cycle.is_preview ? framework::Log() : log_;
  }
  void LogGroup(const GroupCycle& cycle, const GroupTrial& trial, size_t not_bound) const;
  void LogFailure(const model::PodRecord& pod, const Failure& failure) const;

  const bool explain_;
  const bool paranoid_;
  const bool equals_take_turns_;
  framework::Measurements* const measurements_;
  AttemptObserver* const attempts_;
  const framework::Log log_;
  framework::Sampler sampler_;
  Random random_;
  model::Cluster cluster_;
  Outbox outbox_;
  CycleWrites cycle_writes_{outbox_};
  BackgroundTasks background_{outbox_};
  Extenders extenders_;
  const std::vector<ServedProfile> profiles_;
  EventHandlers::ProfileIndex profile_of_;
  queue::SchedulingQueue queue_;
  StatusWriter status_{outbox_};
  GroupConditions group_conditions_{outbox_, background_};
  framework::WaitingPods waiting_;
  EventHandlers handlers_{cluster_,          queue_,      waiting_, outbox_,
                          group_conditions_, profile_of_, log_};
  FailureCache failure_cache_{cluster_};
  uint64_t removed_classes_ = 0;  // When their results were last dropped.
  size_t next_start_ = 0;         // Where the next search begins, in node order.
  // The labels of the last groups with a topology constraint, so that domains stay current.
  std::map<std::string, model::Topology::KeyRef> placement_keys_;
  std::unique_ptr<RunningCycle> cycle_;      // Waits for an extender, or a write of PostFilter.
  std::unique_ptr<GroupCycle> group_cycle_;  // Likewise: there is at most one of both.
  std::deque<std::pair<Event, Now>> deferred_events_;  // Received meanwhile.
  std::unique_ptr<PreemptingCycle> preempting_;
  DecisionObserver* observer_ = nullptr;
  uint64_t last_failure_ = 0;  // The id of the last FailureAccount.
  framework::RankingBudget ranking_;

  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<std::string_view, BindingCycle*> binding_of_;  // By the uid of its pod.
  std::vector<BindingCycle*> finished_bindings_;
  Evictions evictions_;
};

}  // namespace berth::scheduler::engine
