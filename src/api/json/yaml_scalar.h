// What a YAML scalar means, by the rules of YAML 1.1 as Kubernetes' reader (go-yaml v2) applies
// them: yes, no, on, off, y and n are booleans, 010 is eight, dates are strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

enum class ScalarType : uint8_t { kString, kNull, kBool, kInt, kFloat };

struct YamlScalar {
  ScalarType type = ScalarType::kString;
  // The string itself; or null, a boolean or a number as JSON writes it. A decimal number keeps its
  // digits, however many. For infinities and not-a-number, which JSON lacks: ".inf", "-.inf" and
  // ".nan".
  std::string text;
  bool finite = true;
  friend bool operator==(const YamlScalar&, const YamlScalar&) = default;
};

// The meaning of an unquoted scalar without a tag.
YamlScalar ResolvePlain(std::string_view text);

// The meaning of a scalar with the tag `tag` in its long form ("tag:yaml.org,2002:int"). Tags that
// YAML does not define make a string.
Result<YamlScalar> ResolveTagged(std::string_view text, std::string_view tag);

// The key that `scalar` makes in JSON, where keys are strings. Null makes none.
Result<std::string> KeyText(const YamlScalar& scalar);

}  // namespace berth::api
