// Schemas with compiled rules for tests of this library.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/crd_testing.h"
#include "apiserver/crd/rule_compiler.h"
#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {

// Returns a rule as schemas have it; `more` are further members.
inline api::Json Rule(std::string_view rule, std::string_view more = "{}") {
  api::Json json = Quoteless(more);
  json.as_object()["rule"] = rule;
  return json;
}

// Returns the schema with rules at a JSON pointer: "" for its root, "/properties/x".
inline api::Json WithRule(std::string_view schema, std::string_view pointer, api::Json rule) {
  api::Json json = Quoteless(schema);
  json.at_pointer(pointer).as_object()["x-kubernetes-validations"] =
      api::JsonArray{std::move(rule)};
  return json;
}

// Compiles a schema and its rules. Adds what is wrong with them to `errors`.
inline Schema CompileWithRules(const api::Json& json, admission::FieldErrors& errors) {
  SchemaBudget budget;
  auto schema = CompileSchema(json.get_object(), budget);
  EXPECT_TRUE(schema.has_value());
  if (!schema) return {};
  const admission::FieldPath path("schema");
  const RuleCheck check{.path = path, .limits_each_cost = true, .errors = errors};
  CompileRules(*schema, budget, &check);
  return *std::move(schema);
}

// Likewise for rules that nothing is wrong with.
inline Schema CompileWithRules(const api::Json& json) {
  admission::FieldErrors errors;
  Schema schema = CompileWithRules(json, errors);
  EXPECT_EQ(Lines(errors), "");
  return schema;
}

}  // namespace berth::apiserver::crd
