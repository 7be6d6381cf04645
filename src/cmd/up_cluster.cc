#include "cmd/up_cluster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "base/terminal.h"
#include "client/load_config.h"
#include "cmd/config_command.h"
#include "cmd/feature_gate_flag.h"
#include "cmd/object_files.h"
#include "cmd/up_devices.h"
#include "cmd/up_objects.h"
#include "inspect/request.h"
#include "localcluster/persistent_volume_controller.h"
#include "localcluster/stage_reader.h"
#include "runtime/embedded/store_connection.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/validate.h"
#include "scheduler/model/cluster.h"

namespace berth::cmd {
namespace {

constexpr std::chrono::milliseconds kStopGrace{1000};

void Warn(const std::string& line) { PrintError("berth up: {}\n", line); }

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "berth";
}

// The options of the engine, and its number of workers.
struct Scheduler {
  scheduler::engine::EngineOptions options;
  int parallelism = 1;
};

Result<Scheduler> SchedulerFrom(const UpOptions& up, const scheduler::model::Features& features,
                                const scheduler::framework::Registry& registry) {
  const std::string& file = up.config_file;
  const auto loaded = LoadConfiguration(file, registry, features);
  if (!loaded) return std::unexpected(loaded.error());
  for (const std::string& note : scheduler::config::Warnings(*loaded->completed)) {
    Warn(fmt::format("note: {}: {}", file, note));
  }
  auto options = scheduler::config::ToEngineOptions(*loaded->completed);
  if (!options) return Fail(fmt::format("{}: {}", file, options.error().message));
  std::random_device random;
  options->seed = random();
  return Scheduler{*std::move(options), loaded->completed->parallelism};
}

// Reads the zone from the system's database. Names are relative paths, and not those of other
// files.
std::optional<std::string> ReadTimeZone(std::string_view name) {
  constexpr size_t kMaxFileBytes = 64 << 10;
  const bool safe = !name.empty() && name.front() != '/' && name.find("..") == name.npos &&
                    name.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_+-/") == name.npos;
  if (!safe) return std::nullopt;
  const auto file = std::filesystem::path("/usr/share/zoneinfo") / name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  if (std::filesystem::file_size(file, error) > kMaxFileBytes || error) return std::nullopt;
  auto text = ReadText(file);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

// Returns null if there is no file of stages.
Result<std::shared_ptr<const localcluster::PodStages>> ReadStagesOf(const UpOptions& options) {
  if (options.stages_file.empty()) return nullptr;
  if (options.no_kubelets) return Fail("--stages cannot be used with --no-kubelets");
  const auto text = ReadText(options.stages_file, "--stages");
  if (!text) return std::unexpected(text.error());
  const std::string name = options.stages_file == "-" ? "standard input" : options.stages_file;
  auto stages = localcluster::ReadStages(*text, name);
  if (!stages) return std::unexpected(stages.error());
  return std::make_shared<const localcluster::PodStages>(*std::move(stages));
}

localcluster::LocalClusterOptions LocalClusterOptionsFor(
    const UpOptions& options, std::shared_ptr<const localcluster::PodStages> stages,
    const std::string& root_ca) {
  localcluster::LocalClusterOptions local;
  local.root_ca = root_ca;
  local.stages = std::move(stages);
  local.seed = options.seed;
  local.read_time_zone = ReadTimeZone;
  local.kubelets = !options.no_kubelets;
  local.controllers = !options.no_controllers;
  local.leases = !options.no_leases && !options.no_kubelets;
  local.speed = options.speed;
  return local;
}

}  // namespace

Result<std::unique_ptr<UpCluster>> UpCluster::Start(
    const UpOptions& options, const scheduler::framework::Registry& registry) {
  auto stages = ReadStagesOf(options);
  if (!stages) return std::unexpected(stages.error());
  std::unique_ptr<UpCluster> cluster(new UpCluster(options.speed));
  std::function<std::string()> metrics;
  if (options.has_scheduler()) {
    metrics = [&registry = cluster->metric_registry_] {
      return observability::MetricsText(registry);
    };
  }
  const auto features = ReadFeatureGates(options.feature_gates, "berth up");
  if (!features) return std::unexpected(features.error());
  ApiServerFlags flags = options.api;
  flags.mount_tokens = !options.no_controllers;
  flags.workloads = {features->generic_workload, features->topology_aware_workload_scheduling,
                     features->workload_aware_preemption};
  auto served = StartApiServer(flags, &cluster->clock_, std::move(metrics));
  if (!served) return std::unexpected(served.error());
  cluster->served_ = *std::move(served);
  const auto ready = [&]() -> Status {
    if (auto written = cluster->CreateKubeconfig(options); !written) return written;
    if (auto made = cluster->MakeScheduler(options, *features, registry); !made) return made;
    return cluster->Fill(options);
  }();
  if (!ready) return std::unexpected(ready.error());
  // The objects of the files may have a default of their own.
  if (!options.no_controllers) localcluster::EnsureDefaultStorageClass(cluster->api());
  // Started last, so that all objects exist before controllers act on some of them.
  cluster->local_cluster_ = localcluster::LocalCluster::Start(
      cluster->api(), cluster->clock_,
      LocalClusterOptionsFor(options, *std::move(stages), cluster->served_.ca));
  if (cluster->driver_ != nullptr) cluster->driver_->Start();
  if (cluster->scheduler_ != nullptr) {
    cluster->scheduler_->Start([scheduler = cluster->scheduler_.get()] { scheduler->Lead(); });
  }
  if (options.dashboard && options.has_scheduler()) {
    if (auto started = cluster->StartDashboard(options, registry); !started) {
      return std::unexpected(started.error());
    }
  }
  return cluster;
}

UpCluster::~UpCluster() { Stop(); }

void UpCluster::Stop() {
  if (dashboard_ != nullptr) dashboard_->Stop();
  if (driver_ != nullptr) driver_->Stop();
  if (scheduler_ != nullptr) scheduler_->Stop(Duration::Seconds(1));
  local_cluster_.reset();
  // The server delegates requests to the dashboard's API, which visits the scheduler.
  if (served_.server != nullptr) served_.server->Stop(kStopGrace);
  dashboard_.reset();
  driver_.reset();
  scheduler_.reset();
  served_.server.reset();
  std::error_code ignored;
  if (!own_directory_.empty()) std::filesystem::remove_all(own_directory_, ignored);
  own_directory_.clear();
}

Status UpCluster::MakeScheduler(const UpOptions& options,
                                const scheduler::model::Features& features,
                                const scheduler::framework::Registry& registry) {
  if (!options.has_scheduler()) {
    if (!options.feature_gates.empty())
      return Fail("--feature-gates cannot be used with --scheduler=none");
    if (options.config_file.empty()) return {};
    return Fail("--config cannot be used with --scheduler=none");
  }
  auto scheduler = SchedulerFrom(options, features, registry);
  if (!scheduler) return std::unexpected(scheduler.error());
  scheduler->options.measurements = &measurements_;
  if (options.ledger.on()) {
    attempts_ = std::make_unique<observability::scheduling::AttemptRecorder>(options.ledger);
    scheduler->options.attempts = attempts_.get();
  }
  engine_options_ = scheduler->options;
  if (options.scheduler == "embedded") {
    if (scheduler->options.features.coscheduling) {
      return Fail(
          "the plugin Coscheduling reads PodGroups of a CustomResourceDefinition, which only "
          "--scheduler=http does");
    }
    workers_ = std::make_unique<ThreadWorkers>(ThreadWorkers::UsefulCount(scheduler->parallelism));
    return MakeEmbeddedScheduler(options, std::move(scheduler->options), registry);
  }
  if (options.speed != 1) return Fail("--scheduler=http requires --speed=1");
  return MakeHttpScheduler(std::move(scheduler->options), scheduler->parallelism, registry);
}

Status UpCluster::MakeEmbeddedScheduler(const UpOptions& options,
                                        scheduler::engine::EngineOptions engine,
                                        const scheduler::framework::Registry& registry) {
  auto extenders = runtime::ExtenderCalls::Make(engine.extenders);
  if (!extenders) return std::unexpected(extenders.error());
  extenders_ = *std::move(extenders);
  runtime::EngineDriverOptions driver;
  driver.engine = std::move(engine);
  driver.engine.workers = workers_.get();
  driver.speed = options.speed;
  driver.tap = &changes_;
  runtime::embedded::StoreConnectionOptions connection;
  if (!driver.engine.extenders.empty()) {
    connection.call_extender = [this](const scheduler::framework::CallExtender& call, auto done) {
      extenders_->Execute(call, std::move(done));
    };
  }
  connection.instance = HostName();
  connection.log = Warn;
  connection.stopwatch = &real_clock_;
  auto made = runtime::embedded::MakeDriver(api(), clock_, std::move(connection), std::move(driver),
                                            registry);
  if (!made) return Fail(fmt::format("{}: {}", options.config_file, made.error().message));
  driver_ = *std::move(made);
  return {};
}

// Connects with the client and the kubeconfig file that any other program would use.
Status UpCluster::MakeHttpScheduler(scheduler::engine::EngineOptions engine, int parallelism,
                                    const scheduler::framework::Registry& registry) {
  auto api = client::LoadClientConfig({.kubeconfig = kubeconfig_});
  if (!api) return std::unexpected(api.error());
  runtime::SchedulerOptions options;
  options.api = *std::move(api);
  options.api.qps = -1;
  options.engine = std::move(engine);
  options.parallelism = parallelism;
  options.tap = &changes_;
  options.host = HostName();
  options.warn = Warn;
  auto made = runtime::Scheduler::Make(std::move(options), registry);
  if (!made) return std::unexpected(made.error());
  scheduler_ = *std::move(made);
  return {};
}

Status UpCluster::StartDashboard(const UpOptions& options,
                                 const scheduler::framework::Registry& registry) {
  const bool embedded = driver_ != nullptr;
  auto started = DashboardServer::Start(
      {.server = "up",
       .engine = engine_options_,
       .registry = &registry,
       .driver = embedded ? driver_.get() : &scheduler_->driver(),
       .changes = &changes_,
       .wall_clock = embedded ? static_cast<const Clock*>(&clock_) : &system_clock_,
       .engine_clock = embedded ? static_cast<const Clock*>(&clock_) : &real_clock_,
       .attempts = attempts_.get()},
      options.dashboard_port);
  if (!started) return std::unexpected(started.error());
  dashboard_ = *std::move(started);
  // Also for programs with a kubeconfig, on the port of the API server.
  served_.server->Delegate(
      std::string(inspect::kRoot),
      [&api = dashboard_->api()](const auto& exchange) { api.Handle(exchange); });
  return {};
}

Status UpCluster::CreateKubeconfig(const UpOptions& options) {
  kubeconfig_ = options.api.kubeconfig;
  if (kubeconfig_.empty() && !options.api.data_dir.empty()) {
    kubeconfig_ = std::filesystem::path(options.api.data_dir) / "kubeconfig";
  } else if (kubeconfig_.empty()) {
    std::error_code error;
    const auto temporary = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::filesystem::path("/tmp") : temporary) / "berth-up-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      return Fail(fmt::format("{}: {}; use --kubeconfig to write it elsewhere", name,
                              std::strerror(errno)));
    }
    own_directory_ = name;
    kubeconfig_ = std::filesystem::path(name) / "kubeconfig";
  }
  return WriteKubeconfig(kubeconfig_, served_);
}

Status UpCluster::Fill(const UpOptions& options) {
  if (auto made = MakeNodes(api(), options.nodes); !made) return made;
  if (!options.nodes_from.empty()) {
    const auto nodes = ApplyNodes(api(), options.nodes_from);
    if (!nodes) return std::unexpected(nodes.error());
    if (*nodes == 0) return Fail(fmt::format("{}: contains no nodes", options.nodes_from));
  }
  if (auto made = MakeGpus(api(), options.gpus); !made) return made;
  const auto applied = ApplyFiles(api(), options.files);
  if (!applied) return std::unexpected(applied.error());
  for (const std::string& error : applied->errors) Warn(error);
  if (!applied->errors.empty()) {
    Warn(fmt::format("{} of {} objects could not be applied", applied->errors.size(),
                     applied->applied + applied->errors.size()));
  }
  return {};
}

std::shared_ptr<const runtime::DriverSnapshot> UpCluster::scheduling() const {
  if (driver_ != nullptr) return driver_->snapshot();
  if (scheduler_ != nullptr) return scheduler_->driver().snapshot();
  return std::make_shared<runtime::DriverSnapshot>();
}

}  // namespace berth::cmd
