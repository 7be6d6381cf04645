// An engine for fuzz targets: it checks each decision against the reference implementation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/check.h"
#include "base/time.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/events.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth {

class FuzzedEngine final : private scheduler::engine::DecisionObserver {
 public:
  explicit FuzzedEngine(scheduler::framework::ProfileConfig profile = DefaultProfile()) {
    scheduler::engine::EngineOptions options;
    options.profiles = {std::move(profile)};
    options.paranoid = true;
    auto engine = scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry());
    CHECK(engine.has_value());
    engine_ = *std::move(engine);
    engine_->Observe(this);
  }

  static scheduler::framework::ProfileConfig DefaultProfile() {
    static const scheduler::framework::ProfileConfig kProfile = [] {
      auto profiles = scheduler::config::ToProfileConfigs(scheduler::config::Default());
      CHECK(profiles.has_value());
      // The check evaluates all nodes.
      profiles->front().percentage_of_nodes_to_score.reset();
      return profiles->front();
    }();
    return kProfile;
  }

  template <typename T>
  void Put(T object) {
    Put(api::Object(std::make_shared<const T>(std::move(object))));
  }
  void Put(api::Object object) {
    engine_->Handle(scheduler::engine::ObjectPut{std::move(object)}, now_);
  }
  void Delete(api::Object object) {
    engine_->Handle(scheduler::engine::ObjectDeleted{std::move(object)}, now_);
  }

  // Schedules all pods that are ready, after a time that ends every backoff.
  void Schedule() {
    now_ += Duration::Seconds(3600);
    engine_->Schedule(now_);
    engine_->TakeCommands();
  }

  const scheduler::model::Cluster& cluster() const { return engine_->cluster(); }
  // The messages of attempts that failed with an error.
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  void OnDecision(const scheduler::engine::Decision& decision) override {
    if (decision.kind == scheduler::engine::Decision::Kind::kFailed)
      errors_.push_back(decision.message);
  }

  std::unique_ptr<scheduler::engine::Engine> engine_;
  Instant now_ = Instant::FromUnixSeconds(1'800'000'000);
  std::vector<std::string> errors_;
};

}  // namespace berth
