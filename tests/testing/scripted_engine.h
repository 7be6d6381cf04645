// Plugins that follow a script and record their calls, for tests with pods that are gated,
// rejected, wait at Permit, are prepared and bound.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "testing/engine_harness.h"
#include "testing/require.h"

namespace berth {

using ScriptLog = std::shared_ptr<std::vector<std::string>>;

// The behaviour of a FakeGate: its PreEnqueue verdict, and which events may make a pod that it
// rejected schedulable. An empty function accepts everything.
struct GateScript {
  std::function<scheduler::framework::Verdict(const scheduler::model::PodRecord&)> pre_enqueue;
  std::function<Result<bool>(const scheduler::model::PodRecord&,
                             const scheduler::framework::ClusterEvent&)>
      may_help;
  std::vector<scheduler::framework::ClusterEventWithHint> interests = {
      {{scheduler::framework::Resource::kNode, scheduler::framework::kAdd}}};
  bool gates_groups = false;
  int gate_questions = 0;
  int hint_questions = 0;
};

class FakeGate final : public scheduler::framework::PreEnqueuePlugin {
 public:
  FakeGate(std::string name, std::shared_ptr<GateScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  std::vector<scheduler::framework::ClusterEventWithHint> EventsToRegister() const override {
    return script_->interests;
  }
  Result<bool> QueueingHint(const scheduler::model::Cluster&,
                            const scheduler::model::PodRecord& pod,
                            const scheduler::framework::ClusterEvent& event) const override {
    ++script_->hint_questions;
    return script_->may_help ? script_->may_help(pod, event) : true;
  }
  scheduler::framework::Verdict PreEnqueue(const scheduler::model::Cluster&,
                                           const scheduler::model::PodRecord& pod) const override {
    ++script_->gate_questions;
    return script_->pre_enqueue ? script_->pre_enqueue(pod) : scheduler::framework::Verdict();
  }
  bool GatesGroups() const override { return script_->gates_groups; }

 private:
  const std::string name_;
  const std::shared_ptr<GateScript> script_;
};

// The PreFilter verdict of a FakeReject, and the number of calls.
struct RejectScript {
  std::function<scheduler::framework::Verdict(const scheduler::model::PodRecord&)> pre_filter;
  int questions = 0;
};

class FakeReject final : public scheduler::framework::PreFilterPlugin {
 public:
  FakeReject(std::string name, std::shared_ptr<RejectScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  scheduler::framework::PreFilterResult PreFilter(
      scheduler::framework::Cycle& cycle) const override {
    ++script_->questions;
    return {
        script_->pre_filter ? script_->pre_filter(cycle.pod()) : scheduler::framework::Verdict(),
        std::nullopt};
  }

 private:
  const std::string name_;
  const std::shared_ptr<RejectScript> script_;
};

// Logs what it reserves and unreserves; Reserve returns `answer`.
class FakeReserve final : public scheduler::framework::ReservePlugin {
 public:
  FakeReserve(std::string name, ScriptLog log, scheduler::framework::Verdict answer)
      : name_(std::move(name)), log_(std::move(log)), answer_(std::move(answer)) {}
  std::string_view name() const override { return name_; }
  scheduler::framework::Verdict Reserve(scheduler::framework::Cycle& cycle,
                                        scheduler::model::NodeRow) const override {
    log_->push_back(fmt::format("{}+{}", name_, cycle.pod().object->metadata.name));
    return answer_;
  }
  void Unreserve(scheduler::framework::Cycle& cycle, scheduler::model::NodeRow) const override {
    log_->push_back(fmt::format("{}-{}", name_, cycle.pod().object->metadata.name));
  }

 private:
  const std::string name_;
  const ScriptLog log_;
  const scheduler::framework::Verdict answer_;
};

// The Permit result of a FakePermit.
struct PermitScript {
  std::function<scheduler::framework::PermitResult(scheduler::framework::Cycle&,
                                                   scheduler::framework::WaitingPods&)>
      permit;
};

class FakePermit final : public scheduler::framework::PermitPlugin {
 public:
  FakePermit(std::string name, std::shared_ptr<PermitScript> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  scheduler::framework::PermitResult Permit(
      scheduler::framework::Cycle& cycle, scheduler::model::NodeRow,
      scheduler::framework::WaitingPods& waiting) const override {
    return script_->permit ? script_->permit(cycle, waiting) : scheduler::framework::PermitResult{};
  }
  std::vector<scheduler::framework::ClusterEventWithHint> EventsToRegister() const override {
    return {{{scheduler::framework::Resource::kNode, scheduler::framework::kAdd}}};
  }

 private:
  const std::string name_;
  const std::shared_ptr<PermitScript> script_;
};

inline scheduler::framework::PermitResult Wait(int64_t seconds) {
  return {scheduler::framework::Verdict(scheduler::framework::Code::kWait),
          Duration::Seconds(seconds)};
}

// The behaviour of a FakePreBind: it sleeps, a second at a time, until `seconds` have passed or the
// binding is cancelled, then returns `answer`.
struct PreBindScript {
  int64_t seconds = 0;
  scheduler::framework::Verdict answer = {};
  bool in_parallel = true;
  scheduler::framework::Verdict plan = {};
  bool heeds_cancelling = true;
};

class FakePreBind final : public scheduler::framework::PreBindPlugin {
 public:
  FakePreBind(std::string name, ScriptLog log, PreBindScript script)
      : name_(std::move(name)), log_(std::move(log)), script_(std::move(script)) {}
  std::string_view name() const override { return name_; }
  scheduler::framework::PreBindPlan PreBindPreFlight(const scheduler::framework::Cycle&,
                                                     scheduler::model::NodeRow) const override {
    return {script_.plan, script_.in_parallel};
  }
  Task<scheduler::framework::Verdict> PreBind(
      scheduler::framework::BindingContext& binding) const override {
    log_->push_back(name_ + " begins");
    for (int64_t second = 0; second < script_.seconds; ++second) {
      co_await binding.Sleep(Duration::Seconds(1));
      if (script_.heeds_cancelling && binding.cancelled()) {
        log_->push_back(name_ + " gives up");
        co_return scheduler::framework::Verdict::Error("context canceled");
      }
    }
    log_->push_back(name_ + " ends");
    co_return script_.answer;
  }

