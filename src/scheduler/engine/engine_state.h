// EngineState is what the engine knows and how it acts on it; Engine is its face.
//
// Its parts are in files of their own: object_events.cc takes note of what the API reports,
// scheduling.cc tries pods, and endings.cc sees to those that failed, were bound or made room.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "scheduler/engine/binding_cycle.h"
#include "scheduler/engine/engine.h"
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
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

// A profile and what is kept for it.
struct ServedProfile {
  std::unique_ptr<framework::Profile> profile;
  std::unique_ptr<framework::ClassResultsCache> results;
  std::unique_ptr<ParanoidCheck> paranoid_check;  // If it is asked for.
  std::optional<int32_t> percentage_of_nodes_to_score;

  // The plugins of these names.
  queue::Rejectors RejectorsIn(const framework::Diagnosis& diagnosis) const;
  framework::PluginMask MaskOf(std::string_view plugin) const;
};

class EngineState {
 public:
  // Fails if a profile cannot be built.
  static Result<std::unique_ptr<EngineState>> Make(const EngineOptions& options,
                                                   const framework::Registry& registry);

  void Handle(const Event& event, Instant now);
  // Tries one pod; false if none is ready, or the last one still waits for an extender.
  bool ScheduleOne();
  // Lets go on whatever waits for a time up to `now`.
  void PassTime(Instant now);
  std::optional<Instant> next_wake() const;
  std::vector<Command> TakeCommands(size_t limit) { return outbox_.TakeCommands(limit); }
  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);

  const model::Cluster& cluster() const { return cluster_; }
  const queue::SchedulingQueue& queue() const { return *queue_; }
  const framework::WaitingPods& waiting() const { return waiting_; }
  size_t bindings() const { return bindings_.size(); }
  void Observe(DecisionObserver* observer) { observer_ = observer; }
  // Tells the measurements how much there is of everything.
  void ReportSizes() const;

 private:
  explicit EngineState(const EngineOptions& options)
      : explain_(options.explain),
        paranoid_(options.paranoid),
        workers_(options.workers),
        measurements_(options.measurements),
        random_(options.seed),
        extenders_(options.extenders, outbox_, cluster_) {}
  Status AddProfile(const framework::ProfileConfig& config, const framework::Registry& registry);
  Instant now() const { return outbox_.now(); }
  // For an attempt that begins now.
  framework::AttemptMeter MakeMeter(size_t profile) {
    if (measurements_ == nullptr) return {};
    return {*measurements_, profile, sampler_.Next()};
  }

  // --- object_events.cc ---

  // What happened to which kind of object, unless nobody cares.
  using HandledEvent = std::optional<framework::EventType>;
  HandledEvent Dispatch(const Event& event);
  // Goes on after an extender has answered.
  void ResumeSchedulingCycle(const WriteDone& answer);
  template <typename T>
  HandledEvent Put(const std::shared_ptr<const T>& object);
  template <typename T>
  HandledEvent Gone(const std::shared_ptr<const T>& object);
  HandledEvent PutPod(const std::shared_ptr<const api::Pod>& pod);
  HandledEvent HandlePodDelete(const std::shared_ptr<const api::Pod>& pod);
  HandledEvent PutNode(const std::shared_ptr<const api::Node>& node);
  HandledEvent HandlePodAdd(const std::shared_ptr<const api::Pod>& pod);
  void HandlePendingPodUpdate(const std::shared_ptr<const api::Pod>& before, model::PodId id);
  // An assumed pod is going, or gone: its room is free.
  void HandleAssumedPodDelete(model::PodId id);
  // The pod as it would look on `node`: whoever asks what it leaves behind must know where.
  std::shared_ptr<const api::Pod> Placed(const api::Pod& pod, model::NodeRow node) const;
  void NominationEnds(const std::shared_ptr<const api::Pod>& pod);
  void NominateFromStatus(model::PodId id);
  // The profile that serves the pod, if any.
  std::optional<size_t> ProfileOf(const api::Pod& pod) const;

  // --- scheduling.cc ---

  // A scheduling cycle: the pod that is being tried, and the search for its node.
  struct RunningCycle {
    BindingCycle::Placement placement;
    Decision decision;
    Task<CycleOutcome> search;
  };

  void TryPod(queue::QueueEntry entry);
  // Acts on what the search of `cycle_` has found.
  void FinishCycle();
  void CacheFailure(const model::PodRecord& pod, size_t profile, const Failure& failure);
  // Reserves and asks for permission; on success the binding is under way.
  std::optional<Failure> Place(BindingCycle::Placement& placement);
  std::optional<Failure> RunReservePlugins(BindingCycle::Placement& placement);
  std::optional<Failure> RunPermitPlugins(BindingCycle::Placement& placement);
  void StartBinding(BindingCycle::Placement placement);
  Failure FailureOf(const CycleOutcome& outcome, const ServedProfile& served) const;
  // A plugin's answer about the chosen node that ends the attempt.
  Failure FailureAt(model::NodeRow node, framework::Verdict verdict,
                    const ServedProfile& served) const;

  // --- endings.cc ---

  // The pod of `entry` was not placed: it waits again, and the API is told why.
  void HandleFailure(queue::QueueEntry entry, const model::PodRecord& pod, const Failure& failure,
                     framework::AttemptMeter meter);
  void Evict(const model::PodRecord& preemptor, Symbol node,
             const std::vector<model::PodId>& victims);
  // Sees to the permits, binding cycles and evictions that have come to their end.
  void Reap();
  void FinishBinding(BindingCycle& binding);
  void FinishEviction(Eviction& eviction);
  void Unreserve(framework::Attempt& attempt, model::NodeRow node);
  void Activate(framework::Cycle& cycle);
  bool StopBinding(const std::string& uid);
  void Report(const Decision& decision) const {
    if (observer_ != nullptr) observer_->OnDecision(decision);
  }

  const bool explain_;
  const bool paranoid_;
  Workers* const workers_;
  framework::Measurements* const measurements_;
  framework::Sampler sampler_;
  Random random_;
  model::Cluster cluster_;
  std::vector<ServedProfile> profiles_;
  std::unordered_map<std::string, size_t> profile_of_;  // By scheduler name.
  std::unique_ptr<queue::SchedulingQueue> queue_;
  Outbox outbox_;
  StatusWriter status_{outbox_};
  framework::WaitingPods waiting_;
  FailureCache failure_cache_{cluster_};
  Extenders extenders_;
  size_t next_start_ = 0;                // Where the next search over a part of the nodes begins.
  std::unique_ptr<RunningCycle> cycle_;  // Waits for an extender.
  std::deque<std::pair<Event, Instant>> deferred_events_;  // What happened meanwhile.
  DecisionObserver* observer_ = nullptr;

  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<std::string, BindingCycle*> binding_of_;  // By the pod's uid.
  std::unordered_map<const Eviction*, std::unique_ptr<Eviction>> evictions_;
  std::vector<BindingCycle*> finished_bindings_;
  std::vector<Eviction*> finished_evictions_;
};

}  // namespace berth::scheduler::engine
