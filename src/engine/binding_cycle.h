// BindingCycle takes a pod that was assumed on a node through PreBind, Bind and PostBind.
//
// It is a coroutine that waits for the ends of the writes it asks for, or for time to pass; the
// engine resumes it. Many run at a time and none holds up scheduling.
#pragma once

#include <functional>
#include <memory>

#include "framework/attempt.h"
#include "framework/binding.h"

namespace berth {

class BindingCycle final : public BindingContext {
 public:
  // What the engine does for `binding`.
  struct Services {
    // Hands out a write; calls `done` once, when it has ended.
    std::function<void(BindingCycle& binding, ApiWrite write,
                       std::function<void(WriteResult)> done)>
        issue;
    // Calls `resume` once, when `length` has passed.
    std::function<void(BindingCycle& binding, Duration length, std::function<void()> resume)> wake;
    std::function<Instant()> now;
  };

  // `pod` is a retained record that `attempt` refers to, and `results` the kept results that it
  // uses.
  BindingCycle(std::unique_ptr<const PodRecord> pod, std::shared_ptr<ClassResults> results,
               std::unique_ptr<Attempt> attempt, NodeRow node, Services services);

  // Runs until it first waits, or to the end.
  void Start() { task_.Start(); }
  bool done() const { return task_.done(); }
  // Success if the pod is bound. Only when done.
  const Verdict& verdict() const { return task_.result(); }

  const PodRecord& pod() const { return *pod_; }
  Cycle& cycle() override { return attempt_->cycle(); }
  NodeRow node() const override { return node_; }
  Instant now() const override { return services_.now(); }
  const Profile& profile() const { return attempt_->profile(); }

 private:
  Task<Verdict> Run();
  Task<Verdict> PreBind();
  Task<Verdict> Bind();
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override;
  void Wake(Duration length, std::coroutine_handle<> waiter) override;

  std::unique_ptr<const PodRecord> pod_;
  std::shared_ptr<ClassResults> results_;
  std::unique_ptr<Attempt> attempt_;
  NodeRow node_;
  Services services_;
  Task<Verdict> task_;
};

}  // namespace berth
