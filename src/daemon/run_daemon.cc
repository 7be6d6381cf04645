#include "daemon/run_daemon.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/options.h"

namespace berth::daemon {
namespace {

int Refuse(const std::string& problem) {
  fmt::print(stderr, "Error: {}\n", problem);
  return 1;
}

int FailCommand(const std::string& problem) {
  LOG_ERROR(problem, "command failed");
  Log().Flush();
  return 1;
}

void LogStart(const DaemonOptions& options) {
  for (const auto& [name, value] : options.flags.values) {
    LOG_V(1, "FLAG", {{"name", name}, {"value", value}});
  }
  for (const std::string& warning : options.flags.warnings) LOG_WARNING(warning);
  for (const std::string& warning : options.gates.warnings()) LOG_WARNING(warning);
  for (const std::string& warning : options.warnings) LOG_WARNING(warning);
}

}  // namespace

int RunDaemon(std::span<const std::string> arguments) {
  auto flags = ParseFlags(arguments);
  if (!flags) {
    fmt::print(stderr, "Error: {}\n{}\n{}\n", flags.error().message, UsageText(),
               flags.error().message);
    return 1;
  }
  if (flags->help) {
    fmt::print("{}", HelpText());
    return 0;
  }
  if (const std::string version = VersionText(flags->version); !version.empty()) {
    fmt::print("{}", version);
    return 0;
  }
  if (const Status only = CheckNoArguments(*flags); !only) return Refuse(only.error().message);

  auto gates = FeatureGates::Parse(flags->features.gates);
  if (!gates) return Refuse(Aggregate(gates.error()));
  auto logging = ToLogOptions(flags->logs, *gates);
  if (!logging) return Refuse(Aggregate(logging.error()));
  Log().Configure(*std::move(logging));
  auto options = Complete(*std::move(flags), *std::move(gates), ReadFile);
  if (!options) return FailCommand(Aggregate(options.error()));
  LogStart(*options);
  if (const std::string& file = options->flags.write_config_to; !file.empty()) {
    const Status written = WriteConfiguration(options->configuration, file);
    return written ? 0 : FailCommand(written.error().message);
  }

  auto daemon = Daemon::Make(*std::move(options));
  if (!daemon) return FailCommand(daemon.error().message);
  const int code = (*daemon)->Run();
  daemon->reset();
  Log().Flush();
  return code;
}

}  // namespace berth::daemon
