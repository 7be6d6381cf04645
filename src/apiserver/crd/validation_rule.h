// ValidationRule is one of the x-kubernetes-validations of a schema.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::cel {
class Program;
}

namespace berth::apiserver::crd {

struct ValidationRule {
  ValidationRule();
  ValidationRule(ValidationRule&&) noexcept;
  ValidationRule& operator=(ValidationRule&&) noexcept;
  ~ValidationRule();

  std::string rule;
  std::string message;
  std::string message_expression;
  std::string reason;
  std::string field_path;  // ".spec.name"
  std::optional<bool> optional_old_self;

  // Set when the rule is compiled (rule_compiler.h).

  std::unique_ptr<const cel::Program> program;
  std::unique_ptr<const cel::Program> message_program;  // Null if there is no expression.
  std::string error;                                    // Why there is no program.
  std::string reported_field;  // The field_path as errors have it: "spec.name".
  bool uses_old_self = false;

  bool has_optional_old_self() const { return optional_old_self.value_or(false); }
  // Returns the message, else the rule.
  std::string_view name() const;
};

// Reads the rules of a schema. Ignores what is not of the right type.
std::vector<ValidationRule> ReadRules(const api::JsonObject& schema);

// Returns `text` without the white space around it.
std::string_view Trimmed(std::string_view text);

}  // namespace berth::apiserver::crd
