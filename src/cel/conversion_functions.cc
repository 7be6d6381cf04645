// Conversions between types: int("1"), string(1.5), timestamp("...") and others.
#include <cmath>

#include "base/go_duration.h"
#include "base/time.h"
#include "cel/arithmetic.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/network.h"
#include "cel/numbers.h"
#include "cel/time_text.h"

namespace berth::cel {
namespace {

constexpr double kIntLimit = 9223372036854775808.0;
constexpr double kUintLimit = 18446744073709551616.0;

Value Same(const Call& call) { return call[0]; }

Value Unconvertible(const Call& call, const Type& to) {
  return call.evaluation.FailWith("type conversion error from '{}' to '{}'", call[0].type().name,
                                  to.name);
}

Value StringToBool(const Call& call) {
  const std::string_view text = call[0].text();
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return Value::Bool(true);
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return Value::Bool(false);
  }
  return Unconvertible(call, kBoolType);
}

Value StringToBytes(const Call& call) { return Value::Bytes(call[0].text()); }

Value IntToDouble(const Call& call) {
  return Value::Double(static_cast<double>(call[0].integer()));
}
Value UintToDouble(const Call& call) {
  return Value::Double(static_cast<double>(call[0].unsigned_integer()));
}
Value StringToDouble(const Call& call) {
  const auto number = ParseDouble(call[0].text());
  return number ? Value::Double(*number) : Unconvertible(call, kDoubleType);
}

Value DoubleToInt(const Call& call) {
  const double number = call[0].floating();
  if (!(number > -kIntLimit && number < kIntLimit)) return Value::Error("integer overflow");
  return Value::Int(static_cast<int64_t>(number));
}
Value UintToInt(const Call& call) {
  if (call[0].unsigned_integer() > INT64_MAX) return Value::Error("integer overflow");
  return Value::Int(static_cast<int64_t>(call[0].unsigned_integer()));
}
Value StringToInt(const Call& call) {
  const auto number = ParseInt(call[0].text());
  return number ? Value::Int(*number) : Unconvertible(call, kIntType);
}
Value TimestampToInt(const Call& call) { return Value::Int(call[0].timestamp().seconds); }
Value DurationToInt(const Call& call) { return Value::Int(call[0].nanos()); }

Value DoubleToUint(const Call& call) {
  const double number = call[0].floating();
  if (!(number >= 0 && number < kUintLimit)) return Value::Error("unsigned integer overflow");
  return Value::Uint(static_cast<uint64_t>(number));
}
Value IntToUint(const Call& call) {
  if (call[0].integer() < 0) return Value::Error("unsigned integer overflow");
  return Value::Uint(static_cast<uint64_t>(call[0].integer()));
}
Value StringToUint(const Call& call) {
  const auto number = ParseUint(call[0].text());
  return number ? Value::Uint(*number) : Unconvertible(call, kUintType);
}

Value IntToDuration(const Call& call) { return Value::Duration(call[0].integer()); }
Value StringToDuration(const Call& call) {
  const auto duration = ParseGoDuration(call[0].text());
  return duration ? Value::Duration(duration->nanos) : Unconvertible(call, kDurationType);
}

Value IntToTimestamp(const Call& call) {
  if (!IsTimestampInRange(call[0].integer())) return Value::Error("timestamp overflow");
  return Value::Of(call.evaluation.arena().New<Timestamp>(Timestamp{call[0].integer(), 0, 0}));
}
Value StringToTimestamp(const Call& call) {
  const auto timestamp = ParseTimestamp(call[0].text());
  if (!timestamp) return Unconvertible(call, kTimestampType);
  if (!IsTimestampInRange(timestamp->seconds)) return Value::Error("timestamp overflow");
  return Value::Of(call.evaluation.arena().New<Timestamp>(*timestamp));
}

Value BytesToString(const Call& call) {
  if (IsValidUtf8(call[0].text())) return Value::String(call[0].text());
  return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
}
Value DurationToString(const Call& call) {
  return call.evaluation.NewString(FormatDuration(call[0].nanos()));
}
Value TimestampToString(const Call& call) {
  return call.evaluation.NewString(FormatTimestamp(call[0].timestamp()));
}
Value ScalarToString(const Call& call) { return call.evaluation.NewString(DescribeValue(call[0])); }
Value AddressToString(const Call& call) {
  return call.evaluation.NewString(FormatAddress(call[0]));
}

Value TypeOf(const Call& call) { return Value::Of(&call[0].type()); }

void AddStringConversions(Environment& environment) {
  environment.Define("string")
      .Global("string_to_string", {&kStringType}, &kStringType, Same)
      .Global("bool_to_string", {&kBoolType}, &kStringType, ScalarToString)
      .Global("bytes_to_string", {&kBytesType}, &kStringType, BytesToString, CostRule::kScan)
      .Global("double_to_string", {&kDoubleType}, &kStringType, ScalarToString)
      .Global("duration_to_string", {&kDurationType}, &kStringType, DurationToString)
      .Global("int64_to_string", {&kIntType}, &kStringType, ScalarToString)
      .Global("timestamp_to_string", {&kTimestampType}, &kStringType, TimestampToString)
      .Global("uint64_to_string", {&kUintType}, &kStringType, ScalarToString)
      .Global("ip_to_string", {&kIpType}, &kStringType, AddressToString)
      .Global("cidr_to_string", {&kCidrType}, &kStringType, AddressToString);
}

void AddNumberConversions(Environment& environment) {
  environment.Define("double")
      .Global("double_to_double", {&kDoubleType}, &kDoubleType, Same)
      .Global("int64_to_double", {&kIntType}, &kDoubleType, IntToDouble)
      .Global("string_to_double", {&kStringType}, &kDoubleType, StringToDouble)
      .Global("uint64_to_double", {&kUintType}, &kDoubleType, UintToDouble);
  environment.Define("int")
      .Global("int64_to_int64", {&kIntType}, &kIntType, Same)
      .Global("double_to_int64", {&kDoubleType}, &kIntType, DoubleToInt)
      .Global("duration_to_int64", {&kDurationType}, &kIntType, DurationToInt)
      .Global("string_to_int64", {&kStringType}, &kIntType, StringToInt)
      .Global("timestamp_to_int64", {&kTimestampType}, &kIntType, TimestampToInt)
      .Global("uint64_to_int64", {&kUintType}, &kIntType, UintToInt);
  environment.Define("uint")
      .Global("uint64_to_uint64", {&kUintType}, &kUintType, Same)
      .Global("double_to_uint64", {&kDoubleType}, &kUintType, DoubleToUint)
      .Global("int64_to_uint64", {&kIntType}, &kUintType, IntToUint)
      .Global("string_to_uint64", {&kStringType}, &kUintType, StringToUint);
}

void AddTypeNames(Environment& environment) {
  for (const Type* type :
       {&kBoolType, &kIntType, &kUintType, &kDoubleType, &kStringType, &kBytesType, &kTypeType,
        &kNullType, &kListValueType, &kMapValueType, &kOptionalValueType, &kDurationType,
        &kTimestampType, &kIpType, &kCidrType}) {
    environment.AddTypeName(type->name, type);
  }
}

}  // namespace

