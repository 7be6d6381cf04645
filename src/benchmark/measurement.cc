#include "benchmark/measurement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"

namespace berth::benchmark {
namespace {

constexpr Duration kInterval = Duration::Seconds(1);
// A short measurement has as many intervals.
constexpr int64_t kShortIntervals = 10;

// `sorted` is not empty. As scheduler_perf: the nearest rank.
double PercentileOf(const std::vector<double>& sorted, size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

// Returns the number of pods bound in each full interval.
std::vector<uint64_t> CountPerInterval(std::span<const BoundPods> bound, Duration interval,
                                       size_t intervals) {
  std::vector<uint64_t> counts(intervals);
  for (const BoundPods& some : bound) {
    const auto index = static_cast<size_t>(some.at / interval);
    // A pod at the very end belongs to the last interval.
    if (index < intervals || some.at == interval * intervals) {
      counts[std::min(index, intervals - 1)] += some.pods;
    }
  }
  return counts;
}

api::JsonObject ItemOf(const Measurement& measurement, std::string_view metric,
                       std::string_view unit, const std::map<std::string_view, double>& data) {
  api::JsonObject item;
  api::JsonObject& values = api::EnsureObject(item, "data");
  for (const auto& [bucket, value] : data) values[bucket] = value;
  const auto& threshold = measurement.threshold;
  if (threshold && threshold->metric == metric) {
    values[threshold->bucket + "Threshold"] = threshold->value;
  }
  api::SetString(item, "unit", unit);
  api::JsonObject& labels = api::EnsureObject(item, "labels");
  api::SetString(labels, "Metric", metric);
  // Perfdash looks for the names of the Go benchmark.
  api::SetString(labels, "Name", "BenchmarkPerfScheduling/" + measurement.name);
  return item;
}

void AppendItems(const Measurement& measurement, api::JsonArray& items) {
  const Rates& rates = measurement.rates;
  items.push_back(ItemOf(measurement, "SchedulingThroughput", "pods/s",
                         {{"Average", rates.average},
                          {"Perc50", rates.perc50},
                          {"Perc90", rates.perc90},
                          {"Perc95", rates.perc95},
                          {"Perc99", rates.perc99}}));
  if (measurement.attempts) {
    const runtime::LatencyHistogram& times = measurement.decision_time;
    items.push_back(ItemOf(measurement, "scheduler_scheduling_attempt_duration_seconds", "ms",
                           {{"Average", times.Average().millis()},
                            {"Perc50", times.Percentile(50).millis()},
                            {"Perc90", times.Percentile(90).millis()},
                            {"Perc95", times.Percentile(95).millis()},
                            {"Perc99", times.Percentile(99).millis()}}));
    items.push_back(ItemOf(measurement, "SchedulingAttempts", "attempts",
                           {{"Total", static_cast<double>(*measurement.attempts)}}));
  }
  constexpr double kMegabyte = 1 << 20;
  items.push_back(ItemOf(measurement, "resident_memory_usage", "MB",
                         {{"Max", static_cast<double>(measurement.resident_bytes) / kMegabyte}}));
  std::map<std::string_view, double> durations = {{"Duration", measurement.duration.seconds()}};
  if (measurement.deciding) durations["Deciding"] = measurement.deciding->seconds();
  if (measurement.events) durations["Events"] = measurement.events->seconds();
  if (measurement.loading) durations["Loading"] = measurement.loading->seconds();
  items.push_back(ItemOf(measurement, "SchedulingDuration", "s", durations));
}

}  // namespace

Rates RatesOf(std::span<const BoundPods> bound) {
  Rates rates;
  if (bound.empty()) return rates;
  uint64_t pods = 0;
  for (const BoundPods& some : bound) pods += some.pods;
  const Duration end = std::max(bound.back().at, Duration{1});
  rates.average = static_cast<double>(pods) / end.seconds();
  const bool is_long = end >= kInterval * kShortIntervals;
  rates.interval = is_long ? kInterval : std::max(end / kShortIntervals, Duration{1});
  const auto intervals = static_cast<size_t>(end / rates.interval);
  std::vector<double> samples;
  size_t empty = 0;
  for (const uint64_t count : CountPerInterval(bound, rates.interval, intervals)) {
    ++empty;
    if (count == 0) continue;
    const double seconds = (rates.interval * empty).seconds();
    samples.insert(samples.end(), empty, static_cast<double>(count) / seconds);
    empty = 0;
  }
  if (samples.empty()) return rates;
  std::ranges::sort(samples);
  rates.samples = samples.size();
  rates.perc50 = PercentileOf(samples, 50);
  rates.perc90 = PercentileOf(samples, 90);
  rates.perc95 = PercentileOf(samples, 95);
  rates.perc99 = PercentileOf(samples, 99);
  return rates;
}

std::string ToDataItems(std::span<const Measurement> measurements) {
  api::Json document;
  api::JsonObject& root = document.emplace_object();
  api::SetString(root, "version", "v1");
  api::JsonArray& items = api::EnsureArray(root, "dataItems");
  for (const Measurement& measurement : measurements) AppendItems(measurement, items);
  return api::ToPrettyJson(document) + "\n";
}

}  // namespace berth::benchmark
