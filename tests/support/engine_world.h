// A small world around an Engine: it plays the API server, keeps the time, and writes decisions
// down as short lines. The engine checks each decision against one made from scratch.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "engine/engine.h"
#include "plugins/default_plugins.h"
#include "plugins/registry.h"
#include "support/fake_plugins.h"
#include "support/objects.h"

namespace berth {

// kube-scheduler's default plugins.
inline ProfileConfig DefaultProfile(std::string scheduler_name = "default-scheduler") {
  ProfileConfig config;
  config.multi_point = DefaultPlugins();
  config.scheduler_name = std::move(scheduler_name);
  return config;
}

class EngineWorld final : public DecisionObserver {
 public:
  EngineWorld() : EngineWorld({DefaultProfile()}) {}
  explicit EngineWorld(std::vector<ProfileConfig> profiles,
                       const Registry& registry = InTreeRegistry(), bool explain = false)
      : EngineWorld(OptionsOf(std::move(profiles), explain), registry) {}
  explicit EngineWorld(const EngineOptions& options, const Registry& registry = InTreeRegistry())
      : engine_(MakeEngine(options, registry)) {
    engine_->Observe(this);
  }

  EngineWorld(const EngineWorld&) = delete;
  EngineWorld& operator=(const EngineWorld&) = delete;

  Engine& engine() { return *engine_; }
  const Cluster& cluster() const { return engine_->cluster(); }

  // --- events; each a millisecond after the one before ---

  void Put(const api::Object& object) { Handle(ObjectPut{object}); }
  void Remove(const api::Object& object) { Handle(ObjectGone{object}); }
  void End(const Command& command, WriteResult result = {}) {
    Handle(WriteDone{command.id, std::move(result)});
  }
  void Fail(const Command& command, std::string message) {
    End(command, {WriteResult::Kind::kConflict, std::move(message)});
  }

  void Pass(Duration time) { now_ = now_ + time; }
  Instant now() const { return now_; }

  size_t Schedule(size_t limit = SIZE_MAX) { return engine_->Schedule(now_, limit); }

  // --- what came of it ---

  // Decisions since the last call: "web -> n1", "web: 0/1 nodes are available: ...", or
  // "web failed: ...".
  std::vector<std::string> Decisions() { return std::exchange(decisions_, {}); }
  const std::vector<Decision>& all_decisions() const { return all_; }
  // The commands asked for, but for what is only told to users: those end well at once.
  std::vector<Command> Commands() {
    std::vector<Command> commands;
    for (Command& command : engine_->TakeCommands()) {
      const WriteLane lane = LaneOf(command.write);
      if (lane == WriteLane::kStatus || lane == WriteLane::kEvent) {
        Note(command.write);
        engine_->Handle(WriteDone{command.id, {}}, now_);
      } else {
        commands.push_back(std::move(command));
      }
    }
    return commands;
  }
  // What users were told since the last call: "web: FailedScheduling: 0/1 nodes ..." for an event,
  // "web is Unschedulable: ..." for the PodScheduled condition.
  std::vector<std::string> Told() {
    CHECK(Commands().empty());  // Take those first.
    return std::exchange(told_, {});
  }
  // The one command that was asked for.
  Command TheCommand() {
    std::vector<Command> commands = Commands();
    CHECK(commands.size() == 1);
    return commands[0];
  }

  PodId Find(const std::string& pod) const { return cluster().pods().Find("default", pod); }
  // "pending", "assumed on n1", "bound on n1" or "unknown".
  std::string Where(const std::string& pod) const {
    const PodId id = Find(pod);
    if (!id.valid()) return "unknown";
    const PodRecord& record = cluster().pod(id);
    if (record.state == PodState::kPending) return "pending";
    return (record.state == PodState::kAssumed ? "assumed on " : "bound on ") +
           cluster().nodes().name(record.node);
  }
  int64_t CpuOn(const std::string& node) const {
    const NodeRow row = cluster().nodes().Find(cluster().symbols().Find(node));
    return row.valid() ? cluster().nodes().columns().requested_cpu[row.index()] : 0;
  }
  // "active/backoff/unschedulable/gated".
  std::string Queue() const {
    const SchedulingQueue::Sizes sizes = engine_->queue().sizes();
    return fmt::format("{}/{}/{}/{}", sizes.active, sizes.backoff, sizes.unschedulable,
                       sizes.gated);
  }

 private:
  static EngineOptions OptionsOf(std::vector<ProfileConfig> profiles, bool explain) {
    EngineOptions options;
    options.profiles = std::move(profiles);
    options.explain = explain;
    options.paranoid = true;
    return options;
  }
  static std::unique_ptr<Engine> MakeEngine(const EngineOptions& options,
                                            const Registry& registry) {
    auto engine = Engine::Make(options, registry);
    CHECK(engine.has_value());
    return *std::move(engine);
  }

  void Handle(const Event& event) {
    now_ = now_ + Duration::Millis(1);
    engine_->Handle(event, now_);
  }

  void Note(const ApiWrite& write) {
    if (const auto* event = std::get_if<RecordEvent>(&write)) {
      told_.push_back(fmt::format("{}: {}: {}", event->pod.name, event->reason, event->note));
    } else if (const auto* patch = std::get_if<PatchPodStatus>(&write)) {
      told_.push_back(fmt::format("{} is {}: {}", patch->pod.name, patch->condition->reason,
                                  patch->condition->message));
    }
  }

  void OnDecision(const Decision& decision) override {
    const std::string& pod = decision.key.name;
    switch (decision.kind) {
      case Decision::Kind::kPlaced:
        decisions_.push_back(pod + " -> " + decision.node);
        break;
      case Decision::Kind::kUnschedulable:
        decisions_.push_back(pod + ": " + decision.message);
        break;
      case Decision::Kind::kFailed:
        decisions_.push_back(pod + " failed: " + decision.message);
        break;
    }
    all_.push_back(decision);
  }

  std::unique_ptr<Engine> engine_;
  Instant now_ = Instant::FromUnixSeconds(1000);
  std::vector<std::string> decisions_;
  std::vector<Decision> all_;
  std::vector<std::string> told_;
};

}  // namespace berth
