// MetricRegistry holds the metrics of a process: counters, gauges and histograms, each a family of
// series distinguished by labels. MetricsText writes them in Prometheus' text format.
//
// Thread-safe. A series is looked up by its labels once, under a lock; updates of a series are
// lock-free. Families and series live as long as the registry.
//
// The one metrics registry of the tree. prometheus-cpp is not used: kube-scheduler's stability
// levels, hidden metrics and allow-listed label values have no place in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace berth::observability {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };
// The stability level of a metric's name and labels, shown in its help.
enum class Stability : uint8_t { kNone, kAlpha, kBeta, kStable };

struct MetricSpec {
  std::string name;
  std::string help;
  Stability stability = Stability::kAlpha;
  std::vector<std::string> labels = {};
  std::vector<double> buckets = {};  // For histograms: upper bounds, ascending, without infinity.
  bool hidden = false;               // Deprecated: shown only with show_hidden.
};

// Returns `count` bounds: `start`, then each `factor` times the previous one.
std::vector<double> ExponentialBuckets(double start, double factor, size_t count);

// Which metrics and label values are shown.
struct MetricOptions {
  std::set<std::string, std::less<>> disabled = {};  // Names of metrics that are not shown.
  bool show_hidden = false;
  // The values that a label may have, by metric and label; others become "unexpected".
  std::map<std::pair<std::string, std::string>, std::set<std::string, std::less<>>> allowed = {};

  // Parses a value of --allow-metric-labels: "metric,label=value1,value2".
  Status Allow(std::string_view text);
};

// Functions that end in Alone are cheaper, for series that only one thread changes.

class Counter {
 public:
  void Increment(double by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  void IncrementAlone(double by = 1) { value_.store(now() + by, std::memory_order_relaxed); }
  // For a total that is counted elsewhere.
  void Set(double total) { value_.store(total, std::memory_order_relaxed); }
  double value() const { return now() - base_.load(std::memory_order_relaxed); }
  // Restarts at zero.
  void Reset() { base_.store(now(), std::memory_order_relaxed); }

 private:
  double now() const { return value_.load(std::memory_order_relaxed); }
  std::atomic<double> value_ = 0;
  std::atomic<double> base_ = 0;  // The value at the last reset.
};

class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double by) { value_.fetch_add(by, std::memory_order_relaxed); }
  void AddAlone(double by) { Set(value() + by); }
  double value() const { return value_.load(std::memory_order_relaxed); }
  void Reset() {}  // A gauge has no history.

 private:
  std::atomic<double> value_ = 0;
};

class Histogram {
 public:
  // `bounds` must outlive this.
  explicit Histogram(std::span<const double> bounds);

  void Observe(double value) {
    counts_[BucketOf(value)].Increment();
    sum_.Increment(value);
  }
  void ObserveAlone(double value) {
    counts_[BucketOf(value)].IncrementAlone();
    sum_.IncrementAlone(value);
  }
  std::span<const double> bounds() const { return bounds_; }
  // Returns how many values are in bucket `i` and no lower one; the last has no upper bound.
  double count(size_t i) const { return counts_[i].value(); }
  double sum() const { return sum_.value(); }
  void Reset();

 private:
  // Most values lie in the lowest buckets.
  size_t BucketOf(double value) const {
    size_t i = 0;
    while (i < bounds_.size() && value > bounds_[i]) ++i;
    return i;
  }

  std::span<const double> bounds_;
  std::unique_ptr<Counter[]> counts_;  // One more than bounds.
  Counter sum_;
};

template <typename Series>
class MetricFamily {
 public:
  // `options` must outlive this.
  MetricFamily(MetricSpec spec, const MetricOptions& options);

  const MetricSpec& spec() const { return spec_; }

  // Returns the series with these label values, in the order of the family's labels; creates it if
  // necessary.
  Series& With(std::initializer_list<std::string_view> values) {
    return With(std::span(values.begin(), values.size()));
  }
  Series& With(std::span<const std::string_view> values);

  // Calls visit(label values, series) for each, sorted by values.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [values, series] : series_) visit(values, *series);
  }
  void Reset() {
    const std::lock_guard lock(mutex_);
    for (auto& [values, series] : series_) series->Reset();
  }

 private:
  using Values = std::vector<std::string>;

  const MetricSpec spec_;
  std::vector<const std::set<std::string, std::less<>>*> allowed_;  // By label; null allows all.
  mutable std::mutex mutex_;
  std::map<Values, std::unique_ptr<Series>> series_;
};

using CounterFamily = MetricFamily<Counter>;
using GaugeFamily = MetricFamily<Gauge>;
using HistogramFamily = MetricFamily<Histogram>;

class MetricRegistry {
 public:
  explicit MetricRegistry(MetricOptions options = {}) : options_(std::move(options)) {}
  MetricRegistry(const MetricRegistry&) = delete;
  MetricRegistry& operator=(const MetricRegistry&) = delete;

  // The name must be new. A family without labels has one series from the start.
  CounterFamily& AddCounter(MetricSpec spec);
  GaugeFamily& AddGauge(MetricSpec spec);
  HistogramFamily& AddHistogram(MetricSpec spec);

  // Resets counters and histograms to zero; gauges are unchanged.
  void Reset();

  // Calls visit(const MetricFamily<Series>&) for each family that is shown, by name.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      std::visit(
          [&](const auto& known) {
            if (IsShown(known->spec())) visit(*known);
          },
          family);
    }
  }

 private:
  using Family = std::variant<std::unique_ptr<CounterFamily>, std::unique_ptr<GaugeFamily>,
                              std::unique_ptr<HistogramFamily>>;

  template <typename Series>
  MetricFamily<Series>& Add(MetricSpec spec);
  bool IsShown(const MetricSpec& spec) const {
    return (!spec.hidden || options_.show_hidden) && !options_.disabled.contains(spec.name);
  }

  const MetricOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

// The content type of MetricsText: Prometheus' text format 0.0.4.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

// Returns every family that is shown, by name, with its series by label values. A family without
// series has only its HELP and TYPE lines.
std::string MetricsText(const MetricRegistry& registry);

// Append metrics without a registry. `labels` are pairs of names and values.
using LabelPairs = std::span<const std::pair<std::string_view, std::string_view>>;
void AppendMetricHead(std::string& out, const MetricSpec& spec, MetricType type);
void AppendSample(std::string& out, std::string_view name, LabelPairs labels, double value);

// Returns the shortest text that reads back as the number, as Go formats it: "0.001", "1e-05",
// "1e+06", "+Inf".
std::string MetricNumber(double value);

}  // namespace berth::observability
