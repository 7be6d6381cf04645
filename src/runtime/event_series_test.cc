#include "runtime/event_series.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr Instant kStart = Instant::FromUnixSeconds(1'767'225'600);  // 2026-01-01T00:00:00Z

scheduler::framework::RecordEvent Event(std::string pod, std::string note = "full",
                                        std::string version = "1") {
  return {.pod = {"default", std::move(pod)},
          .uid = "u",
          .type = "Warning",
          .reason = "FailedScheduling",
          .action = "Scheduling",
          .note = std::move(note),
          .scheduler_name = "default-scheduler",
          .resource_version = std::move(version)};
}

std::string Line(const EventWrite& write) {
  return fmt::format("{} {} x{}", write.patch ? "patch" : "create", write.event.what.pod.name,
                     write.event.count);
}

class Series : public ::testing::Test {
 protected:
  static Instant At(int64_t seconds) { return kStart + Duration::Seconds(seconds); }
  // Adds an event at that second and returns the write that it causes; "" if none.
  std::string Add(int64_t second, std::string pod, std::string note = "full",
                  std::string version = "1") {
    const auto write =
        series.Add(Event(std::move(pod), std::move(note), std::move(version)), At(second));
    return write ? Line(*write) : "";
  }
  std::vector<std::string> Due(int64_t second) {
    std::vector<std::string> lines;
    for (const EventWrite& write : series.Due(At(second))) lines.push_back(Line(write));
    return lines;
  }

  EventSeries series{"host", kStart, 1};
};

TEST_F(Series, TheSecondMakesASeriesAndLaterOnesAreCounted) {
  EXPECT_EQ(Add(0, "a"), "create a x1");
  EXPECT_EQ(Add(1, "b"), "create b x1");
  EXPECT_EQ(Add(2, "a", "another note"), "patch a x2");
  EXPECT_EQ(Add(3, "a"), "");
  EXPECT_EQ(Add(4, "a"), "");
  EXPECT_EQ(Add(5, "a", "full", "2"), "create a x1");
}

TEST_F(Series, TheNoteStandsForAVersionThatIsNotKnown) {
  EXPECT_EQ(Add(0, "a", "full", ""), "create a x1");
  EXPECT_EQ(Add(1, "a", "fuller", ""), "create a x1");
  EXPECT_EQ(Add(2, "a", "full", ""), "patch a x2");
}

TEST_F(Series, SingleEventsAreForgottenAfterSixMinutes) {
  Add(10, "a");
  EXPECT_EQ(series.next_due(), At(360));
  EXPECT_THAT(Due(360), IsEmpty());
  EXPECT_EQ(Add(700, "a"), "patch a x2");  // The second pass comes only at 720.
  Add(10, "b");
  EXPECT_THAT(Due(720), IsEmpty());
  EXPECT_EQ(series.size(), 1U);
  EXPECT_EQ(Add(721, "b"), "create b x1");
}

TEST_F(Series, ASeriesThatIsQuietIsWrittenALastTime) {
  Add(0, "a");
  Add(1, "a");
  Add(2, "a");
  EXPECT_THAT(Due(359), IsEmpty());
  EXPECT_THAT(Due(361), IsEmpty());
  EXPECT_THAT(Due(1000), ElementsAre("patch a x3"));
  EXPECT_EQ(series.next_due(), std::nullopt);
  EXPECT_EQ(Add(1001, "a"), "create a x1");
}

TEST_F(Series, OpenSeriesAreWrittenEveryHalfHour) {
  Add(0, "a");
  for (int64_t second = 300; second <= 1800; second += 300) {
    Add(second, "a");
    EXPECT_THAT(Due(second), second < 1800 ? std::vector<std::string>()
                                           : std::vector<std::string>{"patch a x7"});
  }
  Add(1801, "b");
  EXPECT_THAT(Due(1900), IsEmpty());
}

TEST_F(Series, NamesDifferAndFit) {
  const auto name = [&](std::string pod) {
    return series.Add(Event(std::move(pod)), kStart)->event.name;
  };
  EXPECT_EQ(name("a"), "a.18867251edfa0000");
  EXPECT_EQ(name("b"), "b.18867251edfa0001");
  EXPECT_THAT(name(std::string(250, 'x')),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST_F(Series, DropsTheOldestBeyondTheLimit) {
  Add(0, "first");
  for (size_t i = 0; i < EventSeries::kMaxSeries; ++i) Add(1, fmt::format("pod-{}", i));
  EXPECT_EQ(series.size(), EventSeries::kMaxSeries);
  EXPECT_EQ(Add(2, "pod-1"), "patch pod-1 x2");
  EXPECT_EQ(Add(2, "first"), "create first x1");
}

TEST(EventBody, BothGroups) {
  EventSeries series("host", kStart, 1);
  const auto created = series.Add(Event("web", "full", "9"), kStart + Duration{1'234'567});
  EXPECT_EQ(
      EventBody(created->event, EventGroup::kEvents),
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1",)"
      R"("metadata":{"name":"web.18867251ee0cd687","namespace":"default"},)"
      R"("eventTime":"2026-01-01T00:00:00.001234Z","reportingController":"default-scheduler",)"
      R"("reportingInstance":"default-scheduler-host","action":"Scheduling",)"
      R"("reason":"FailedScheduling","regarding":{"kind":"Pod","namespace":"default",)"
      R"("name":"web","uid":"u","apiVersion":"v1","resourceVersion":"9"},)"
      R"("note":"full","type":"Warning"})");
  const auto again = series.Add(Event("web", "full", "9"), kStart + Duration::Seconds(1));
  EXPECT_EQ(SeriesPatch(again->event),
            R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:01.000000Z"}})");
  EXPECT_EQ(EventBody(again->event, EventGroup::kCore),
            R"({"kind":"Event","apiVersion":"v1",)"
            R"("metadata":{"name":"web.18867251ee0cd687","namespace":"default"},)"
            R"("eventTime":"2026-01-01T00:00:00.001234Z",)"
            R"("series":{"count":2,"lastObservedTime":"2026-01-01T00:00:01.000000Z"},)"
            R"("reportingComponent":"default-scheduler",)"
            R"("reportingInstance":"default-scheduler-host","action":"Scheduling",)"
            R"("reason":"FailedScheduling","involvedObject":{"kind":"Pod","namespace":"default",)"
            R"("name":"web","uid":"u","apiVersion":"v1","resourceVersion":"9"},)"
            R"("message":"full","type":"Warning"})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
