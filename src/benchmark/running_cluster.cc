#include "benchmark/running_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json/value.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "api/json/parse.h"
#include "api/scheme/scheme.h"
#include "base/chrono.h"
#include "benchmark/pod_tracker.h"
#include "runtime/embedded/store_connection.h"

namespace berth::benchmark {
namespace {

constexpr uint64_t kSeed = 1;
// How often the workload looks at its pods. Rates have this resolution.
constexpr Duration kLook = Duration::Millis(2);
constexpr std::chrono::milliseconds kStopGrace{500};
// Pods are created in this process, faster than any client would: watches need not list again.
constexpr size_t kHistory = 400'000;
constexpr size_t kHistoryBytes = size_t{1} << 30;
// How long a scheduler has until it schedules its first pod; kube-scheduler needs some seconds.
constexpr Duration kReadyLimit = Duration::Seconds(60);

std::unique_ptr<localcluster::LocalCluster> StartControllers(apiserver::registry::Api& api,
                                                             const Clock& clock) {
  return localcluster::LocalCluster::Start(
      api, clock, localcluster::LocalClusterOptions{.kubelets = false, .leases = false});
}

Duration SinceStart(const Clock& clock) { return clock.Now().since_epoch(); }

void SleepAtMost(const Clock& clock, Instant until) {
  const Duration left = std::min(until - clock.Now(), kLook);
  if (left > Duration{}) std::this_thread::sleep_for(ToChrono(left));
}

SchedulingTotals TotalsOf(const Clock& clock, const runtime::DriverSnapshot& snapshot) {
  return {.time = SinceStart(clock),
          .engine = std::nullopt,
          .attempts = snapshot.decisions(),
          .decision_time = snapshot.decision_time};
}

// --- on the store ---

class StoreCluster final : public BenchCluster {
 public:
  static Result<std::unique_ptr<BenchCluster>> Make(
      RunningOptions options, const scheduler::framework::Registry& registry) {
    auto store = apiserver::store::Store::Open({.collections = api::scheme::CollectionNames(),
                                                .history = kHistory,
                                                .history_bytes = kHistoryBytes},
                                               /*journal=*/nullptr);
    if (!store) return std::unexpected(store.error());
    std::unique_ptr<StoreCluster> cluster(
        new StoreCluster(*std::move(store), options.engine.features, options.parallelism));
    runtime::EngineDriverOptions driver;
    driver.engine = std::move(options.engine);
    driver.engine.workers = &cluster->workers_;
    driver.wall_clock = &cluster->wall_clock_;
    auto made = runtime::embedded::MakeDriver(cluster->api_, cluster->clock_, {}, std::move(driver),
                                              registry);
    if (!made) return std::unexpected(made.error());
    cluster->driver_ = *std::move(made);
    if (options.controllers) {
      cluster->controllers_ = StartControllers(cluster->api_, cluster->clock_);
    }
    cluster->driver_->Start();
    return cluster;
  }
  ~StoreCluster() override { driver_->Stop(Duration{}); }

  apiserver::registry::Api& api() override { return api_; }
  const Clock& clock() const override { return clock_; }
  void Load() override {}
  void Run(Instant until) override { SleepAtMost(clock_, until); }
  SchedulingTotals Totals() const override { return TotalsOf(clock_, *driver_->snapshot()); }
  Status health() override { return {}; }

 private:
  StoreCluster(std::unique_ptr<apiserver::store::Store> store,
               const scheduler::model::Features& features, int parallelism)
      : store_(std::move(store)),
        api_(*store_, wall_clock_, kSeed, WorkloadGatesOf(features)),
        workers_(ThreadWorkers::UsefulCount(parallelism)) {}

  SteadyClock clock_;
  SystemClock wall_clock_;
  std::unique_ptr<apiserver::store::Store> store_;
  apiserver::registry::Api api_;
  ThreadWorkers workers_;
  std::unique_ptr<localcluster::LocalCluster> controllers_;  // May be null.
  std::unique_ptr<runtime::EngineDriver> driver_;
};

// --- over HTTP ---

// An API server on loopback, without a scheduler.
class ServedCluster : public BenchCluster {
 public:
  ~ServedCluster() override {
    if (server_ != nullptr) server_->Stop(kStopGrace);
  }

  apiserver::registry::Api& api() override { return server_->api(); }
  const Clock& clock() const override { return clock_; }
  void Load() override {}
  void Run(Instant until) override { SleepAtMost(clock_, until); }

 protected:
  Status StartServer(const scheduler::model::Features& features, bool controllers) {
    auto started = apiserver::ApiServer::Start({.history = kHistory,
                                                .history_bytes = kHistoryBytes,
                                                .seed = kSeed,
                                                .workloads = WorkloadGatesOf(features)});
    if (!started) return std::unexpected(started.error());
    server_ = *std::move(started);
    if (controllers) controllers_ = StartControllers(api(), clock_);
    return {};
  }

