// What a shell offers for the word that is being typed.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace berth::flags {

struct Candidate {
  std::string word;
  std::string help = {};  // One sentence; zsh and fish show it beside the word.
};

struct Completions {
  std::vector<Candidate> candidates;
  bool files = false;        // The shell adds names of files.
  bool directories = false;  // The shell adds names of directories.
  bool no_space = false;     // All words are continued: the shell adds no space.
};

// Returns what may follow `typed`, the part of the word before the cursor. May return words that do
// not begin with it: they are dropped. Called when the flags before the word are set.
using Completer = std::function<Completions(const std::string& typed)>;

// Offers `words`.
Completer Words(std::vector<std::string> words);
// Offers names of files.
Completer Files();
Completer Directories();
// Offers words for the last item of a list a,b,c; an item is offered once.
Completer ListOf(Completer item);

}  // namespace berth::flags
