// Parses and formats the values of flags that only berth-scheduler has. The errors are Go's.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "observability/log.h"

namespace berth::daemon {

// Parses sched*=5,queue=3.
Result<std::vector<observability::VModule>> ParseVModule(std::string_view text);
std::string ShowVModule(const std::vector<observability::VModule>& modules);
// Parses a number of bytes: 512, 1k, 2Ki, 3M.
Result<size_t> ParseBytes(std::string_view text);

// The values that labels of metrics may have, by "metric,label".
using MetricLabels = std::map<std::string, std::string>;
// Parses `"metric,label=a,b",other,label=c`: entries are separated by commas outside quotes.
Status AddMetricLabels(std::string_view text, MetricLabels& labels);
std::string ShowMetricLabels(const MetricLabels& labels);

}  // namespace berth::daemon
