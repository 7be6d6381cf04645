// How long the local cluster takes to run bound pods, and to create the pods of a Deployment.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/registry/api.h"
#include "base/check.h"
#include "localcluster/local_cluster.h"
#include "localcluster/object_json.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {
namespace {

struct Cluster {
  explicit Cluster(int nodes)
      : store(std::move(*apiserver::store::Store::Open(
            {.collections = api::scheme::CollectionNames()}, nullptr))),
        api(*store, clock, 1) {
    for (int i = 0; i < nodes; ++i) {
      Create(Nodes(), "",
             fmt::format(R"({{"metadata":{{"name":"node-{}"}},"status":{{"capacity":)"
                         R"({{"cpu":"64","memory":"256Gi","pods":"500"}}}}}})",
                         i));
    }
  }
  void Create(const Kind& kind, std::string_view namespace_, std::string_view text) {
    CHECK(api.Create(kind, namespace_, boost::json::parse(text)).has_value());
  }
  void Bind(const ObjectName& pod, int node) {
    const auto binding =
        boost::json::parse(fmt::format(R"({{"target":{{"kind":"Node","name":"node-{}"}}}})", node));
    CHECK(api.Bind(pod, binding).has_value());
  }

  SimClock clock{Instant::FromUnixSeconds(1767225600)};
  std::unique_ptr<apiserver::store::Store> store;
  apiserver::registry::Api api;
};

// Runs `pods` bound pods on a tenth as many nodes.
void BoundToRunning(benchmark::State& state) {
  const int pods = static_cast<int>(state.range(0));
  const int nodes = pods / 10;
  for (auto _ : state) {
    state.PauseTiming();
    Cluster cluster(nodes);
    LocalCluster local_cluster(cluster.api, cluster.clock, {.leases = false});
    local_cluster.RunUntilIdle();
    for (int i = 0; i < pods; ++i) {
      const std::string name = fmt::format("pod-{}", i);
      cluster.Create(Pods(), "default",
                     fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"app":"web"}}}},"spec":)"
                                 R"({{"containers":[{{"name":"c","image":"nginx","resources":)"
                                 R"({{"requests":{{"cpu":"100m","memory":"64Mi"}}}}}}]}}}})",
                                 name));
      cluster.Bind({"default", name}, i % nodes);
    }
    state.ResumeTiming();
    local_cluster.RunUntilIdle();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(BoundToRunning)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

// Creates all pods of a Deployment of `pods` replicas.
void DeploymentToPods(benchmark::State& state) {
  const int pods = static_cast<int>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    Cluster cluster(1);
    LocalCluster local_cluster(cluster.api, cluster.clock, {.leases = false});
    local_cluster.RunUntilIdle();
    state.ResumeTiming();
    cluster.Create(
        Deployments(), "default",
        fmt::format(
            R"({{"metadata":{{"name":"web"}},"spec":{{"replicas":{},"selector":)"
            R"({{"matchLabels":{{"app":"web"}}}},"template":{{"metadata":{{"labels":)"
            R"({{"app":"web"}}}},"spec":{{"containers":[{{"name":"c","image":"nginx"}}]}}}}}}}})",
            pods));
    local_cluster.RunUntilIdle();
    CHECK(cluster.store->Count(Pods().collection) == static_cast<size_t>(pods));
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(DeploymentToPods)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::localcluster
