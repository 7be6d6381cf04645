#include "apiserver/crd/rule_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/rule_field_path.h"
#include "apiserver/crd/rule_types.h"
#include "apiserver/crd/validation_work.h"
#include "cel/cost_estimate.h"
#include "cel/program.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldPath;
using cel::CheckedExpression;

uint64_t SaturatingProduct(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

// Returns the rule as errors quote it: kube-apiserver's own struct as Go's JSON, which escapes what
// HTML does not like.
std::string ShowRule(const ValidationRule& rule) {
  const auto quoted = [](std::string_view text) {
    std::string out;
    for (const char c : api::JsonQuoted(text)) {
      if (c == '<' || c == '>' || c == '&') {
        out += fmt::format("\\u{:04x}", c);
      } else {
        out += c;
      }
    }
    return out;
  };
  const std::string_view optional = !rule.optional_old_self   ? "null"
                                    : *rule.optional_old_self ? "true"
                                                              : "false";
  return fmt::format(
      R"({{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},)"
      R"("OptionalOldSelf":{}}})",
      quoted(rule.rule), quoted(rule.message), quoted(rule.message_expression),
      rule.reason.empty() ? "null" : quoted(rule.reason), quoted(rule.field_path), optional);
}

std::string ExceedsBudget(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  const std::string shown = factor > 100   ? "more than 100x"
                            : factor < 1.5 ? fmt::format("{:f}x", factor)
                                           : fmt::format("{:.1f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      what, shown);
}

// The sum of all costs, and which rules contribute most.
class TotalCost {
 public:
  void Add(const FieldPath& path, uint64_t cost) {
    total_ = cost > UINT64_MAX - total_ ? UINT64_MAX : total_ + cost;
    // Less than 1 % of the limit is not worth telling.
    if (cost < kMaxEstimatedSchemaCost / 100) return;
    expensive_.emplace_back(cost, path.ToString());
    std::ranges::stable_sort(expensive_, std::greater(), &Expensive::first);
    if (expensive_.size() > kMaxExpensive) expensive_.pop_back();
  }

  void Report(const RuleCheck& check) const {
    if (total_ <= kMaxEstimatedSchemaCost) return;
    for (const auto& [cost, path] : expensive_) {
      check.errors.Forbidden(path,
                             "contributed to estimated rule cost total exceeding cost limit for "
                             "entire OpenAPIv3 schema");
    }
    check.errors.Forbidden(
        check.path, ExceedsBudget("x-kubernetes-validations estimated rule cost total for entire "
                                  "OpenAPIv3 schema",
                                  total_, kMaxEstimatedSchemaCost));
  }

 private:
  using Expensive = std::pair<uint64_t, std::string>;
  static constexpr size_t kMaxExpensive = 4;

  uint64_t total_ = 0;
  std::vector<Expensive> expensive_;  // Most expensive first.
};

// Returns the largest size of a part of `self`, which has the type `type`.
std::optional<uint64_t> SizeLimitAt(const RuleType* type, std::span<const std::string_view> path) {
  for (const std::string_view part : path.subspan(1)) {
    if (part == "@items" || part == "@values") {
      type = type->elements;
    } else if (part == "@keys") {
      type = type->keys;
    } else {
      const auto field = type->fields.find(part);
      type = field != type->fields.end() ? field->second : nullptr;
    }
    if (type == nullptr) return std::nullopt;
  }
  return type->max_elements;
}

// How often a schema occurs in an object, and whether its values can be found in the old one.
struct Occurrence {
  std::optional<uint64_t> count = 1;          // At most; nullopt if there is no limit.
  const FieldPath* uncorrelatable = nullptr;  // The list whose items cannot be found.
};

class RuleCompiler {
 public:
  RuleCompiler(const RuleTypes& types, SchemaBudget& budget, const RuleCheck* check)
      : types_(types), budget_(budget), check_(check) {}

  void Visit(Schema& schema, const FieldPath& path, const Occurrence& occurrence) {
    if (!schema.has_rules || (check_ != nullptr && check_->errors.full())) return;
    const Occurrence below = OccurrenceBelow(schema, occurrence);
    if (schema.additional_schema != nullptr) {
      Visit(*schema.additional_schema, path / "additionalProperties", below);
    }
    const FieldPath properties = path / "properties";
    for (Schema::Property& property : schema.properties) {
      Visit(property.schema, properties.Key(property.name), below);
    }
    if (schema.items != nullptr) {
      Occurrence items = below;
      if (schema.list_type != Schema::ListType::kMap && items.uncorrelatable == nullptr) {
        items.uncorrelatable = &path;
      }
      Visit(*schema.items, path / "items", items);
    }
    if (!schema.rules.empty()) CompileOwn(schema, path / "x-kubernetes-validations", occurrence);
  }

  const TotalCost& total() const { return total_; }

 private:
  static Occurrence OccurrenceBelow(const Schema& schema, const Occurrence& occurrence) {
    const Constraints* limits = schema.constraints.get();
    std::optional<int64_t> elements = 1;
    if (schema.type == SchemaType::kArray) {
      elements = limits != nullptr ? limits->max_items : std::nullopt;
    } else if (schema.type == SchemaType::kObject &&
               schema.additional != Schema::Additional::kAbsent) {
      elements = limits != nullptr ? limits->max_properties : std::nullopt;
    }
    Occurrence below = occurrence;
    if (!elements || !occurrence.count) {
      below.count = std::nullopt;
    } else {
      below.count = SaturatingProduct(*occurrence.count,
                                      static_cast<uint64_t>(std::max<int64_t>(*elements, 0)));
    }
    return below;
  }

  void CompileOwn(Schema& schema, const FieldPath& list, const Occurrence& occurrence) {
    const RuleType* type = types_.Find(schema);
    if (type == nullptr) {
      if (check_ == nullptr) return;
      return check_->errors.Internal(
          list,
          "internal error: failed to construct type information for x-kubernetes-validations "
          "rules: unable to convert structural schema to CEL declarations");
    }
    cel::Environment plain(&types_.environment());
    cel::Environment optional(&types_.environment());
    plain.AddVariable("self", type->type);
    plain.AddVariable("oldSelf", type->type);
    optional.AddVariable("self", type->type);
    optional.AddVariable("oldSelf", optional.types().Optional(type->type));
    for (size_t i = 0; i < schema.rules.size(); ++i) {
      ValidationRule& rule = schema.rules[i];
      if (Trimmed(rule.rule).empty()) continue;
      const FieldPath at = list[i];
      Compile(rule, rule.has_optional_old_self() ? optional : plain, *type, at, occurrence);
      CheckOldSelf(rule, at, occurrence);
      if (rule.field_path.empty()) continue;
      if (auto field = ReadFieldPath(rule.field_path, schema)) {
        rule.reported_field = *std::move(field);
      } else if (check_ != nullptr) {
        check_->errors.Invalid(at / "fieldPath", rule.field_path, "must be a valid path");
      }
    }
  }

  void CheckOldSelf(const ValidationRule& rule, const FieldPath& path,
                    const Occurrence& occurrence) {
    if (check_ == nullptr) return;
    if (rule.uses_old_self && occurrence.uncorrelatable != nullptr) {
      check_->errors.Invalid(
          path / "rule", rule.rule,
          fmt::format("oldSelf cannot be used on the uncorrelatable portion of the schema within "
                      "{}",
                      occurrence.uncorrelatable->ToString()));
    } else if (!rule.uses_old_self && rule.optional_old_self) {
      check_->errors.InvalidText(path / "optionalOldSelf",
                                 *rule.optional_old_self ? "true" : "false",
                                 "may not be set if oldSelf is not used in rule");
    }
  }

  struct Compiled {
    std::unique_ptr<CheckedExpression> checked;
    std::unique_ptr<const cel::Program> program;
  };

  // Returns why the expression cannot be compiled, if so.
  std::expected<Compiled, std::string> CompileExpression(const std::string& text,
                                                         const cel::Environment& environment,
                                                         cel::TypeKind type,
                                                         std::string_view wrong_type) {
    if (budget_.rule_nodes > kMaxRuleNodes ||
        budget_.pattern_instructions > kMaxPatternInstructions) {
      return std::unexpected("compilation failed: the rules of the definition are too large");
    }
    auto checked = CheckedExpression::Make(text, environment);
    if (!checked) {
      // Parsing it took time, too.
      budget_.rule_nodes += text.size();
      return std::unexpected(std::move(checked.error().message));
    }
    budget_.rule_nodes += (*checked)->ast().size();
    if (!ValidationWork::Charge((*checked)->ast().size() * kRuleNodeWork)) {
      return std::unexpected("compilation failed: the definition takes too long to compile");
    }
    if ((*checked)->type().kind != type) return std::unexpected(std::string(wrong_type));
    auto program = cel::Program::Make(**checked);
    if (!program) return std::unexpected(std::move(program.error().message));
    budget_.rule_nodes += (*program)->pattern_count() * kRulePatternNodes;
    budget_.pattern_instructions += (*program)->pattern_instructions();
    if (!ValidationWork::Charge((*program)->pattern_instructions() * kCompiledInstructionWork)) {
      return std::unexpected("compilation failed: the definition takes too long to compile");
    }
    return Compiled{*std::move(checked), *std::move(program)};
  }

  void Compile(ValidationRule& rule, const cel::Environment& environment, const RuleType& type,
               const FieldPath& path, const Occurrence& occurrence) {
    auto compiled = CompileExpression(rule.rule, environment, cel::TypeKind::kBool,
                                      "cel expression must evaluate to a bool");
    if (!compiled) {
      rule.error = std::move(compiled.error());
      if (check_ != nullptr) {
        check_->errors.InvalidText(path / "rule", ShowRule(rule), rule.error);
      }
      return;
    }
    rule.uses_old_self = compiled->checked->Uses("oldSelf");
    rule.program = std::move(compiled->program);
    // A schema without limits occurs as often as its smallest values fit into a request.
    const uint64_t count = occurrence.count.value_or(kMaxRequestBytes / (type.min_bytes + 1));
    CheckCost(*compiled->checked, type, count, path / "rule", "estimated rule cost");
    if (!rule.message_expression.empty()) CompileMessage(rule, environment, type, path);
  }

  void CompileMessage(ValidationRule& rule, const cel::Environment& environment,
                      const RuleType& type, const FieldPath& path) {
    auto compiled = CompileExpression(rule.message_expression, environment, cel::TypeKind::kString,
                                      "must evaluate to a string");
    if (compiled) {
      rule.message_program = std::move(compiled->program);
      CheckCost(*compiled->checked, type, 1, path / "messageExpression",
                "estimated messageExpression cost");
    } else if (check_ != nullptr) {
      std::string_view error = compiled.error();
      constexpr std::string_view kProgram = "program ";
      if (error.starts_with(kProgram)) error.remove_prefix(kProgram.size());
      check_->errors.InvalidText(path / "messageExpression", ShowRule(rule),
                                 fmt::format("messageExpression {}", error));
    }
  }

  void CheckCost(const CheckedExpression& expression, const RuleType& type, uint64_t count,
                 const FieldPath& path, std::string_view what) {
    if (check_ == nullptr) return;
    const uint64_t cost = SaturatingProduct(
        count, cel::EstimateCost(expression.ast(), [&](std::span<const std::string_view> part) {
          return SizeLimitAt(&type, part);
        }));
    if (check_->limits_each_cost && cost > kMaxEstimatedRuleCost) {
      check_->errors.Forbidden(path, ExceedsBudget(what, cost, kMaxEstimatedRuleCost));
    }
    total_.Add(path, cost);
  }

  const RuleTypes& types_;
  SchemaBudget& budget_;
  const RuleCheck* check_;
  TotalCost total_;
};

bool HasLineBreaks(std::string_view text) { return text.find_first_of("\n\r") != text.npos; }

void CheckRuleText(const ValidationRule& rule, const FieldPath& path,
                   admission::FieldErrors& errors) {
  const std::string_view message = Trimmed(rule.message);
  if (Trimmed(rule.rule).empty()) {
    errors.Required(path / "rule", "rule is not specified");
  } else if (!rule.message.empty() && message.empty()) {
    errors.Invalid(path / "message", rule.message, "must be non-empty if specified");
  } else if (HasLineBreaks(message)) {
    errors.Invalid(path / "message", rule.message, "must not contain line breaks");
  } else if (HasLineBreaks(Trimmed(rule.rule)) && message.empty()) {
    errors.Required(path / "message", "message must be specified if rule contains line breaks");
  }
  if (!rule.message_expression.empty() && Trimmed(rule.message_expression).empty()) {
    errors.Required(path / "messageExpression", "messageExpression must be non-empty if specified");
  }
  constexpr auto kReasons = std::to_array<std::string_view>(
      {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"});
  if (!rule.reason.empty() && std::ranges::find(kReasons, rule.reason) == kReasons.end()) {
    errors.NotSupported(path / "reason", rule.reason, kReasons);
  }
  if (!rule.field_path.empty() && Trimmed(rule.field_path).empty()) {
    errors.Invalid(path / "fieldPath", rule.field_path, "must be non-empty if specified");
  }
  if (HasLineBreaks(rule.field_path)) {
    errors.Invalid(path / "fieldPath", rule.field_path, "must not contain line breaks");
  }
}

}  // namespace

void CompileRules(Schema& root, SchemaBudget& budget, const RuleCheck* check) {
  if (!root.has_rules) return;
  const RuleTypes types(root);
  RuleCompiler compiler(types, budget, check);
  compiler.Visit(root, check != nullptr ? check->path : FieldPath(""), {});
  if (check != nullptr) compiler.total().Report(*check);
}

void CheckRuleTexts(const api::JsonObject& schema, const FieldPath& path,
                    admission::FieldErrors& errors) {
  const std::vector<ValidationRule> rules = ReadRules(schema);
  const FieldPath list = path / "x-kubernetes-validations";
  for (size_t i = 0; i < rules.size(); ++i) CheckRuleText(rules[i], list[i], errors);
}

}  // namespace berth::apiserver::crd