  SteadyClock clock_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<localcluster::LocalCluster> controllers_;  // May be null.
};

class HttpCluster final : public ServedCluster {
 public:
  static Result<std::unique_ptr<BenchCluster>> Make(
      RunningOptions options, const scheduler::framework::Registry& registry) {
    auto cluster = std::make_unique<HttpCluster>();
    if (auto started = cluster->StartServer(options.engine.features, options.controllers);
        !started) {
      return std::unexpected(started.error());
    }
    runtime::SchedulerOptions scheduler;
    scheduler.api.server = cluster->server_->url();
    // The embedded server has no limits of its own.
    scheduler.api.qps = -1;
    scheduler.protobuf = true;
    scheduler.engine = std::move(options.engine);
    scheduler.parallelism = options.parallelism;
    auto made = runtime::Scheduler::Make(std::move(scheduler), registry);
    if (!made) return std::unexpected(made.error());
    cluster->scheduler_ = *std::move(made);
    std::atomic<bool> synced = false;
    cluster->scheduler_->Start([&synced] { synced = true; });
    const Instant end = cluster->clock_.Now() + kReadyLimit;
    while (!synced && cluster->clock_.Now() < end) cluster->Run(end);
    if (!synced) {
      // The callback refers to `synced`.
      cluster->scheduler_.reset();
      return Fail("the scheduler did not read the API server's objects");
    }
    cluster->scheduler_->Lead();
    return cluster;
  }
  ~HttpCluster() override {
    if (scheduler_ != nullptr) scheduler_->Stop(Duration{});
  }

  SchedulingTotals Totals() const override {
    return TotalsOf(clock_, *scheduler_->driver().snapshot());
  }
  Status health() override { return {}; }

 private:
  std::unique_ptr<runtime::Scheduler> scheduler_;
};

class PeerCluster final : public ServedCluster {
 public:
  static Result<std::unique_ptr<BenchCluster>> Make(const StartPeer& start,
                                                    const scheduler::model::Features& features,
                                                    bool controllers,
                                                    const std::function<bool()>& interrupted) {
    auto cluster = std::make_unique<PeerCluster>();
    if (auto started = cluster->StartServer(features, controllers); !started) {
      return std::unexpected(started.error());
    }
    auto peer = start(apiserver::KubeconfigText(cluster->server_->url(), "", ""));
    if (!peer) return std::unexpected(peer.error());
    cluster->peer_ = *std::move(peer);
    if (auto ready = cluster->AwaitFirstPod(interrupted); !ready) {
      return std::unexpected(ready.error());
    }
    return cluster;
  }
  ~PeerCluster() override { peer_.reset(); }

  SchedulingTotals Totals() const override { return {.time = SinceStart(clock_)}; }
  Status health() override { return peer_->health(); }

 private:
  // Lets the peer schedule a pod of its own node, and removes both.
  Status AwaitFirstPod(const std::function<bool()>& interrupted) {
    constexpr const char* kName = "berth-bench-probe";
    const auto create = [&](const api::scheme::Kind& kind, std::string_view text) -> Status {
      auto object = api::ParseJson(text);
      const std::string_view home = kind.namespaced ? "default" : "";
      const auto created = api().Create(kind, home, *std::move(object));
      return created ? Status() : Fail(created.error().message);
    };
    const auto& nodes = api::scheme::KindOf("nodes");
    const auto& pods = api::scheme::KindOf("pods");
    if (auto made = create(nodes, R"({"metadata":{"name":"berth-bench-probe"},"status":{"capacity":
        {"pods":"1"},"conditions":[{"type":"Ready","status":"True"}]}})");
        !made) {
      return made;
    }
    if (auto made = create(pods, R"({"metadata":{"name":"berth-bench-probe"},"spec":{"containers":
        [{"name":"pause","image":"registry.k8s.io/pause"}]}})");
        !made) {
      return made;
    }
    PodTracker tracker(api().store());
    const auto count = tracker.Count({"default"}, {});
    const Instant end = clock_.Now() + kReadyLimit;
    while (count->scheduled() == 0) {
      if (auto alive = peer_->health(); !alive) return alive;
      if (interrupted()) return Fail("interrupted");
      if (clock_.Now() >= end) {
        return Fail(
            fmt::format("the peer has not scheduled a pod within {:.0f} s", kReadyLimit.seconds()));
      }
      Run(end);
      tracker.Read();
    }
    (void)api().Delete(pods, {"default", kName}, {.grace_period_seconds = 0});
    (void)api().Delete(nodes, {"", kName});
    return {};
  }

  std::unique_ptr<PeerScheduler> peer_;
};

}  // namespace

Result<std::unique_ptr<BenchCluster>> MakeStoreCluster(
    RunningOptions options, const scheduler::framework::Registry& registry) {
  return StoreCluster::Make(std::move(options), registry);
}

Result<std::unique_ptr<BenchCluster>> MakeHttpCluster(
    RunningOptions options, const scheduler::framework::Registry& registry) {
  return HttpCluster::Make(std::move(options), registry);
}

Result<std::unique_ptr<BenchCluster>> MakePeerCluster(const StartPeer& start,
                                                      const scheduler::model::Features& features,
                                                      bool controllers,
                                                      const std::function<bool()>& interrupted) {
  return PeerCluster::Make(start, features, controllers, interrupted);
}

}  // namespace berth::benchmark
