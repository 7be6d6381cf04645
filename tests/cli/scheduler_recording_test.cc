// The recording of berth-scheduler --record.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

TEST(SchedulerRecording, ClosesItsRecordingUponSigterm) {
  FakeHttpServer api([](const ReceivedRequest&) { return FakeResponse{503, "{}"}; });
  const TemporaryDirectory files;
  const std::string kubeconfig =
      files.Write("kubeconfig", fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                            "clusters: [{{name: c, cluster: {{server: \"{}\"}}}}]\n"
                                            "contexts: [{{name: c, context: {{cluster: c}}}}]\n",
                                            api.url()));
  const std::string recording = files.path("run.berth");
  RunningProcess scheduler({BERTH_SCHEDULER_BINARY, "--kubeconfig", kubeconfig,
                            "--leader-elect=false", "--secure-port=0", "--record", recording});
  api.WaitForRequests(1);  // From here on it handles signals.
  scheduler.End(SIGTERM);
  const ProcessResult replayed = RunBerth({"replay", recording});
  EXPECT_EQ(replayed.code, 0) << scheduler.err();
  EXPECT_EQ(replayed.err, "") << "nothing is missing";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
