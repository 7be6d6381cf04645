#include "cmd/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/kubernetes_version.h"
#include "base/terminal.h"
#include "build_info/build_info.h"
#include "cmd/commands.h"
#include "flags/command.h"
#include "flags/completion.h"
#include "observability/crash_report.h"

namespace berth::cmd {
namespace {

// The names under which the program is installed. kubectl runs kubectl-berth for `kubectl berth`,
// and asks kubectl_complete-berth for its completion.
constexpr const char* kName = "berth";
constexpr const char* kPluginName = "kubectl-berth";
constexpr std::string_view kPluginCompletionName = "kubectl_complete-berth";

bool CompletesForKubectl(int argc, const char* const* argv) {
  if (argc == 0) return false;
  const std::string_view path = argv[0];
  return path.substr(path.rfind('/') + 1) == kPluginCompletionName;
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv,
                   const scheduler::framework::Registry& registry) {
  observability::ReportCrashes("berth " + build_info::VersionAndCommit(build_info::ThisBuild()));
  flags::Command berth(
      kName,
      fmt::format(
          "Berth is a drop-in replacement for kube-scheduler v{} that explains every decision",
          kKubernetesMinorVersion));
  berth.SetVersion(VersionLine());
  AddApiServer(berth);
  AddBench(berth, registry);
  AddCheck(berth, registry);
  flags::AddCompletion(berth, {kName, kPluginName});
  AddConfig(berth, registry);
  AddConformance(berth);
  AddDashboard(berth, registry);
  AddReplay(berth, registry);
  AddSchedule(berth, registry);
  AddSimtest(berth);
  AddUp(berth, registry);
  AddVersion(berth);
  AddWhy(berth, registry);
  AddMan(berth);

  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (CompletesForKubectl(argc, argv)) flags::PrintCompletionsAndExit(berth, arguments);
  const auto invocation = flags::ParseCommandLine(berth, arguments, flags::TerminalColumns());
  if (!invocation) {
    PrintError("{}", invocation.error().message);
    return kExitUsage;
  }
  if (invocation->text.empty()) return invocation->command->run();
  Print("{}", invocation->text);
  return kExitOk;
}

}  // namespace berth::cmd
