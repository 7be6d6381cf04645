#include "cmd/bench_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using benchmark::Measurement;
using benchmark::WorkloadReport;

Measurement Sample(const std::string& name, double rate) {
  Measurement measured;
  measured.name = name;
  measured.pods = 1000;
  measured.rates = {.average = rate, .perc50 = 90, .perc90 = 200, .perc95 = 250, .perc99 = 300};
  measured.resident_bytes = uint64_t{1536} << 20;
  return measured;
}

TEST(BenchTable, ShowsOneLinePerMeasurement) {
  Measurement measured = Sample("Basic/Small/ns", 12345.6);
  measured.attempts = 1001;
  measured.decision_time.Add(Duration::Millis(2));
  measured.deciding = Duration::Millis(250);
  measured.events = Duration::Millis(120);
  measured.loading = Duration::Seconds(3);
  const std::vector<WorkloadReport> reports = {{.name = "Basic/Small", .measurements = {measured}}};
  EXPECT_EQ(BenchTable(reports),
            "WORKLOAD        PODS  PODS/S   P50  P90  P99  DECISION P50  DECISION P99  ATTEMPTS   "
            "MEMORY  DECIDING  EVENTS  LOADING\n"
            "Basic/Small/ns  1000   12346  90.0  200  300        2.0 ms        2.0 ms      1001  "
            "1.5 GiB    0.25 s  0.12 s   3.00 s\n");
}

TEST(BenchTable, ComparesWithAPeer) {
  Measurement own = Sample("a", 1000);
  own.threshold = benchmark::Threshold{.value = 270};
  own.interrupted = true;
  const std::vector<WorkloadReport> reports = {
      {.name = "a", .measurements = {own}, .peer = {Sample("a", 80)}}};
  EXPECT_EQ(BenchTable(reports),
            "WORKLOAD         PODS  PODS/S   P50  P90  P99  DECISION P50  DECISION P99  ATTEMPTS   "
            "MEMORY  THRESHOLD  RATIO\n"
            "a (interrupted)  1000    1000  90.0  200  300             -             -         -  "
            "1.5 GiB        270   12.5\n"
            "  peer           1000    80.0  90.0  200  300             -             -         -  "
            "1.5 GiB          -\n");
}

TEST(BenchTable, ListsWhatWasSkippedAndEachNoteOnce) {
  const std::vector<WorkloadReport> reports = {
      {.name = "a", .skipped = "no groups", .notes = {"x"}},
      {.name = "b", .notes = {"x", "y"}},
  };
  const std::string table = BenchTable(reports);
  EXPECT_EQ(table.substr(table.find('\n') + 1),
            "skipped: a: no groups\n"
            "note: 2 workloads: x\n"
            "note: 1 workload: y\n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
