// Benchmarks of requests of the API /berth/v1 in a cluster of 5,000 nodes and 50,000 pods, of which
// 1,000 are pending. Counters say how long the longest visit of the engine's thread took: what a
// request delays a decision by.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/check.h"
#include "base/time.h"
#include "inspect/change_log.h"
#include "inspect/inspector.h"
#include "inspect/request.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::inspect {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPodsPerNode = 10;
constexpr int kPending = 1'000;

// The processor time of this thread: other programs do not count.
int64_t ThreadNanos() {
  timespec time{};
  CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

api::Quantity Quantity(std::string_view text) { return *api::Quantity::Parse(text); }

std::shared_ptr<api::Pod> PodOf(std::string name, std::string_view cpu) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.uid = name;
  pod->metadata.name = std::move(name);
  pod->metadata.namespace_ = "default";
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.containers.emplace_back().resources.requests = {{"cpu", Quantity(cpu)}};
  return pod;
}

class BigCluster {
 public:
  BigCluster() {
    auto options = *scheduler::config::ToEngineOptions(scheduler::config::Default());
    engine_ = *scheduler::engine::Engine::Make(options, registry_);
    for (int n = 0; n < kNodes; ++n) {
      auto node = std::make_shared<api::Node>();
      node->metadata.name = node->metadata.uid = fmt::format("node-{:04}", n);
      node->metadata.labels = {{"topology.kubernetes.io/zone", fmt::format("zone-{}", n % 3)}};
      node->status.allocatable = {
          {"cpu", Quantity("16")}, {"memory", Quantity("64Gi")}, {"pods", Quantity("110")}};
      Put(api::Ref<api::Node>(node));
      for (int p = 0; p < kPodsPerNode; ++p) {
        const auto pod = PodOf(fmt::format("pod-{}-{}", n, p), "1500m");
        pod->spec.node_name = node->metadata.name;
        Put(api::Ref<api::Pod>(pod));
      }
    }
    for (int p = 0; p < kPending; ++p) {
      Put(api::Ref<api::Pod>(PodOf(fmt::format("stuck-{}", p), "8")));
    }
    engine_->Schedule(clock_.Now());
    engine_->TakeCommands();
    InspectorOptions inspected;
    inspected.engine = std::move(options);
    inspected.registry = &registry_;
    inspected.visit = [this](const auto& work) {
      const int64_t start = ThreadNanos();
      work(*engine_);
      longest_visit_ = std::max(longest_visit_, ThreadNanos() - start);
      return true;
    };
    inspected.wall_clock = inspected.engine_clock = &clock_;
    inspector_ = *Inspector::Make(std::move(inspected), log_);
  }

  void Put(const api::Object& object) {
    const scheduler::engine::Event event = scheduler::engine::ObjectPut{object};
    engine_->Handle(event, clock_.Now());
    log_.OnEvent(event);
  }
  size_t Get(const std::string& target) {
    const Response response = inspector_->Handle(*Request::Parse(std::string(kRoot) + target));
    CHECK(response.status == 200);
    return response.body.size();
  }
  // Makes the next request copy the model again.
  void Forget() { log_.Close(); }
  void Pass(Duration time) { clock_.Advance(time); }
  double longest_visit_ms() const { return static_cast<double>(longest_visit_) / 1e6; }

 private:
  const scheduler::framework::Registry registry_ = scheduler::plugins::InTreeRegistry();
  SimClock clock_{Instant::FromUnixSeconds(1'000'000)};
  ChangeLog log_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  int64_t longest_visit_ = 0;
  std::unique_ptr<Inspector> inspector_;
};

void FirstRequest(benchmark::State& state) {
  BigCluster cluster;
  for (auto _ : state) {
    cluster.Forget();
    cluster.Get("cluster");
  }
  state.counters["longest visit ms"] = cluster.longest_visit_ms();
}
BENCHMARK(FirstRequest)->Unit(benchmark::kMillisecond);

// A second passes before each request, and ten pods have changed. "#" stands for the number of a
// pending pod, which is another one each time.
void RequestOf(benchmark::State& state, const std::string& target) {
  BigCluster cluster;
  cluster.Get("cluster");
  size_t bytes = 0;
  std::vector<int64_t> times;
  const size_t at = target.find('#');
  for (auto _ : state) {
    state.PauseTiming();
    cluster.Pass(Duration::Seconds(1));
    for (int p = 0; p < 10; ++p) {
      const auto pod = PodOf(fmt::format("pod-1-{}", p), "1500m");
      pod->spec.node_name = "node-0001";
      cluster.Put(api::Ref<api::Pod>(pod));
    }
    std::string path = target;
    if (at != path.npos) path.replace(at, 1, std::to_string(times.size() % kPending));
    state.ResumeTiming();
    const int64_t start = ThreadNanos();
    bytes = cluster.Get(path);
    times.push_back(ThreadNanos() - start);
  }
  const auto p99 = times.begin() + static_cast<ptrdiff_t>(times.size() * 99 / 100);
  std::ranges::nth_element(times, p99);
  state.counters["p99 ms"] = static_cast<double>(*p99) / 1e6;
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["longest visit ms"] = cluster.longest_visit_ms();
}
BENCHMARK_CAPTURE(RequestOf, Nodes, "nodes?limit=20000")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RequestOf, Queue, "queue")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RequestOf, Explanation, "pods/default/stuck-#")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RequestOf, Fixes, "pods/default/stuck-#/fixes")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RequestOf, Matrix, "pods/default/stuck-1/matrix?limit=5000")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::inspect
