// The resolution of YAML scalars by the rules of YAML 1.1 as go-yaml v2 in Kubernetes applies them:
// yes, no, on, off, y and n are booleans, 010 is eight, dates are strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

enum class ScalarType : uint8_t { kString, kNull, kBool, kInt, kFloat };

struct YamlScalar {
  ScalarType type = ScalarType::kString;
  // A string as it is; null, a boolean or a number in JSON form. A decimal number retains all its
  // digits. Infinity and NaN, which JSON lacks, are ".inf", "-.inf" and ".nan".
  std::string text;
  bool finite = true;
  friend bool operator==(const YamlScalar&, const YamlScalar&) = default;
};

// Resolves an unquoted scalar without a tag.
YamlScalar ResolvePlain(std::string_view text);

// Resolves a scalar with the tag `tag` in its long form ("tag:yaml.org,2002:int"). With a tag that
// YAML does not define the scalar is a string.
Result<YamlScalar> ResolveTagged(std::string_view text, std::string_view tag);

// Returns `scalar` as a JSON key, which is a string. Fails for null.
Result<std::string> KeyText(const YamlScalar& scalar);

}  // namespace berth::api
