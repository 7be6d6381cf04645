// Arithmetic, order, `in`, size, and the functions that macros expand to.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cel/arithmetic.h"
#include "cel/containers.h"
#include "cel/equality.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/operators.h"

namespace berth::cel {
namespace {

Value Size(const Call& call) {
  const Value& value = call[0];
  switch (value.kind()) {
    case Kind::kString:
      return Value::Int(static_cast<int64_t>(CountCodePoints(value.text())));
    case Kind::kBytes:
      return Value::Int(static_cast<int64_t>(value.text().size()));
    case Kind::kList:
    case Kind::kMap:
      return Value::Int(value.size());
    default:
      return Value::Error("no such overload: size");
  }
}

Value Not(const Call& call) {
  if (!call[0].is(Kind::kBool)) return Value::Error(kNoSuchOverload);
  return Value::Bool(!call[0].boolean());
}

// The only function that gets errors: the evaluation handles it itself.
Value NotStrictlyFalse(const Call& call) { return Value::Bool(!call[0].is_false()); }

template <typename Matches>
Value Ordered(const Call& call, const Matches& matches) {
  const Value order = Compare(call[0], call[1]);
  return order.is_error() ? order : Value::Bool(matches(order.integer()));
}

Value Less(const Call& call) {
  return Ordered(call, [](int64_t order) { return order < 0; });
}
Value LessOrEqual(const Call& call) {
  return Ordered(call, [](int64_t order) { return order <= 0; });
}
Value Greater(const Call& call) {
  return Ordered(call, [](int64_t order) { return order > 0; });
}
Value GreaterOrEqual(const Call& call) {
  return Ordered(call, [](int64_t order) { return order >= 0; });
}

Value In(const Call& call) {
  if (call[1].is(Kind::kMap)) return Value::Bool(FindEntry(call[1], call[0]) != nullptr);
  if (!call[1].is(Kind::kList)) return Value::Error(kNoSuchOverload);
  return Value::Bool(ListContains(call.evaluation, call[1], call[0]));
}

Value InsertOne(Evaluation& evaluation, const Value& map, const Value& key, const Value& value) {
  if (!IsMapKey(key)) return evaluation.FailWith("unsupported key type: {}", key.type().name);
  if (FindEntry(map, key) != nullptr) {
    return evaluation.FailWith("insert failed: key {} already exists", DescribeValue(key));
  }
  return InsertEntry(evaluation.arena(), map, key, value);
}

Value InsertKeyValue(const Call& call) {
  return InsertOne(call.evaluation, call[0], call[1], call[2]);
}

Value InsertMap(const Call& call) {
  Value map = call[0];
  for (const MapEntry& entry : Entries(call[1])) {
    if (!call.evaluation.Reserve(sizeof(MapEntry))) break;
    map = InsertOne(call.evaluation, map, entry.key, entry.value);
    if (map.is_error()) break;
  }
  return map;
}

void AddOrder(Environment& environment, std::string_view name, std::string_view prefix,
              Implementation implementation) {
  // The ids of overloads are only read for strings and bytes, whose cost depends on their size.
  Function& function = environment.Define(name).Runs(implementation);
  function.Global(prefix, {&kBoolType, &kBoolType}, &kBoolType);
  const Type* const numbers[] = {&kIntType, &kUintType, &kDoubleType};
  for (const Type* a : numbers) {
    for (const Type* b : numbers) function.Global(prefix, {a, b}, &kBoolType);
  }
  for (const Type* text : {&kStringType, &kBytesType}) {
    function.Global(prefix, {text, text}, &kBoolType, nullptr, CostRule::kScanSmaller);
  }
  function.Global(prefix, {&kTimestampType, &kTimestampType}, &kBoolType);
  function.Global(prefix, {&kDurationType, &kDurationType}, &kBoolType);
}

void AddArithmetic(Environment& environment) {
  const Type* const list = environment.types().List(environment.A());
  Function& add = environment.Define(operators::kAdd).Runs(Add);
  add.Global("add_bytes", {&kBytesType, &kBytesType}, &kBytesType, nullptr, CostRule::kScanBoth)
      .Global("add_double", {&kDoubleType, &kDoubleType}, &kDoubleType)
      .Global("add_duration_duration", {&kDurationType, &kDurationType}, &kDurationType)
      .Global("add_duration_timestamp", {&kDurationType, &kTimestampType}, &kTimestampType)
      .Global("add_timestamp_duration", {&kTimestampType, &kDurationType}, &kTimestampType)
      .Global("add_int64", {&kIntType, &kIntType}, &kIntType)
      .Global("add_list", {list, list}, list)
      .Global("add_string", {&kStringType, &kStringType}, &kStringType, nullptr,
              CostRule::kScanBoth)
      .Global("add_uint64", {&kUintType, &kUintType}, &kUintType);
  environment.Define(operators::kSubtract)
      .Runs(Subtract)
      .Global("subtract_double", {&kDoubleType, &kDoubleType}, &kDoubleType)
      .Global("subtract_duration_duration", {&kDurationType, &kDurationType}, &kDurationType)
      .Global("subtract_int64", {&kIntType, &kIntType}, &kIntType)
      .Global("subtract_timestamp_duration", {&kTimestampType, &kDurationType}, &kTimestampType)
      .Global("subtract_timestamp_timestamp", {&kTimestampType, &kTimestampType}, &kDurationType)
      .Global("subtract_uint64", {&kUintType, &kUintType}, &kUintType);
  Function& multiply = environment.Define(operators::kMultiply).Runs(Multiply);
  Function& divide = environment.Define(operators::kDivide).Runs(Divide);
  for (const Type* number : {&kDoubleType, &kIntType, &kUintType}) {
    multiply.Global("multiply", {number, number}, number);
    divide.Global("divide", {number, number}, number);
  }
  environment.Define(operators::kModulo)
      .Runs(Modulo)
      .Global("modulo_int64", {&kIntType, &kIntType}, &kIntType)
      .Global("modulo_uint64", {&kUintType, &kUintType}, &kUintType);
  environment.Define(operators::kNegate)
      .Runs(Negate)
      .Global("negate_double", {&kDoubleType}, &kDoubleType)
      .Global("negate_int64", {&kIntType}, &kIntType);
}

// The evaluation has nodes of its own for these; only their types matter.
void AddNodeOperators(Environment& environment) {
  TypePool& types = environment.types();
  const Type* const a = environment.A();
  const Type* const b = environment.B();
  const Type* const list = types.List(a);
  const Type* const map = types.Map(a, b);
  environment.Define(operators::kConditional).Global("conditional", {&kBoolType, a, a}, a);
  environment.Define(operators::kAnd).Global("logical_and", {&kBoolType, &kBoolType}, &kBoolType);
  environment.Define(operators::kOr).Global("logical_or", {&kBoolType, &kBoolType}, &kBoolType);
  environment.Define(operators::kEquals)
      .Global("equals", {a, a}, &kBoolType, nullptr, CostRule::kScanSmaller);
  environment.Define(operators::kNotEquals)
      .Global("not_equals", {a, a}, &kBoolType, nullptr, CostRule::kScanSmaller);
  environment.Define(operators::kIndex)
      .Global("index_list", {list, &kIntType}, a)
      .Global("index_map", {map, a}, b)
      .Global("optional_list_index_int", {types.Optional(list), &kIntType}, types.Optional(a))
      .Global("optional_map_index_value", {types.Optional(map), a}, types.Optional(b));
  environment.Define(operators::kOptionalIndex)
      .Global("list_optindex_optional_int", {list, &kIntType}, types.Optional(a))
      .Global("optional_list_optindex_optional_int", {types.Optional(list), &kIntType},
              types.Optional(a))
      .Global("map_optindex_optional_value", {map, a}, types.Optional(b))
      .Global("optional_map_optindex_optional_value", {types.Optional(map), a}, types.Optional(b));
  environment.Define(operators::kOptionalSelect)
      .Global("select_optional_field", {&kDynType, &kStringType}, types.Optional(b));
}

}  // namespace

void AddOperators(Environment& environment) {
  TypePool& types = environment.types();
  const Type* const a = environment.A();
  const Type* const b = environment.B();
  const Type* const list = types.List(a);
  const Type* const map = types.Map(a, b);
  AddNodeOperators(environment);
  AddArithmetic(environment);
  AddOrder(environment, operators::kLess, "less", Less);
  AddOrder(environment, operators::kLessEquals, "less_equals", LessOrEqual);
  AddOrder(environment, operators::kGreater, "greater", Greater);
  AddOrder(environment, operators::kGreaterEquals, "greater_equals", GreaterOrEqual);
  environment.Define(operators::kNot).Runs(Not).Global("logical_not", {&kBoolType}, &kBoolType);
  environment.Define(operators::kNotStrictlyFalse)
      .Runs(NotStrictlyFalse)
      .Global("not_strictly_false", {&kBoolType}, &kBoolType);
  environment.Define(operators::kIn)
      .Runs(In)
      .Global("in_list", {a, list}, &kBoolType, nullptr, CostRule::kListSize)
      .Global("in_map", {a, map}, &kBoolType);
  environment.Define(operators::kMapInsert)
      .Global("@mapInsert_map_key_value", {map, a, b}, map, InsertKeyValue)
      .Global("@mapInsert_map_map", {map, map}, map, InsertMap);
  Function& size = environment.Define("size").Runs(Size);
  for (const Type* sized : {&kBytesType, list, map, &kStringType}) {
    size.Global("size", {sized}, &kIntType).Member("size", {sized}, &kIntType);
  }
}

}  // namespace berth::cel
