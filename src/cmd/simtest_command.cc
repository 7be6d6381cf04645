#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/feature_gate_flag.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "scheduler/model/features.h"
#include "simulation/simulation.h"

namespace berth::cmd {
namespace {

struct SeedRange {
  uint64_t first = 0, last = 0;
};

struct SimtestOptions {
  std::optional<SeedRange> seeds;
  std::string seed_file;  // Further seeds, one per line.
  size_t steps = 200;
  bool trace = false;
  bool paranoid = false;
  std::vector<std::string> feature_gates;
  scheduler::model::Features features = {};  // The gates, read.
};

struct Totals {
  uint64_t seeds = 0, failed = 0, decisions = 0, binds = 0, victims = 0, restarts = 0;
};

std::optional<uint64_t> ParseSeed(std::string_view text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return seed;
}

Result<SeedRange> ParseSeeds(std::string_view text) {
  const size_t dots = text.find("..");
  const auto first = ParseSeed(text.substr(0, dots));
  const auto last = dots == text.npos ? first : ParseSeed(text.substr(dots + 2));
  if (!first || !last) return Fail("must be a range such as 1..2000, or one seed");
  if (*last < *first) return Fail("the last seed is less than the first");
  return SeedRange{*first, *last};
}

Result<std::vector<SeedRange>> ReadSeedFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Fail(fmt::format("--seed-file {}: {}", path, std::strerror(errno)));
  std::vector<SeedRange> seeds;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = line.substr(0, line.find('#'));
    const size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) continue;
    const auto seed = ParseSeed(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
    if (!seed) return Fail(fmt::format("{}:{}: \"{}\" is not a seed", path, number, line));
    seeds.push_back({*seed, *seed});
  }
  return seeds;
}

Result<std::vector<SeedRange>> SeedsOf(const SimtestOptions& options) {
  std::vector<SeedRange> all;
  if (options.seeds) all.push_back(*options.seeds);
  if (!options.seed_file.empty()) {
    auto listed = ReadSeedFile(options.seed_file);
    if (!listed) return std::unexpected(listed.error());
    all.insert(all.end(), listed->begin(), listed->end());
  }
  if (all.empty()) return Fail("no seeds: set --seeds or --seed-file");
  return all;
}

std::string ReproduceCommand(uint64_t seed, const SimtestOptions& options) {
  std::string command = fmt::format("berth simtest --seeds {}..{} --trace", seed, seed);
  if (options.steps != SimtestOptions().steps) command += fmt::format(" --steps {}", options.steps);
  if (options.paranoid) command += " --paranoid";
  for (const std::string& setting : options.feature_gates) command += " --feature-gates " + setting;
  return command;
}

// A failed CHECK aborts the program: a signal handler then reports the seed.
std::array<char, 1024> g_crash_report;
size_t g_crash_report_size = 0;

extern "C" void PrintCrashReport(int) {
  if (write(STDERR_FILENO, g_crash_report.data(), g_crash_report_size) < 0) return;
}

void PrepareCrashReport(uint64_t seed, const SimtestOptions& options) {
  const auto written = fmt::format_to_n(g_crash_report.data(), g_crash_report.size(),
                                        "seed {} crashed\nreproduce with: {}\n", seed,
                                        ReproduceCommand(seed, options));
  g_crash_report_size = std::min(written.size, g_crash_report.size());
}

void PrintViolation(uint64_t seed, const simulation::SimulationReport& report,
                    const SimtestOptions& options) {
  Print("seed {} violates invariant {} at step {}: {}\n", seed, report.broken->invariant,
        report.step, report.broken->what);
  if (!options.trace) {
    Print("last events:\n");
    for (const std::string& line : report.last_lines) Print("  {}\n", line);
  }
  Print("reproduce with: {}\n", ReproduceCommand(seed, options));
}

