// DaemonOptions is the complete input of the daemon: flags, configuration file and feature gates.
//
//   flags ──FeatureGates::Parse──► gates ──ToLogOptions──► logging ──Complete──► DaemonOptions
//
// The configuration comes from the file if there is one, else from the defaults and the deprecated
// flags. Flags for leader election override both. ReadCommandLine does all of this, and prints and
// logs what kube-scheduler does.
#pragma once

#include <expected>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/flags.h"
#include "features/feature_gates.h"
#include "observability/log.h"
#include "scheduler/config/configuration.h"
#include "scheduler/engine/engine.h"

namespace berth::daemon {

struct DaemonOptions {
  DaemonFlags flags;
  features::FeatureGates gates;
  scheduler::config::Configuration configuration;
  // Logged once.
  std::vector<std::string> warnings;
};

template <typename T>
using Checked = std::expected<T, std::vector<std::string>>;

// Reads a whole file; the error names it.
using FileReader = std::function<Result<std::string>(const std::string& path)>;
Result<std::string> ReadFile(const std::string& path);

Checked<observability::LogOptions> ToLogOptions(const LogFlags& flags,
                                                const features::FeatureGates& gates);

// Combines flags, gates and the file. The error lists all problems of flags and file.
Checked<DaemonOptions> Complete(DaemonFlags flags, features::FeatureGates gates,
                                const FileReader& read);

// Formats `problems` as kube-scheduler logs them: "a", or "[a, b]".
std::string Aggregate(std::span<const std::string> problems);

// Fails if the arguments of a plugin are invalid.
Result<scheduler::engine::EngineOptions> ToEngineOptions(const DaemonOptions& options);

// Writes the file of --write-config-to.
Status WriteConfiguration(const scheduler::config::Configuration& configuration,
                          const std::string& path);

// Returns the problems of flags that parsed successfully, and appends to `warnings` those that are
// harmless.
std::vector<std::string> CheckFlags(const DaemonFlags& flags, std::vector<std::string>& warnings);

// Adds the labels of --allow-metric-labels-manifest, unless the command line has some. Returns the
// problems of either.
std::vector<std::string> ReadMetricLabels(MetricsFlags& metrics, const FileReader& read);

// Standard output and standard error, for text that is not logged.
struct Streams {
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  size_t columns = 0;  // Width of the terminal for help; 0: none.
};

// Parses the arguments after the program's name, configures logging, and completes the options. The
// error is the exit code of the process: 0 after --help and --version, 1 after errors, which have
// been printed or logged.
std::expected<DaemonOptions, int> ReadCommandLine(std::span<const std::string> arguments,
                                                  const FileReader& read, const Streams& streams);

}  // namespace berth::daemon
