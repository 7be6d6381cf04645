// Parses and formats the values of flags. The errors are Go's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "observability/log.h"

namespace berth::daemon {

// Parses 1, t, true, 0, f, false and their capitalized forms.
Result<bool> ParseBool(std::string_view text);
// Parses a number of `bits` bits: decimal, 0x.., 0o.., 0b...
Result<int64_t> ParseInt(std::string_view text, int bits);
// Parses a decimal number of 31 bits.
Result<int32_t> ParseLevel(std::string_view text);
Result<float> ParseFloat(std::string_view text);
// Parses an IPv4 or IPv6 address without brackets.
Result<std::string> ParseIp(std::string_view text);
// Parses a,b,"c,d": quotes enclose a value with commas. Empty text is an empty list.
Result<std::vector<std::string>> ParseList(std::string_view text);
// Returns "[a,b]".
std::string ShowList(const std::vector<std::string>& list);
// Parses sched*=5,queue=3.
Result<std::vector<observability::VModule>> ParseVModule(std::string_view text);
std::string ShowVModule(const std::vector<observability::VModule>& modules);
// Parses a number of bytes: 512, 1k, 2Ki, 3M.
Result<size_t> ParseBytes(std::string_view text);
std::string ShowFloat(float number);

// The values that labels of metrics may have, by "metric,label".
using MetricLabels = std::map<std::string, std::string>;
// Parses `"metric,label=a,b",other,label=c`: entries are separated by commas outside quotes.
Status AddMetricLabels(std::string_view text, MetricLabels& labels);
std::string ShowMetricLabels(const MetricLabels& labels);

}  // namespace berth::daemon
