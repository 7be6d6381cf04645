#include "observability/scheduling/slow_attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "testing/engine_harness.h"

namespace berth::observability::scheduling {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A stopwatch that advances by this with each read.
int64_t g_now = 0;
int64_t g_step = 0;
int64_t ReadStopwatch() { return g_now += g_step; }

class SlowAttempts : public testing::Test {
 protected:
  scheduler::engine::EngineOptions Options() {
    scheduler::engine::EngineOptions options;
    options.profiles = {DefaultProfile()};
    options.measurements = &measurements_;
    options.attempts = &slow_;
    return options;
  }
  // Schedules a pod; each read of the stopwatch takes `step`.
  void Schedule(const std::string& name, Duration step) {
    g_step = step.nanos;
    engine_.Put(MakePod(name));
    engine_.Schedule();
  }

  SystemClock clock_;
  std::vector<std::string> lines_;
  Logger log_{clock_, 1, [this](std::string_view line) { lines_.emplace_back(line); }, {}};
  SlowAttemptLog slow_{log_, nullptr};
  scheduler::framework::Measurements measurements_{&ReadStopwatch};
  EngineHarness engine_{Options()};
};

TEST_F(SlowAttempts, AreLoggedWithTheirSteps) {
  engine_.Put(MakeNode("n1"));
  Schedule("quick", Duration::Millis(1));
  EXPECT_THAT(lines_, IsEmpty());
  Schedule("slow", Duration::Millis(70));
  ASSERT_THAT(lines_, SizeIs(1));
  EXPECT_THAT(lines_[0], AllOf(HasSubstr("Trace: \"Scheduling\" namespace:default,name:slow (total "
                                         "time: "),
                               HasSubstr("---\"Computing predicates done\" ")));
}

TEST_F(SlowAttempts, AreLoggedOnceInASecond) {
  engine_.Put(MakeNode("n1"));
  for (const char* pod : {"a", "b", "c"}) Schedule(pod, Duration::Millis(70));
  EXPECT_THAT(lines_, SizeIs(1));
  engine_.Pass(Duration::Seconds(1));
  Schedule("d", Duration::Millis(70));
  ASSERT_THAT(lines_, SizeIs(2));
  EXPECT_THAT(lines_[1], AllOf(HasSubstr("name:d "), HasSubstr("(2 more since the last one)")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability::scheduling
