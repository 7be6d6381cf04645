// PluginTrials tries pods with the plugins of their profiles and the extenders: a pod without a
// group as well as the members of one.
//
// A trial has three steps. Begin makes the attempt, Search finds a node (it may wait for an
// extender or for a write), End notes what was found; Assume then takes the node. Try does all of
// them. Owned by the engine, which may do nothing else while a search waits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/extenders.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/paranoid_check.h"
#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/groups/pod_trial.h"

namespace berth::scheduler::engine {

class PluginTrials final : public groups::PodTrials {
 public:
  // All must outlive this.
  struct Services {
    model::Cluster& cluster;
    const ServedProfiles& profiles;
    framework::WaitingPods& waiting;
    Outbox& outbox;
    BackgroundTasks& background;
    Extenders& extenders;
    Evictions& evictions;
    AttemptReporter& reporter;
    framework::Log log;
  };

  PluginTrials(const EngineOptions& options, const Services& services);

  // Returns how a pod would fail that need not be tried: a copy of it is among the failures. Null
  // if that is not known.
  const queue::Failure* FindKnown(const groups::TrialRequest& request,
                                  queue::FailureCache& failures) const;
  // Returns the meter of a trial that is not made because its failure is known.
  framework::AttemptMeter MeterOfKnown(const groups::TrialRequest& request,
                                       const queue::Failure& known);
  // `trial` must be new.
  void Begin(const groups::TrialRequest& request, groups::PodTrial& trial);
  Task<CycleOutcome> Search(const groups::TrialRequest& request, groups::PodTrial& trial);
  // The trial has a node or a failure then, which is added to the failures.
  void End(const groups::TrialRequest& request, const CycleOutcome& outcome,
           queue::FailureCache& failures, groups::PodTrial& trial);
  // Assumes the pod on the node of the trial and asks Reserve and Permit plugins. If one refuses,
  // all is reverted, and the trial has a failure instead of a node.
  void Assume(const groups::TrialRequest& request, groups::PodTrial& trial);
  // Calls the Unreserve plugins, last first.
  static void Unreserve(framework::Attempt& attempt, model::NodeRow node);

  Task<groups::PodTrial> Try(groups::TrialRequest request, queue::FailureCache& failures) override;
  groups::PodTrial TryOn(const groups::TrialRequest& request, model::NodeRow node) override;
  void TakeBack(const model::PodRecord& pod, groups::PodTrial& trial) override;
  groups::PermitOutcome RunPermitPlugins(size_t profile, framework::Attempt& attempt,
                                         model::NodeRow node) override;
  groups::Turns& turns() override { return turns_; }
  Instant date() const override { return services_.outbox.latest_wall(); }

 private:
  // A preview is not measured.
  framework::AttemptMeter MakeMeter(const groups::TrialRequest& request) {
    return request.is_preview ? framework::AttemptMeter()
                              : services_.reporter.MakeMeter(request.profile);
  }
  void MakeAttempt(const groups::TrialRequest& request, const framework::AttemptMeter& meter,
                   groups::PodTrial& trial);
  // In paranoid mode.
  void Check(const groups::TrialRequest& request, const CycleOutcome& outcome,
             queue::FailureCache& failures, framework::Attempt& attempt) const;
  std::optional<queue::Failure> RunReservePlugins(size_t profile, framework::Attempt& attempt,
                                                  model::NodeRow node);
  queue::Failure FailureOf(const CycleOutcome& outcome, const ServedProfile& served);
  // The failure of a trial that ends with a plugin's verdict about the chosen node.
  queue::Failure FailureAt(model::NodeRow node, framework::Verdict verdict,
                           const ServedProfile& served);
  // A Reserve or Permit plugin did not accept the pod.
  void LogRejection(const model::PodRecord& pod, const framework::Plugin& plugin,
                    const framework::Verdict& verdict) const;

  const bool explain_;
  const bool paranoid_;
  const bool equals_take_turns_;
  const Services services_;
  CycleWrites cycle_writes_;
  // By profile. In paranoid mode; null where the reference implementation cannot follow.
  std::vector<std::unique_ptr<ParanoidCheck>> checks_;
  groups::Turns turns_;
};

}  // namespace berth::scheduler::engine
