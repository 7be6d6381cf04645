#include "daemon/command_line.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/go_quote.h"
#include "daemon/log.h"

namespace berth::daemon {
namespace {

// The last words of a process that cannot start.
std::unexpected<int> CommandFailed(std::span<const std::string> problems) {
  LOG_ERROR(Aggregate(problems), "command failed");
  return std::unexpected(1);
}

void LogFlagValues(const DaemonFlags& flags) {
  for (const auto& [name, value] : flags.values) {
    LOG_PLAIN(1, fmt::format("FLAG: --{}={}", name, GoQuote(std::string_view(value))));
  }
}

}  // namespace

std::expected<DaemonOptions, int> ReadCommandLine(std::span<const std::string> arguments,
                                                  const FileReader& read, const Streams& streams) {
  auto flags = ParseFlags(arguments);
  if (!flags) {
    streams.err(fmt::format("{}\nError: {}\n", UsageText(), flags.error().message));
    return std::unexpected(1);
  }
  if (flags->help) {
    streams.out(HelpText());
    return std::unexpected(0);
  }
  for (const std::string& warning : flags->warnings) streams.err(warning + "\n");
  if (const Status status = CheckNoArguments(*flags); !status) {
    streams.err(fmt::format("Error: {}\n", status.error().message));
    return std::unexpected(1);
  }
  auto gates = FeatureGates::Parse(flags->features.gates);
  if (!gates) return CommandFailed(gates.error());
  if (const std::string version = VersionText(flags->version); !version.empty()) {
    streams.out(version);
    return std::unexpected(0);
  }
  auto log = ToLogOptions(flags->logs, *gates);
  if (!log) {
    streams.err(Aggregate(log.error()) + "\n");
    return std::unexpected(1);
  }
  Log().Configure(*std::move(log));
  LogFlagValues(*flags);
  auto options = Complete(*std::move(flags), *std::move(gates), read);
  if (!options) return CommandFailed(options.error());
  for (const std::string& warning : options->warnings) LOG_WARNING(warning);
  return *std::move(options);
}

}  // namespace berth::daemon
