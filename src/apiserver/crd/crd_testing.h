// Schemas and documents for tests of this library.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {

// Parses JSON in which single quotes stand for double quotes.
inline api::Json Quoteless(std::string_view text) {
  std::string json(text);
  std::ranges::replace(json, '\'', '"');
  auto document = api::ParseJson(json);
  EXPECT_TRUE(document.has_value()) << json;
  return std::move(document).value_or(api::Json());
}

// Sets the value at a JSON pointer whose parent exists.
inline void SetAt(api::Json& document, std::string_view pointer, api::Json value) {
  const size_t slash = pointer.rfind('/');
  api::Json& parent = document.at_pointer(pointer.substr(0, slash));
  const std::string_view key = pointer.substr(slash + 1);
  if (api::JsonObject* object = parent.if_object()) {
    (*object)[key] = std::move(value);
  } else {
    parent.as_array().at(std::stoul(std::string(key))) = std::move(value);
  }
}

inline Schema SchemaFrom(std::string_view text) {
  SchemaBudget budget;
  const api::Json json = Quoteless(text);
  auto schema = CompileSchema(json.get_object(), budget);
  EXPECT_TRUE(schema.has_value()) << text;
  return schema ? *std::move(schema) : Schema();
}

// Returns "field: message" of each error, one a line.
inline std::string Lines(admission::FieldErrors& errors) {
  std::string lines;
  for (const api::FieldError& error : errors.Take()) {
    if (!lines.empty()) lines += '\n';
    lines += error.ToString();
  }
  return lines;
}

}  // namespace berth::apiserver::crd
