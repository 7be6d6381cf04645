// Metrics as text, in Prometheus' format 0.0.4.
#pragma once

#include <string>
#include <string_view>

#include "net/metric_registry.h"

namespace berth::net {

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

// Every family that users wish to see, by name, and its series by their label values; a family
// without series has its HELP and TYPE lines all the same.
std::string MetricsText(const MetricRegistry& registry);

// For those who write series without a registry. `labels` are pairs of names and values.
using LabelPairs = std::span<const std::pair<std::string_view, std::string_view>>;
void AppendMetricHead(std::string& out, const MetricSpec& spec, MetricType type);
void AppendSample(std::string& out, std::string_view name, LabelPairs labels, double value);

// The shortest digits that give the number back, as Go prints them: "0.001", "1e-05", "1e+06",
// "+Inf".
std::string MetricNumber(double value);

}  // namespace berth::net