 private:
  const std::string name_;
  const ScriptLog log_;
  const PreBindScript script_;
};

// An EngineHarness whose profile has, besides the default plugins, some that follow a script.
class ScriptedEngine {
 public:
  using Lines = std::vector<std::string>;

  // --- before Start ---

  template <typename P, typename... Arguments>
  void Add(const std::string& name, Arguments... arguments) {
    Offer<P>(registry_, name, arguments...);
    config_.multi_point.enabled.push_back({name});
  }
  void AddReserve(const std::string& name, scheduler::framework::Verdict answer = {}) {
    Add<FakeReserve>(name, log, std::move(answer));
  }
  void AddPreBind(const std::string& name, PreBindScript script) {
    Add<FakePreBind>(name, log, std::move(script));
  }
  // Adds a Permit plugin that returns the result of `permit`.
  void AddPermit(const std::string& name,
                 std::function<scheduler::framework::PermitResult(
                     scheduler::framework::Cycle&, scheduler::framework::WaitingPods&)>
                     permit) {
    auto script = std::make_shared<PermitScript>();
    script->permit = std::move(permit);
    Add<FakePermit>(name, script);
  }
  EngineHarness& Start() {
    scheduler::engine::EngineOptions options;
    options.profiles = {config_};
    options.features = features;
    options.paranoid = true;
    options.attempts = attempts;
    options.log = engine_log;
    harness_ = std::make_unique<EngineHarness>(options, registry_);
    return *harness_;
  }
  // Replaces the default profile; plugins are added afterwards.
  void UseProfile(scheduler::framework::ProfileConfig config) { config_ = std::move(config); }
  const scheduler::framework::ProfileConfig& config() const { return config_; }
  const scheduler::framework::Registry& registry() const { return registry_; }

  // --- after Start ---

  EngineHarness& operator*() { return *harness_; }
  EngineHarness* operator->() { return harness_.get(); }
  void Speak(const std::string& uid, const std::string& plugin, bool allow,
             std::string message = "") {
    harness_->engine().Handle(
        scheduler::engine::PermitDecision{uid, plugin, allow, std::move(message)}, harness_->now());
  }
  // Completes the patch of the pod's nominatedNodeName.
  void EndAnnouncement() {
    const scheduler::engine::Command command = harness_->TheCommand();
    Require(std::get<scheduler::framework::PatchPodStatus>(command.write)
                .nominated_node_name.has_value(),
            "the command does not nominate a node");
    harness_->End(command);
  }
  // Takes all commands, messages for users included, as short lines: "bind web to n1", "web
  // nominated n1", "web condition PodScheduled", "delete web", "event web Scheduled".
  Lines Commands(std::vector<scheduler::engine::Command>* commands = nullptr) {
    Lines lines;
    for (scheduler::engine::Command& command : harness_->engine().TakeCommands()) {
      lines.push_back(Describe(command.write));
      if (commands != nullptr) commands->push_back(std::move(command));
    }
    return lines;
  }

  static std::string Describe(const scheduler::framework::ApiWrite& write) {
    if (const auto* bind = std::get_if<scheduler::framework::BindPod>(&write))
      return "bind " + bind->pod.name + " to " + bind->node;
    if (const auto* remove = std::get_if<scheduler::framework::DeletePod>(&write))
      return "delete " + remove->pod.name;
    if (const auto* event = std::get_if<scheduler::framework::RecordEvent>(&write))
      return "event " + event->pod.name + " " + event->reason;
    if (const auto* patch = std::get_if<scheduler::framework::PatchPodStatus>(&write)) {
      std::string line = patch->pod.name;
      if (patch->condition) line += " condition " + patch->condition->type;
      if (patch->nominated_node_name) line += " nominated " + *patch->nominated_node_name;
      return line;
    }
    return "other";
  }

  const ScriptLog log = std::make_shared<Lines>();
  // Set before Start.
  scheduler::model::Features features = {};
  scheduler::engine::AttemptObserver* attempts = nullptr;
  scheduler::framework::LogSink* engine_log = nullptr;

 private:
  scheduler::framework::Registry registry_ = scheduler::plugins::InTreeRegistry();
  scheduler::framework::ProfileConfig config_ = DefaultProfile();
  std::unique_ptr<EngineHarness> harness_;
};

inline MakePod Terminating(MakePod pod) {
  pod.object.metadata.deletion_timestamp = Instant::FromUnixSeconds(999);
  return pod;
}

}  // namespace berth
