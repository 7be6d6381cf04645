// SemanticVersion is a version as in semver.org: "1.36.0-rc.1+build". Errors are those of the
// parser that Kubernetes uses.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

struct SemanticVersion {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string_view prerelease;  // Without "-".
  std::string_view build;       // Without "+".

  // All three numbers must be there. The version refers to `text`, which must outlive it.
  static Result<SemanticVersion> Parse(std::string_view text);
  // Returns a text for Parse in which a leading "v" and leading zeros are removed and missing parts
  // are added.
  static Result<std::string> Normalize(std::string_view text);

  // By precedence: build metadata does not count. A prerelease precedes its release; its
  // identifiers are compared in turn: numbers as numbers, and before texts.
  friend std::strong_ordering operator<=>(const SemanticVersion& a, const SemanticVersion& b);
  friend bool operator==(const SemanticVersion& a, const SemanticVersion& b) {
    return (a <=> b) == 0;
  }
  std::string ToString() const;
};

}  // namespace berth
