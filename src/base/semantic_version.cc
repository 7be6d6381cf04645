#include "base/semantic_version.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace berth {
namespace {

bool IsIdentifierCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// Removes and returns the text before `separator`, or all of it if there is none.
std::string_view CutAt(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

// Returns nullopt for leading zeros, too.
std::optional<uint64_t> ParseNumber(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsAllDigits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Splits "rc.1"; returns nullopt if an identifier is invalid. Numbers must not have leading zeros
// if `numbers`.
std::optional<std::vector<std::string>> ParseIdentifiers(std::string_view text, bool numbers) {
  std::vector<std::string> identifiers;
  for (bool more = true; more;) {
    more = text.contains('.');
    const std::string_view identifier = CutAt(text, '.');
    if (identifier.empty() || !std::ranges::all_of(identifier, IsIdentifierCharacter)) {
      return std::nullopt;
    }
    if (numbers && IsAllDigits(identifier) && !ParseNumber(identifier)) return std::nullopt;
    identifiers.emplace_back(identifier);
  }
  return identifiers;
}

std::strong_ordering CompareIdentifiers(const std::string& a, const std::string& b) {
  const auto number_a = ParseNumber(a);
  const auto number_b = ParseNumber(b);
  if (number_a && number_b) return *number_a <=> *number_b;
  if (number_a.has_value() != number_b.has_value()) {
    return number_a ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return a <=> b;
}

}  // namespace

std::optional<SemanticVersion> SemanticVersion::Parse(std::string_view text) {
  SemanticVersion version;
  const bool has_build = text.contains('+');
  std::string_view rest = CutAt(text, '+');
  if (has_build && !ParseIdentifiers(text, false)) return std::nullopt;
  const bool has_prerelease = rest.contains('-');
  std::string_view numbers = CutAt(rest, '-');
  if (has_prerelease) {
    auto identifiers = ParseIdentifiers(rest, true);
    if (!identifiers) return std::nullopt;
    version.prerelease = *std::move(identifiers);
  }
  if (std::ranges::count(numbers, '.') != 2) return std::nullopt;
  for (uint64_t* part : {&version.major, &version.minor, &version.patch}) {
    const auto number = ParseNumber(CutAt(numbers, '.'));
    if (!number) return std::nullopt;
    *part = *number;
  }
  return version;
}

std::strong_ordering operator<=>(const SemanticVersion& a, const SemanticVersion& b) {
  const auto numbers = std::tie(a.major, a.minor, a.patch) <=> std::tie(b.major, b.minor, b.patch);
  if (numbers != 0) return numbers;
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return a.prerelease.empty() <=> b.prerelease.empty();
  }
  return std::lexicographical_compare_three_way(a.prerelease.begin(), a.prerelease.end(),
                                                b.prerelease.begin(), b.prerelease.end(),
                                                CompareIdentifiers);
}

}  // namespace berth
