// Arbitrary requests of the API /berth/v1 to a small cluster. Each gets a response that is JSON: a
// document or a Status.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/json/parse.h"
#include "api/object.h"
#include "base/check.h"
#include "base/time.h"
#include "inspect/change_log.h"
#include "inspect/inspector.h"
#include "inspect/request.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace {

using berth::api::Quantity;

// A node, a pod on it and one that fits nowhere.
class SmallCluster {
 public:
  SmallCluster() {
    berth::scheduler::engine::EngineOptions options;
    options.profiles.emplace_back().multi_point = berth::scheduler::plugins::DefaultPlugins();
    engine_ = *berth::scheduler::engine::Engine::Make(options, registry_);
    auto node = std::make_shared<berth::api::Node>();
    node->metadata.name = "n";
    node->status.allocatable = {{"cpu", *Quantity::Parse("1")}, {"pods", *Quantity::Parse("9")}};
    Put(berth::api::Ref<berth::api::Node>(node));
    for (const char* name : {"p", "q"}) {
      auto pod = std::make_shared<berth::api::Pod>();
      pod->metadata.name = pod->metadata.uid = name;
      pod->metadata.namespace_ = "s";
      pod->spec.scheduler_name = "default-scheduler";
      pod->spec.containers.emplace_back().resources.requests = {{"cpu", *Quantity::Parse("1")}};
      if (*name == 'p') pod->spec.node_name = "n";
      Put(berth::api::Ref<berth::api::Pod>(pod));
    }
    engine_->Schedule(clock_.Now());
    berth::inspect::InspectorOptions inspected;
    inspected.engine = options;
    inspected.registry = &registry_;
    inspected.visit = [this](const auto& work) {
      work(*engine_);
      return true;
    };
    inspected.wall_clock = inspected.engine_clock = &clock_;
    inspector_ = *berth::inspect::Inspector::Make(std::move(inspected), log_);
  }

  berth::inspect::Inspector& inspector() { return *inspector_; }

 private:
  void Put(const berth::api::Object& object) {
    engine_->Handle(berth::scheduler::engine::ObjectPut{object}, clock_.Now());
  }

  const berth::scheduler::framework::Registry registry_ =
      berth::scheduler::plugins::InTreeRegistry();
  berth::SimClock clock_{berth::Instant::FromUnixSeconds(1'000'000)};
  berth::inspect::ChangeLog log_;
  std::unique_ptr<berth::scheduler::engine::Engine> engine_;
  std::unique_ptr<berth::inspect::Inspector> inspector_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static SmallCluster& cluster = *new SmallCluster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request =
      berth::inspect::Request::Parse(std::string(berth::inspect::kRoot) += std::string(text));
  if (!request) {
    CHECK(!request.error().message.empty());
    return 0;
  }
  const berth::inspect::Response response = cluster.inspector().Handle(*request);
  CHECK(response.status == 200 || response.status >= 400);
  CHECK(berth::api::ParseJson(response.body).has_value());
  return 0;
}
