#include "flags/command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/suggestion.h"
#include "base/text.h"
#include "flags/flag_group.h"

namespace berth::flags {
namespace {

std::unexpected<Error> UsageError(const Command& command, std::string_view message) {
  return Fail(
      fmt::format("{}: {}\nSee '{} --help' for usage.\n", command.path, message, command.path));
}

std::unexpected<Error> UnknownCommand(const Command& parent, const std::string& name) {
  Suggestion suggestion(name);
  for (const Command& command : parent.commands) {
    if (!command.hidden) suggestion.Consider(command.name);
  }
  return UsageError(parent,
                    fmt::format("unknown command {} for \"{}\"{}", GoQuote(std::string_view(name)),
                                parent.path, suggestion.Text()));
}

Status SetArguments(const Command& command) {
  std::span<const std::string> values = command.flags.positional();
  for (const Argument& argument : command.arguments) {
    if (values.empty() && argument.required) return Fail(argument.name + " is required");
    const size_t count = argument.repeated ? values.size() : std::min<size_t>(values.size(), 1);
    for (const std::string& value : values.first(count)) argument.set(value);
    values = values.subspan(count);
  }
  if (values.empty()) return {};
  return Fail("unexpected argument " + GoQuote(std::string_view(values.front())));
}

// Appends a section of names, each with its help.
void AppendTable(std::string& text, std::string_view title, const std::vector<HelpRow>& rows) {
  size_t width = 0;
  for (const auto& [name, help] : rows) width = std::max(width, name.size());
  if (!rows.empty()) text += fmt::format("\n{}:\n", title);
  for (const auto& [name, help] : rows) text += fmt::format("  {:<{}}   {}\n", name, width, help);
}

}  // namespace

Command::Command(std::string its_name, std::string its_summary)
    : name(std::move(its_name)), path(name), summary(std::move(its_summary)) {
  FlagGroup(flags).Switch("help", help, "Print this help and exit").Short('h');
}

Command::Command(std::string its_name, std::string its_summary, FlagSet its_flags)
    : name(std::move(its_name)),
      path(name),
      summary(std::move(its_summary)),
      flags(std::move(its_flags)) {}

Command& Command::Add(std::string subcommand, std::string its_summary) {
  flags.StopAtFirstArgument();
  Command& command = commands.emplace_back(std::move(subcommand), std::move(its_summary));
  command.path = path + " " + command.name;
  return command;
}

void Command::SetVersion(std::string text) {
  version = std::move(text);
  FlagGroup(flags).Switch("version", show_version, "Print the version and exit");
}

Argument& Command::Takes(std::string argument, std::string& value, std::string its_help) {
  return arguments.emplace_back(Argument{std::move(argument), std::move(its_help),
                                         [&value](const std::string& text) { value = text; }});
}

Argument& Command::Takes(std::string argument, std::vector<std::string>& values,
                         std::string its_help) {
  Argument& added = arguments.emplace_back(
      Argument{std::move(argument), std::move(its_help),
               [&values](const std::string& text) { values.push_back(text); }});
  added.repeated = true;
  return added;
}

std::string Command::UsageLine() const {
  std::string line = path;
  for (const auto& [flag_name, flag] : flags.flags()) {
    if (!flag.required) continue;
    const std::string given =
        flag.shorthand != 0 ? fmt::format("-{}", flag.shorthand) : "--" + flag_name;
    line += fmt::format(" {} {}", given, flag.type);
  }
  for (const Argument& argument : arguments) {
    const std::string shown = argument.name + (argument.repeated ? "..." : "");
    line += argument.required ? " " + shown : fmt::format(" [{}]", shown);
  }
  return line + (std::ranges::all_of(commands, &Command::hidden) ? " [flags]" : " [command]");
}

std::string Command::Help(size_t columns) const {
  std::string text = summary + ".\n";
  if (!details.empty() || !exit_codes.empty()) text += "\n" + details;
  if (!exit_codes.empty()) text += fmt::format("Exit codes: {}.\n", exit_codes);
  text += fmt::format("\nUsage:\n  {}\n", UsageLine());
  std::vector<HelpRow> rows;
  for (const Argument& argument : arguments) rows.emplace_back(argument.name, argument.help);
  AppendTable(text, "Arguments", rows);
  if (!examples.empty()) text += "\nExamples:\n" + examples;
  rows.clear();
  for (const Command& command : commands) {
    if (!command.hidden) rows.emplace_back(command.name, command.summary);
  }
  AppendTable(text, "Available Commands", rows);
  text += flags.Help(columns);
  if (!commands.empty()) {
    text +=
        fmt::format("\nUse \"{} [command] --help\" for more information about a command.\n", path);
  }
  return text;
}

Result<Invocation> ParseCommandLine(Command& root, std::span<const std::string> arguments,
                                    size_t columns) {
  Command* command = &root;
  bool help = false;
  for (;;) {
    if (command->verbatim) {
      command->flags.TakeAll(arguments);
      return Invocation{command, {}};
    }
    const Status parsed = command->flags.Parse(arguments);
    help = help || command->help;
    if (!parsed && !help) {
      return UsageError(*command, parsed.error().message + command->flags.SuggestionText());
    }
    if (command->commands.empty()) break;
    arguments = command->flags.positional();
    while (!arguments.empty() && arguments.front() == "help") {
      help = true;
      arguments = arguments.subspan(1);
    }
    if (arguments.empty()) break;
    const auto next = std::ranges::find(command->commands, arguments.front(), &Command::name);
    if (next == command->commands.end()) return UnknownCommand(*command, arguments.front());
    command = &*next;
    arguments = arguments.subspan(1);
  }
  if (help) return Invocation{command, command->Help(columns)};
  if (command->show_version) return Invocation{command, command->version + "\n"};
  if (!command->commands.empty()) {
    return Fail(
        fmt::format("{}\n{}: a command is required\n", command->Help(columns), command->path));
  }
  Status complete = command->flags.CheckRequired();
  if (complete) complete = SetArguments(*command);
  if (!complete) return UsageError(*command, complete.error().message);
  return Invocation{command, {}};
}

size_t TerminalColumns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace berth::flags
