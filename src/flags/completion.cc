#include "flags/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/terminal.h"

namespace berth::flags {
namespace {

constexpr size_t kMaxCandidates = 1'000;
constexpr size_t kMaxHelp = 80;

// Characters that no shell interprets, as far as they are inside a word.
bool IsSafe(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:=,@+%").contains(static_cast<char>(c));
  });
}

Completions Matching(Completions completions, std::string_view typed) {
  std::erase_if(completions.candidates, [&](const Candidate& candidate) {
    return !candidate.word.starts_with(typed) || !IsSafe(candidate.word);
  });
  if (completions.candidates.size() > kMaxCandidates) completions.candidates.resize(kMaxCandidates);
  // "deployment/" is continued.
  completions.no_space =
      !completions.candidates.empty() &&
      std::ranges::all_of(completions.candidates, [](const Candidate& candidate) {
        return candidate.word.ends_with('/') || candidate.word.ends_with('=');
      });
  return completions;
}

// Returns what the name of a value in the help, FILE or DIR, says about it.
Completer CompleterOf(std::string_view type) {
  if (type == "FILE") return Files();
  if (type == "DIR" || type == "DIRECTORY") return Directories();
  return {};
}

Completions ValuesOf(const Completer& own, std::string_view type, const std::string& typed) {
  const Completer completer = own ? own : CompleterOf(type);
  return completer ? Matching(completer(typed), typed) : Completions{};
}

Completions FlagNames(const FlagSet& flags, const std::string& typed) {
  Completions completions;
  for (const auto& [name, flag] : flags.flags()) {
    if (flag.deprecated.empty()) completions.candidates.push_back({"--" + name, flag.help});
  }
  return Matching(std::move(completions), typed);
}

Completions OfFlag(FlagSet& flags, const std::string& typed) {
  const size_t equals = typed.find('=');
  if (equals == typed.npos) return FlagNames(flags, typed);
  const Flag* const flag = flags.Find(std::string_view(typed).substr(0, equals));
  if (flag == nullptr) return {};
  const std::string value = typed.substr(equals + 1);
  if (flag->type.empty()) return Matching(Words({"true", "false"})(value), value);
  return ValuesOf(flag->complete, flag->type, value);
}

Completions CommandNames(const Command& parent, const std::string& typed) {
  Completions completions;
  for (const Command& command : parent.commands) {
    if (!command.hidden) completions.candidates.push_back({command.name, command.summary});
  }
  return Matching(std::move(completions), typed);
}

Completions OfArgument(const Command& command, const std::string& typed) {
  const size_t given = command.flags.positional().size();
  const auto& arguments = command.arguments;
  if (arguments.empty() || (given >= arguments.size() && !arguments.back().repeated)) return {};
  const Argument& argument = arguments[std::min(given, arguments.size() - 1)];
  return ValuesOf(argument.complete, argument.name, typed);
}

// Returns the subcommand that comes first in `arguments`, which it removes with all before it; null
// if there is none of that name.
Command* NextCommand(Command& parent, std::span<const std::string>& arguments) {
  const auto next = std::ranges::find(parent.commands, arguments.front(), &Command::name);
  arguments = arguments.subspan(1);
  return next == parent.commands.end() || next->verbatim ? nullptr : &*next;
}

// The first sentence, without what a terminal would interpret.
std::string ShortHelp(std::string_view help) {
  std::string text(help.substr(0, std::min(help.find(". "), help.find('\n'))));
  if (text.ends_with('.')) text.pop_back();
  std::erase_if(text, [](unsigned char c) { return c < ' ' || c > '~'; });
  if (text.size() > kMaxHelp) text = text.substr(0, text.rfind(' ', kMaxHelp)) + " ...";
  return text;
}

}  // namespace

