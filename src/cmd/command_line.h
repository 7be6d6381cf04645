// The `berth` command line: which subcommands there are, and their options.
#pragma once

namespace berth::cmd {

// How the program ends. Scripts rely on these; docs/cli.md lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,         // The input is wrong, or a case failed.
  kExitUsage = 2,          // The command line is wrong, or a case file cannot be read.
  kExitUnschedulable = 3,  // A pod stays pending, and the user asked to be told so.
};

// Parses the arguments, runs the subcommand and returns the exit code of the program.
int RunCommandLine(int argc, const char* const* argv);

}  // namespace berth::cmd
