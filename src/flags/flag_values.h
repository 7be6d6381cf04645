// Parses and formats the values of flags. The errors are Go's, except where noted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::flags {

// Parses 1, t, true, 0, f, false and their capitalized forms.
Result<bool> ParseBool(std::string_view text);
// Parses a number of `bits` bits: decimal, 0x.., 0o.., 0b...
Result<int64_t> ParseInt(std::string_view text, int bits);
// Parse a number in [min, max]; the error names the bounds.
Result<uint64_t> ParseUint(std::string_view text, uint64_t min, uint64_t max);
// Parses a number of bytes, 1000, 1000k or 512Mi: with a suffix as in quantities, up to G and Gi.
// The error is Berth's.
Result<uint64_t> ParseBytes(std::string_view text);
// Returns "512Mi": with the largest suffix that fits.
std::string ShowBytes(uint64_t bytes);
Result<double> ParseDouble(std::string_view text, double min, double max);
// Parses a decimal number of 31 bits.
Result<int32_t> ParseLevel(std::string_view text);
Result<float> ParseFloat(std::string_view text);
// Parses an IPv4 or IPv6 address without brackets.
Result<std::string> ParseIp(std::string_view text);
// Parses a,b,"c,d": quotes enclose a value with commas. Empty text is an empty list.
Result<std::vector<std::string>> ParseList(std::string_view text);
// Returns "[a,b]".
std::string ShowList(const std::vector<std::string>& list);

}  // namespace berth::flags
