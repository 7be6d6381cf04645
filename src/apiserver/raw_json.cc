#include "apiserver/raw_json.h"

#include <algorithm>
#include <cstddef>

namespace berth::apiserver {
namespace {

// Walks over JSON text. At the end of the text every step stays where it is.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }
  bool end() const { return at_ >= text_.size(); }

  // Skips spaces; returns the next character, or 0 at the end.
  char Next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return end() ? '\0' : text_[at_];
  }
  // Moves past `c`, if it comes next.
  bool Take(char c) {
    if (Next() != c) return false;
    ++at_;
    return true;
  }
  void SkipString() {
    for (++at_; !end() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }
  void SkipValue() {
    size_t depth = 0;
    do {
      const char c = Next();
      if (c == '"') {
        SkipString();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        if (depth > 0) --depth;
        ++at_;
      } else if (depth > 0 && (c == ',' || c == ':')) {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(",:{}[]\" \t\r\n", at_ + 1), text_.size());
      }
    } while (depth > 0 && !end());
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::string_view RawMember(std::string_view json, std::string_view key) {
  Walker walker(json);
  if (!walker.Take('{')) return "";
  while (walker.Next() == '"') {
    const size_t key_begin = walker.at();
    walker.SkipString();
    const std::string_view found = json.substr(key_begin, walker.at() - key_begin);
    if (!walker.Take(':')) return "";
    walker.Next();
    const size_t begin = walker.at();
    walker.SkipValue();
    if (found.size() == key.size() + 2 && found.substr(1, key.size()) == key) {
      return json.substr(begin, walker.at() - begin);
    }
    if (!walker.Take(',')) return "";
  }
  return "";
}

}  // namespace berth::apiserver
