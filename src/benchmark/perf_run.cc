#include "benchmark/perf_run.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/steady_clock.h"
#include "benchmark/engine_cluster.h"
#include "benchmark/object_templates.h"
#include "benchmark/workload_run.h"
#include "features/feature_gates.h"

namespace berth::benchmark {
namespace {

// The feature gates of a workload, as far as Berth has them.
struct Gates {
  scheduler::model::Features features;
  std::string lacking;  // A feature that Berth does not have; empty if none.
};

bool IsOnWithoutGangs(const Workload& workload) {
  const auto groups = workload.feature_gates.find("GenericWorkload");
  return groups != workload.feature_gates.end() && groups->second &&
         !workload.feature_gates.contains("GangScheduling");
}

// A gate that cannot be switched off changes how kube-scheduler works, or is locked in v1.36: the
// workload runs without it. One that cannot be switched on is a feature that Berth lacks.
Gates ReadGates(const Workload& workload, std::vector<std::string>& notes) {
  Gates gates;
  std::vector<std::string> settings;
  for (const auto& [name, on] : workload.feature_gates) {
    std::vector<std::string> setting = {fmt::format("{}={}", name, on)};
    const auto alone = features::FeatureGates::Parse(setting);
    if (alone || on) {
      settings.push_back(std::move(setting.front()));
    } else {
      notes.push_back(fmt::format("runs without {}: {}", setting.front(), alone.error().front()));
    }
  }
  if (IsOnWithoutGangs(workload)) {
    settings.emplace_back("GangScheduling=true");
    notes.push_back("runs with GangScheduling=true, which GenericWorkload includes since v1.37");
  }
  const auto parsed = features::FeatureGates::Parse(settings);
  if (parsed) {
    gates.features = parsed->OfScheduler();
  } else {
    gates.lacking = parsed.error().front();
  }
  return gates;
}

// As scheduler_perf: claims of pods are made by a controller if the workload says that it uses
// them.
bool NeedsControllers(const Workload& workload) {
  const auto gate = workload.feature_gates.find("DynamicResourceAllocation");
  return gate != workload.feature_gates.end() && gate->second;
}

Result<std::unique_ptr<BenchCluster>> MakeCluster(Mode mode, const EngineSetup& setup,
                                                  const scheduler::framework::Registry& registry,
                                                  bool controllers,
                                                  const Environment& environment) {
  if (mode == Mode::kEngine) {
    return EngineCluster::Make(setup.options, registry, SteadyClock().Now(), controllers,
                               environment.engine_nanos);
  }
  RunningOptions running{setup.options, setup.parallelism, controllers};
  return mode == Mode::kStore ? MakeStoreCluster(std::move(running), registry)
                              : MakeHttpCluster(std::move(running), registry);
}

// Returns how the workload ended in this cluster.
WorkloadResult RunOn(Result<std::unique_ptr<BenchCluster>> cluster, const Workload& workload,
                     ObjectTemplates& templates, const EngineSetup& setup,
                     const scheduler::framework::Registry& registry,
                     const Environment& environment) {
  if (!cluster) {
    WorkloadResult failed;
    failed.interrupted = environment.interrupted();
    if (!failed.interrupted) failed.error = cluster.error().message;
    return failed;
  }
  return RunWorkload(workload, {**cluster, templates, environment, setup.options, registry});
}

WorkloadReport Failed(WorkloadReport report, const Error& error) {
  report.error = error.message;
  return report;
}

}  // namespace

WorkloadReport RunPerfWorkload(const Workload& workload, const PerfRunOptions& options,
                               const scheduler::framework::Registry& registry,
                               const Environment& environment) {
  WorkloadReport report{.name = workload.name, .notes = workload.notes};
  const Gates gates = ReadGates(workload, report.notes);
  report.skipped = gates.lacking;
  if (!report.skipped.empty()) return report;

  ObjectTemplates templates(options.file, environment);
  std::string text;
  if (!workload.scheduler_config.empty()) {
    auto read = templates.Read(workload.scheduler_config);
    if (!read) return Failed(std::move(report), read.error());
    text = *std::move(read);
  }
  auto setup = options.configure(text, gates.features);
  if (!setup) return Failed(std::move(report), setup.error());
  const bool controllers = NeedsControllers(workload);
  WorkloadResult result =
      RunOn(MakeCluster(options.mode, *setup, registry, controllers, environment), workload,
            templates, *setup, registry, environment);
  report.measurements = std::move(result.measurements);
  report.error = std::move(result.error);
  report.skipped = std::move(result.skipped);
  report.interrupted = result.interrupted;
  const bool ended = !report.error.empty() || !report.skipped.empty() || report.interrupted;
  if (ended || options.start_peer == nullptr) return report;

  result = RunOn(
      MakePeerCluster(options.start_peer, gates.features, controllers, environment.interrupted),
      workload, templates, *setup, registry, environment);
  report.peer = std::move(result.measurements);
  if (!result.error.empty()) report.error = "peer: " + result.error;
  report.interrupted = result.interrupted;
  return report;
}

}  // namespace berth::benchmark
