#include "apiserver/crd/rule_validation.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/correlation.h"
#include "apiserver/crd/rule_values.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/validation.h"
#include "apiserver/crd/validation_work.h"
#include "cel/arena.h"
#include "cel/evaluation.h"
#include "cel/program.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldPath;
using cel::Value;

constexpr std::string_view kOutOfBudget =
    "running out of cost budget, no further validation rules will be run";

// A value and what it was before the update.
class Change {
 public:
  Change(const Schema& schema, const api::Json& value, const api::Json& old)
      : schema_(schema), value_(value), old_(old) {}

  bool is_unchanged() const {
    if (!unchanged_) unchanged_ = IsUnchanged(schema_, value_, old_);
    return *unchanged_;
  }

 private:
  const Schema& schema_;
  const api::Json& value_;
  const api::Json& old_;
  mutable std::optional<bool> unchanged_;
};

// Where violated rules are only worth a warning: in what an update has not changed. A value that
// cannot be found in the old object is unchanged if what contains it is.
struct Ratchet {
  const Change* current = nullptr;
  const Change* container = nullptr;  // The nearest that can be found.

  bool holds() const {
    const Change* change = current != nullptr ? current : container;
    return change != nullptr && change->is_unchanged();
  }
  // Returns that of a part, which may be null.
  Ratchet Below(const Change* part) const {
    return current == nullptr ? *this : Ratchet{part, current};
  }
};

// What the rules of one schema are evaluated with.
struct RuleInput {
  Value self;
  Value old_self;  // An error if there is none.
  bool has_old = false;
};

struct RuleOutcome {
  bool holds = false;
  std::string text = {};   // The result of an expression that makes a text.
  std::string error = {};  // Why there is no result.
  bool exceeds_limit = false;
  uint64_t cost = 0;
};

class RuleValidator {
 public:
  RuleValidator(const Schema* root, RuleBudget& budget, admission::FieldErrors& errors,
                std::vector<std::string>* warnings)
      : values_(root), budget_(budget), errors_(errors), warnings_(warnings) {}

  void Validate(const Schema& schema, const api::Json& value, const api::Json* old,
                const FieldPath* path, const Ratchet& ratchet) {
    if (!schema.has_rules || !schema.is_visible_to_rules || value.is_null() || done()) return;
    if (old != nullptr && old->is_null()) old = nullptr;
    if (!schema.rules.empty()) EvaluateRules(schema, value, old, path, ratchet);
    if (const api::JsonArray* array = value.if_array()) {
      ValidateItems(schema, *array, old, path, ratchet);
    } else if (const api::JsonObject* object = value.if_object()) {
      ValidateMembers(schema, *object, old, path, ratchet);
    }
  }

 private:
  bool done() const { return budget_.exhausted || errors_.full(); }

  void ValidateItems(const Schema& schema, const api::JsonArray& array, const api::Json* old,
                     const FieldPath* path, const Ratchet& ratchet) {
    if (schema.items == nullptr || !schema.items->has_rules) return;
    static const FieldPath kNoPath("");
    const OldItems old_items(schema, old);
    for (size_t i = 0; i < array.size() && !done(); ++i) {
      const FieldPath at = path != nullptr ? (*path)[i] : kNoPath[i];
      ValidatePart(*schema.items, array[i], old_items.Find(array[i]), at, ratchet);
    }
  }

  void ValidateMembers(const Schema& schema, const api::JsonObject& object, const api::Json* old,
                       const FieldPath* path, const Ratchet& ratchet) {
    const api::JsonObject* old_object = old != nullptr ? old->if_object() : nullptr;
    for (const auto& member : object) {
      if (done()) return;
      const std::string_view name = member.key();
      const Schema* property = schema.FindProperty(name);
      const Schema* part = property != nullptr ? property : schema.additional_schema.get();
      if (part == nullptr || !part->has_rules) continue;
      const api::Json* before = old_object != nullptr ? old_object->if_contains(name) : nullptr;
      const FieldPath at = path == nullptr       ? FieldPath(name)
                           : property != nullptr ? *path / name
                                                 : path->Key(name);
      // Both objects have been converted to the same version.
      const bool is_type = path == nullptr && (name == "apiVersion" || name == "kind");
      ValidatePart(*part, member.value(), before, at, is_type ? Ratchet{} : ratchet);
    }
  }

