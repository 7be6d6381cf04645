#include "cel/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/identified_lists.h"

namespace berth::cel {
namespace {

constexpr std::string_view kIntOverflow = "integer overflow";
constexpr std::string_view kUintOverflow = "unsigned integer overflow";
constexpr std::string_view kDurationOverflow = "duration overflow";
constexpr std::string_view kTimestampOverflow = "timestamp overflow";
constexpr int64_t kNanosPerSecond = 1'000'000'000;

Value IntOr(bool overflow, int64_t result) {
  return overflow ? Value::Error(kIntOverflow) : Value::Int(result);
}

Value UintOr(bool overflow, uint64_t result) {
  return overflow ? Value::Error(kUintOverflow) : Value::Uint(result);
}

Value DurationOr(bool overflow, int64_t nanos) {
  return overflow ? Value::Error(kDurationOverflow) : Value::Duration(nanos);
}

Value JoinTexts(const Call& call) {
  const std::string_view a = call[0].text();
  const std::string_view b = call[1].text();
  const size_t size = a.size() + b.size();
  if (!call.evaluation.Reserve(size)) return Value::Error(kNoSuchOverload);
  char* text = call.evaluation.arena().NewArray<char>(size);
  std::ranges::copy(b, std::ranges::copy(a, text).out);
  const std::string_view joined(text, size);
  return call[0].is(Kind::kString) ? Value::String(joined) : Value::Bytes(joined);
}

Value JoinLists(const Call& call) {
  const uint64_t size = uint64_t{call[0].size()} + call[1].size();
  if (!call.evaluation.Reserve(2 * size * sizeof(Value))) return Value::Error(kNoSuchOverload);
  if (call[0].list()->identity != nullptr) {
    return JoinIdentified(call.evaluation, call[0], call[1]);
  }
  return Concatenate(call.evaluation.arena(), call[0], call[1]);
}

Value MoveTimestamp(const Call& call, const Timestamp& timestamp, int64_t nanos, bool back) {
  int64_t seconds = timestamp.seconds;
  const int64_t whole = nanos / kNanosPerSecond;
  int64_t rest = nanos % kNanosPerSecond;
  if (back) rest = -rest;
  seconds += back ? -whole : whole;
  rest += timestamp.nanos;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  } else if (rest >= kNanosPerSecond) {
    rest -= kNanosPerSecond;
    ++seconds;
  }
  if (!IsTimestampInRange(seconds)) return Value::Error(kTimestampOverflow);
  return Value::Of(call.evaluation.arena().New<Timestamp>(
      Timestamp{seconds, static_cast<int32_t>(rest), timestamp.offset}));
}

Value Between(const Timestamp& a, const Timestamp& b) {
  int64_t nanos = 0;
  const bool overflow = __builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &nanos) ||
                        __builtin_add_overflow(nanos, int64_t{a.nanos} - b.nanos, &nanos);
  return DurationOr(overflow, nanos);
}

}  // namespace

bool IsTimestampInRange(int64_t seconds) {
  return seconds >= -62'135'596'800 && seconds <= 253'402'300'799;
}

Value Add(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (a.is(Kind::kDuration) && b.is(Kind::kTimestamp)) {
    return MoveTimestamp(call, b.timestamp(), a.nanos(), false);
  }
  if (a.is(Kind::kTimestamp) && b.is(Kind::kDuration)) {
    return MoveTimestamp(call, a.timestamp(), b.nanos(), false);
  }
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t sum = 0;
      const bool overflow = __builtin_add_overflow(a.integer(), b.integer(), &sum);
      return IntOr(overflow, sum);
    }
    case Kind::kUint: {
      uint64_t sum = 0;
      const bool overflow =
          __builtin_add_overflow(a.unsigned_integer(), b.unsigned_integer(), &sum);
      return UintOr(overflow, sum);
    }
    case Kind::kDuration: {
      int64_t sum = 0;
      const bool overflow = __builtin_add_overflow(a.nanos(), b.nanos(), &sum);
      return DurationOr(overflow, sum);
    }
    case Kind::kDouble:
      return Value::Double(a.floating() + b.floating());
    case Kind::kString:
    case Kind::kBytes:
      return JoinTexts(call);
    case Kind::kList:
      return JoinLists(call);
    default:
      return Value::Error(kNoSuchOverload);
  }
}