Completions Complete(Command& root, std::span<const std::string> words) {
  if (words.empty()) return {};
  const std::string& typed = words.back();
  std::span<const std::string> arguments = words.first(words.size() - 1);
  Command* command = &root;
  for (;;) {
    command->flags.ParseTyped(arguments);
    if (const Flag* flag = command->flags.awaiting()) {
      return ValuesOf(flag->complete, flag->type, typed);
    }
    if (command->commands.empty()) break;
    arguments = command->flags.positional();
    while (!arguments.empty() && arguments.front() == "help") arguments = arguments.subspan(1);
    if (arguments.empty()) break;
    command = NextCommand(*command, arguments);
    if (command == nullptr) return {};
  }
  if (typed.starts_with('-') && !command->flags.ended()) return OfFlag(command->flags, typed);
  return command->commands.empty() ? OfArgument(*command, typed) : CommandNames(*command, typed);
}

std::string CompletionText(const Completions& completions) {
  std::string text;
  for (const Candidate& candidate : completions.candidates) {
    const std::string help = ShortHelp(candidate.help);
    text += help.empty() ? candidate.word + "\n" : fmt::format("{}\t{}\n", candidate.word, help);
  }
  const bool no_files = !completions.files && !completions.directories;
  return text + fmt::format(":{}\n", (completions.no_space ? kNoSpace : 0) |
                                         (no_files ? kNoFiles : 0) |
                                         (completions.directories ? kDirectories : 0));
}

std::vector<std::string> SplitCommandLine(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < line.size();
    if (escapes) {
      word = word.value_or("") + line[++i];
    } else if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
      if (!word) word.emplace();
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      word = word.value_or("") + c;
    }
  }
  words.push_back(word.value_or(""));
  words.erase(words.begin());
  return words;
}

void PrintCompletionsAndExit(Command& root, std::span<const std::string> words) {
  Print("{}", CompletionText(Complete(root, words)));
  std::fflush(stdout);
  std::_Exit(0);
}

Command& AddCompletion(Command& root, std::vector<std::string> programs) {
  Command& completion =
      root.Add("completion", "Print the script that completes commands in a shell");
  completion.details =
      "The script completes subcommands, flags and their values, and names of the cluster that "
      "the\n"
      "command line is about: pods, workloads, nodes, namespaces and contexts.\n";
  const std::string& program = programs.front();
  const auto add = [&](std::string_view shell, std::string details, std::string examples) {
    Command& command = completion.Add(std::string(shell),
                                      fmt::format("Print the completion script for {}", shell));
    command.details = std::move(details);
    command.examples = std::move(examples);
    command.run = [shell, programs] {
      Print("{}", CompletionScript(shell, programs));
      return 0;
    };
  };
  add("bash", "Install it for all users, or load it in ~/.bashrc. Needs bash 4 or later.\n",
      fmt::format("  {0} completion bash > /usr/share/bash-completion/completions/{0}\n"
                  "  source <({0} completion bash)\n",
                  program));
  add("zsh", "Install it in a folder of $fpath, or load it in ~/.zshrc after compinit.\n",
      fmt::format("  {0} completion zsh > /usr/share/zsh/vendor-completions/_{0}\n"
                  "  source <({0} completion zsh)\n",
                  program));
  add("fish", "Install it for all users, or for one.\n",
      fmt::format("  {0} completion fish > /usr/share/fish/vendor_completions.d/{0}.fish\n"
                  "  {0} completion fish > ~/.config/fish/completions/{0}.fish\n",
                  program));

  Command& complete = root.Add("__complete", "Print what may follow the given words");
  complete.hidden = complete.verbatim = true;
  complete.run = [&root, &complete]() -> int {
    PrintCompletionsAndExit(root, complete.flags.positional());
  };
  Command& complete_line = root.Add("__complete_line", "Print what may follow the given line");
  complete_line.hidden = complete_line.verbatim = true;
  complete_line.run = [&root, &complete_line]() -> int {
    const auto& words = complete_line.flags.positional();
    PrintCompletionsAndExit(root, SplitCommandLine(words.empty() ? "" : words.front()));
  };
  return completion;
}

}  // namespace berth::flags
