// `berth apiserver` rejects invalid options with an error that names the fix, and ends with an
// error if it can no longer write. tests/e2e tests the server itself.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "berth_process_testing.h"
#include "testing/api_client.h"
#include "testing/fake_http_server.h"
#include "testing/temporary_directory.h"

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
        RefusedCase{"NoHistory", {"--history-bytes", "1000"}, 2, "\"--history-bytes\" flag"},
        RefusedCase{"NoThreads", {"--threads", "0"}, 2, "must be an integer from 1 to 256\n"}),
    [](const auto& test) { return test.param.name; });

TEST(ApiServerCommandTest, SaysThatAPortIsTaken) {
  const FakeHttpServer other([](const ReceivedRequest&) { return FakeResponse{}; });
  const std::string port = std::to_string(other.port());
  const ProcessResult ended = RunBerth({"apiserver", "--port", port});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find(port), std::string::npos) << ended.err;
}

// The limit of a file's size stands for a full disk. On a slow machine the server's own first
// objects take 400 KB of its write-ahead log.
TEST(ApiServerCommandTest, EndsAndSaysWhyIfItCannotWrite) {
  const TemporaryDirectory files;
  const std::string data = files.path("data");
  constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
  constexpr const char* kAddress = "listening on http://127.0.0.1:";
  int created = 0;
  {
    RunningProcess server({"/bin/sh", "-c",
                           R"(ulimit -f 4000; exec "$0" apiserver --port 0 --data-dir "$1")",
                           BERTH_BINARY, data});
    ApiClient client(static_cast<uint16_t>(std::stoi(server.WaitForLine(kAddress))));
    ApiResponse response;
    for (; created < 1000; ++created) {
      const std::string body = R"({"metadata":{"name":"m)" + std::to_string(created) +
                               R"("},"data":{"k":")" + std::string(5000, 'x') + "\"}}";
      response = client.Ask("POST", kConfigMaps, body);
      if (response.status != 201) break;
    }
    EXPECT_EQ(response.status, 504);
    EXPECT_NE(
        response.body.find("Timeout: the outcome of the request is unknown: cannot write to " +
                           data + "/berth.db: disk I/O error (File too large)"),
        std::string::npos)
        << response.body;
    EXPECT_EQ(server.Wait(), 1);
    EXPECT_EQ(server.err(),
              "berth apiserver: cannot write to " + data +
                  "/berth.db: disk I/O error (File too large); nothing more is stored until Berth "
                  "is started again\n");
  }
  RunningProcess server({BERTH_BINARY, "apiserver", "--port", "0", "--data-dir", data});
  ApiClient client(static_cast<uint16_t>(std::stoi(server.WaitForLine(kAddress))));
  EXPECT_GT(created, 5);
  for (int i = 0; i < created; ++i) {
    EXPECT_EQ(client.Get(kConfigMaps + ("/m" + std::to_string(i))).status, 200) << i;
  }
  EXPECT_EQ(server.End(SIGTERM), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
