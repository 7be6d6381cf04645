// `berth bench`.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/terminal.h"
#include "benchmark/environment.h"
#include "benchmark/measurement.h"
#include "benchmark/perf_config.h"
#include "benchmark/perf_run.h"
#include "benchmark/synthetic_run.h"
#include "benchmark/synthetic_world.h"
#include "cmd/bench_peer.h"
#include "cmd/bench_table.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/config_command.h"
#include "cmd/object_files.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "net/descriptor_limit.h"
#include "runtime/stray_signals.h"
#include "scheduler/config/engine_options.h"

// Of mimalloc; null where the program has another malloc, as with sanitizers.
extern "C" [[gnu::weak]] void mi_collect(bool force);

namespace berth::cmd {
namespace {

using benchmark::Mode;
using benchmark::WorkloadReport;

// A world of so many nodes or pods does not fit into the memory of any machine.
constexpr uint64_t kMaxObjects = 100'000'000;

struct BenchOptions {
  std::string perf_config;
  std::string select;
  std::string labels;
  std::string mode = "engine";
  std::string peer;
  std::string json;
  bool list = false;
  std::string mix = "plain";
  bool paranoid = false;
  benchmark::WorldOptions world;
};

struct NamedMode {
  std::string_view name;
  Mode mode;
};
constexpr NamedMode kModes[] = {
    {"engine", Mode::kEngine}, {"store", Mode::kStore}, {"http", Mode::kHttp}};

int PrintBenchError(const std::string& message, ExitCode code = kExitFailed) {
  berth::PrintError("berth bench: {}\n", message);
  return code;
}

// --- the process ---

volatile std::sig_atomic_t interrupted = 0;

// The second signal ends the program at once.
extern "C" void NoteInterrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void ReturnUnusedMemory() {
  if (mi_collect != nullptr) {
    mi_collect(/*force=*/true);
  } else {
    malloc_trim(0);
  }
}

int64_t ThreadNanos() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

Result<std::string> ReadBenchFile(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > benchmark::kMaxPerfConfigBytes) {
    return Fail(fmt::format("{}: larger than {} bytes", path, benchmark::kMaxPerfConfigBytes));
  }
  return ReadText(path);
}

// Shows progress in one line of a terminal.
class BenchProgress {
 public:
  void Show(const std::string& line) {
    if (!on_terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    ReplaceLine(stderr, line);
    visible_ = true;
  }
  void Clear() {
    if (visible_) ReplaceLine(stderr, "");
    visible_ = false;
  }

 private:
  const bool on_terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point shown_;
  bool visible_ = false;
};

benchmark::Environment EnvironmentWith(BenchProgress& progress) {
  benchmark::Environment environment;
  environment.read_file = ReadBenchFile;
  environment.resident_bytes = ResidentBytes;
  environment.engine_nanos = ThreadNanos;
  environment.interrupted = [] { return interrupted != 0; };
  environment.show = [&progress](const std::string& line) { progress.Show(line); };
  return environment;
}

Result<benchmark::EngineSetup> ConfigureEngine(const std::string& text, const Registry& registry,
                                               const scheduler::model::Features& features) {
  auto loaded = text.empty()
                    ? LoadConfiguration("", registry, features)
                    : Result<CheckedConfiguration>(CheckConfiguration(text, registry, features));
  if (!loaded) return std::unexpected(loaded.error());
  if (!loaded->ok()) return Fail(fmt::format("{}", fmt::join(loaded->errors, "; ")));
  auto options = scheduler::config::ToEngineOptions(*loaded->completed);
  if (!options) return std::unexpected(options.error());
  return benchmark::EngineSetup{*std::move(options), loaded->completed->parallelism};
}

// --- the results ---

Status WriteJson(const std::string& path, const std::vector<WorkloadReport>& reports) {
  std::vector<benchmark::Measurement> all;
  for (const WorkloadReport& report : reports) {
    all.insert(all.end(), report.measurements.begin(), report.measurements.end());
    for (benchmark::Measurement peer : report.peer) {
      peer.name += "/peer";
      all.push_back(std::move(peer));
    }
  }
  std::ofstream file(path);
  file << benchmark::ToDataItems(all);
  file.close();
  if (!file) return Fail(fmt::format("--json {}: cannot be written", path));
  return {};
}

// Prints everything, and returns the exit code.
int PrintReports(const std::vector<WorkloadReport>& reports, const BenchOptions& options) {
  Print("{}", BenchTable(reports));
  int code = kExitOk;
  for (const WorkloadReport& report : reports) {
    if (!report.error.empty()) {
      code = PrintBenchError(fmt::format("{}: {}", report.name, report.error));
    }
  }
  if (!options.json.empty()) {
    const auto written = WriteJson(options.json, reports);
    if (!written) return PrintBenchError(written.error().message);
  }
  return interrupted != 0 ? kExitInterrupted : code;
}

// --- worlds ---

int RunWorld(const BenchOptions& options, const Registry& registry) {
  benchmark::WorldOptions world = options.world;
  const auto named = std::ranges::find(benchmark::kMixes, options.mix, &benchmark::NamedMix::name);
  world.mix = named->mix;
  if (auto checked = world.Check(); !checked) {
    return PrintBenchError(checked.error().message, kExitUsage);
  }
  auto setup = ConfigureEngine("", registry, {});
  if (!setup) return PrintBenchError(setup.error().message);
  setup->options.paranoid = options.paranoid;
  BenchProgress progress;
  const auto environment = EnvironmentWith(progress);
  auto measured = RunSyntheticWorld(world, setup->options, registry, environment);
  progress.Clear();
  if (!measured) return PrintBenchError(measured.error().message);
  return PrintReports({{.name = measured->name, .measurements = {*measured}}}, options);
}

// --- workloads ---

Result<std::vector<benchmark::Workload>> SelectWorkloads(const BenchOptions& options) {
  const auto text = ReadBenchFile(options.perf_config);
  if (!text) return Fail("--perf-config " + text.error().message);
  auto workloads = benchmark::DecodePerfConfig(options.perf_config, *text);
  if (!workloads) return workloads;
  const re2::RE2 pattern(options.select, re2::RE2::Quiet);
  if (!pattern.ok()) {
    return Fail(fmt::format("--select {}: {}", options.select, pattern.error()));
  }
  std::erase_if(*workloads, [&](const benchmark::Workload& workload) {
    return !re2::RE2::PartialMatch(workload.name, pattern) ||
           !benchmark::MatchesLabels(workload.labels, options.labels);
  });
  if (workloads->empty()) {
    return Fail("no workload matches --select and --labels; --list prints all of them");
  }
  return workloads;
}

int RunWorkloads(const BenchOptions& options, const Registry& registry) {
  const auto workloads = SelectWorkloads(options);
  if (!workloads) return PrintBenchError(workloads.error().message, kExitUsage);
  if (options.list) {
    for (const auto& workload : *workloads) {
      Print("{} [{}]\n", workload.name, fmt::join(workload.labels, ", "));
    }
    return kExitOk;
  }
  benchmark::PerfRunOptions run;
  run.file = options.perf_config;
  run.mode = std::ranges::find(kModes, options.mode, &NamedMode::name)->mode;
  run.configure = [&registry](const std::string& text, const auto& features) {
    return ConfigureEngine(text, registry, features);
  };
  if (!options.peer.empty()) {
    if (const std::string warning = PeerRateWarning(options.peer); !warning.empty()) {
      berth::PrintError("berth bench: warning: {}\n", warning);
    }
    run.start_peer = [&options](const std::string& kubeconfig) {
      return StartPeerProcess(options.peer, kubeconfig);
    };
  }
  BenchProgress progress;
  const auto environment = EnvironmentWith(progress);
  std::vector<WorkloadReport> reports;
  for (const benchmark::Workload& workload : *workloads) {
    if (interrupted != 0) break;
    reports.push_back(RunPerfWorkload(workload, run, registry, environment));
    ReturnUnusedMemory();  // That of the next one is its own.
  }
  progress.Clear();
  return PrintReports(reports, options);
}

// --- the command ---

Status CheckFlags(const BenchOptions& options, const flags::FlagSet& flags) {
  const std::vector<std::string> of_worlds = {"nodes", "pods", "classes",
                                              "zones", "mix",  "paranoid"};
  const std::vector<std::string> of_files = {"select", "labels", "mode", "peer", "list"};
  const bool has_file = !options.perf_config.empty();
  for (const std::string& name : has_file ? of_worlds : of_files) {
    if (!flags.is_set(name)) continue;
    return Fail(has_file ? fmt::format("--{} cannot be used with --perf-config", name)
                         : fmt::format("--{} requires --perf-config", name));
  }
  if (!options.peer.empty() && options.mode != "http") return Fail("--peer requires --mode=http");
  return {};
}

int RunBench(const BenchOptions& options, const flags::FlagSet& flags, const Registry& registry) {
  if (auto checked = CheckFlags(options, flags); !checked) {
    return PrintBenchError(checked.error().message, kExitUsage);
  }
  runtime::BlockStraySignals();
  net::RaiseDescriptorLimit();
  std::signal(SIGINT, NoteInterrupt);
  std::signal(SIGTERM, NoteInterrupt);
  return options.perf_config.empty() ? RunWorld(options, registry)
                                     : RunWorkloads(options, registry);
}

Result<size_t> ParseClasses(const std::string& text) {
  if (text == "each") return size_t{0};
  size_t classes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), classes);
  if (error == std::errc() && end == text.data() + text.size() && classes <= kMaxObjects) {
    return classes;
  }
  return Fail("must be a number, or each");
}