  void ValidatePart(const Schema& schema, const api::Json& value, const api::Json* old,
                    const FieldPath& path, const Ratchet& ratchet) {
    std::optional<Change> change;
    if (old != nullptr) change.emplace(schema, value, *old);
    Validate(schema, value, old, &path, ratchet.Below(change ? &*change : nullptr));
  }

  static std::string FieldAt(const FieldPath* path) {
    return path != nullptr ? path->ToString() : "<nil>";
  }

  // The error of a rule that could not be evaluated.
  void AddFailure(const Schema& schema, const FieldPath* path, std::string_view detail) {
    errors_.Invalid(FieldAt(path), NameOf(schema.type), detail);
  }

  void EvaluateRules(const Schema& schema, const api::Json& value, const api::Json* old,
                     const FieldPath* path, const Ratchet& ratchet) {
    if (budget_.cost == 0) {
      AddFailure(schema, path, fmt::format("validation failed due to {}", kOutOfBudget));
      budget_.exhausted = true;
      return;
    }
    const bool uses_old = std::ranges::any_of(schema.rules, &ValidationRule::uses_old_self);
    RuleInput input{values_.Of(schema, value), Value::Error("no such attribute(s): oldSelf"),
                    old != nullptr};
    if (uses_old && old != nullptr) input.old_self = values_.Of(schema, *old);
    for (const ValidationRule& rule : schema.rules) {
      if (done()) return;
      if (!rule.error.empty()) {
        AddFailure(schema, path, "rule compile error: " + rule.error);
      } else if (rule.program != nullptr) {
        EvaluateRule(schema, rule, input, value, path, ratchet);
      }
    }
  }

  RuleOutcome Evaluate(const cel::Program& program, const Value& self, const Value& old_self) {
    cel::Arena arena;
    const std::array<Value, 2> variables{self, old_self};
    const uint64_t left = ValidationWork::Left();
    cel::Evaluation evaluation(arena, std::min(kMaxRuleCost, left / kRuleCostWork), variables,
                               program.local_count(),
                               std::min({budget_.steps, cel::kMaxEvaluationSteps, left}));
    const Value result = program.Evaluate(evaluation);
    budget_.steps -= std::min(budget_.steps, evaluation.steps());
    in_time_ &= ValidationWork::Charge(evaluation.cost() * kRuleCostWork + evaluation.steps());
    RuleOutcome outcome{.cost = evaluation.cost()};
    if (evaluation.aborted()) {
      outcome.error = evaluation.abort_message();
      outcome.exceeds_limit = evaluation.abort_reason() == cel::Evaluation::Abort::kCost;
    } else if (result.is_error()) {
      outcome.error = std::string(result.message());
    } else if (result.is(cel::Kind::kString)) {
      outcome.text = std::string(result.text());
    } else {
      outcome.holds = result.is_true();
    }
    return outcome;
  }

  // Pays for an evaluation. Returns false if it cannot.
  bool Pay(const RuleOutcome& outcome) {
    budget_.exhausted |= outcome.cost > budget_.cost || !in_time_;
    if (!budget_.exhausted) budget_.cost -= outcome.cost;
    return !budget_.exhausted;
  }

  void EvaluateRule(const Schema& schema, const ValidationRule& rule, const RuleInput& input,
                    const api::Json& value, const FieldPath* path, const Ratchet& ratchet) {
    Value old_self = input.old_self;
    if (rule.has_optional_old_self()) {
      old_self = Value::Optional(input.has_old ? &input.old_self : nullptr);
    } else if (rule.uses_old_self && !input.has_old) {
      return;
    }
    const RuleOutcome outcome = Evaluate(*rule.program, input.self, old_self);
    if (!Pay(outcome)) {
      AddFailure(schema, path, fmt::format("validation failed due to {}", kOutOfBudget));
    } else if (outcome.exceeds_limit) {
      AddFailure(schema, path,
                 fmt::format("'{}': no further validation rules will be run due to call cost "
                             "exceeds limit for rule: {}",
                             outcome.error, rule.name()));
      budget_.exhausted = true;
    } else if (outcome.error.starts_with(cel::kNoSuchOverload)) {
      AddFailure(schema, path,
                 fmt::format("'{}': call arguments did not match a supported operator, function or "
                             "macro signature for rule: {}",
                             outcome.error, rule.name()));
    } else if (!outcome.error.empty()) {
      AddFailure(schema, path, fmt::format("{} evaluating rule: {}", outcome.error, rule.name()));
    } else if (!outcome.holds) {
      AddViolation(schema, rule, input, value, path, ratchet);
    }
  }

