#include "benchmark/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

TEST(RatesOf, IsZeroWithoutPods) {
  const Rates rates = RatesOf({});
  EXPECT_EQ(rates.average, 0);
  EXPECT_EQ(rates.samples, 0U);
}

TEST(RatesOf, HasIntervalsOfASecond) {
  std::vector<BoundPods> bound;
  // 10 pods in the first second, 20 in the second, ... 100 in the tenth.
  for (int64_t i = 0; i < 10; ++i) {
    bound.push_back({Duration::Millis(i * 1000 + 500), static_cast<uint64_t>(10 * (i + 1))});
  }
  bound.push_back({Duration::Seconds(10), 0});
  const Rates rates = RatesOf(bound);
  EXPECT_EQ(rates.interval, Duration::Seconds(1));
  EXPECT_EQ(rates.samples, 10U);
  EXPECT_DOUBLE_EQ(rates.average, 55);
  EXPECT_DOUBLE_EQ(rates.perc50, 50);
  EXPECT_DOUBLE_EQ(rates.perc90, 90);
  EXPECT_DOUBLE_EQ(rates.perc95, 100);
  EXPECT_DOUBLE_EQ(rates.perc99, 100);
}

TEST(RatesOf, SharesThePodsOfTheNextIntervalWithEmptyOnes) {
  // Nothing for three seconds, then 40 pods; ten seconds in all.
  const std::vector<BoundPods> bound = {{Duration::Millis(3500), 40}, {Duration::Seconds(10), 60}};
  const Rates rates = RatesOf(bound);
  EXPECT_DOUBLE_EQ(rates.average, 10);
  EXPECT_EQ(rates.samples, 10U);
  // 40 pods in four intervals, 60 in six.
  EXPECT_DOUBLE_EQ(rates.perc50, 10);
  EXPECT_DOUBLE_EQ(rates.perc99, 10);
}

TEST(RatesOf, DividesAShortMeasurementByTen) {
  std::vector<BoundPods> bound;
  for (int64_t i = 1; i <= 100; ++i) bound.push_back({Duration::Millis(i * 10), 5});
  const Rates rates = RatesOf(bound);
  EXPECT_EQ(rates.interval, Duration::Millis(100));
  EXPECT_EQ(rates.samples, 10U);
  EXPECT_DOUBLE_EQ(rates.average, 500);
  EXPECT_DOUBLE_EQ(rates.perc50, 500);
}

TEST(RatesOf, CountsPodsThatAreBoundAtOnce) {
  const std::vector<BoundPods> bound = {{Duration{}, 3}};
  EXPECT_GT(RatesOf(bound).average, 0);
}

const api::JsonObject* LabelsOf(const api::Json& item) {
  return api::ObjectAt(api::AsObject(item), "labels");
}

// Returns the data of a metric.
const api::JsonObject* DataOf(const api::JsonArray& items, std::string_view metric) {
  for (const api::Json& item : items) {
    if (api::StringAt(LabelsOf(item), "Metric") == metric) {
      return api::ObjectAt(api::AsObject(item), "data");
    }
  }
  return nullptr;
}

TEST(ToDataItems, HasTheShapeOfSchedulerPerf) {
  Measurement measured;
  measured.name = "SchedulingBasic/5Nodes/namespace-2";
  measured.rates.average = 1250.5;
  measured.rates.perc50 = 1200;
  measured.attempts = 3;
  measured.decision_time.Add(Duration::Millis(2));
  measured.resident_bytes = 64 << 20;
  measured.duration = Duration::Millis(1500);
  measured.threshold = Threshold{.value = 270};
  const auto document = api::ParseJson(ToDataItems(std::vector{measured}));
  ASSERT_TRUE(document);
  const api::JsonObject* root = api::AsObject(*document);
  EXPECT_EQ(api::StringAt(root, "version"), "v1");
  const api::JsonArray* items = api::ArrayAt(root, "dataItems");
  ASSERT_NE(items, nullptr);
  for (const api::Json& item : *items) {
    EXPECT_EQ(api::StringAt(LabelsOf(item), "Name"),
              "BenchmarkPerfScheduling/SchedulingBasic/5Nodes/namespace-2");
    // Perfdash hides items that lack a label of others.
    EXPECT_EQ(LabelsOf(item)->size(), 2U);
    EXPECT_FALSE(api::StringAt(api::AsObject(item), "unit").empty());
  }
  const api::JsonObject* throughput = DataOf(*items, "SchedulingThroughput");
  ASSERT_NE(throughput, nullptr);
  EXPECT_DOUBLE_EQ(throughput->at("Average").to_number<double>(), 1250.5);
  EXPECT_DOUBLE_EQ(throughput->at("Perc50").to_number<double>(), 1200);
  EXPECT_DOUBLE_EQ(throughput->at("AverageThreshold").to_number<double>(), 270);
  const api::JsonObject* attempts = DataOf(*items, "scheduler_scheduling_attempt_duration_seconds");
  ASSERT_NE(attempts, nullptr);
  EXPECT_DOUBLE_EQ(attempts->at("Average").to_number<double>(), 2);
  EXPECT_DOUBLE_EQ(DataOf(*items, "resident_memory_usage")->at("Max").to_number<double>(), 64);
  EXPECT_DOUBLE_EQ(DataOf(*items, "SchedulingDuration")->at("Duration").to_number<double>(), 1.5);
}

TEST(ToDataItems, LeavesOutWhatAPeerDoesNotTell) {
  const auto document = api::ParseJson(ToDataItems(std::vector{Measurement{.name = "a"}}));
  ASSERT_TRUE(document);
  const api::JsonArray* items = api::ArrayAt(api::AsObject(*document), "dataItems");
  EXPECT_EQ(DataOf(*items, "scheduler_scheduling_attempt_duration_seconds"), nullptr);
  EXPECT_NE(DataOf(*items, "SchedulingThroughput"), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
