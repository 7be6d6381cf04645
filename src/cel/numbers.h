// Numbers of different types: comparison by value, exact conversion, and Go's texts of them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace berth::cel {

// Compares two numbers by value, whatever their types. NaN is unordered.
std::partial_ordering CompareNumbers(const Value& a, const Value& b);

// Return the integer that equals `number`, if there is one.
std::optional<int64_t> ExactInt(double number);
std::optional<uint64_t> ExactUint(double number);

// Formats as Go's %g does, with as few digits as identify the number: 1.5, 1e+06, +Inf.
std::string FormatDouble(double number);
// Formats without an exponent, with as few digits as identify the number: 5400, 0.001.
std::string FormatFixedShortest(double number);

// Parse as Go's strconv does: the whole text must be a number in range.
std::optional<int64_t> ParseInt(std::string_view text);
std::optional<uint64_t> ParseUint(std::string_view text);
// Also inf, nan, hexadecimal numbers and, between digits of numbers with a base prefix,
// underscores.
std::optional<double> ParseDouble(std::string_view text);

}  // namespace berth::cel