Value Subtract(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (a.is(Kind::kTimestamp) && b.is(Kind::kDuration)) {
    return MoveTimestamp(call, a.timestamp(), b.nanos(), true);
  }
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t difference = 0;
      const bool overflow = __builtin_sub_overflow(a.integer(), b.integer(), &difference);
      return IntOr(overflow, difference);
    }
    case Kind::kUint: {
      uint64_t difference = 0;
      const bool overflow =
          __builtin_sub_overflow(a.unsigned_integer(), b.unsigned_integer(), &difference);
      return UintOr(overflow, difference);
    }
    case Kind::kDuration: {
      int64_t difference = 0;
      const bool overflow = __builtin_sub_overflow(a.nanos(), b.nanos(), &difference);
      return DurationOr(overflow, difference);
    }
    case Kind::kDouble:
      return Value::Double(a.floating() - b.floating());
    case Kind::kTimestamp:
      return Between(a.timestamp(), b.timestamp());
    default:
      return Value::Error(kNoSuchOverload);
  }
}

Value Multiply(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t product = 0;
      const bool overflow = __builtin_mul_overflow(a.integer(), b.integer(), &product);
      return IntOr(overflow, product);
    }
    case Kind::kUint: {
      uint64_t product = 0;
      const bool overflow =
          __builtin_mul_overflow(a.unsigned_integer(), b.unsigned_integer(), &product);
      return UintOr(overflow, product);
    }
    case Kind::kDouble:
      return Value::Double(a.floating() * b.floating());
    default:
      return Value::Error(kNoSuchOverload);
  }
}

Value Divide(const Call& call) {
  constexpr std::string_view kByZero = "division by zero";
  const Value& a = call[0];
  const Value& b = call[1];
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kInt:
      if (b.integer() == 0) return Value::Error(kByZero);
      if (a.integer() == INT64_MIN && b.integer() == -1) return Value::Error(kIntOverflow);
      return Value::Int(a.integer() / b.integer());
    case Kind::kUint:
      if (b.unsigned_integer() == 0) return Value::Error(kByZero);
      return Value::Uint(a.unsigned_integer() / b.unsigned_integer());
    case Kind::kDouble:
      return Value::Double(a.floating() / b.floating());
    default:
      return Value::Error(kNoSuchOverload);
  }
}

Value Modulo(const Call& call) {
  constexpr std::string_view kByZero = "modulus by zero";
  const Value& a = call[0];
  const Value& b = call[1];
  if (a.kind() != b.kind()) return Value::Error(kNoSuchOverload);
  switch (a.kind()) {
    case Kind::kInt:
      if (b.integer() == 0) return Value::Error(kByZero);
      if (a.integer() == INT64_MIN && b.integer() == -1) return Value::Error(kIntOverflow);
      return Value::Int(a.integer() % b.integer());
    case Kind::kUint:
      if (b.unsigned_integer() == 0) return Value::Error(kByZero);
      return Value::Uint(a.unsigned_integer() % b.unsigned_integer());
    default:
      return Value::Error(kNoSuchOverload);
  }
}

Value Negate(const Call& call) {
  const Value& a = call[0];
  switch (a.kind()) {
    case Kind::kInt: {
      int64_t result = 0;
      const bool overflow = __builtin_sub_overflow(int64_t{0}, a.integer(), &result);
      return IntOr(overflow, result);
    }
    case Kind::kDuration: {
      int64_t result = 0;
      const bool overflow = __builtin_sub_overflow(int64_t{0}, a.nanos(), &result);
      return DurationOr(overflow, result);
    }
    case Kind::kDouble:
      return Value::Double(-a.floating());
    default:
      return Value::Error(kNoSuchOverload);
  }
}

}  // namespace berth::cel
