// SemanticVersion is a version as in semver.org: "1.36.0-rc.1+build". Build metadata is accepted
// and ignored.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

struct SemanticVersion {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::vector<std::string> prerelease = {};  // {"rc", "1"}

  // Returns nullopt if `text` is not a version; all three numbers must be there.
  static std::optional<SemanticVersion> Parse(std::string_view text);

  // A prerelease precedes its release. Its identifiers are compared in turn: numbers as numbers,
  // and before texts.
  friend std::strong_ordering operator<=>(const SemanticVersion& a, const SemanticVersion& b);
  friend bool operator==(const SemanticVersion&, const SemanticVersion&) = default;
};

}  // namespace berth
