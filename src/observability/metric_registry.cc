#include "observability/metric_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace berth::observability {

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

namespace {

std::string_view NameOf(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "untyped";
}

std::string_view PrefixOf(Stability stability) {
  switch (stability) {
    case Stability::kNone:
      return "";
    case Stability::kAlpha:
      return "[ALPHA] ";
    case Stability::kBeta:
      return "[BETA] ";
    case Stability::kStable:
      return "[STABLE] ";
  }
  return "";
}

void AppendEscaped(std::string& out, std::string_view text, bool quotes) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

// Sorted by name, as Prometheus' client library does.
Labels Paired(const std::vector<std::string>& names, const std::vector<std::string>& values) {
  Labels pairs;
  for (size_t i = 0; i < names.size(); ++i) pairs.emplace_back(names[i], values[i]);
  std::ranges::sort(pairs, {}, &Labels::value_type::first);
  return pairs;
}

template <typename Series>
void AppendSeries(std::string& out, const MetricSpec& spec, Labels labels, const Series& series) {
  AppendSample(out, spec.name, labels, series.value());
}

void AppendSeries(std::string& out, const MetricSpec& spec, Labels labels,
                  const Histogram& series) {
  double count = 0;
  const auto bounds = series.bounds();
  const std::string bucket = spec.name + "_bucket";
  labels.emplace_back("le", "");
  for (size_t i = 0; i <= bounds.size(); ++i) {
    count += series.count(i);
    const std::string bound = i < bounds.size() ? MetricNumber(bounds[i]) : std::string("+Inf");
    labels.back().second = bound;
    AppendSample(out, bucket, labels, count);
  }
  labels.pop_back();
  AppendSample(out, spec.name + "_sum", labels, series.sum());
  AppendSample(out, spec.name + "_count", labels, count);
}

template <typename Series>
constexpr MetricType kTypeOf = std::is_same_v<Series, Counter> ? MetricType::kCounter
                               : std::is_same_v<Series, Gauge> ? MetricType::kGauge
                                                               : MetricType::kHistogram;

}  // namespace

std::string MetricNumber(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific);
  const std::string_view text(digits, static_cast<size_t>(end.ptr - digits));
  const size_t sign = text.find('e') + 1;
  int exponent = 0;
  std::from_chars(text.data() + sign + (text[sign] == '+'), end.ptr, exponent);
  if (exponent < -4 || exponent >= 6) return std::string(text);
  char plain[64];
  const auto plain_end =
      std::to_chars(plain, plain + sizeof plain, value, std::chars_format::fixed);
  return {plain, plain_end.ptr};
}

void AppendMetricHead(std::string& out, const MetricSpec& spec, MetricType type) {
  out.append("# HELP ").append(spec.name).append(" ").append(PrefixOf(spec.stability));
  AppendEscaped(out, spec.help, /*quotes=*/false);
  out.append("\n# TYPE ").append(spec.name).append(" ").append(NameOf(type)).append("\n");
}

void AppendSample(std::string& out, std::string_view name, LabelPairs labels, double value) {
  out.append(name);
  char before = '{';
  for (const auto& [label, text] : labels) {
    out.append(1, std::exchange(before, ',')).append(label).append("=\"");
    AppendEscaped(out, text, /*quotes=*/true);
    out += '"';
  }
  if (before == ',') out += '}';
  out.append(" ").append(MetricNumber(value)).append("\n");
}

std::string MetricsText(const MetricRegistry& registry) {
  std::string out;
  registry.ForEach([&]<typename Series>(const MetricFamily<Series>& family) {
    const MetricSpec& spec = family.spec();
    AppendMetricHead(out, spec, kTypeOf<Series>);
    family.ForEach([&](const std::vector<std::string>& values, const Series& series) {
      AppendSeries(out, spec, Paired(spec.labels, values), series);
    });
  });
  return out;
}

}  // namespace berth::observability