  static std::string FieldOf(const ValidationRule& rule, const FieldPath* path) {
    if (rule.reported_field.empty()) return FieldAt(path);
    return path != nullptr ? (*path / rule.reported_field).ToString() : rule.reported_field;
  }

  void AddViolation(const Schema& schema, const ValidationRule& rule, const RuleInput& input,
                    const api::Json& value, const FieldPath* path, const Ratchet& ratchet) {
    std::string detail = rule.message.empty() ? fmt::format("failed rule: {}", rule.name())
                                              : std::string(rule.name());
    if (rule.message_program != nullptr) {
      RuleOutcome outcome = Evaluate(*rule.message_program, input.self, input.old_self);
      const bool paid = Pay(outcome);
      if (!paid || outcome.exceeds_limit) {
        budget_.exhausted = true;
        detail = paid ? fmt::format(
                            "no further validation rules will be run due to call cost "
                            "exceeds limit for messageExpression: {}",
                            api::Show(rule.message_expression))
                      : fmt::format("messageExpression evaluation failed due to {}", kOutOfBudget);
        return Add(FieldError(FieldOf(rule, path), "FieldValueInvalid",
                              api::Show(NameOf(schema.type)), detail),
                   rule, ratchet);
      }
      const std::string_view text = Trimmed(outcome.text);
      const bool is_usable = outcome.error.empty() && !text.empty() &&
                             text.size() <= kMaxRuleMessageBytes && text.find('\n') == text.npos;
      if (is_usable) detail = std::string(text);
    }
    const bool is_container = !schema.int_or_string && (schema.type == SchemaType::kObject ||
                                                        schema.type == SchemaType::kArray);
    Add(FieldError(FieldOf(rule, path), rule.reason, is_container ? "" : Shown(value), detail),
        rule, ratchet);
  }

  static api::FieldError FieldError(std::string field, std::string_view reason,
                                    std::string_view shown, std::string_view detail) {
    const std::string value = shown.empty() ? "" : fmt::format(": {}", api::Limited(shown));
    const std::string limited = api::Limited(detail);
    if (reason == "FieldValueForbidden") {
      return {std::string(reason), fmt::format("Forbidden: {}", limited), std::move(field)};
    }
    if (reason == "FieldValueRequired") {
      return {std::string(reason), fmt::format("Required value: {}", limited), std::move(field)};
    }
    if (reason == "FieldValueDuplicate") {
      return {std::string(reason), "Duplicate value" + value, std::move(field)};
    }
    return {"FieldValueInvalid", fmt::format("Invalid value{}: {}", value, limited),
            std::move(field)};
  }

  void Add(api::FieldError error, const ValidationRule& rule, const Ratchet& ratchet) {
    if (rule.uses_old_self || !ratchet.holds()) return errors_.Add(std::move(error));
    if (warnings_ == nullptr || warnings_->size() >= api::kMaxReportedErrors) return;
    warnings_->push_back(error.ToString());
  }

  RuleValues values_;
  RuleBudget& budget_;
  bool in_time_ = true;  // The ValidationWork of the thread is not exceeded.
  admission::FieldErrors& errors_;
  std::vector<std::string>* warnings_;
};

}  // namespace

void ValidateByRules(const Schema& root, const api::Json& object, const api::Json* old,
                     admission::FieldErrors& errors, std::vector<std::string>* warnings) {
  if (!root.has_rules) return;
  RuleBudget budget;
  std::optional<Change> change;
  if (old != nullptr) change.emplace(root, object, *old);
  RuleValidator(&root, budget, errors, warnings)
      .Validate(root, object, old, nullptr, {change ? &*change : nullptr, nullptr});
}

void ValidateDefaultByRules(const Schema& schema, const FieldPath& path, RuleBudget& budget,
                            admission::FieldErrors& errors) {
  if (!schema.has_rules || schema.default_value == nullptr) return;
  const api::Json& value = *schema.default_value;
  RuleValidator(nullptr, budget, errors, nullptr).Validate(schema, value, &value, &path, {});
  if (!errors.empty()) return;
  // Rules with an optional oldSelf may refuse it in new objects.
  RuleValidator(nullptr, budget, errors, nullptr).Validate(schema, value, nullptr, &path, {});
}

}  // namespace berth::apiserver::crd
