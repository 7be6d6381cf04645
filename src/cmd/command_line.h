// The `berth` command line: its subcommands and their flags.
#pragma once

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

// Exit codes. Scripts rely on them; docs/cli.md lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,         // Invalid input, or a failed case.
  kExitUsage = 2,          // Invalid command line, or an unreadable file.
  kExitUnschedulable = 3,  // A pod stays pending, with --fail-on-unschedulable.
  kExitInterrupted = 130,  // Ctrl-C, where results so far are printed: as a shell reports it.
};

// Parses the arguments, runs the subcommand and returns its exit code. Configurations may enable
// the plugins in `registry`: the in-tree plugins (scheduler::plugins::InTreeRegistry) and those
// that a custom main() adds.
int RunCommandLine(int argc, const char* const* argv,
                   const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
