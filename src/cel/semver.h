// Semver is a semantic version as Kubernetes' CEL library parses and compares it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::cel {

struct Semver {
  uint64_t major = 0;
  uint64_t minor = 0;
  uint64_t patch = 0;
  std::string_view prerelease;  // Without "-".
  std::string_view build;       // Without "+".

  // The version refers to `text`, which must outlive it.
  static Result<Semver> Parse(std::string_view text);
  // Returns a text for Parse in which a leading "v" and leading zeros are removed and missing parts
  // are added.
  static Result<std::string> Normalize(std::string_view text);

  // By precedence: build data do not count.
  std::strong_ordering Compare(const Semver& other) const;
  std::string ToString() const;
};

}  // namespace berth::cel
