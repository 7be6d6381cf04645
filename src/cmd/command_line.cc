#include "cmd/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cmd/commands.h"
#include "flags/command.h"

namespace berth::cmd {
namespace {

constexpr const char* kVersion = "berth " BERTH_VERSION " (kube-scheduler v1.36)";

}  // namespace

int RunCommandLine(int argc, const char* const* argv,
                   const scheduler::framework::Registry& registry) {
  flags::Command berth(
      "berth",
      "Berth is a drop-in replacement for kube-scheduler v1.36 that explains every decision");
  berth.SetVersion(kVersion);
  AddApiServer(berth);
  AddBench(berth, registry);
  AddCheck(berth, registry);
  AddConfig(berth, registry);
  AddConformance(berth);
  AddDashboard(berth, registry);
  AddReplay(berth, registry);
  AddSchedule(berth, registry);
  AddSimtest(berth);
  AddUp(berth, registry);
  berth.Add("version", "Print the version").run = [] {
    fmt::print("{}\n", kVersion);
    return kExitOk;
  };
  AddWhy(berth, registry);

  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto invocation = flags::ParseCommandLine(berth, arguments, flags::TerminalColumns());
  if (!invocation) {
    fmt::print(stderr, "{}", invocation.error().message);
    return kExitUsage;
  }
  if (invocation->text.empty()) return invocation->command->run();
  fmt::print("{}", invocation->text);
  return kExitOk;
}

}  // namespace berth::cmd
