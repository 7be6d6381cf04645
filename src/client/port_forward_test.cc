#include "client/port_forward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/file_credentials.h"
#include "client/rest_client.h"
#include "testing/fake_http_server.h"
#include "testing/fake_port_forwarder.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTarget = "/api/v1/namespaces/kube-system/pods/p%2F1/portforward?ports=10259";

class PortForwardTest : public testing::Test {
 protected:
  PortForwardTest() { loop_.Start(); }

  // Sends a request to the pod through `api_server`.
  Result<std::string> Get(const ClientConfig& api_server, const std::string& path,
                          const std::string& scheme = "http") {
    PortForward forward(loop_, api_server, {"kube-system", "p/1"}, 10259);
    net::HttpClientOptions options;
    options.tls = {.ca_data = authority_.certificate};
    options.http2 = true;
    options.dial = forward.dialer();
    auto http = net::HttpClient::Create(loop_, options);
    const auto client =
        RestClient::CreateOn(loop_, *std::move(http), {.server = scheme + "://localhost:10259"});
    auto got = GetAndWait(**client, path);
    problem_ = forward.problem();
    return got;
  }

  const Certificate authority_ = MakeAuthority("ours");
  net::EventLoop loop_;
  std::string problem_;
};

TEST_F(PortForwardTest, ConnectsToThePortOfThePod) {
  FakeHttpServer pod([](const ReceivedRequest& request) {
    return FakeResponse{.body = request.host + request.target};
  });
  FakePortForwarder api({.port_for = [&](const std::string&) { return pod.port(); }});
  const auto got = Get({.server = api.url()}, "/berth/v1/cluster");
  ASSERT_TRUE(got.has_value()) << got.error().message << problem_;
  EXPECT_EQ(*got, "localhost:10259/berth/v1/cluster");
  EXPECT_EQ(problem_, "");
  EXPECT_THAT(api.forwarded(), ElementsAre(kTarget));
}

TEST_F(PortForwardTest, IsSecureOnBothLegs) {
  const Certificate own = MakeCertificate(authority_, "s", "DNS:localhost,IP:127.0.0.1");
  FakeHttpServer pod([](const ReceivedRequest&) { return FakeResponse{.body = "in the pod"}; },
                     ServerTls{own, ""});
  FakePortForwarder api({.port_for = [&](const std::string&) { return pod.port(); }, .own = own});
  ClientConfig config{.server = api.url(), .tls = {.ca_data = authority_.certificate}};
  config.credentials = std::make_shared<StaticCredentials>(Credential{.bearer_token = "secret"});
  const auto got = Get(config, "/", "https");
  ASSERT_TRUE(got.has_value()) << got.error().message << problem_;
  EXPECT_EQ(*got, "in the pod");
  EXPECT_THAT(api.forwarded(), ElementsAre(kTarget + std::string(" Bearer secret")));

  config.tls.ca_data = MakeAuthority("another").certificate;
  EXPECT_FALSE(Get(config, "/", "https").has_value());
  EXPECT_THAT(problem_, StartsWith(api.url() + ": certificate verify failed"));
}

TEST_F(PortForwardTest, CarriesManyBytesBothWays) {
  const std::string large(900'000, 'x');
  FakeHttpServer pod([](const ReceivedRequest& request) {
    return FakeResponse{.body = request.body + request.body + request.body};
  });
  FakePortForwarder api({.port_for = [&](const std::string&) { return pod.port(); }});
  PortForward forward(loop_, {.server = api.url()}, {"kube-system", "p"}, 10259);
  net::HttpClientOptions options;
  options.dial = forward.dialer();
  auto http = net::HttpClient::Create(loop_, options);
  const auto client = RestClient::CreateOn(loop_, *std::move(http), {.server = "http://localhost"});
  const auto got = SendAndWait(**client, {.method = "POST", .path = "/", .body = large});
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_TRUE(got->body == large + large + large);
}

TEST_F(PortForwardTest, SaysWhyItFails) {
  FakePortForwarder refuses({.port_for = [](const std::string&) { return std::nullopt; }});
  EXPECT_FALSE(Get({.server = refuses.url()}, "/").has_value());
  EXPECT_EQ(problem_,
            "GET /api/v1/namespaces/kube-system/pods/p%2F1/portforward: forbidden: no port-forward "
            "for you");

  uint16_t closed = 0;
  {
    const FakeHttpServer gone([](const ReceivedRequest&) { return FakeResponse{}; });
    closed = gone.port();
  }
  FakePortForwarder nobody({.port_for = [&](const std::string&) { return closed; }});
  EXPECT_FALSE(Get({.server = nobody.url()}, "/").has_value());
  EXPECT_EQ(problem_, "error forwarding port 10259: Connection refused");

  const std::string nowhere = "http://127.0.0.1:" + std::to_string(closed);
  EXPECT_FALSE(Get({.server = nowhere}, "/").has_value());
  EXPECT_THAT(problem_, HasSubstr("Connection refused"));

  FakeHttpServer other([](const ReceivedRequest&) { return FakeResponse{.body = "hello"}; });
  EXPECT_FALSE(Get({.server = other.url()}, "/").has_value());
  EXPECT_THAT(problem_, StartsWith("GET /api/v1/namespaces/kube-system/pods/p%2F1/portforward: "));

  EXPECT_FALSE(Get({.server = "nowhere"}, "/").has_value());
  EXPECT_THAT(problem_, HasSubstr("must begin with http"));
}

TEST(PortForwardChannelsTest, SkipThePortOfEachChannel) {
  const auto message = [](std::string_view bytes) { return std::string(bytes); };
  PortForwardChannels channels;
  EXPECT_EQ(channels.Receive(""), "");
  EXPECT_EQ(channels.Receive(message({"\0\x13\x28", 3})), "");
  EXPECT_EQ(channels.Receive(message({"\1\x13", 2})), "");
  EXPECT_EQ(channels.Receive(message({"\0", 1})), "");
  EXPECT_EQ(channels.Receive(message({"\0ab", 3})), "ab");
  EXPECT_EQ(channels.Receive(message({"\1\x28refu", 6})), "");
  EXPECT_EQ(channels.Receive(message({"\2cd", 3})), "");
  EXPECT_EQ(channels.Receive(message({"\1sed", 4})), "");
  EXPECT_EQ(channels.error(), "refused");
  EXPECT_EQ(channels.Receive("\1" + std::string(5000, 'x')), "");
  EXPECT_EQ(channels.error().size(), PortForwardChannels::kMaxErrorBytes);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
