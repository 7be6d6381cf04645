// DaemonOptions is what the daemon runs with: flags, file and feature gates put together.
//
//   flags ──FeatureGates::Parse──► gates ──ToLogOptions──► logging ──Complete──► DaemonOptions
//
// The configuration is the file's if there is one; else the defaults, changed by the deprecated
// flags that were given. Flags about leader election go before both.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/feature_gates.h"
#include "daemon/flags.h"
#include "observability/log.h"
#include "scheduler/config/configuration.h"
#include "scheduler/engine/engine.h"

namespace berth::daemon {

struct DaemonOptions {
  DaemonFlags flags;
  FeatureGates gates;
  scheduler::config::Configuration configuration;
  // To be logged once.
  std::vector<std::string> warnings;
};

template <typename T>
using Checked = std::expected<T, std::vector<std::string>>;

// Reads a file whole; the error names it.
using FileReader = std::function<Result<std::string>(const std::string& path)>;
Result<std::string> ReadFile(const std::string& path);

Checked<observability::LogOptions> ToLogOptions(const LogFlags& flags, const FeatureGates& gates);

// The error is a list of everything that is wrong with flags and file.
Checked<DaemonOptions> Complete(DaemonFlags flags, FeatureGates gates, const FileReader& read);

// `problems` as kube-scheduler logs them: one as it is, several as "[a, b]".
std::string Aggregate(std::span<const std::string> problems);

// Fails if the arguments of a plugin are no good.
Result<scheduler::engine::EngineOptions> ToEngineOptions(const DaemonOptions& options);

// Does what --write-config-to asks for.
Status WriteConfiguration(const scheduler::config::Configuration& configuration,
                          const std::string& path);

// What is wrong with flags although each of them could be read.
// All problems; `warnings` gets what is only strange.
std::vector<std::string> CheckFlags(const DaemonFlags& flags, std::vector<std::string>& warnings);

// Adds the labels of --allow-metric-labels-manifest, unless there are some on the command line.
// Returns what is wrong with either.
std::vector<std::string> ReadMetricLabels(MetricsFlags& metrics, const FileReader& read);

// The way from the command line to options, as kube-scheduler goes it: what is printed where, what
// is logged, and when the process ends at once.
// Where texts go that are no log lines.
struct Streams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
};

// Reads the arguments after the program's name, sets up logging, and completes the configuration.
// The error is the process's exit code: 0 after --help and --version, 1 after mistakes, all of
// which have been told.
std::expected<DaemonOptions, int> ReadCommandLine(std::span<const std::string> arguments,
                                                  const FileReader& read, const Streams& streams);

}  // namespace berth::daemon
