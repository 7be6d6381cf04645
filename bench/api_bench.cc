// The cost of one write through the Api on a store in memory: creates, binds, status patches.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "apiserver/registry/api.h"
#include "base/check.h"

namespace berth::apiserver {
namespace {

constexpr int kPods = 20'000;

std::string PodText(int i) {
  return fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"pod-{}","labels":{{"app":"web"}}}},)"
      R"("spec":{{"containers":[{{"name":"c","image":"registry/web:1.2",)"
      R"("resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}}}}}}]}}}})",
      i);
}

struct Fixture {
  Fixture()
      : store(*apiserver::store::Store::Open({.collections = api::scheme::CollectionNames()},
                                             nullptr)) {}

  apiserver::store::ObjectName Name(int i) const { return {"default", fmt::format("pod-{}", i)}; }
  void Fill(int count) {
    for (int i = 0; i < count; ++i) {
      CHECK(api.Create(pods, "default", boost::json::parse(PodText(i))).has_value());
    }
  }

  SimClock clock{Instant::FromUnixSeconds(1'767'225'600)};
  std::unique_ptr<apiserver::store::Store> store;
  registry::Api api{*store, clock, 1};
  const api::scheme::Kind& pods = api::scheme::KindOf("pods");
};

// Includes parsing, as in a request.
void CreatePod(benchmark::State& state) {
  auto fixture = std::make_unique<Fixture>();
  int i = 0;
  for (auto _ : state) {
    CHECK(fixture->api.Create(fixture->pods, "default", boost::json::parse(PodText(i++)))
              .has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(CreatePod)->Iterations(5 * kPods);

void BindPod(benchmark::State& state) {
  Fixture fixture;
  fixture.Fill(kPods);
  int i = 0;
  for (auto _ : state) {
    const auto binding = boost::json::parse(fmt::format(
        R"({{"kind":"Binding","target":{{"kind":"Node","name":"node-{}"}}}})", i % 100));
    CHECK(fixture.api.Bind(fixture.Name(i++), binding).has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BindPod)->Iterations(kPods);

// The patch that kube-scheduler sends for an unschedulable pod.
void PatchPodStatus(benchmark::State& state) {
  Fixture fixture;
  fixture.Fill(kPods);
  const auto patch = boost::json::parse(
      R"({"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
      R"("reason":"Unschedulable","message":"0/2 nodes are available","lastProbeTime":null,)"
      R"("lastTransitionTime":"2026-01-01T00:00:00Z","observedGeneration":1}]}})");
  int i = 0;
  for (auto _ : state) {
    CHECK(fixture.api
              .Patch(fixture.pods, fixture.Name(i++), "status", patch::PatchType::kStrategic, patch)
              .has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(PatchPodStatus)->Iterations(kPods);

// As a kubelet of the local cluster does.
void ModifyPodStatus(benchmark::State& state) {
  Fixture fixture;
  fixture.Fill(kPods);
  int i = 0;
  for (auto _ : state) {
    CHECK(fixture.api
              .Modify(fixture.pods, fixture.Name(i++),
                      [](api::Json& document) {
                        document.at("status").as_object()["phase"] = "Running";
                        return true;
                      })
              .has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ModifyPodStatus)->Iterations(kPods);

void DeletePod(benchmark::State& state) {
  Fixture fixture;
  fixture.Fill(kPods);
  int i = 0;
  for (auto _ : state) CHECK(fixture.api.Delete(fixture.pods, fixture.Name(i++)).has_value());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DeletePod)->Iterations(kPods);

}  // namespace
}  // namespace berth::apiserver
