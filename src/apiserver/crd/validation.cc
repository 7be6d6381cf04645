#include "apiserver/crd/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/correlation.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/validation_work.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldPath;
using Errors = std::vector<api::FieldError>;

SchemaType TypeOf(const api::Json& value) {
  switch (value.kind()) {
    case boost::json::kind::bool_:
      return SchemaType::kBoolean;
    case boost::json::kind::string:
      return SchemaType::kString;
    case boost::json::kind::array:
      return SchemaType::kArray;
    case boost::json::kind::object:
      return SchemaType::kObject;
    case boost::json::kind::double_:
      return SchemaType::kNumber;
    default:
      return SchemaType::kInteger;
  }
}

// Reports whether the number has no fraction: 2.0 is an integer.
bool IsWhole(const api::Json& value) {
  const double* number = value.if_double();
  return number == nullptr || *number == std::floor(*number);
}

bool HasType(const api::Json& value, const Schema& schema) {
  const SchemaType type = TypeOf(value);
  if (schema.int_or_string) {
    return type == SchemaType::kString || (value.is_number() && IsWhole(value));
  }
  switch (schema.type) {
    case SchemaType::kAny:
      return true;
    case SchemaType::kNumber:
      return value.is_number();
    case SchemaType::kInteger:
      return value.is_number() && IsWhole(value);
    default:
      return type == schema.type;
  }
}

