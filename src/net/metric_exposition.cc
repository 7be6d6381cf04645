#include "net/metric_exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace berth::net {
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
    case Stability::kUnsaid:
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

// By name, as Prometheus' own client writes them.
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

}  // namespace berth::net
