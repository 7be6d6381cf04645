// An example of a program that embeds the engine: it feeds the engine a small cluster, executes the
// commands of the engine by itself, and prints the decisions.
#include <berth/engine.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace api = berth::api;
namespace config = berth::scheduler::config;
namespace engine = berth::scheduler::engine;
namespace framework = berth::scheduler::framework;

namespace {

// Objects as an API server stores them: with uid, schedulerName and allocatable.
constexpr const char* kCluster = R"(
kind: Node
apiVersion: v1
metadata: {name: small, uid: n1}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "110"}}
---
kind: Pod
apiVersion: v1
metadata: {name: web, namespace: shop, uid: p1}
spec:
  schedulerName: default-scheduler
  containers: [{name: c, image: web, resources: {requests: {cpu: "1", memory: 1Gi}}}]
---
kind: Pod
apiVersion: v1
metadata: {name: database, namespace: shop, uid: p2}
spec:
  schedulerName: default-scheduler
  containers: [{name: c, image: database, resources: {requests: {cpu: "6", memory: 8Gi}}}]
)";

constexpr const char* kNewNode = R"(
kind: Node
apiVersion: v1
metadata: {name: large, uid: n2}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
)";

class DecisionPrinter final : public engine::DecisionObserver {
 public:
  void OnDecision(const engine::Decision& decision) override {
    if (decision.kind == engine::Decision::Kind::kPlaced) {
      std::printf("%s -> %s\n", decision.key.ToString().c_str(), decision.node.c_str());
    } else {
      std::printf("%s: %s\n", decision.key.ToString().c_str(), decision.message.c_str());
    }
  }
};

// Driver does for the engine what an API server and a clock do.
class Driver {
 public:
  explicit Driver(engine::Engine& engine) : engine_(engine) {}

  berth::Status Put(const char* yaml) {
    const auto objects = api::DecodeObjects(yaml, "example");
    if (!objects) return std::unexpected(objects.error());
    for (const api::Object& object : *objects) Put(object);
    return {};
  }

  // Schedules until the engine has no pod left to try and no command left to execute.
  void Run() {
    std::vector<engine::Command> commands;
    do {
      engine_.Schedule(now_);
      commands = engine_.TakeCommands();
      for (const engine::Command& command : commands) Execute(command);
    } while (!commands.empty());
  }

  // Lets time pass until the engine has something to do, such as to retry a pod after its backoff.
  void Sleep() {
    if (const auto wake = engine_.next_wake()) now_ = *wake;
  }

 private:
  void Put(const api::Object& object) {
    if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object)) {
      pods_[api::KeyOf(object)] = *pod;
    }
    engine_.Handle(engine::ObjectPut{object}, now_);
  }

  // Only bindings matter here; a real driver also patches conditions, deletes victims, updates
  // volumes and records events. The engine must receive the result of each command.
  void Execute(const engine::Command& command) {
    if (const auto* bind = std::get_if<framework::BindPod>(&command.write)) {
      auto bound = api::CopyToChange(*pods_.at(bind->pod));
      bound->spec.node_name = bind->node;
      Put(api::Ref<api::Pod>(std::move(bound)));
    }
    engine_.Handle(engine::WriteDone{command.id, {}}, now_);
  }

  engine::Engine& engine_;
  berth::Instant now_ = berth::Instant::FromUnixSeconds(1'800'000'000);
  std::map<api::ObjectKey, api::Ref<api::Pod>> pods_;
};

berth::Status RunExample() {
  const auto options = config::ToEngineOptions(config::Default());
  if (!options) return std::unexpected(options.error());
  const auto made = engine::Engine::Make(*options, berth::scheduler::plugins::InTreeRegistry());
  if (!made) return std::unexpected(made.error());
  DecisionPrinter printer;
  (*made)->Observe(&printer);
  Driver driver(**made);

  if (auto put = driver.Put(kCluster); !put) return put;
  driver.Run();
  std::puts("a large node joins");
  if (auto put = driver.Put(kNewNode); !put) return put;
  driver.Sleep();  // The rejected pod is in backoff.
  driver.Run();
  (*made)->Observe(nullptr);
  return {};
}

}  // namespace

int main() {
  const berth::Status status = RunExample();
  if (status) return 0;
  std::fprintf(stderr, "embedding: %s\n", status.error().message.c_str());
  return 1;
}
