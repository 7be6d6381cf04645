#include "base/semantic_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/text.h"

namespace berth {
namespace {

bool IsNumeric(std::string_view text) { return std::ranges::all_of(text, IsDigit); }

bool IsAlphanumeric(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

bool HasLeadingZeros(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

// Takes the text up to the next `separator`, or all of it.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

std::optional<uint64_t> ParseDigits(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<uint64_t> ParseNumber(std::string_view text, std::string_view what) {
  if (!IsNumeric(text)) {
    return Fail(fmt::format("Invalid character(s) found in {} number {}", what, GoQuote(text)));
  }
  if (HasLeadingZeros(text)) {
    std::string capital(what);
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
    return Fail(
        fmt::format("{} number must not contain leading zeroes {}", capital, GoQuote(text)));
  }
  if (const auto number = ParseDigits(text)) return *number;
  return Fail(fmt::format("strconv.ParseUint: parsing {}: {}", GoQuote(text),
                          text.empty() ? "invalid syntax" : "value out of range"));
}

Status CheckPrerelease(std::string_view identifier) {
  if (identifier.empty()) return Fail("Prerelease is empty");
  if (!IsNumeric(identifier)) {
    if (IsAlphanumeric(identifier)) return {};
    return Fail(fmt::format("Invalid character(s) found in prerelease {}", GoQuote(identifier)));
  }
  if (HasLeadingZeros(identifier)) {
    return Fail(fmt::format("Numeric PreRelease version must not contain leading zeroes {}",
                            GoQuote(identifier)));
  }
  if (ParseDigits(identifier)) return {};
  return Fail(
      fmt::format("strconv.ParseUint: parsing {}: value out of range", GoQuote(identifier)));
}

Status CheckBuild(std::string_view identifier) {
  if (identifier.empty()) return Fail("Build meta data is empty");
  if (IsAlphanumeric(identifier)) return {};
  return Fail(fmt::format("Invalid character(s) found in build meta data {}", GoQuote(identifier)));
}

// Checks each of the identifiers that dots separate.
template <typename Check>
Status CheckAll(std::string_view identifiers, const Check& check) {
  for (bool more = true; more;) {
    more = identifiers.find('.') != std::string_view::npos;
    if (Status status = check(TakeUntil(identifiers, '.')); !status) return status;
  }
  return {};
}

std::strong_ordering CompareIdentifiers(std::string_view a, std::string_view b) {
  const bool a_numeric = IsNumeric(a);
  const bool b_numeric = IsNumeric(b);
  if (a_numeric != b_numeric) {
    return a_numeric ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Without leading zeros, a longer number is larger.
  if (a_numeric && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

std::strong_ordering ComparePrereleases(std::string_view a, std::string_view b) {
  // A version before its release is less than the release.
  if (a.empty() || b.empty()) return (a.empty() ? 1 : 0) <=> (b.empty() ? 1 : 0);
  while (!a.empty() && !b.empty()) {
    const auto order = CompareIdentifiers(TakeUntil(a, '.'), TakeUntil(b, '.'));
    if (order != 0) return order;
  }
  return (a.empty() ? 0 : 1) <=> (b.empty() ? 0 : 1);
}

}  // namespace

Result<SemanticVersion> SemanticVersion::Parse(std::string_view text) {
  if (text.empty()) return Fail("Version string empty");
  const size_t first = text.find('.');
  const size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos) return Fail("No Major.Minor.Patch elements found");
  SemanticVersion version;
  const auto major_number = ParseNumber(text.substr(0, first), "major");
  if (!major_number) return std::unexpected(major_number.error());
  const auto minor_number = ParseNumber(text.substr(first + 1, second - first - 1), "minor");
  if (!minor_number) return std::unexpected(minor_number.error());

  std::string_view rest = text.substr(second + 1);
  const bool has_build = rest.find('+') != std::string_view::npos;
  std::string_view before = TakeUntil(rest, '+');
  version.build = rest;
  const bool has_prerelease = before.find('-') != std::string_view::npos;
  const auto patch_number = ParseNumber(TakeUntil(before, '-'), "patch");
  if (!patch_number) return std::unexpected(patch_number.error());
  version.prerelease = before;
  if (has_prerelease) {
    if (Status status = CheckAll(version.prerelease, CheckPrerelease); !status) {
      return std::unexpected(status.error());
    }
  }
  if (has_build) {
    if (Status status = CheckAll(version.build, CheckBuild); !status) {
      return std::unexpected(status.error());
    }
  }
  version.major = *major_number;
  version.minor = *minor_number;
  version.patch = *patch_number;
  return version;
}

Result<std::string> SemanticVersion::Normalize(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::array<std::string, 3> parts;
  size_t count = 0;
  for (bool more = true; more && count < parts.size(); ++count) {
    more = text.find('.') != std::string_view::npos;
    // The last part may contain dots.
    std::string_view part = count + 1 < parts.size() ? TakeUntil(text, '.') : text;
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !IsDigit(part[0])) parts[count] = "0";
    }
    parts[count] += part;
  }
  if (count < parts.size()) {
    if (parts[count - 1].find_first_of("+-") != std::string::npos) {
      return Fail("short version cannot contain PreRelease/Build meta data");
    }
    for (; count < parts.size(); ++count) parts[count] = "0";
  }
  return parts[0] + '.' + parts[1] + '.' + parts[2];
}

std::strong_ordering operator<=>(const SemanticVersion& a, const SemanticVersion& b) {
  const auto numbers = std::tie(a.major, a.minor, a.patch) <=> std::tie(b.major, b.minor, b.patch);
  return numbers != 0 ? numbers : ComparePrereleases(a.prerelease, b.prerelease);
}

std::string SemanticVersion::ToString() const {
  std::string text = fmt::format("{}.{}.{}", major, minor, patch);
  if (!prerelease.empty()) text.append("-").append(prerelease);
  if (!build.empty()) text.append("+").append(build);
  return text;
}

}  // namespace berth
