// Functions of quantities and semantic versions.
#include <compare>
#include <utility>

#include "api/quantity.h"
#include "base/semantic_version.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"

namespace berth::cel {
namespace {

int Sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

Value NewQuantity(const Call& call, api::Quantity quantity, bool is_sum) {
  return Value::Of(call.evaluation.arena().New<api::Quantity>(std::move(quantity)), is_sum);
}

Value ToQuantity(const Call& call) {
  auto quantity = api::Quantity::Parse(call[0].text());
  if (!quantity) return call.evaluation.FailWith("{}", quantity.error().message);
  return NewQuantity(call, std::move(*quantity), false);
}

Value IsQuantity(const Call& call) {
  return Value::Bool(api::Quantity::Parse(call[0].text()).has_value());
}

Value QuantitySign(const Call& call) { return Value::Int(call[0].quantity().Sign()); }

Value QuantityGreater(const Call& call) {
  return Value::Bool(call[0].quantity() > call[1].quantity());
}
Value QuantityLess(const Call& call) {
  return Value::Bool(call[0].quantity() < call[1].quantity());
}
Value QuantityCompare(const Call& call) {
  return Value::Int(Sign(call[0].quantity() <=> call[1].quantity()));
}

Value QuantityAsFloat(const Call& call) {
  return Value::Double(call[0].quantity().AsApproximateFloat64());
}

Value QuantityAsInteger(const Call& call) {
  const auto number = call[0].quantity().AsInt64();
  return number ? Value::Int(*number) : Value::Error("cannot convert value to integer");
}

Value QuantityIsInteger(const Call& call) {
  return Value::Bool(call[0].quantity().AsInt64().has_value());
}

api::Quantity FromInt(const Value& number) {
  return api::Quantity::FromValue(number.integer(), api::Quantity::Format::kDecimalExponent);
}

Value AddQuantities(const Call& call, const api::Quantity& other) {
  api::Quantity sum = call[0].quantity();
  sum += other;
  return NewQuantity(call, std::move(sum), true);
}

Value SubtractQuantities(const Call& call, const api::Quantity& other) {
  api::Quantity difference = call[0].quantity();
  difference -= other;
  return NewQuantity(call, std::move(difference), true);
}

Value QuantityAdd(const Call& call) { return AddQuantities(call, call[1].quantity()); }
Value QuantityAddInt(const Call& call) { return AddQuantities(call, FromInt(call[1])); }
Value QuantitySub(const Call& call) { return SubtractQuantities(call, call[1].quantity()); }
Value QuantitySubInt(const Call& call) { return SubtractQuantities(call, FromInt(call[1])); }

// Parses the first argument, normalized if the second says so.
Result<SemanticVersion> ParseVersion(const Call& call) {
  std::string_view text = call[0].text();
  if (call.args.size() > 1 && call[1].boolean()) {
    const auto normal = SemanticVersion::Normalize(text);
    if (!normal) return std::unexpected(normal.error());
    text = call.evaluation.arena().Copy(*normal);
  }
  return SemanticVersion::Parse(text);
}

Value ToSemver(const Call& call) {
  const auto version = ParseVersion(call);
  if (!version) return call.evaluation.FailWith("{}", version.error().message);
  return Value::Of(call.evaluation.arena().New<SemanticVersion>(*version));
}

Value IsSemver(const Call& call) { return Value::Bool(ParseVersion(call).has_value()); }

Value Major(const Call& call) { return Value::Int(static_cast<int64_t>(call[0].semver().major)); }
Value Minor(const Call& call) { return Value::Int(static_cast<int64_t>(call[0].semver().minor)); }
Value Patch(const Call& call) { return Value::Int(static_cast<int64_t>(call[0].semver().patch)); }

Value SemverGreater(const Call& call) { return Value::Bool(call[0].semver() > call[1].semver()); }
Value SemverLess(const Call& call) { return Value::Bool(call[0].semver() < call[1].semver()); }
Value SemverCompare(const Call& call) {
  return Value::Int(Sign(call[0].semver() <=> call[1].semver()));
}

}  // namespace

void AddQuantityFunctions(Environment& environment) {
  const Type* const q = &kQuantityType;
  const Type* const i = &kIntType;
  const Type* const b = &kBoolType;
  environment.Define("quantity")
      .Costs(CostRule::kScan)
      .Global("string_to_quantity", {&kStringType}, q, ToQuantity);
  environment.Define("isQuantity")
      .Costs(CostRule::kScan)
      .Global("is_quantity_string", {&kStringType}, b, IsQuantity);
  environment.Define("sign").Global("quantity_sign", {q}, i, QuantitySign);
  environment.Define("isGreaterThan")
      .Member("quantity_is_greater_than", {q, q}, b, QuantityGreater);
  environment.Define("isLessThan").Member("quantity_is_less_than", {q, q}, b, QuantityLess);
  environment.Define("compareTo").Member("quantity_compare_to", {q, q}, i, QuantityCompare);
  environment.Define("asApproximateFloat")
      .Member("quantity_get_float", {q}, &kDoubleType, QuantityAsFloat);
  environment.Define("asInteger").Member("quantity_get_int", {q}, i, QuantityAsInteger);
  environment.Define("isInteger").Member("quantity_is_integer", {q}, b, QuantityIsInteger);
  environment.Define("add")
      .Member("quantity_add", {q, q}, q, QuantityAdd)
      .Member("quantity_add_int", {q, i}, q, QuantityAddInt);
  environment.Define("sub")
      .Member("quantity_sub", {q, q}, q, QuantitySub)
      .Member("quantity_sub_int", {q, i}, q, QuantitySubInt);
}

void AddSemverFunctions(Environment& environment) {
  const Type* const v = &kSemverType;
  const Type* const s = &kStringType;
  const Type* const i = &kIntType;
  const Type* const b = &kBoolType;
  environment.Define("semver")
      .Costs(CostRule::kScan)
      .Global("string_to_semver", {s}, v, ToSemver)
      .Global("string_bool_to_semver", {s, b}, v, ToSemver);
  environment.Define("isSemver")
      .Costs(CostRule::kScan)
      .Global("is_semver_string", {s}, b, IsSemver)
      .Global("is_semver_string_bool", {s, b}, b, IsSemver);
  environment.Define("isGreaterThan").Member("semver_is_greater_than", {v, v}, b, SemverGreater);
  environment.Define("isLessThan").Member("semver_is_less_than", {v, v}, b, SemverLess);
  environment.Define("compareTo").Member("semver_compare_to", {v, v}, i, SemverCompare);
  environment.Define("major").Member("semver_major", {v}, i, Major);
  environment.Define("minor").Member("semver_minor", {v}, i, Minor);
  environment.Define("patch").Member("semver_patch", {v}, i, Patch);
}

}  // namespace berth::cel
