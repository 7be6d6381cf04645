#include "flags/completer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace berth::flags {

Completer Words(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string&) {
    Completions completions;
    for (const std::string& word : words) completions.candidates.push_back({word});
    return completions;
  };
}

Completer Files() {
  return [](const std::string&) { return Completions{.candidates = {}, .files = true}; };
}

Completer Directories() {
  return [](const std::string&) { return Completions{.candidates = {}, .directories = true}; };
}

Completer ListOf(Completer item) {
  return [item = std::move(item)](const std::string& typed) {
    const size_t comma = typed.rfind(',');
    const size_t begin = comma == std::string::npos ? 0 : comma + 1;
    Completions completions = item(typed.substr(begin));
    const std::string before = "," + typed.substr(0, begin);
    std::erase_if(completions.candidates, [&](const Candidate& candidate) {
      return before.contains("," + candidate.word + ",");
    });
    for (Candidate& candidate : completions.candidates) {
      candidate.word.insert(0, typed, 0, begin);
    }
    return completions;
  };
}

}  // namespace berth::flags
