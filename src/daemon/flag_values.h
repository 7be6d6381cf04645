// The values that flags take, from text and as text. The errors are Go's.
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

// 1, t, true, 0, f, false and their spellings in capitals.
Result<bool> ParseBool(std::string_view text);
// Decimal, 0x.., 0o.., 0b.., of `bits` bits.
Result<int64_t> ParseInt(std::string_view text, int bits);
// Decimal, 31 bits.
Result<int32_t> ParseLevel(std::string_view text);
Result<float> ParseFloat(std::string_view text);
// An IPv4 or IPv6 address, without brackets.
Result<std::string> ParseIp(std::string_view text);
// a,b,"c,d": quotes hold a value with commas together. Empty text is an empty list.
Result<std::vector<std::string>> ParseList(std::string_view text);
// [a,b]
std::string ShowList(const std::vector<std::string>& list);
// sched*=5,queue=3
Result<std::vector<observability::VModule>> ParseVModule(std::string_view text);
std::string ShowVModule(const std::vector<observability::VModule>& modules);
// A number of bytes: 512, 1k, 2Ki, 3M.
Result<size_t> ParseBytes(std::string_view text);
std::string ShowFloat(float number);

// metric,label=a,b: which values a label of a metric may have.
using MetricLabels = std::map<std::string, std::string>;
// `"metric,label=a,b",other,label=c`: entries are separated by commas unless in quotes.
Status AddMetricLabels(std::string_view text, MetricLabels& labels);
std::string ShowMetricLabels(const MetricLabels& labels);

}  // namespace berth::daemon
