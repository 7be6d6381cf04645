// Command is a program or subcommand in the manner of kubectl: a name, help, flags, positional
// arguments, subcommands, and what it runs.
//
//   Command root("berth", "Berth is a drop-in replacement for kube-scheduler");
//   Command& show = root.Add("config", "Work with configurations").Add("show", "Print a file");
//   FlagGroup(show.flags).Text("output", output, "Output format").Short('o');
//   show.Takes("FILE", file, "Configuration file").required = false;
//   show.run = [&] { return Show(file, output); };
//
// A command with subcommands needs one of them and takes no other arguments.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "flags/flag_set.h"

namespace berth::flags {

// A positional argument.
struct Argument {
  std::string name;  // "FILE"
  std::string help;
  std::function<void(const std::string& value)> set;
  bool required = true;
  bool repeated = false;    // Takes all that follow; the last one only.
  Completer complete = {};  // As of Flag.
};

// A name, and what it means, without a period.
using HelpRow = std::pair<std::string, std::string>;

struct Command {
  // The command of a program. `summary` is one sentence without a period.
  Command(std::string name, std::string summary);
  // The command of a program with these flags, among them -h, --help.
  Command(std::string name, std::string summary, FlagSet its_flags);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command& Add(std::string subcommand, std::string its_summary);
  // Adds a positional argument, or a list of at least one.
  Argument& Takes(std::string argument, std::string& value, std::string help);
  Argument& Takes(std::string argument, std::vector<std::string>& values, std::string help);

  // Adds the flag --version, which prints `text`.
  void SetVersion(std::string text);

  // Returns the text of --help, with lines of flags wrapped at `columns` unless that is 0.
  std::string Help(size_t columns = 0) const;
  // Returns "berth schedule -f FILE [flags]".
  std::string UsageLine() const;

  std::string name;        // "show"
  std::string path;        // "berth config show"
  std::string summary;     // The first line of the help, and the line in the help of the parent.
  std::string details;     // Further lines, with their line breaks.
  std::string exit_codes;  // "0 done, 1 invalid input"
  std::string examples;    // Command lines, indented by two spaces.
  // Only in the manual: what is read besides flags and arguments.
  std::vector<HelpRow> environment;
  std::vector<HelpRow> files;
  FlagSet flags;             // Has -h, --help.
  bool hidden = false;       // Not listed in the help.
  bool verbatim = false;     // Takes all that follows as arguments, flags too.
  std::function<int()> run;  // Returns the exit code.

  std::vector<Argument> arguments;
  std::list<Command> commands;

  // What --help, --version and SetVersion set.
  bool help = false;
  bool show_version = false;
  std::string version;
};

// A command line without errors.
struct Invocation {
  const Command* command;
  std::string text;  // If not empty: help or version, to be printed instead of running the command.
};

// Finds the command that `arguments` (without the program's name) name, and sets its flags and
// arguments. "help COMMAND" means "COMMAND --help". The error is complete text for standard error:
// it names the command, the flag and the value, suggests similar names, and refers to --help. Help
// is wrapped at `columns`, see Command::Help.
Result<Invocation> ParseCommandLine(Command& root, std::span<const std::string> arguments,
                                    size_t columns = 0);

// Returns the width of the terminal that is standard output, or 0 if it is none.
size_t TerminalColumns();

}  // namespace berth::flags
