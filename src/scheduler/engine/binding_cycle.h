// BindingCycle binds a pod that was assumed on a node: it runs Permit, PreBind, Bind and PostBind.
//
// It is a coroutine that waits for permission, for the results of its writes, or for time to pass;
// the engine resumes it. Many run at a time and none delays scheduling.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/engine/extenders.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/writes.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::scheduler::queue {
class SchedulingQueue;
}

namespace berth::scheduler::engine {

class BindingCycle final : public framework::BindingContext {
 public:
  // All must outlive the binding cycle.
  struct Services {
    Outbox& outbox;
    StatusWriter& status;
    Extenders& extenders;
    queue::SchedulingQueue& queue;
    std::vector<BindingCycle*>& finished;  // A cycle that has ended adds itself.
    framework::Log log;
  };
  // What was decided about the pod.
  struct Placement {
    queue::QueueEntry entry;
    std::unique_ptr<const model::PodRecord> pod;             // Retained; `attempt` refers to it.
    std::shared_ptr<const framework::ClassStates> compiled;  // So does it to these.
    std::unique_ptr<framework::Attempt> attempt;
    model::NodeRow node;
    bool waits = false;                  // For Permit plugins.
    size_t evaluated = 0, feasible = 0;  // Numbers of nodes.
    uint64_t reported = 0;               // What the AttemptObserver returned.
  };

  BindingCycle(Placement placement, const Services& services);

  // Runs until it first waits, or to the end.
  void Start() { task_.Start(); }
  // Ends the wait for Permit plugins with `verdict`.
  void Permit(framework::Verdict verdict);
  // Cancels the binding because another pod preempts it, and resumes the plugins that sleep.
  // Returns true if it is not too late: it will then fail, with the first reason given.
  bool Cancel(std::string_view reason);

  // The outcome; success if the pod is bound. Only when ended.
  const framework::Verdict& verdict() const { return task_.result(); }
  // A Permit plugin, verdict().plugin(), rejected the pod.
  bool rejected_by_permit() const { return rejected_by_permit_; }
  // The nominated node that was written to the pod's status; empty if none was.
  const std::string& announced() const { return announced_; }

  Placement& placement() { return placement_; }
  const Placement& placement() const { return placement_; }
  const model::PodRecord& pod() const { return *placement_.pod; }
  framework::Cycle& cycle() override { return placement_.attempt->cycle(); }
  model::NodeRow node() const override { return placement_.node; }
  bool cancelled() const override { return !cancel_reason_.empty() || !pre_bind_failure_.ok(); }
  Instant now() const override { return services_.outbox.now(); }
  Instant wall_now() const override { return services_.outbox.wall_now(); }
  void Record(framework::RecordEvent event) override { services_.outbox.Record(std::move(event)); }

 private:
  struct PermitWait {
    BindingCycle& binding;
    bool await_ready() const noexcept { return binding.permitted_.has_value(); }
    void await_suspend(std::coroutine_handle<> waiter) { binding.permit_waiter_ = waiter; }
    framework::Verdict await_resume() { return *std::move(binding.permitted_); }
  };

  Task<framework::Verdict> Run();
  Task<framework::Verdict> Steps();
  // Determines which PreBind plugins have work to do.
  framework::Verdict PreFlight();
  Task<framework::Verdict> AnnounceNode();
  Task<framework::Verdict> WaitForPermit();
  Task<framework::Verdict> PreBind();
  Task<framework::Verdict> PreBindOne(const framework::PreBindPlugin& plugin);
  Task<framework::Verdict> Bind();
  const framework::Profile& profile() const { return placement_.attempt->profile(); }
  framework::AttemptMeter& meter() { return placement_.attempt->meter(); }

  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    services_.outbox.Issue(pending, waiter);
  }
  void Wake(Duration length, std::coroutine_handle<> waiter) override;
  // Resumes all plugins that sleep, so that they see that the binding is cancelled.
  void EndSleep();

  struct Work {
    const framework::PreBindPlugin* plugin;
    bool may_run_in_parallel;
  };

  Placement placement_;
  Services services_;
  std::string node_name_;
  std::vector<Work> work_;  // Of the PreBind plugins.
  std::optional<framework::Verdict> permitted_;
  std::coroutine_handle<> permit_waiter_;
  bool rejected_by_permit_ = false;
  std::string announced_;
  framework::Verdict pre_bind_failure_;    // The first; the other plugins then give up.
  std::vector<Outbox::Sleeper> sleepers_;  // The plugins that sleep, and some that have woken.
  bool pre_binding_ = false;
  std::string cancel_reason_;
  Task<framework::Verdict> task_;
};

}  // namespace berth::scheduler::engine