void AddBenchFlags(flags::Command& command, BenchOptions& options) {
  flags::FlagGroup workloads(command.flags, "workloads");
  workloads
      .Text("perf-config", options.perf_config,
            "Run the workloads of this file of scheduler_perf, kube-scheduler's benchmark")
      .As("FILE");
  workloads
      .Text("select", options.select,
            "Run only workloads whose TESTCASE/WORKLOAD matches this regular expression")
      .As("REGEX");
  workloads
      .Text("labels", options.labels,
            "Run only workloads with these labels, and without those that begin with -: "
            "performance,-short")
      .As("LABELS");
  workloads
      .Text("mode", options.mode,
            "engine: the engine alone; store: on the store of an embedded API server; http: as a "
            "client of one, over loopback")
      .As("MODE")
      .OneOf({"engine", "store", "http"});
  workloads
      .Text(
          "peer", options.peer,
          "Run each workload with another scheduler as well, and print the ratio; {kubeconfig} in "
          "the shell command is replaced by the path of a kubeconfig")
      .As("COMMAND");
  workloads.Switch("list", options.list, "Print the selected workloads and do not run them");
  flags::FlagGroup worlds(command.flags, "synthetic worlds");
  benchmark::WorldOptions& world = options.world;
  worlds.Uint("nodes", world.nodes, "Number of nodes", 1, kMaxObjects);
  worlds.Uint("pods", world.pods, "Number of pods to schedule", 1, kMaxObjects);
  worlds.Parsed(
      "classes", "N", world.classes, ParseClasses,
      [](size_t classes) { return classes == 0 ? "each" : std::to_string(classes); },
      "Number of pod classes, interleaved; each (or 0): every pod has its own");
  worlds.Uint("zones", world.zones, "Number of zones", 1, kMaxObjects);
  std::vector<std::string> names;
  for (const benchmark::NamedMix& mix : benchmark::kMixes) names.emplace_back(mix.name);
  worlds.Text("mix", options.mix, fmt::format("What the pods ask for: {}", fmt::join(names, ", ")))
      .As("NAME")
      .OneOf(names);
  worlds.Switch("paranoid", options.paranoid, kParanoidHelp);
  flags::FlagGroup(command.flags, "output")
      .Text("json", options.json, "Write the results to this file, as scheduler_perf does")
      .As("FILE");
}

}  // namespace

