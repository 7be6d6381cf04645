// StrictJson is a lossless JSON tree for strict decoding: it preserves the order of members,
// repeated keys and the text of numbers. api::Json drops the latter two, but kube-scheduler's
// decoding errors name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::scheduler::config {

struct StrictJsonMember;

struct StrictJson {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // Of a string, unescaped; of a number, as written.
  std::vector<StrictJson> items;
  std::vector<StrictJsonMember> members;  // In the order of the text.
  std::string_view raw = "null";          // The value in the text that was parsed.

  bool IsNull() const { return kind == Kind::kNull; }
  // Returns the last member of that name, or nullptr if there is none or this is not an object.
  const StrictJson* Find(std::string_view name) const;
};

struct StrictJsonMember {
  std::string name;
  StrictJson value;
};

// Returns "null", "bool", "number", "string", "array" or "object".
std::string_view ToString(StrictJson::Kind kind);

// Parses one JSON document with nothing after it. Errors name the position: "line 3, column 7:
// ...". Invalid UTF-8 and nesting deeper than api::kMaxNesting are errors. `text` must outlive
// every `raw` of the document.
Result<StrictJson> ParseStrictJson(std::string_view text);

}  // namespace berth::scheduler::config
