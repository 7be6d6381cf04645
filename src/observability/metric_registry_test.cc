#include "observability/metric_registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "observability/metric_registry.h"

namespace berth::observability {
namespace BERTH_TEST_FILE {

TEST(MetricNumber, IsPrintedAsGoDoes) {
  const struct {
    double value;
    const char* want;
  } cases[] = {
      {0, "0"},
      {1, "1"},
      {-1, "-1"},
      {0.001, "0.001"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {0.00001 * 1.5, "1.5000000000000002e-05"},
      {16.384, "16.384"},
      {123456, "123456"},
      {1000000, "1e+06"},
      {1048576, "1.048576e+06"},
      {34951168, "3.4951168e+07"},
      {1.0 / 3, "0.3333333333333333"},
      {std::numeric_limits<double>::infinity(), "+Inf"},
      {-std::numeric_limits<double>::infinity(), "-Inf"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& c : cases) EXPECT_EQ(MetricNumber(c.value), c.want);
}

TEST(ExponentialBuckets, GrowByTheFactor) {
  EXPECT_EQ(ExponentialBuckets(1, 2, 5), (std::vector<double>{1, 2, 4, 8, 16}));
  EXPECT_EQ(ExponentialBuckets(0.001, 2, 3), (std::vector<double>{0.001, 0.002, 0.004}));
}

TEST(MetricsText, FamiliesAreSortedByNameAndSeriesByLabels) {
  MetricRegistry registry;
  GaugeFamily& sizes = registry.AddGauge(
      {.name = "b_size", .help = "Sizes.", .stability = Stability::kBeta, .labels = {"of"}});
  Counter& total =
      registry.AddCounter({.name = "a_total", .help = "All.", .stability = Stability::kStable})
          .With({});
  registry.AddCounter({.name = "c_total", .help = "Nothing yet.", .labels = {"x"}});
  registry.AddGauge({.name = "d", .help = "No promise.", .stability = Stability::kNone});
  sizes.With({"z"}).Set(2.5);
  sizes.With({"a"}).Add(-3);
  total.Increment();
  total.IncrementAlone(2);
  EXPECT_EQ(MetricsText(registry),
            "# HELP a_total [STABLE] All.\n"
            "# TYPE a_total counter\n"
            "a_total 3\n"
            "# HELP b_size [BETA] Sizes.\n"
            "# TYPE b_size gauge\n"
            "b_size{of=\"a\"} -3\n"
            "b_size{of=\"z\"} 2.5\n"
            "# HELP c_total [ALPHA] Nothing yet.\n"
            "# TYPE c_total counter\n"
            "# HELP d No promise.\n"
            "# TYPE d gauge\n"
            "d 0\n");
}

TEST(MetricsText, HistogramsCountUpToEachBound) {
  MetricRegistry registry;
  Histogram& seconds =
      registry
          .AddHistogram(
              {.name = "s", .help = "Seconds.", .labels = {"who"}, .buckets = {0.5, 1, 1000000}})
          .With({"me"});
  for (const double value : {0.25, 0.5, 0.75, 2.0}) seconds.Observe(value);
  seconds.ObserveAlone(2000000);
  EXPECT_EQ(MetricsText(registry),
            "# HELP s [ALPHA] Seconds.\n"
            "# TYPE s histogram\n"
            "s_bucket{who=\"me\",le=\"0.5\"} 2\n"
            "s_bucket{who=\"me\",le=\"1\"} 3\n"
            "s_bucket{who=\"me\",le=\"1e+06\"} 4\n"
            "s_bucket{who=\"me\",le=\"+Inf\"} 5\n"
            "s_sum{who=\"me\"} 2.0000035e+06\n"
            "s_count{who=\"me\"} 5\n");
}

TEST(MetricsText, EscapesWhatWouldEndALine) {
  MetricRegistry registry;
  registry.AddGauge({.name = "g", .help = "a\\b\n\"c\"", .labels = {"l"}})
      .With({"back\\slash \"quote\"\nline"});
  EXPECT_EQ(MetricsText(registry),
            "# HELP g [ALPHA] a\\\\b\\n\"c\"\n"
            "# TYPE g gauge\n"
            "g{l=\"back\\\\slash \\\"quote\\\"\\nline\"} 0\n");
}

TEST(MetricRegistry, ResetRestartsCountersAndHistogramsButNotGauges) {
  MetricRegistry registry;
  Counter& counter = registry.AddCounter({.name = "c", .help = "C."}).With({});
  Gauge& gauge = registry.AddGauge({.name = "g", .help = "G."}).With({});
  Histogram& histogram =
      registry.AddHistogram({.name = "h", .help = "H.", .buckets = {1}}).With({});
  counter.Increment(5);
  gauge.Set(7);
  histogram.Observe(0.5);
  registry.Reset();
  counter.IncrementAlone();
  histogram.Observe(3);
  EXPECT_EQ(counter.value(), 1);
  EXPECT_EQ(gauge.value(), 7);
  EXPECT_EQ(histogram.count(0), 0);
  EXPECT_EQ(histogram.count(1), 1);
  EXPECT_EQ(histogram.sum(), 3);
}

TEST(MetricRegistry, HiddenAndDisabledMetricsAreCountedButNotShown) {
  const MetricSpec seen{.name = "seen", .help = "S."};
  const MetricSpec hidden{.name = "hidden", .help = "H.", .hidden = true};
  auto names = [&](MetricOptions options) {
    MetricRegistry registry(std::move(options));
    registry.AddCounter(seen).With({}).Increment();
    registry.AddCounter(hidden).With({}).Increment();
    std::vector<std::string> shown;
    registry.ForEach([&](const auto& family) { shown.push_back(family.spec().name); });
    return shown;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({}), Names({"seen"}));
  EXPECT_EQ(names({.disabled = {"seen"}}), Names());
  EXPECT_EQ(names({.show_hidden = true}), Names({"hidden", "seen"}));
  EXPECT_EQ(names({.disabled = {"hidden"}, .show_hidden = true}), Names({"seen"}));
}

TEST(MetricOptions, LabelValuesThatAreNotAllowedBecomeUnexpected) {
  MetricOptions options;
  ASSERT_TRUE(options.Allow("c,code=200,404"));
  MetricRegistry registry(options);
  CounterFamily& counts =
      registry.AddCounter({.name = "c", .help = "C.", .labels = {"code", "verb"}});
  CounterFamily& others = registry.AddCounter({.name = "d", .help = "D.", .labels = {"code"}});
  counts.With({"200", "GET"}).Increment();
  counts.With({"500", "GET"}).Increment();
  counts.With({"503", "GET"}).Increment();
  others.With({"500"}).Increment();
  EXPECT_EQ(MetricsText(registry),
            "# HELP c [ALPHA] C.\n"
            "# TYPE c counter\n"
            "c{code=\"200\",verb=\"GET\"} 1\n"
            "c{code=\"unexpected\",verb=\"GET\"} 2\n"
            "# HELP d [ALPHA] D.\n"
            "# TYPE d counter\n"
            "d{code=\"500\"} 1\n");
}

TEST(MetricOptions, RefusesTextWithoutMetricOrLabel) {
  for (const char* text : {"", "c", "c,l", "c=1", ",l=1", "c,=1", "c=1,l=2"}) {
    MetricOptions options;
    const Status status = options.Allow(text);
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().message,
              std::string("\"") + text + "\" is not of the form metric,label=value1,value2");
  }
}

TEST(MetricRegistry, CountsFromManyThreads) {
  MetricRegistry registry;
  CounterFamily& counts = registry.AddCounter({.name = "c", .help = "C.", .labels = {"l"}});
  Histogram& histogram =
      registry.AddHistogram({.name = "h", .help = "H.", .buckets = {1}}).With({});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        counts.With({j % 2 == 0 ? "even" : "odd"}).Increment();
        histogram.Observe(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts.With({"even"}).value(), 2000);
  EXPECT_EQ(counts.With({"odd"}).value(), 2000);
  EXPECT_EQ(histogram.count(0), 4000);
  EXPECT_EQ(histogram.sum(), 4000);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability
