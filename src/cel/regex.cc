#include "cel/regex.h"

#include <fmt/format.h>

#include "cel/limits.h"

namespace berth::cel {
namespace {

std::string_view GoMessage(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
      return "invalid character class";
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

// Go also has the newer spelling of named groups, (?<name>...).
std::string WithOldNames(std::string_view pattern) {
  std::string result;
  bool in_class = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest[0] == '\\' && rest.size() > 1) {
      result += rest.substr(0, 2);
      ++i;
      continue;
    }
    if (rest[0] == '[') in_class = true;
    if (rest[0] == ']') in_class = false;
    if (!in_class && rest.starts_with("(?<") && !rest.starts_with("(?<=") &&
        !rest.starts_with("(?<!")) {
      result += "(?P<";
      i += 2;
      continue;
    }
    result += rest[0];
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<const re2::RE2>> CompileRegex(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxRegexBytes);
  const bool has_names = pattern.find("(?<") != std::string_view::npos;
  const std::string text = has_names ? WithOldNames(pattern) : std::string(pattern);
  auto regex = std::make_unique<const re2::RE2>(text, options);
  if (regex->ok()) return regex;
  return Fail(fmt::format("error parsing regexp: {}: `{}`", GoMessage(regex->error_code()),
                          regex->error_arg()));
}

}  // namespace berth::cel
