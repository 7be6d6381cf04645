// `berth apiserver` rejects invalid options with an error that names the fix. tests/e2e tests the
// server itself.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

struct RefusedCase {
  const char* name;
  std::vector<std::string> options;
  int code;
  const char* text;  // Of standard error.
};

class ApiServerRefusalTest : public testing::TestWithParam<RefusedCase> {};

TEST_P(ApiServerRefusalTest, SaysWhatIsWrong) {
  std::vector<std::string> arguments = {"apiserver", "--port", "0"};
  arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
  const ProcessResult ended = RunBerth(arguments);
  EXPECT_EQ(ended.code, GetParam().code) << ended.err;
  EXPECT_NE(ended.err.find(GetParam().text), std::string::npos) << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Options, ApiServerRefusalTest,
    testing::Values(
        RefusedCase{"BeyondLoopbackWithoutTls", {"--address", "0.0.0.0"}, 1, "Add --tls"},
        RefusedCase{"BeyondLoopbackWithoutTokens",
                    {"--address", "0.0.0.0", "--tls"},
                    1,
                    "Add --token-auth-file or --client-ca-file"},
        RefusedCase{"ClientCaWithoutTls", {"--client-ca-file", "x"}, 1, "requires --tls"},
        RefusedCase{"CertificateWithoutKey",
                    {"--tls-cert-file", "x"},
                    1,
                    "--tls-private-key-file must be set together"},
        RefusedCase{"NoSuchCertificate",
                    {"--tls-cert-file", "none.pem", "--tls-private-key-file", "none.key"},
                    1,
                    "none.pem"},
        RefusedCase{"NoSuchTokenFile", {"--token-auth-file", "none.csv"}, 1, "none.csv"},
        RefusedCase{"TokenFileWithoutTokens",
                    {"--token-auth-file", "/dev/null"},
                    1,
                    "/dev/null: it has no tokens"},
        RefusedCase{"NoSuchAddress", {"--address", "203.0.113.7.8"}, 1, "203.0.113.7.8"},
        RefusedCase{"UnwritableKubeconfig",
                    {"--kubeconfig", "/nonexistent/kubeconfig"},
                    1,
                    "--kubeconfig /nonexistent/kubeconfig: No such file or directory"},
        RefusedCase{"DataDirIsAFile", {"--data-dir", "/dev/null"}, 1, "/dev/null"},
        RefusedCase{"PortIsNoNumber", {"--port", "x"}, 2, "\"x\" for \"--port\" flag"},
        RefusedCase{
            "PortIsTooLarge", {"--port", "65536"}, 2, "must be an integer from 0 to 65535\n"},
        RefusedCase{"NoThreads", {"--threads", "0"}, 2, "must be an integer from 1 to 256\n"}),
    [](const auto& test) { return test.param.name; });

TEST(ApiServerCommandTest, SaysThatAPortIsTaken) {
  const FakeHttpServer other([](const ReceivedRequest&) { return FakeResponse{}; });
  const std::string port = std::to_string(other.port());
  const ProcessResult ended = RunBerth({"apiserver", "--port", port});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find(port), std::string::npos) << ended.err;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
