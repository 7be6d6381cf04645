#include "cmd/bench_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

TEST(PeerRateWarning, IsAboutTheDefaultRate) {
  EXPECT_THAT(PeerRateWarning("/opt/kube-scheduler --kubeconfig {kubeconfig}"),
              HasSubstr("at most 50 requests per second"));
  EXPECT_THAT(PeerRateWarning("exec kube-scheduler --kube-api-qps=20"),
              HasSubstr("at most 20 requests per second"));
  EXPECT_EQ(PeerRateWarning("kube-scheduler --kube-api-qps 5000 --kube-api-burst 5000"), "");
  EXPECT_EQ(PeerRateWarning("kube-scheduler --kube-api-qps=-1"), "");
  EXPECT_EQ(PeerRateWarning("./my-scheduler {kubeconfig}"), "") << "its limits are not known";
}

TEST(PeerRateWarning, TheFileTakesPrecedence) {
  const TemporaryDirectory files;
  const std::string raised = files.Write("raised.yaml", "clientConnection: {qps: 5000}\n");
  const std::string kept = files.Write("kept.yaml", "parallelism: 2\n");
  EXPECT_EQ(PeerRateWarning("kube-scheduler --config " + raised), "");
  EXPECT_THAT(PeerRateWarning("kube-scheduler --kube-api-qps=5000 --config '" + kept + "'"),
              HasSubstr("set clientConnection.qps and burst in " + kept));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
