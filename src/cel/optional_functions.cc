// Functions of optional values. `or` and `orValue` are nodes of their own, see node.h.
#include <vector>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

Value OptionalOf(const Call& call) { return call.evaluation.NewOptional(call[0]); }

Value OptionalOfNonZero(const Call& call) {
  return call[0].is_zero() ? Value::Optional(nullptr) : call.evaluation.NewOptional(call[0]);
}

Value OptionalNone(const Call&) { return Value::Optional(nullptr); }

Value OptionalValue(const Call& call) {
  if (call[0].optional() == nullptr) return Value::Error("optional.none() dereference");
  return *call[0].optional();
}

Value HasValue(const Call& call) { return Value::Bool(call[0].optional() != nullptr); }

Value First(const Call& call) {
  if (call[0].size() == 0) return Value::Optional(nullptr);
  return call.evaluation.NewOptional(call[0].items().front());
}

Value Last(const Call& call) {
  if (call[0].size() == 0) return Value::Optional(nullptr);
  return call.evaluation.NewOptional(call[0].items().back());
}

Value Unwrap(const Call& call) {
  std::vector<Value> values;
  for (const Value& item : call[0].items()) {
    if (!item.is(Kind::kOptional)) {
      return call.evaluation.FailWith("value {} is not optional", DescribeValue(item));
    }
    if (item.optional() != nullptr) values.push_back(*item.optional());
  }
  if (!call.evaluation.Reserve(values.size() * sizeof(Value))) return call[0];
  return MakeList(call.evaluation.arena(), values);
}

}  // namespace

void AddOptionalFunctions(Environment& environment) {
  TypePool& types = environment.types();
  const Type* const v = environment.A();
  const Type* const optional = types.Optional(v);
  const Type* const list = types.List(v);
  const Type* const optionals = types.List(optional);
  environment.Define(operators::kOptionalOf).Global("optional_of", {v}, optional, OptionalOf);
  environment.Define("optional.ofNonZeroValue")
      .Global("optional_ofNonZeroValue", {v}, optional, OptionalOfNonZero);
  environment.Define(operators::kOptionalNone).Global("optional_none", {}, optional, OptionalNone);
  environment.Define(operators::kOptionalValue)
      .Member("optional_value", {optional}, v, OptionalValue);
  environment.Define(operators::kHasValue)
      .Member("optional_hasValue", {optional}, &kBoolType, HasValue);
  environment.Define(operators::kOptionalOr)
      .Member("optional_or_optional", {optional, optional}, optional);
  environment.Define(operators::kOptionalOrValue)
      .Member("optional_orValue_value", {optional, v}, v);
  environment.Define("first").Member("list_first", {list}, optional, First);
  environment.Define("last").Member("list_last", {list}, optional, Last);
  environment.Define("optional.unwrap").Global("optional_unwrap", {optionals}, list, Unwrap);
  environment.Define("unwrapOpt").Member("optional_unwrapOpt", {optionals}, list, Unwrap);
}

}  // namespace berth::cel
