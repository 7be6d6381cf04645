#include "apiserver/raw_json.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

// Looks for duplicate keys in every object of a document.
class DuplicateFinder {
 public:
  explicit DuplicateFinder(std::string_view json) : json_(json), walker_(json) {}

  std::vector<std::string> Find() {
    Visit();
    return std::move(found_);
  }

 private:
  void Visit() {
    const char c = walker_.Next();
    if (c == '{') return VisitObject();
    if (c == '[') return VisitArray();
    walker_.SkipValue();
  }
  void VisitObject() {
    walker_.Take('{');
    const size_t begin = keys_.size();
    while (walker_.Next() == '"') {
      const size_t key_begin = walker_.at();
      walker_.SkipString();
      const std::string_view quoted = json_.substr(key_begin, walker_.at() - key_begin);
      keys_.push_back(quoted.substr(1, quoted.size() - 2));
      walker_.Take(':');
      const size_t path_size = path_.size();
      if (!path_.empty()) path_ += '.';
      path_ += keys_.back();
      Visit();
      path_.resize(path_size);
      if (!walker_.Take(',')) break;
    }
    walker_.Take('}');
    Report(begin);
    keys_.resize(begin);
  }
  void VisitArray() {
    walker_.Take('[');
    for (size_t index = 0; walker_.Next() != ']' && !walker_.end(); ++index) {
      const size_t path_size = path_.size();
      path_ += '[' + std::to_string(index) + ']';
      Visit();
      path_.resize(path_size);
      if (!walker_.Take(',')) break;
    }
    walker_.Take(']');
  }
  // The keys from `begin` on are those of one object.
  void Report(size_t begin) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, keys_.end());
    auto at = std::adjacent_find(first, keys_.end());
    while (at != keys_.end()) {
      found_.push_back((path_.empty() ? "" : path_ + ".") + std::string(*at));
      at = std::adjacent_find(std::upper_bound(at, keys_.end(), *at), keys_.end());
    }
  }

  std::string_view json_;
  Walker walker_;
  std::string path_;
  std::vector<std::string_view> keys_;  // Of all objects around the place, outermost first.
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> DuplicateKeys(std::string_view json) {
  return DuplicateFinder(json).Find();
}

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
