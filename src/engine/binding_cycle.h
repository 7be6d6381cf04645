// BindingCycle takes a pod that was assumed on a node through PreBind, Bind and PostBind.
//
// It is a coroutine that waits for the ends of the writes it asks for, or for time to pass; the
// engine resumes it. Many run at a time and none holds up scheduling.
#pragma once

#include <memory>
#include <vector>

#include "engine/outbox.h"
#include "framework/attempt.h"
#include "framework/binding.h"

namespace berth {

class BindingCycle final : public BindingContext {
 public:
  // `pod` is a retained record that `attempt` refers to, and `results` the kept results that it
  // uses. `outbox` takes the writes. When the cycle is done it adds itself to `finished`.
  BindingCycle(std::unique_ptr<const PodRecord> pod, std::shared_ptr<ClassResults> results,
               std::unique_ptr<Attempt> attempt, NodeRow node, Outbox& outbox,
               std::vector<BindingCycle*>& finished);

  // Runs until it first waits, or to the end.
  void Start() { task_.Start(); }
  // Success if the pod is bound. Only when finished.
  const Verdict& verdict() const { return task_.result(); }

  const PodRecord& pod() const { return *pod_; }
  Cycle& cycle() override { return attempt_->cycle(); }
  NodeRow node() const override { return node_; }
  Instant now() const override { return outbox_.now(); }
  const Profile& profile() const { return attempt_->profile(); }

 private:
  Task<Verdict> Run();
  Task<Verdict> PreBind();
  Task<Verdict> Bind();
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    outbox_.Issue(pending, waiter);
  }
  void Wake(Duration length, std::coroutine_handle<> waiter) override {
    outbox_.Wake(length, waiter);
  }

  std::unique_ptr<const PodRecord> pod_;
  std::shared_ptr<ClassResults> results_;
  std::unique_ptr<Attempt> attempt_;
  NodeRow node_;
  Outbox& outbox_;
  std::vector<BindingCycle*>& finished_;
  Task<Verdict> task_;
};

}  // namespace berth
