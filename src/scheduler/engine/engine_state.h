// Engine::State is the state of an engine, and the handlers that change it.
//
// Besides engine.cc, its methods are in schedule_one.cc, which tries pods, failure_handling.cc,
// which ends failed attempts and binding cycles, and attempt_report.cc, which reports attempts.
// Objects that the API reports go through EventHandlers.
#pragma once

#include <deque>
#include <functional>
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
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/paranoid_check.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/class_results.h"
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
  Result<bool> MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node);
  Result<Decision> Preview(std::shared_ptr<const api::Pod> pod, Instant now);
  Result<PodFit> Evaluate(std::shared_ptr<const api::Pod> pod, std::span<const std::string> nodes,
                          Instant now);
  // For WhatIf, which calls DropRemovedClasses after each change.
  model::Cluster& mutable_cluster() { return cluster_; }
  void DropRemovedClasses();
  // Passes the current sizes to the measurements.
  void ReportSizes() const;
  framework::EngineSizes Sizes() const;

 private:
  friend class Engine;

  std::vector<ServedProfile> Serve(const EngineOptions& options, Profiles profiles);
  queue::SchedulingQueue::Options QueueOptions(const EngineOptions& options) const;
  Instant now() const { return outbox_.now(); }
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
  std::optional<Failure> RunReservePlugins(BindingCycle::Placement& placement);
  std::optional<Failure> RunPermitPlugins(BindingCycle::Placement& placement);
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

  // --- failure_handling.cc ---

  // The pod of `entry` was not placed: returns it to the queue and writes its status.
  void HandleFailure(queue::QueueEntry entry, const model::PodRecord& pod, const Failure& failure,
                     framework::AttemptMeter meter);
  // Finishes the permits, binding cycles and evictions that have ended; notes what they assumed.
  void Reap();
  void FinishBinding(BindingCycle& binding);
  void Unreserve(framework::Attempt& attempt, model::NodeRow node);
  void Activate(framework::Cycle& cycle);
  bool StopBinding(const std::string& uid);
  void Report(const Decision& decision) const {
    if (observer_ != nullptr) observer_->OnDecision(decision);
  }

  const bool explain_;
  const bool paranoid_;
  framework::Measurements* const measurements_;
  AttemptObserver* const attempts_;
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
  framework::WaitingPods waiting_;
  EventHandlers handlers_{cluster_, queue_, waiting_, outbox_, profile_of_};
  FailureCache failure_cache_{cluster_};
  uint64_t removed_classes_ = 0;         // When their results were last dropped.
  size_t next_start_ = 0;                // Where the next search begins, in node order.
  std::unique_ptr<RunningCycle> cycle_;  // Waits for an extender, or a write of PostFilter.
  std::deque<std::pair<Event, Now>> deferred_events_;  // Received meanwhile.
  std::unique_ptr<PreemptingCycle> preempting_;
  DecisionObserver* observer_ = nullptr;
  uint64_t last_failure_ = 0;  // The id of the last FailureAccount.
  framework::RankingBudget ranking_;

  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<std::string, BindingCycle*> binding_of_;  // By the pod's uid.
  std::vector<BindingCycle*> finished_bindings_;
  Evictions evictions_;
};

}  // namespace berth::scheduler::engine
