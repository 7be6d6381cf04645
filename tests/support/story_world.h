// An EngineWorld whose profile has, besides the default plugins, some that follow a script.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/engine_world.h"
#include "support/story_plugins.h"

namespace berth {

class StoryWorld {
 public:
  using Lines = std::vector<std::string>;

  // --- before Start ---

  template <typename P, typename... Arguments>
  void Add(const std::string& name, Arguments... arguments) {
    Offer<P>(registry_, name, arguments...);
    config_.multi_point.enabled.push_back({name});
  }
  void AddReserve(const std::string& name, Verdict answer = {}) {
    Add<FakeReserve>(name, log, std::move(answer));
  }
  void AddPreBind(const std::string& name, PreBindScript script) {
    Add<FakePreBind>(name, log, std::move(script));
  }
  // A Permit plugin that answers with `permit`.
  void AddPermit(const std::string& name,
                 std::function<PermitResult(Cycle&, WaitingPods&)> permit) {
    auto script = std::make_shared<PermitScript>();
    script->permit = std::move(permit);
    Add<FakePermit>(name, script);
  }
  EngineWorld& Start() {
    world_ = std::make_unique<EngineWorld>(std::vector{config_}, registry_);
    return *world_;
  }
  const ProfileConfig& config() const { return config_; }
  const Registry& registry() const { return registry_; }

  // --- after it ---

  EngineWorld& operator*() { return *world_; }
  EngineWorld* operator->() { return world_.get(); }
  void Speak(const std::string& uid, const std::string& plugin, bool allow,
             std::string message = "") {
    world_->engine().Handle(PermitSpoken{uid, plugin, allow, std::move(message)}, world_->now());
  }
  // Ends the patch that tells where the pod will go.
  void EndAnnouncement() {
    const Command command = world_->TheCommand();
    CHECK(std::get<PatchPodStatus>(command.write).nominated_node_name.has_value());
    world_->End(command);
  }
  // All commands, told users or not, as short lines: "bind web to n1", "web nominated n1", "web
  // condition PodScheduled", "delete web", "event web Scheduled".
  Lines Asked(std::vector<Command>* commands = nullptr) {
    Lines lines;
    for (Command& command : world_->engine().TakeCommands()) {
      lines.push_back(Describe(command.write));
      if (commands != nullptr) commands->push_back(std::move(command));
    }
    return lines;
  }

  static std::string Describe(const ApiWrite& write) {
    if (const auto* bind = std::get_if<BindPod>(&write))
      return "bind " + bind->pod.name + " to " + bind->node;
    if (const auto* remove = std::get_if<DeletePod>(&write)) return "delete " + remove->pod.name;
    if (const auto* event = std::get_if<RecordEvent>(&write))
      return "event " + event->pod.name + " " + event->reason;
    if (const auto* patch = std::get_if<PatchPodStatus>(&write)) {
      std::string line = patch->pod.name;
      if (patch->condition) line += " condition " + patch->condition->type;
      if (patch->nominated_node_name) line += " nominated " + *patch->nominated_node_name;
      return line;
    }
    return "other";
  }

  const StoryLog log = std::make_shared<Lines>();

 private:
  Registry registry_ = InTreeRegistry();
  ProfileConfig config_ = DefaultProfile();
  std::unique_ptr<EngineWorld> world_;
};

inline MakePod Terminating(MakePod pod) {
  pod.object.metadata.deletion_timestamp = Instant::FromUnixSeconds(999);
  return pod;
}

}  // namespace berth
