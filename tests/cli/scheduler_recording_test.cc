// The recording of berth-scheduler --record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

class SchedulerRecording : public testing::Test {
 protected:
  // Runs a scheduler that records to `file` until it handles signals, and ends it. Returns what it
  // has logged.
  std::string Run(const std::string& file) {
    FakeHttpServer api([](const ReceivedRequest&) { return FakeResponse{503, "{}"}; });
    RunningProcess scheduler({BERTH_SCHEDULER_BINARY, "--master", api.url(), "--leader-elect=false",
                              "--secure-port=0", "--record", file});
    api.WaitForRequests(1);
    scheduler.End(SIGTERM);
    return scheduler.err();
  }

  const TemporaryDirectory files_;
};

TEST_F(SchedulerRecording, IsClosedUponSigterm) {
  const std::string recording = files_.path("run.berth");
  const std::string log = Run(recording);
  const ProcessResult replayed = RunBerth({"replay", recording});
  EXPECT_EQ(replayed.code, 0) << log;
  EXPECT_EQ(replayed.err, "") << "nothing is missing";
}

TEST_F(SchedulerRecording, IsThereAfterARestart) {
  const std::string recording = files_.path("run.berth");
  Run(recording);
  Run(recording);
  for (const std::string& file : {recording, recording + ".1"})
    EXPECT_EQ(RunBerth({"replay", file}).code, 0) << file;
  const ProcessResult printed = RunBerth({"replay", "--print", recording + ".1"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, testing::StartsWith("part 1 of a recording by berth-scheduler, seed "));
}

TEST_F(SchedulerRecording, AFullDiskIsLoggedAndEndsNothing) {
  const std::string log = Run("/dev/full");
  EXPECT_THAT(log, testing::HasSubstr("The recording has ended; scheduling goes on without it"));
  EXPECT_THAT(log, testing::HasSubstr("/dev/full: No space left on device"));
  EXPECT_THAT(log, testing::HasSubstr("Requested to terminate, exiting")) << "it ran until then";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
