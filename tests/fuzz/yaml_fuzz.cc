// Arbitrary bytes as YAML. A document that converts gives valid JSON, and the same JSON if other
// documents follow it.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/yaml.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = berth::api::YamlToJson(text);
  const auto first = berth::api::FirstDocumentToJson(text);
  if (!documents) return 0;
  CHECK(first.has_value());
  simdjson::dom::parser parser;
  for (const std::string& json : *documents) {
    const auto error = parser.parse(json).error();
    // simdjson has no integers of more than 64 bits; JSON has.
    CHECK(error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR);
  }
  const bool converted = text.find_first_not_of(" \t\r\n") != std::string_view::npos &&
                         text[text.find_first_not_of(" \t\r\n")] != '{';
  if (converted && *first != "null") CHECK(!documents->empty() && documents->front() == *first);
  return 0;
}
