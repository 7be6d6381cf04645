#include "daemon/scheduler_command.h"

#include <cstdio>
#include <string>
#include <vector>

#include "base/terminal.h"
#include "build_info/build_info.h"
#include "daemon/command_table.h"
#include "daemon/daemon.h"
#include "daemon/options.h"
#include "flags/command.h"
#include "observability/crash_report.h"
#include "observability/log.h"

namespace berth::daemon {

int RunSchedulerCommand(int argc, const char* const* argv,
                        const scheduler::framework::Registry& registry) {
  observability::ReportCrashes("berth-scheduler " +
                               build_info::VersionAndCommit(build_info::ThisBuild()));
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto code = RunCompletion(arguments, flags::TerminalColumns())) return *code;
  const auto print_to = [](std::FILE* file) {
    return [file](std::string_view text) { PrintText(file, text); };
  };
  auto options = ReadCommandLine(
      arguments, ReadFile,
      {.out = print_to(stdout), .err = print_to(stderr), .columns = flags::TerminalColumns()});
  if (!options) return options.error();
  const int code = RunDaemon(*std::move(options), registry);
  observability::Log().Flush();
  return code;
}

}  // namespace berth::daemon
