// Fixtures of tests of benchmarks: files in memory, an environment, and how an engine is
// configured.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "benchmark/environment.h"
#include "benchmark/perf_run.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"

namespace berth::benchmark {

// Files by path.
using TestFiles = std::map<std::string, std::string>;

inline Environment EnvironmentOf(TestFiles files) {
  Environment environment;
  environment.read_file = [files = std::move(files)](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? Result<std::string>(Fail(path + ": No such file or directory"))
                                : Result<std::string>(found->second);
  };
  return environment;
}

inline Result<EngineSetup> ConfigureForTest(const std::string&,
                                            const scheduler::model::Features& features) {
  auto options = scheduler::config::ToEngineOptions(scheduler::config::Default(features));
  if (!options) return std::unexpected(options.error());
  options->features = features;
  return EngineSetup{*std::move(options), 1};
}

}  // namespace berth::benchmark
