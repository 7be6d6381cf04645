// InspectedEngine is an engine with an Inspector, for tests: it hears events, schedules and has its
// commands executed, as by a driver.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "base/time.h"
#include "inspect/change_log.h"
#include "inspect/inspector.h"
#include "inspect/request.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth::inspect {

class InspectedEngine final : private scheduler::engine::DecisionObserver {
 public:
  explicit InspectedEngine(
      History history = {},
      std::vector<scheduler::framework::ProfileConfig> profiles = {DefaultProfile()},
      scheduler::framework::Registry registry = scheduler::plugins::InTreeRegistry())
      : registry_(std::move(registry)) {
    scheduler::engine::EngineOptions options;
    options.profiles = std::move(profiles);
    engine_ = Require(scheduler::engine::Engine::Make(options, registry_));
    engine_->Observe(this);
    InspectorOptions inspected;
    inspected.version = "v1.2.3";
    inspected.server = "up";
    inspected.engine = std::move(options);
    inspected.registry = &registry_;
    inspected.visit = [this](const auto& work) {
      if (!runs_) return false;
      if (throws_) throw std::bad_alloc();
      ++visits_;
      work(*engine_);
      return true;
    };
    inspected.binds = [this] { return binds_; };
    inspected.wall_clock = &clock_;
    inspected.engine_clock = &clock_;
    inspected.history = history;
    inspector_ = Require(Inspector::Make(std::move(inspected), log_));
  }

  scheduler::engine::Engine& engine() { return *engine_; }
  Inspector& inspector() { return *inspector_; }
  // For one that serves it; Get and Json must not be called any more.
  std::unique_ptr<Inspector> TakeInspector() { return std::move(inspector_); }
  ChangeLog& log() { return log_; }
  Instant now() const { return clock_.Now(); }
  size_t visits() const { return visits_; }
  void StopEngine() { runs_ = false; }
  // From now on, or no longer, each visit of the engine throws.
  void Throw(bool throws) { throws_ = throws; }

  void Put(const api::Object& object) { Handle(scheduler::engine::ObjectPut{object}); }
  void Remove(const api::Object& object) { Handle(scheduler::engine::ObjectDeleted{object}); }
  void Pass(Duration time) { clock_.Advance(time); }
  // Tries all pods that are ready. Their commands are executed, but binds, which remain under way.
  void Schedule() {
    engine_->Schedule(clock_.Now());
    for (scheduler::engine::Command& command : engine_->TakeCommands()) {
      if (std::holds_alternative<scheduler::framework::BindPod>(command.write)) {
        bindings_.push_back(std::move(command));
      } else {
        Handle(scheduler::engine::WriteDone{command.id, {}});
      }
    }
  }
  // The binds end: the API shows the pods on their nodes, or refuses.
  void EndBinds(bool succeed) {
    for (const scheduler::engine::Command& command : std::exchange(bindings_, {})) {
      const auto& bind = std::get<scheduler::framework::BindPod>(command.write);
      scheduler::framework::WriteResult result;
      if (!succeed) result.kind = scheduler::framework::WriteResult::Kind::kConflict;
      const auto id = engine_->cluster().pods().Find(bind.pod.namespace_, bind.pod.name);
      auto bound = std::make_shared<api::Pod>(*engine_->cluster().pod(id).object);
      bound->spec.node_name = bind.node;
      Handle(scheduler::engine::WriteDone{command.id, result});
      if (succeed) {
        ++binds_;
        Put(api::Ref<api::Pod>(bound));
      }
    }
  }

  // Answers "pods?limit=5", of which the root is left out.
  Response Get(const std::string& target) {
    const auto request = Request::Parse(std::string(kRoot) + target);
    if (!request) return Failure(400, request.error().message);
    return inspector_->Handle(*request);
  }
  // Returns the document, which must be one.
  api::JsonObject Json(const std::string& target) {
    const Response response = Get(target);
    Require(response.status == 200, (target + ": " + response.body).c_str());
    return Require(api::ParseJson(response.body)).as_object();
  }

 private:
  void Handle(const scheduler::engine::Event& event) {
    engine_->Handle(event, clock_.Now());
    log_.OnEvent(event);
  }
  void OnDecision(const scheduler::engine::Decision& decision) override {
    log_.OnDecision(decision);
  }

  const scheduler::framework::Registry registry_;
  SimClock clock_{Instant::FromUnixSeconds(1'000'000)};
  ChangeLog log_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  std::vector<scheduler::engine::Command> bindings_;
  uint64_t binds_ = 0;
  size_t visits_ = 0;
  bool runs_ = true;
  bool throws_ = false;
  std::unique_ptr<Inspector> inspector_;
};

}  // namespace berth::inspect
