// Arithmetic as CEL defines it: checked, and without conversion between types.
#pragma once

#include "cel/declarations.h"
#include "cel/value.h"

namespace berth::cel {

Value Add(const Call& call);
Value Subtract(const Call& call);
Value Multiply(const Call& call);
Value Divide(const Call& call);
Value Modulo(const Call& call);
Value Negate(const Call& call);

// Timestamps are of the years 1 to 9999.
bool IsTimestampInRange(int64_t seconds);

}  // namespace berth::cel