void RunSeed(uint64_t seed, const SimtestOptions& options, Totals& totals) {
  PrepareCrashReport(seed, options);
  simulation::SimulationOptions simulation{.seed = seed, .steps = options.steps};
  simulation.paranoid = options.paranoid;
  simulation.features = options.features;
  if (options.trace) {
    simulation.trace = [](const std::string& line) {
      Print("{}\n", line);
      std::fflush(stdout);
    };
  }
  const simulation::SimulationReport report = simulation::Simulate(simulation);
  ++totals.seeds;
  totals.decisions += report.decisions;
  totals.binds += report.binds;
  totals.victims += report.victims;
  totals.restarts += report.restarts;
  if (!report.broken) return;
  ++totals.failed;
  PrintViolation(seed, report, options);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Totals RunAll(const std::vector<SeedRange>& seeds, const SimtestOptions& options) {
  constexpr uint64_t kMaxFailed = 10;
  const bool on_terminal = isatty(STDERR_FILENO) == 1 && !options.trace;
  const auto start = std::chrono::steady_clock::now();
  double shown = 0;
  Totals totals;
  for (const SeedRange& range : seeds) {
    for (uint64_t count = range.last - range.first + 1, i = 0; i < count; ++i) {
      const uint64_t seed = range.first + i;
      RunSeed(seed, options, totals);
      if (totals.failed == kMaxFailed) {
        Print("{} seeds failed; stopped\n", totals.failed);
        return totals;
      }
      const double seconds = SecondsSince(start);
      if (!on_terminal || seconds - shown < 0.5) continue;
      shown = seconds;
      ReplaceLine(stderr, fmt::format("seed {}, {} failed, {:.0f} seeds/s", seed, totals.failed,
                                      static_cast<double>(totals.seeds) / seconds));
    }
  }
  if (shown > 0) ReplaceLine(stderr, "");
  return totals;
}

int RunSimtest(SimtestOptions& options) {
  const auto features = ReadFeatureGates(options.feature_gates, "berth simtest");
  if (!features) {
    PrintError("berth simtest: {}\n", features.error().message);
    return kExitUsage;
  }
  options.features = *features;
  const auto seeds = SeedsOf(options);
  if (!seeds) {
    PrintError("berth simtest: {}\n", seeds.error().message);
    return kExitUsage;
  }
  std::signal(SIGABRT, PrintCrashReport);
  const auto start = std::chrono::steady_clock::now();
  const Totals totals = RunAll(*seeds, options);
  std::signal(SIGABRT, SIG_DFL);
  Print("{} seeds, {} failed; {} decisions, {} binds, {} victims, {} restarts; {:.0f} seeds/s\n",
        totals.seeds, totals.failed, totals.decisions, totals.binds, totals.victims,
        totals.restarts, static_cast<double>(totals.seeds) / std::max(SecondsSince(start), 1e-3));
  return totals.failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace

void AddSimtest(flags::Command& berth) {
  flags::Command& command = berth.Add(
      "simtest",
      "Run the scheduler in simulated clusters with injected faults and check invariants");
  command.details =
      "Each seed generates one simulated cluster. Prints, for each seed that violates an "
      "invariant, its\n"
      "last events and the command that reproduces it, and a summary line at the end.\n";
  command.exit_codes =
      "0 no violation, 1 an invariant was violated, 2 invalid usage or unreadable file";
  command.examples =
      "  berth simtest --seeds 1..2000\n"
      "  berth simtest --seeds 17..17 --trace\n";
  const auto options = std::make_shared<SimtestOptions>();
  flags::FlagGroup group(command.flags);
  group.Parsed(
      "seeds", "A..B", options->seeds, ParseSeeds, [](const auto&) { return ""; },
      "Seeds to run: a range (1..2000) or a single one");
  group
      .Text("seed-file", options->seed_file,
            "File with further seeds to run: one per line, # starts a comment")
      .As("FILE");
  group.Uint("steps", options->steps, "Number of simulated steps with faults");
  group.Switch("trace", options->trace, "Print every event, command and decision");
  group.Switch("paranoid", options->paranoid, kParanoidHelp);
  AddFeatureGates(group, options->feature_gates);
  command.run = [options] { return RunSimtest(*options); };
}

}  // namespace berth::cmd
