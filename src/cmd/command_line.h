// The `berth` command line: which subcommands there are, and their options.
#pragma once

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

// How the program ends. Scripts rely on these; docs/cli.md lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,         // The input is wrong, or a case failed.
  kExitUsage = 2,          // The command line is wrong, or a case file cannot be read.
  kExitUnschedulable = 3,  // A pod stays pending, and the user asked to be told so.
};

// Parses the arguments, runs the subcommand and returns the exit code of the program.
// Configurations may enable the plugins in `registry`: the in-tree plugins
// (scheduler::plugins::InTreeRegistry) and those that a main() of one's own adds.
int RunCommandLine(int argc, const char* const* argv,
                   const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