void AddConversions(Environment& environment) {
  AddTypeNames(environment);
  AddNumberConversions(environment);
  AddStringConversions(environment);
  environment.Define("bool")
      .Global("bool_to_bool", {&kBoolType}, &kBoolType, Same)
      .Global("string_to_bool", {&kStringType}, &kBoolType, StringToBool);
  environment.Define("bytes")
      .Global("bytes_to_bytes", {&kBytesType}, &kBytesType, Same)
      .Global("string_to_bytes", {&kStringType}, &kBytesType, StringToBytes, CostRule::kScan);
  environment.Define("duration")
      .Global("duration_to_duration", {&kDurationType}, &kDurationType, Same)
      .Global("int64_to_duration", {&kIntType}, &kDurationType, IntToDuration)
      .Global("string_to_duration", {&kStringType}, &kDurationType, StringToDuration);
  environment.Define("timestamp")
      .Global("timestamp_to_timestamp", {&kTimestampType}, &kTimestampType, Same)
      .Global("int64_to_timestamp", {&kIntType}, &kTimestampType, IntToTimestamp)
      .Global("string_to_timestamp", {&kStringType}, &kTimestampType, StringToTimestamp);
  const Type* const a = environment.A();
  environment.Define("dyn").Runs(Same).Global("to_dyn", {a}, &kDynType);
  environment.Define("type").Runs(TypeOf).Global("type", {a}, environment.types().TypeOf(a));
}

}  // namespace berth::cel
