#include "apiserver/crd/validation_rule.h"

#include "api/json/document.h"
#include "cel/program.h"

namespace berth::apiserver::crd {

// Defined here, where cel::Program is complete.
ValidationRule::ValidationRule() = default;
ValidationRule::ValidationRule(ValidationRule&&) noexcept = default;
ValidationRule& ValidationRule::operator=(ValidationRule&&) noexcept = default;
ValidationRule::~ValidationRule() = default;

std::string_view ValidationRule::name() const { return Trimmed(message.empty() ? rule : message); }

std::vector<ValidationRule> ReadRules(const api::JsonObject& schema) {
  std::vector<ValidationRule> rules;
  const api::JsonArray* list = api::ArrayAt(&schema, "x-kubernetes-validations");
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const api::JsonObject* json = api::AsObject((*list)[i]);
    ValidationRule& rule = rules.emplace_back();
    rule.rule = api::StringAt(json, "rule");
    rule.message = api::StringAt(json, "message");
    rule.message_expression = api::StringAt(json, "messageExpression");
    rule.reason = api::StringAt(json, "reason");
    rule.field_path = api::StringAt(json, "fieldPath");
    const api::Json* optional = api::At(json, "optionalOldSelf");
    if (optional != nullptr && optional->is_bool()) rule.optional_old_self = optional->get_bool();
  }
  return rules;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace berth::apiserver::crd
