// StrictJson is a JSON document for strict decoding: repeated keys are all there, and numbers have
// the text they were written with. api::Json drops both, but kube-scheduler's decoding errors name
// them.
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
  // Returns the last member of that name, or nullptr; an object's only.
  const StrictJson* Find(std::string_view name) const;
};

struct StrictJsonMember {
  std::string name;
  StrictJson value;
};

// "null", "bool", "number", "string", "array" or "object".
std::string_view ToString(StrictJson::Kind kind);

// Parses one JSON document and nothing after it. Errors say where: "line 3, column 7: ...". Invalid
// UTF-8 and nesting deeper than 200 are errors. `text` must outlive every `raw` of the document.
Result<StrictJson> ParseStrictJson(std::string_view text);

}  // namespace berth::scheduler::config
