// Tests of RestClient on an event loop, over real connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "client/file_credentials.h"
#include "client/rest_client.h"
#include "testing/await.h"
#include "testing/fake_http_server.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

class RestHttpTest : public testing::Test {
 protected:
  RestHttpTest() { loop_.Start(); }

  std::unique_ptr<RestClient> Client(ClientConfig config) {
    auto client = RestClient::Create(loop_, std::move(config));
    EXPECT_TRUE(client.has_value()) << client.error().message;
    return *std::move(client);
  }
  static std::future<net::HttpResult<net::HttpResponse>> Begin(RestClient& client,
                                                               RestRequest request) {
    auto promise = std::make_shared<std::promise<net::HttpResult<net::HttpResponse>>>();
    client.Send(std::move(request), [promise](net::HttpResult<net::HttpResponse> result) {
      promise->set_value(std::move(result));
    });
    return promise->get_future();
  }
  static net::HttpResult<net::HttpResponse> Send(RestClient& client, RestRequest request) {
    return Await(Begin(client, std::move(request)));
  }

  net::EventLoop loop_;
};

FakeResponse Nothing(const ReceivedRequest&) { return {.body = {}, .none = true}; }

TEST_F(RestHttpTest, SendsAndGetsResponses) {
  FakeHttpServer server([](const ReceivedRequest& request) {
    return FakeResponse{.status = 404, .body = request.method + " " + request.body};
  });
  const auto client = Client({.server = server.url()});
  const auto result =
      Send(*client,
           {.method = "PUT", .path = "/a?b=c", .body = "{}", .content_type = "application/json"});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->status, 404);
  EXPECT_EQ(result->body, "PUT {}");
  EXPECT_EQ(server.requests()[0].target, "/a?b=c");
  EXPECT_EQ(server.requests()[0].content_type, "application/json");
}

TEST_F(RestHttpTest, TrustsTheConfiguredAuthority) {
  const Certificate authority = MakeAuthority("ours");
  const Certificate stranger = MakeAuthority("somebody");
  FakeHttpServer server([](const ReceivedRequest&) { return FakeResponse{.body = "hello"}; },
                        ServerTls{.own = MakeCertificate(authority, "server", "IP:127.0.0.1"),
                                  .client_authority = authority.certificate});
  const Certificate own = MakeCertificate(authority, "me", "DNS:me");
  ClientConfig config{.server = server.url()};
  config.tls.ca_data = authority.certificate;
  config.credentials = std::make_shared<StaticCredentials>(
      Credential{.certificate = own.certificate, .key = own.key});
  const auto good = Send(*Client(config), {.path = "/"});
  ASSERT_TRUE(good.has_value()) << good.error().message;
  EXPECT_EQ(good->body, "hello");

  config.tls.ca_data = stranger.certificate;
  const auto bad = Send(*Client(config), {.path = "/"});
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().kind, net::HttpError::Kind::kTls);
  EXPECT_THAT(bad.error().message, HasSubstr("certificate"));
}

TEST_F(RestHttpTest, ErrorsHaveTheirKind) {
  std::string gone;
  {
    const FakeHttpServer server(Nothing);
    gone = server.url();
  }
  const auto refused = Send(*Client({.server = gone}), {.path = "/"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, net::HttpError::Kind::kUnreachable);

  FakeHttpServer silent(Nothing);
  const auto client = Client({.server = silent.url()});
  const auto late = Send(*client, {.path = "/", .timeout = Duration::Millis(1)});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, net::HttpError::Kind::kTimeout);

  ClientConfig broken{.server = "https://h"};
  broken.tls.ca_data = "x";
  const auto none = RestClient::Create(loop_, broken);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("https://h: "));
}

TEST_F(RestHttpTest, DestructionCancelsRequests) {
  FakeHttpServer server(Nothing);
  auto client = Client({.server = server.url()});
  auto future = Begin(*client, {.path = "/"});
  server.WaitForRequests(1);
  client.reset();
  const auto result = Await(std::move(future));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, net::HttpError::Kind::kCancelled);
}

TEST_F(RestHttpTest, AStoppedLoopRunsNoCallbacks) {
  FakeHttpServer server(Nothing);
  auto client = Client({.server = server.url()});
  client->Send({.path = "/"}, [](const net::HttpResult<net::HttpResponse>&) { FAIL(); });
  server.WaitForRequests(1);
  loop_.Stop();
  client.reset();
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
