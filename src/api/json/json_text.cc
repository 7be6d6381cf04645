#include "api/json/json_text.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include "api/field_errors.h"
#include "base/text.h"

namespace berth::api {

namespace {

// Returns the longest prefix of digits.
std::string_view Digits(std::string_view text) {
  return text.substr(0, std::ranges::find_if_not(text, IsDigit) - text.begin());
}

struct NumberParts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  // With its sign.
};

std::optional<NumberParts> Split(std::string_view text) {
  NumberParts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  parts.whole = Digits(text);
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole.front() == '0'))
    return std::nullopt;
  text.remove_prefix(parts.whole.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = Digits(text);
    if (parts.fraction.empty()) return std::nullopt;
    text.remove_prefix(parts.fraction.size());
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
    const std::string_view digits = Digits(text.substr(sign));
    if (digits.empty()) return std::nullopt;
    parts.exponent = text.substr(0, sign + digits.size());
    text.remove_prefix(parts.exponent.size());
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

// Saturates: a number with such an exponent is zero, out of range or not an integer.
int64_t ParseExponent(std::string_view text) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (result.ec == std::errc::result_out_of_range)
    exponent = text.starts_with('-') ? -kHuge : kHuge;
  return std::clamp(exponent, -kHuge, kHuge);
}

}  // namespace

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string ReplaceInvalidUtf8(std::string_view text) {
  constexpr size_t kLongest = 4;
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      valid += text.front();
      text.remove_prefix(1);
      continue;
    }
    size_t size = 2;
    while (size <= kLongest && size <= text.size() && !IsUtf8(text.substr(0, size))) ++size;
    const bool is_character = size <= kLongest && size <= text.size();
    if (!is_character) size = 1;
    valid += is_character ? text.substr(0, size) : "\uFFFD";
    text.remove_prefix(size);
  }
  return valid;
}

bool IsJsonNumber(std::string_view text) { return Split(text).has_value(); }

std::optional<JsonInteger> ParseJsonInteger(std::string_view text) {
  JsonInteger number;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (result.ptr == text.data() + text.size()) {
    number.overflow = result.ec != std::errc();
    return number;
  }

  const auto parts = Split(text);
  if (!parts) return std::nullopt;
  std::string digits = std::string(parts->whole) + std::string(parts->fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return number;
  // The number is `digits` * 10^`shift`; convert trailing zeros to the exponent.
  int64_t shift = ParseExponent(parts->exponent) - static_cast<int64_t>(parts->fraction.size());
  const size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
  digits.resize(digits.size() - zeros);
  shift += static_cast<int64_t>(zeros);
  if (shift < 0) return std::nullopt;
  if (shift + static_cast<int64_t>(digits.size()) > 19) return JsonInteger{.overflow = true};
  digits.append(static_cast<size_t>(shift), '0');
  if (parts->negative) digits.insert(0, 1, '-');
  const auto whole = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  number.overflow = whole.ec != std::errc();
  return number;
}

namespace {

// Walker skips over JSON text token by token. At the end of the text it does not move.
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
  // Skips `c` if it comes next.
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
  // Skips a string, a bracket, a separator, or a number or name.
  void SkipToken() {
    const char c = Next();
    if (c == '"') {
      SkipString();
    } else if (std::string_view(",:{}[]").contains(c)) {
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of(",:{}[]\" \t\r\n", at_ + 1), text_.size());
    }
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

// DuplicateFinder collects the duplicate keys of every object in a document.
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
  // Appends the duplicates among the keys of one object, which are those from `begin` on.
  void Report(size_t begin) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, keys_.end());
    auto at = std::adjacent_find(first, keys_.end());
    while (at != keys_.end() && found_.size() < kMaxReportedErrors) {
      found_.push_back(PathOf(*at));
      at = std::adjacent_find(std::upper_bound(at, keys_.end(), *at), keys_.end());
    }
  }

  // A path may be as long as the document, so it is copied only up to a limit.
  std::string PathOf(std::string_view key) const {
    std::string path = path_.substr(0, kMaxQuotedBytes + 1);
    if (!path.empty()) path += '.';
    path += key.substr(0, kMaxQuotedBytes + 1);
    return Limited(path);
  }

  std::string_view json_;
  Walker walker_;
  std::string path_;
  std::vector<std::string_view> keys_;  // Of all enclosing objects, outermost first.
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

std::string WithoutMembers(std::string_view json, std::span<const std::string_view> keys) {
  Walker walker(json);
  if (!walker.Take('{')) return std::string(json);
  std::string out = "{";
  while (walker.Next() == '"') {
    const size_t begin = walker.at();
    walker.SkipString();
    const std::string_view quoted = json.substr(begin, walker.at() - begin);
    if (!walker.Take(':')) break;
    walker.SkipValue();
    if (std::ranges::find(keys, quoted.substr(1, quoted.size() - 2)) == keys.end()) {
      if (out.size() > 1) out += ',';
      out += json.substr(begin, walker.at() - begin);
    }
    if (!walker.Take(',')) break;
  }
  if (!walker.Take('}')) return std::string(json);
  return out + '}';
}

std::string CompactJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (Walker walker(json); walker.Next() != '\0' && !walker.end();) {
    const size_t begin = walker.at();
    walker.SkipToken();
    out += json.substr(begin, walker.at() - begin);
  }
  return out;
}

}  // namespace berth::api
