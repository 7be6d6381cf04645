// Plugins that follow a script and write down what they were asked, for stories of pods that are
// gated, rejected, held back, prepared and bound.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cluster.h"
#include "framework/binding.h"
#include "framework/cycle.h"
#include "framework/plugin.h"
#include "framework/waiting_pods.h"

namespace berth {

using StoryLog = std::shared_ptr<std::vector<std::string>>;

// Lets pods in, and says which events help those that it rejected. What is left out agrees to
// everything.
struct GateScript {
  std::function<Verdict(const PodRecord&)> pre_enqueue;
  std::function<Result<bool>(const PodRecord&, const ClusterEvent&)> may_help;
  std::vector<Interest> interests = {{{Resource::kNode, kAdd}}};
  int gate_questions = 0;
  int hint_questions = 0;
};

class FakeGate final : public PreEnqueuePlugin {
 public:
  FakeGate(std::string name, std::shared_ptr<GateScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  std::vector<Interest> Interests() const override { return script_->interests; }
  Result<bool> MayHelp(const Cluster&, const PodRecord& pod,
                       const ClusterEvent& event) const override {
    ++script_->hint_questions;
    return script_->may_help ? script_->may_help(pod, event) : true;
  }
  Verdict PreEnqueue(const Cluster&, const PodRecord& pod) const override {
    ++script_->gate_questions;
    return script_->pre_enqueue ? script_->pre_enqueue(pod) : Verdict();
  }

 private:
  const std::string name_;
  const std::shared_ptr<GateScript> script_;
};

// Rejects pods at PreFilter as long as the script says so; counts how often it is asked.
struct RejectScript {
  std::function<Verdict(const PodRecord&)> pre_filter;
  int questions = 0;
};

class FakeReject final : public PreFilterPlugin {
 public:
  FakeReject(std::string name, std::shared_ptr<RejectScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  PreFilterResult PreFilter(Cycle& cycle) const override {
    ++script_->questions;
    return {script_->pre_filter ? script_->pre_filter(cycle.pod()) : Verdict(), std::nullopt};
  }

 private:
  const std::string name_;
  const std::shared_ptr<RejectScript> script_;
};

// Writes down what it reserves; answers as the script says.
class FakeReserve final : public ReservePlugin {
 public:
  FakeReserve(std::string name, StoryLog log, Verdict answer)
      : name_(std::move(name)), log_(std::move(log)), answer_(std::move(answer)) {}
  std::string_view name() const override { return name_; }
  Verdict Reserve(Cycle& cycle, NodeRow) const override {
    log_->push_back(fmt::format("{}+{}", name_, cycle.pod().object->metadata.name));
    return answer_;
  }
  void Unreserve(Cycle& cycle, NodeRow) const override {
    log_->push_back(fmt::format("{}-{}", name_, cycle.pod().object->metadata.name));
  }

 private:
  const std::string name_;
  const StoryLog log_;
  const Verdict answer_;
};

// Answers Permit as the script says.
struct PermitScript {
  std::function<PermitResult(Cycle&, WaitingPods&)> permit;
};

class FakePermit final : public PermitPlugin {
 public:
  FakePermit(std::string name, std::shared_ptr<PermitScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  PermitResult Permit(Cycle& cycle, NodeRow, WaitingPods& waiting) const override {
    return script_->permit ? script_->permit(cycle, waiting) : PermitResult{};
  }
  std::vector<Interest> Interests() const override { return {{{Resource::kNode, kAdd}}}; }

 private:
  const std::string name_;
  const std::shared_ptr<PermitScript> script_;
};

inline PermitResult Wait(int64_t seconds) {
  return {Verdict(Code::kWait), Duration::Seconds(seconds)};
}

// Sleeps before a pod is bound, a second at a time, until its time is over or it is told to give
// up; then answers.
struct PreBindScript {
  int64_t seconds = 0;
  Verdict answer = {};
  bool in_parallel = true;
  Verdict plan = {};
};

class FakePreBind final : public PreBindPlugin {
 public:
  FakePreBind(std::string name, StoryLog log, PreBindScript script)
      : name_(std::move(name)), log_(std::move(log)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  PreBindPlan PreBindPreFlight(const Cycle&, NodeRow) const override {
    return {script_.plan, script_.in_parallel};
  }
  Task<Verdict> PreBind(BindingContext& binding) const override {
    log_->push_back(name_ + " begins");
    for (int64_t second = 0; second < script_.seconds; ++second) {
      co_await binding.Sleep(Duration::Seconds(1));
      if (binding.cancelled()) {
        log_->push_back(name_ + " gives up");
        co_return Verdict::Error("context canceled");
      }
    }
    log_->push_back(name_ + " ends");
    co_return script_.answer;
  }

 private:
  const std::string name_;
  const StoryLog log_;
  const PreBindScript script_;
};

}  // namespace berth
