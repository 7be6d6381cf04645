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
#include <vector>

#include "base/result.h"
#include "config/configuration.h"
#include "daemon/feature_gates.h"
#include "daemon/flags.h"
#include "daemon/log.h"
#include "engine/engine.h"

namespace berth::daemon {

struct DaemonOptions {
  DaemonFlags flags;
  FeatureGates gates;
  config::Configuration configuration;
  // To be logged once.
  std::vector<std::string> warnings;
};

template <typename T>
using Checked = std::expected<T, std::vector<std::string>>;

// Reads a file whole; the error names it.
using FileReader = std::function<Result<std::string>(const std::string& path)>;
Result<std::string> ReadFile(const std::string& path);

Checked<LogOptions> ToLogOptions(const LogFlags& flags, const FeatureGates& gates);

// The error is a list of everything that is wrong with flags and file.
Checked<DaemonOptions> Complete(DaemonFlags flags, FeatureGates gates, const FileReader& read);

// `problems` as kube-scheduler logs them: one as it is, several as "[a, b]".
std::string Aggregate(std::span<const std::string> problems);

// Fails if the arguments of a plugin are no good.
Result<EngineOptions> ToEngineOptions(const DaemonOptions& options);

// Does what --write-config-to asks for.
Status WriteConfiguration(const config::Configuration& configuration, const std::string& path);

}  // namespace berth::daemon
