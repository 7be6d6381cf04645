#include "net/metric_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace berth::net {

std::vector<double> ExponentialBuckets(double start, double factor, size_t count) {
  std::vector<double> bounds;
  for (; bounds.size() < count; start *= factor) bounds.push_back(start);
  return bounds;
}

Status MetricOptions::Allow(std::string_view text) {
  const size_t comma = text.find(','), equals = text.find('=');
  if (comma == 0 || equals == std::string_view::npos || comma >= equals || equals == comma + 1) {
    return Fail(fmt::format("\"{}\" is not of the form metric,label=value1,value2", text));
  }
  auto& values = allowed[{std::string(text.substr(0, comma)),
                          std::string(text.substr(comma + 1, equals - comma - 1))}];
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    values.emplace(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {};
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), counts_(std::make_unique<Counter[]>(bounds.size() + 1)) {}

void Histogram::Reset() {
  for (size_t i = 0; i <= bounds_.size(); ++i) counts_[i].Reset();
  sum_.Reset();
}

template <typename Series>
MetricFamily<Series>::MetricFamily(MetricSpec spec, const MetricOptions& options)
    : spec_(std::move(spec)) {
  for (const std::string& label : spec_.labels) {
    const auto found = options.allowed.find({spec_.name, label});
    allowed_.push_back(found == options.allowed.end() ? nullptr : &found->second);
  }
  if (spec_.labels.empty()) With({});
}

template <typename Series>
Series& MetricFamily<Series>::With(std::span<const std::string_view> values) {
  CHECK(values.size() == spec_.labels.size());
  Values key(values.begin(), values.end());
  for (size_t i = 0; i < key.size(); ++i) {
    if (allowed_[i] != nullptr && !allowed_[i]->contains(key[i])) key[i] = "unexpected";
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Series>& series = series_[std::move(key)];
  if (series == nullptr) {
    if constexpr (std::is_same_v<Series, Histogram>) {
      series = std::make_unique<Histogram>(spec_.buckets);
    } else {
      series = std::make_unique<Series>();
    }
  }
  return *series;
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

template <typename Series>
MetricFamily<Series>& MetricRegistry::Add(MetricSpec spec) {
  CHECK(std::ranges::is_sorted(spec.buckets));
  auto family = std::make_unique<MetricFamily<Series>>(std::move(spec), options_);
  MetricFamily<Series>& added = *family;
  const std::lock_guard lock(mutex_);
  const bool is_new = families_.emplace(added.spec().name, std::move(family)).second;
  CHECK(is_new);
  return added;
}

CounterFamily& MetricRegistry::AddCounter(MetricSpec spec) { return Add<Counter>(std::move(spec)); }
GaugeFamily& MetricRegistry::AddGauge(MetricSpec spec) { return Add<Gauge>(std::move(spec)); }
HistogramFamily& MetricRegistry::AddHistogram(MetricSpec spec) {
  return Add<Histogram>(std::move(spec));
}

void MetricRegistry::Reset() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, family] : families_) {
    std::visit([](auto& known) { known->Reset(); }, family);
  }
}

}  // namespace berth::net
