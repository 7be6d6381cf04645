// Completes command lines in shells, in the manner of cobra: a small script calls the hidden
// command __complete of the program with the words before the cursor, and the program answers from
// its table of commands and flags:
//
//   $ berth __complete why --output j
//   json
//   :4
//
// One candidate per line, with its help after a tab, then cobra's directive: a sum of kNoSpace,
// kNoFiles and kDirectories. kubectl asks the completion programs of plugins likewise.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flags/command.h"
#include "flags/completer.h"

namespace berth::flags {

// Cobra's directives.
inline constexpr int kNoSpace = 2, kNoFiles = 4, kDirectories = 16;

// Shells that CompletionScript knows.
inline constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

// Completes the last of `words`, which are those after the program's name. Sets the flags before
// it; what is wrong with them is ignored. Candidates begin with the word, after "--flag=" if it has
// that, and are in the order in which they were declared or listed.
//
// Names may come from a hostile cluster: words with characters that a shell or a terminal could
// interpret are dropped, as are those after the first 1,000.
Completions Complete(Command& root, std::span<const std::string> words);

// Returns the text that __complete prints.
std::string CompletionText(const Completions& completions);

// Splits a line as bash does, without expanding anything: quotes and backslashes group and
// disappear. The last word is empty after a space. Drops the first word, the program's name.
std::vector<std::string> SplitCommandLine(std::string_view line);

// Returns the script for one of kShells that completes the commands of these names.
std::string CompletionScript(std::string_view shell, std::span<const std::string> programs);

// Adds the command `completion`, which prints the scripts for `programs`, and the hidden commands
// that the scripts call. `root` must outlive them. Returns `completion`.
Command& AddCompletion(Command& root, std::vector<std::string> programs);

// Prints the completions of `words`, and ends the process: what a completer still waits for is left
// behind.
[[noreturn]] void PrintCompletionsAndExit(Command& root, std::span<const std::string> words);

}  // namespace berth::flags