void AddBench(flags::Command& berth, const Registry& registry) {
  flags::Command& command = berth.Add(
      "bench", "Measure the scheduler with kube-scheduler's benchmark or a synthetic world");
  command.details =
      "With --perf-config, runs workloads of scheduler_perf as they are. Without, makes a cluster "
      "of\n"
      "the given size and schedules its pods with the engine alone. All nodes are evaluated for "
      "each\n"
      "pod.\n"
      "\n"
      "PODS/S is the average; P50, P90 and P99 are percentiles of the rate per second (in tenths "
      "of a\n"
      "measurement that is shorter than ten seconds). In engine mode it is processor time of the "
      "engine;\n"
      "LOADING, in which it took the created objects in, is not part of it. DECISION columns are\n"
      "elapsed time. MEMORY is that of the whole process. Thresholds are shown, not enforced.\n"
      "Ctrl-C prints what was measured.\n";
  command.exit_codes = "0 done, 1 a workload failed, 2 invalid usage or file, 130 interrupted";
  command.examples =
      "  berth bench --nodes 5000 --pods 10000 --classes each --mix mixed\n"
      "  berth bench --perf-config misc/performance-config.yaml --select SchedulingBasic/5000\n"
      "  berth bench --perf-config misc/performance-config.yaml --select Basic/500Nodes --mode "
      "http \\\n"
      "    --peer 'kube-scheduler --kubeconfig {kubeconfig} --leader-elect=false "
      "--kube-api-qps 5000 --kube-api-burst 5000' \\\n"
      "    --json results.json\n";
  const auto options = std::make_shared<BenchOptions>();
  AddBenchFlags(command, *options);
  command.run = [options, &flags = command.flags, &registry] {
    return RunBench(*options, flags, registry);
  };
}

}  // namespace berth::cmd
