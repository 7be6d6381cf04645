// Equality and order of values.
#pragma once

#include <compare>
#include <cstdint>

#include "cel/evaluation.h"
#include "cel/value.h"

namespace berth::cel {

// kError is the error "no such overload": a type of Kubernetes on the left of another type.
enum class Equality : uint8_t { kFalse, kTrue, kError };

// a == b: null equals only null.
Equality Equal(Evaluation& evaluation, const Value& a, const Value& b);
// What `in`, indexOf and others use. Differs from == for a type of Kubernetes and null.
Equality EqualValues(Evaluation& evaluation, const Value& a, const Value& b);

// Reports whether the list has an item that equals `value`; comparisons that fail do not count.
bool ListContains(Evaluation& evaluation, const Value& list, const Value& value);

// Returns -1, 0 or 1 as an int, or an error: values of other types, and NaN, have no order.
Value Compare(const Value& a, const Value& b);

}  // namespace berth::cel