size_t CountRunes(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Number(double number) {
  return api::ToJsonText(api::Json(number == std::floor(number) && std::abs(number) < 1e15
                                       ? api::Json(static_cast<int64_t>(number))
                                       : api::Json(number)));
}

class Validator {
 public:
  explicit Validator(std::string_view prefix) : prefix_(prefix) {}

  // Adds the errors of `value` to `out`.
  void Validate(const Schema& schema, const api::Json& value, const api::Json* old,
                const FieldPath* path, Errors& out) {
    if (!Step(1) || out.size() >= api::kMaxReportedErrors) return;
    if (old != nullptr && *old == value) return;
    if (value.is_null()) {
      if (!schema.nullable && (schema.type != SchemaType::kAny || schema.int_or_string)) {
        WrongType(schema, "null", path, out);
      }
      return;
    }
    if (!HasType(value, schema)) {
      WrongType(schema, NameOf(TypeOf(value)), path, out);
    } else {
      ++matched_;
    }
    const Constraints* rules = schema.constraints.get();
    if (rules != nullptr) {
      ValidateJunctors(*rules, value, path, out);
      if (value.is_string()) ValidateString(*rules, api::AsString(value), path, out);
      if (value.is_number()) ValidateNumber(schema, *rules, value, path, out);
    }
    if (const api::JsonArray* array = value.if_array()) {
      ValidateArray(schema, *array, old, path, out);
    }
    if (rules != nullptr && !rules->values.empty()) ValidateEnum(*rules, value, path, out);
    if (const api::JsonObject* object = value.if_object()) {
      ValidateObject(schema, *object, old, path, out);
    }
  }

  // Reports whether validation ended at a limit.
  bool exhausted() const { return exhausted_; }
  bool steps_exhausted() const { return steps_ > kMaxValidationSteps; }
  bool patterns_exhausted() const { return pattern_work_ > kMaxPatternWork; }

 private:
  bool Step(size_t count) {
    steps_ += count;
    exhausted_ |= steps_exhausted() || !ValidationWork::Charge(uint64_t{count} * kStepWork);
    return !exhausted_;
  }

  // Pays for matching `text` with an expression, in advance: matching cannot be interrupted.
  bool PayForMatch(size_t instructions, std::string_view text) {
    const uint64_t work = uint64_t{instructions} * text.size();
    pattern_work_ += work;
    exhausted_ |= patterns_exhausted() || !ValidationWork::Charge(work);
    return !exhausted_;
  }

  static std::string NameAt(const FieldPath* path) { return path ? path->ToString() : ""; }

  std::string FieldAt(const FieldPath* path) const {
    std::string name = NameAt(path);
    if (prefix_.empty()) return name.empty() ? "<nil>" : name;
    if (name.empty()) return std::string(prefix_);
    return std::string(prefix_) + (name.starts_with('[') ? "" : ".") + name;
  }

  static bool Full(const Errors& out) { return out.size() >= api::kMaxReportedErrors; }

  // `<field>: Invalid value: <shown>: <field> in body <message>`
  void Invalid(std::string_view shown, std::string_view message, const FieldPath* path,
               Errors& out) const {
    if (Full(out)) return;
    out.push_back({"FieldValueInvalid",
                   fmt::format("Invalid value: {}: {} in body {}", api::Limited(shown),
                               api::Limited(NameAt(path)), api::Limited(message)),
                   FieldAt(path)});
  }

  void WrongType(const Schema& schema, std::string_view found, const FieldPath* path,
                 Errors& out) const {
    const std::string_view type = schema.int_or_string ? "integer,string" : NameOf(schema.type);
    WrongType(type, api::Show(found), api::Show(found), path, out);
  }

  void WrongType(std::string_view type, std::string_view shown, std::string_view found,
                 const FieldPath* path, Errors& out) const {
    if (Full(out)) return;
    out.push_back(
        {"FieldValueTypeInvalid",
         fmt::format("Invalid value: {}: {} in body must be of type {}: {}", api::Limited(shown),
                     api::Limited(NameAt(path)), type, api::Limited(found)),
         FieldAt(path)});
  }

  // An error about several schemas, which kube-apiserver reports without a field.
  void Composite(std::string message, Errors& out) const {
    if (Full(out)) return;
    out.push_back({"FieldValueInvalid", fmt::format("Invalid value: \"\": {}", message),
                   prefix_.empty() ? "<nil>" : std::string(prefix_)});
  }

  void TooMany(size_t count, int64_t limit, const FieldPath* path, Errors& out) const {
    if (Full(out)) return;
    out.push_back({"FieldValueTooMany",
                   fmt::format("Too many: {}: must have at most {} item{}", count, limit,
                               limit == 1 ? "" : "s"),
                   FieldAt(path)});
  }

  static void Append(Errors more, Errors& out) {
    for (api::FieldError& error : more) {
      if (Full(out)) return;
      out.push_back(std::move(error));
    }
  }

  // Validates by alternatives. Returns the number that are valid, at most `enough`, and the errors
  // of the one that matches best.
  size_t CountValid(const std::vector<Schema>& alternatives, const api::Json& value, size_t enough,
                    const FieldPath* path, Errors& best) {
    size_t valid = 0;
    std::optional<size_t> most;
    for (const Schema& schema : alternatives) {
      Errors errors;
      const size_t before = matched_;
      Validate(schema, value, nullptr, path, errors);
      const size_t matched = matched_ - before;
      if (errors.empty()) {
        if (++valid == enough) return valid;
      } else if (!most || matched > *most) {
        most = matched;
        best = std::move(errors);
      }
    }
    return valid;
  }

  void ValidateJunctors(const Constraints& rules, const api::Json& value, const FieldPath* path,
                        Errors& out) {
    if (!rules.any_of.empty()) {
      Errors best;
      if (CountValid(rules.any_of, value, 1, path, best) == 0) {
        Composite(fmt::format("{} must validate at least one schema (anyOf)", Quoted(path)), out);
        Append(std::move(best), out);
      }
    }
    if (!rules.one_of.empty()) {
      Errors best;
      const size_t valid = CountValid(rules.one_of, value, rules.one_of.size() + 1, path, best);
      if (valid != 1) {
        Composite(fmt::format("{} must validate one and only one schema (oneOf). {}", Quoted(path),
                              valid == 0 ? std::string("Found none valid")
                                         : fmt::format("Found {} valid alternatives", valid)),
                  out);
        if (valid == 0) Append(std::move(best), out);
      }
    }
    if (!rules.all_of.empty()) {
      size_t valid = 0;
      for (const Schema& schema : rules.all_of) {
        Errors errors;
        Validate(schema, value, nullptr, path, errors);
        if (errors.empty()) ++valid;
        Append(std::move(errors), out);
      }
      if (valid != rules.all_of.size()) {
        Composite(fmt::format("{} must validate all the schemas (allOf){}", Quoted(path),
                              valid == 0 ? ". None validated" : ""),
                  out);
      }
    }
    if (rules.not_ != nullptr) {
      Errors errors;
      Validate(*rules.not_, value, nullptr, path, errors);
      if (errors.empty() && !exhausted()) {
        Composite(fmt::format("{} must not validate the schema (not)", Quoted(path)), out);
      }
    }
  }

  static std::string Quoted(const FieldPath* path) { return api::Show(api::Limited(NameAt(path))); }

  void ValidateString(const Constraints& rules, std::string_view text, const FieldPath* path,
                      Errors& out) {
    if (!Step(text.size() / 64)) return;
    const bool counts = rules.max_length || rules.min_length;
    const auto length = counts ? static_cast<int64_t>(CountRunes(text)) : 0;
    if (rules.max_length && length > *rules.max_length) {
      if (Full(out)) return;
      out.push_back({"FieldValueTooLong",
                     fmt::format("Too long: may not be more than {} bytes", *rules.max_length),
                     FieldAt(path)});
    } else if (rules.min_length && length < *rules.min_length) {
      Invalid(api::Show(text), fmt::format("should be at least {} chars long", *rules.min_length),
              path, out);
    } else if (rules.pattern != nullptr) {
      if (!PayForMatch(rules.pattern->instructions(), text)) return;
      if (!rules.pattern->Matches(text)) {
        Invalid(api::Show(text), fmt::format("should match '{}'", rules.pattern->text()), path,
                out);
      }
    }
    if (rules.format == Format::kNone) return;
    // Their expressions are ours: automata of a few states.
    if (!PayForMatch(1, text)) return;
    if (!HasFormat(text, rules.format)) {
      WrongType(NameOf(rules.format), api::Show(text), api::Show(text), path, out);
    }
  }

  void ValidateRange(const Constraints& rules, double number, const FieldPath* path,
                     Errors& out) const {
    constexpr std::string_view kError = "Checked value must be of type {} with format {} in {}";
    if (rules.format == Format::kInt32 && (number < std::numeric_limits<int32_t>::min() ||
                                           number > std::numeric_limits<int32_t>::max())) {
      Composite(fmt::format(kError, "integer", "int32", NameAt(path)), out);
    }
    if (rules.format == Format::kFloat && std::abs(number) > std::numeric_limits<float>::max()) {
      Composite(fmt::format(kError, "number", "float", NameAt(path)), out);
    }
  }

  void ValidateNumber(const Schema& schema, const Constraints& rules, const api::Json& value,
                      const FieldPath* path, Errors& out) const {
    const auto number = value.to_number<double>();
    if (schema.type == SchemaType::kInteger || schema.type == SchemaType::kNumber) {
      ValidateRange(rules, number, path, out);
    }
    if (rules.multiple_of && *rules.multiple_of > 0) {
      const double factor = *rules.multiple_of;
      const double times = factor < 1 ? 1 / factor * number : number / factor;
      if (times != std::floor(times)) {
        Invalid(Shown(value), fmt::format("should be a multiple of {}", Number(factor)), path, out);
      }
    }
    if (rules.minimum &&
        (rules.exclusive_minimum ? number <= *rules.minimum : number < *rules.minimum)) {
      Invalid(Shown(value),
              fmt::format("should be greater than {}{}",
                          rules.exclusive_minimum ? "" : "or equal to ", Number(*rules.minimum)),
              path, out);
    }
    if (rules.maximum &&
        (rules.exclusive_maximum ? number >= *rules.maximum : number > *rules.maximum)) {
      Invalid(Shown(value),
              fmt::format("should be less than {}{}", rules.exclusive_maximum ? "" : "or equal to ",
                          Number(*rules.maximum)),
              path, out);
    }
  }

  void ValidateEnum(const Constraints& rules, const api::Json& value, const FieldPath* path,
                    Errors& out) {
    const std::string text = api::ToCanonicalJson(value);
    if (!Step(text.size() / 64) || std::ranges::binary_search(rules.values, text) || Full(out)) {
      return;
    }
    std::string supported;
    for (const std::string& name : rules.listed_values) {
      if (!supported.empty()) supported += ", ";
      supported += api::Show(name);
      if (supported.size() > api::kMaxQuotedBytes) break;
    }
    out.push_back({"FieldValueNotSupported",
                   fmt::format("Unsupported value: {}: supported values: {}",
                               api::Limited(Shown(value)), api::Limited(supported)),
                   FieldAt(path)});
  }

  void ValidateArray(const Schema& schema, const api::JsonArray& array, const api::Json* old,
                     const FieldPath* path, Errors& out) {
    const Constraints* rules = schema.constraints.get();
    if (schema.items != nullptr) {
      const OldItems old_items(schema, old);
      static const FieldPath kRoot("");
      for (size_t i = 0; i < array.size() && !Full(out) && !exhausted(); ++i) {
        const FieldPath at = path != nullptr ? (*path)[i] : kRoot[i];
        Validate(*schema.items, array[i], old_items.Find(array[i]), &at, out);
      }
    }
    if (rules == nullptr) return;
    const auto size = static_cast<int64_t>(array.size());
    if (rules->min_items && size < *rules->min_items) {
      Invalid(fmt::format("{}", size),
              fmt::format("should have at least {} items", *rules->min_items), path, out);
    }
    if (rules->max_items && size > *rules->max_items) {
      TooMany(array.size(), *rules->max_items, path, out);
    }
  }

  void ValidateObject(const Schema& schema, const api::JsonObject& object, const api::Json* old,
                      const FieldPath* path, Errors& out) {
    const Constraints* rules = schema.constraints.get();
    const auto size = static_cast<int64_t>(object.size());
    if (rules != nullptr && rules->min_properties && size < *rules->min_properties) {
      Invalid(fmt::format("{}", size),
              fmt::format("should have at least {} properties", *rules->min_properties), path, out);
    }
    if (rules != nullptr && rules->max_properties && size > *rules->max_properties) {
      TooMany(object.size(), *rules->max_properties, path, out);
    }
    const api::JsonObject* old_object = old != nullptr ? old->if_object() : nullptr;
    for (const auto& member : object) {
      if (Full(out) || exhausted()) return;
      const std::string_view name = member.key();
      const Schema* part = schema.SchemaOfMember(name);
      const FieldPath at = path != nullptr ? *path / name : FieldPath(name);
      if (part != nullptr) {
        Validate(*part, member.value(),
                 old_object != nullptr ? old_object->if_contains(name) : nullptr, &at, out);
      } else if (schema.additional == Schema::Additional::kForbidden) {
        out.push_back({"FieldValueInvalid",
                       fmt::format("Invalid value: {}: {} in body is a forbidden property",
                                   api::Limited(api::Show(name)), api::Limited(at.ToString())),
                       FieldAt(path)});
      }
    }
    for (size_t i = 0; rules != nullptr && i < rules->required.size(); ++i) {
      if (!Step(1)) return;
      const std::string& name = rules->required[i];
      if (object.contains(name) || Full(out)) continue;
      const FieldPath at = path != nullptr ? *path / name : FieldPath(name);
      out.push_back({"FieldValueRequired", "Required value", FieldAt(&at)});
    }
  }

  std::string_view prefix_;
  size_t steps_ = 0;
  uint64_t pattern_work_ = 0;
  bool exhausted_ = false;
  size_t matched_ = 0;  // How many values had their type, to compare alternatives.
};

}  // namespace

std::string Shown(const api::Json& value) {
  if (value.is_string()) return api::Show(api::AsString(value));
  return api::Limited(api::ToJsonText(value));
}

void ValidateValue(const Schema& schema, const api::Json& value, const api::Json* old,
                   std::string_view prefix, admission::FieldErrors& errors) {
  Validator validator(prefix);
  Errors found;
  validator.Validate(schema, value, old, nullptr, found);
  for (api::FieldError& error : found) errors.Add(std::move(error));
  if (!validator.exhausted()) return;
  const std::string what =
      validator.patterns_exhausted()
          ? fmt::format(
                "Forbidden: matching the strings of the object with the patterns of its "
                "schema takes more than {} steps (bytes times the size of the pattern)",
                kMaxPatternWork)
      : validator.steps_exhausted()
          ? fmt::format("Forbidden: the object takes more than {} steps to validate by its schema",
                        kMaxValidationSteps)
          : "Forbidden: the object takes too long to validate by its schema";
  errors.Add({"FieldValueForbidden", what, prefix.empty() ? "<nil>" : std::string(prefix)});
}

}  // namespace berth::apiserver::crd
