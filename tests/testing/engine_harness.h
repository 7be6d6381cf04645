// EngineHarness is an Engine with a fake API server and clock for tests. It records decisions as
// short lines. The engine checks each decision against the reference implementation.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"
#include "testing/fake_plugins.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth {

// kube-scheduler's default plugins.
inline scheduler::framework::ProfileConfig DefaultProfile(
    std::string scheduler_name = "default-scheduler",
    const scheduler::model::Features& features = {}) {
  scheduler::framework::ProfileConfig config;
  config.multi_point = scheduler::plugins::DefaultPlugins(features);
  config.scheduler_name = std::move(scheduler_name);
  return config;
}

class EngineHarness final : public scheduler::engine::DecisionObserver {
 public:
  EngineHarness() : EngineHarness({DefaultProfile()}) {}
  explicit EngineHarness(
      std::vector<scheduler::framework::ProfileConfig> profiles,
      const scheduler::framework::Registry& registry = scheduler::plugins::InTreeRegistry(),
      bool explain = false)
      : EngineHarness(OptionsOf(std::move(profiles), explain), registry) {}
  explicit EngineHarness(
      const scheduler::engine::EngineOptions& options,
      const scheduler::framework::Registry& registry = scheduler::plugins::InTreeRegistry())
      : engine_(MakeEngine(options, registry)) {
    engine_->Observe(this);
  }

  EngineHarness(const EngineHarness&) = delete;
  EngineHarness& operator=(const EngineHarness&) = delete;

  scheduler::engine::Engine& engine() { return *engine_; }
  const scheduler::model::Cluster& cluster() const { return engine_->cluster(); }

  // --- events; each a millisecond after the one before ---

  void Put(const api::Object& object) { Handle(scheduler::engine::ObjectPut{object}); }
  void Remove(const api::Object& object) { Handle(scheduler::engine::ObjectDeleted{object}); }
  void End(const scheduler::engine::Command& command,
           scheduler::framework::WriteResult result = {}) {
    Handle(scheduler::engine::WriteDone{command.id, std::move(result)});
  }
  void Fail(const scheduler::engine::Command& command, std::string message) {
    End(command, {scheduler::framework::WriteResult::Kind::kConflict, std::move(message)});
  }

  void Pass(Duration time) { now_ = now_ + time; }
  Instant now() const { return now_; }

  size_t Schedule(size_t limit = SIZE_MAX) { return engine_->Schedule(now_, limit); }

  // --- results ---

