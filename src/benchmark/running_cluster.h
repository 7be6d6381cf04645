// RunningCluster is a BenchCluster in real time: the scheduler runs on threads of its own, or as
// another program.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/server.h"
#include "apiserver/store/store.h"
#include "base/steady_clock.h"
#include "base/time.h"
#include "base/workers.h"
#include "benchmark/bench_cluster.h"
#include "localcluster/local_cluster.h"
#include "runtime/engine_driver.h"
#include "runtime/scheduler.h"
#include "scheduler/engine/engine.h"

namespace berth::benchmark {

// A scheduler that is another program. It stops when it is destroyed.
class PeerScheduler {
 public:
  virtual ~PeerScheduler() = default;
  // Fails if it has ended; the error shows what it said.
  virtual Status health() = 0;
};
// Starts the peer with a kubeconfig, given as text.
using StartPeer =
    std::function<Result<std::unique_ptr<PeerScheduler>>(const std::string& kubeconfig)>;

// Options of both ways in which Berth runs.
struct RunningOptions {
  scheduler::engine::EngineOptions engine;
  int parallelism = 1;
  bool controllers = false;  // As in EngineCluster.
};

// Runs the scheduler on the store, in this process.
Result<std::unique_ptr<BenchCluster>> MakeStoreCluster(
    RunningOptions options, const scheduler::framework::Registry& registry);
// Runs it as a client of an API server over HTTP on loopback.
Result<std::unique_ptr<BenchCluster>> MakeHttpCluster(
    RunningOptions options, const scheduler::framework::Registry& registry);
// Runs another scheduler as such a client, and waits until it schedules.
Result<std::unique_ptr<BenchCluster>> MakePeerCluster(const StartPeer& start,
                                                      const scheduler::model::Features& features,
                                                      bool controllers,
                                                      const std::function<bool()>& interrupted);

}  // namespace berth::benchmark
