#include "cel/format_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace berth::cel {

std::string_view FormatReader::TakeText() {
  size_t size = std::min(rest_.find('%'), rest_.size());
  if (size == 0 && rest_.starts_with("%%")) {
    rest_.remove_prefix(1);
    size = 1;
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

Result<FormatClause> FormatReader::TakeClause() {
  rest_.remove_prefix(1);
  if (rest_.empty()) return Fail("unexpected end of string");
  FormatClause clause;
  if (rest_[0] == '.') {
    rest_.remove_prefix(1);
    size_t digits = 0;
    while (digits < rest_.size() && IsDigit(rest_[digits])) ++digits;
    if (digits == rest_.size()) {
      return Fail(
          "could not parse formatting clause: error while parsing precision: could not find end of "
          "precision specifier");
    }
    int precision = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + digits, precision);
    if (error != std::errc()) {
      return Fail(
          "could not parse formatting clause: error while parsing precision: error while "
          "converting precision to integer");
    }
    clause.precision = precision;
    rest_.remove_prefix(digits);
  }
  clause.verb = rest_[0];
  rest_.remove_prefix(1);
  if (std::string_view("sdfebxXo").find(clause.verb) == std::string_view::npos) {
    return Fail(fmt::format(
        "could not parse formatting clause: unrecognized formatting clause \"{}\"", clause.verb));
  }
  return clause;
}

}  // namespace berth::cel