  // Decisions since the last call: "web -> n1", "web: 0/1 nodes are available: ...", or
  // "web failed: ...".
  std::vector<std::string> Decisions() { return std::exchange(decisions_, {}); }
  const std::vector<scheduler::engine::Decision>& all_decisions() const { return all_; }
  // Returns the commands issued since the last call, without status patches and events for users:
  // those succeed at once.
  std::vector<scheduler::engine::Command> Commands() {
    std::vector<scheduler::engine::Command> commands;
    for (scheduler::engine::Command& command : engine_->TakeCommands()) {
      const scheduler::framework::WriteLane lane = scheduler::framework::LaneOf(command.write);
      if (lane == scheduler::framework::WriteLane::kStatus ||
          lane == scheduler::framework::WriteLane::kEvent) {
        Note(command.write);
        engine_->Handle(scheduler::engine::WriteDone{command.id, {}}, now_);
      } else {
        commands.push_back(std::move(command));
      }
    }
    return commands;
  }
  // Executes the commands that bind pods: "web to n1". They succeed, and the API shows the pods.
  std::vector<std::string> Bind() {
    std::vector<std::string> bound;
    for (const scheduler::engine::Command& command : Commands()) {
      const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write);
      if (bind == nullptr) continue;
      bound.push_back(bind->pod.name + " to " + bind->node);
      api::Pod pod = *cluster().pod(Find(bind->pod.name)).object;
      pod.spec.node_name = bind->node;
      End(command);
      Put(std::make_shared<const api::Pod>(std::move(pod)));
    }
    return bound;
  }
  // Returns the messages for users since the last call: "web: FailedScheduling: 0/1 nodes ..." for
  // an event, "web is Unschedulable: ..." for the PodScheduled condition, "group job is Scheduled:
  // ..." for that of a PodGroup.
  std::vector<std::string> Reports() {
    Require(Commands().empty(), "there are commands: take them before the messages");
    return std::exchange(told_, {});
  }
  // Returns the only command.
  scheduler::engine::Command TheCommand() {
    std::vector<scheduler::engine::Command> commands = Commands();
    Require(commands.size() == 1, "there is not exactly one command");
    return commands[0];
  }

  scheduler::model::PodId Find(const std::string& pod) const {
    return cluster().pods().Find("default", pod);
  }
  // "pending", "assumed on n1", "bound on n1" or "unknown".
  std::string Where(const std::string& pod) const {
    const scheduler::model::PodId id = Find(pod);
    if (!id.valid()) return "unknown";
    const scheduler::model::PodRecord& record = cluster().pod(id);
    if (record.state == scheduler::model::PodState::kPending) return "pending";
    return (record.state == scheduler::model::PodState::kAssumed ? "assumed on " : "bound on ") +
           cluster().nodes().name(record.node);
  }
  int64_t CpuOn(const std::string& node) const {
    const scheduler::model::NodeRow row = cluster().nodes().Find(cluster().symbols().Find(node));
    return row.valid() ? cluster().nodes().columns().requested_cpu[row.index()] : 0;
  }
  // "active/backoff/unschedulable/gated".
  std::string Queue() const {
    const scheduler::queue::SchedulingQueue::Sizes sizes = engine_->queue().sizes();
    return fmt::format("{}/{}/{}/{}", sizes.active, sizes.backoff, sizes.unschedulable,
                       sizes.gated);
  }

 private:
  static scheduler::engine::EngineOptions OptionsOf(
      std::vector<scheduler::framework::ProfileConfig> profiles, bool explain) {
    scheduler::engine::EngineOptions options;
    options.profiles = std::move(profiles);
    options.explain = explain;
    options.paranoid = true;
    return options;
  }
  static std::unique_ptr<scheduler::engine::Engine> MakeEngine(
      const scheduler::engine::EngineOptions& options,
      const scheduler::framework::Registry& registry) {
    return Require(scheduler::engine::Engine::Make(options, registry));
  }

  void Handle(const scheduler::engine::Event& event) {
    now_ = now_ + Duration::Millis(1);
    engine_->Handle(event, now_);
  }

  void Note(const scheduler::framework::ApiWrite& write) {
    if (const auto* event = std::get_if<scheduler::framework::RecordEvent>(&write)) {
      told_.push_back(fmt::format("{}: {}: {}", event->pod.name, event->reason, event->note));
    } else if (const auto* patch = std::get_if<scheduler::framework::PatchPodStatus>(&write)) {
      told_.push_back(fmt::format("{} is {}: {}", patch->pod.name, patch->condition->reason,
                                  patch->condition->message));
    } else if (const auto* group = std::get_if<scheduler::framework::PatchPodGroupStatus>(&write)) {
      told_.push_back(fmt::format("group {} is {}: {}", group->group.name, group->condition.reason,
                                  group->condition.message));
    }
  }

  void OnDecision(const scheduler::engine::Decision& decision) override {
    const std::string& pod = decision.key.name;
    switch (decision.kind) {
      case scheduler::engine::Decision::Kind::kPlaced:
        decisions_.push_back(pod + " -> " + decision.node);
        break;
      case scheduler::engine::Decision::Kind::kUnschedulable:
        decisions_.push_back(pod + ": " + decision.message);
        break;
      case scheduler::engine::Decision::Kind::kFailed:
        decisions_.push_back(pod + " failed: " + decision.message);
        break;
    }
    all_.push_back(decision);
  }

  std::unique_ptr<scheduler::engine::Engine> engine_;
  Instant now_ = Instant::FromUnixSeconds(1000);
  std::vector<std::string> decisions_;
  std::vector<scheduler::engine::Decision> all_;
  std::vector<std::string> told_;
};

}  // namespace berth
