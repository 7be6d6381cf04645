#include "client/rest_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/file_credentials.h"
#include "client/rest_call.h"
#include "client/rest_client_testing.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kMillis100 = Duration::Millis(100);

TEST(TokenBucketTest, GivesTheBurstThenTheRate) {
  const Instant start = Instant::FromUnixSeconds(5);
  TokenBucket bucket(10, 3, start);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Take(start), Duration());
  EXPECT_EQ(bucket.Take(start), kMillis100);
  EXPECT_EQ(bucket.Take(start + Duration::Millis(40)), Duration::Millis(60));
  EXPECT_EQ(bucket.Take(start + kMillis100), Duration());
  EXPECT_EQ(bucket.Take(start + kMillis100), kMillis100);
  // It never holds more than the burst, and a clock that is set back changes nothing.
  const Instant late = start + Duration::Seconds(100);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Take(late), Duration());
  EXPECT_EQ(bucket.Take(start), kMillis100);
  EXPECT_EQ(bucket.Take(late), kMillis100);
}

// FakeCredentials returns `next`, or holds the callbacks while `hold` is set.
class FakeCredentials final : public Credentials {
 public:
  void Get(Callback callback) override {
    if (hold) {
      held.push_back(std::move(callback));
    } else {
      callback(next);
    }
  }
  void Refused(const Credential& credential) override {
    refused.push_back(credential.bearer_token);
  }

  Result<Credential> next = Credential();
  bool hold = false;
  std::vector<Callback> held;
  std::vector<std::string> refused;
};

class Notes final : public RestObserver {
 public:
  void Tried(std::string_view method, std::string_view host, int code) override {
    lines.push_back(fmt::format("tried {} {} {}", method, host, code));
  }
  void Retried(std::string_view method, std::string_view, int code) override {
    lines.push_back(fmt::format("retried {} {}", method, code));
  }
  void Finished(std::string_view method, std::string_view, Duration took) override {
    lines.push_back(fmt::format("finished {} {}s", method, took.seconds()));
  }
  void Waited(std::string_view method, std::string_view, Duration time) override {
    lines.push_back(fmt::format("waited {} {}s", method, time.seconds()));
  }
  void Sent(std::string_view method, std::string_view, size_t bytes) override {
    lines.push_back(fmt::format("sent {} {}", method, bytes));
  }
  void Received(std::string_view method, std::string_view, size_t bytes) override {
    lines.push_back(fmt::format("received {} {}", method, bytes));
  }
  std::vector<std::string> lines;
};

class RestClientTest : public testing::Test {
 protected:
  void Start(ClientConfig config, RestObserver* observer = nullptr) {
    config.server = "https://h:6443/";
    client_ = server_.MakeClient(std::move(config), observer);
  }
  void StartWith(std::shared_ptr<Credentials> credentials) {
    ClientConfig config;
    config.credentials = std::move(credentials);
    Start(std::move(config));
  }

  RestClient::RequestId Send(RestRequest request = {.path = "/x"}) {
    const auto id =
        client_->Send(std::move(request), [this](net::HttpResult<net::HttpResponse> result) {
          outcomes_.push_back(result ? fmt::format("{} {}", result->status, result->body)
                                     : fmt::format("error {} {}",
                                                   static_cast<int>(result.error().kind),
                                                   result.error().message));
        });
    executor_.Run();
    return id;
  }
  RestClient::RequestId Open(RestRequest request = {.path = "/w"}) {
    const auto id = client_->Open(
        std::move(request),
        {.on_head =
             [this](int status, const std::vector<net::HttpHeader>& headers) {
               outcomes_.push_back(
                   fmt::format("head {} {}", status, net::FindHeader(headers, "Content-Type")));
             },
         .on_data = [this](std::string_view data) { outcomes_.push_back(std::string(data)); },
         .on_end =
             [this](net::HttpResult<void> result) {
               outcomes_.push_back(result ? "end" : "end: " + result.error().message);
             }});
    executor_.Run();
    return id;
  }
  void Respond(int status, std::string body = "", std::vector<net::HttpHeader> headers = {}) {
    server_.RespondToOldest(status, std::move(body), std::move(headers));
    executor_.Run();
  }
  static Credential Token(std::string token) { return {.bearer_token = std::move(token)}; }

  FakeApiServer server_;
  net::ManualExecutor& executor_ = server_.executor;
  std::vector<std::string> outcomes_;
  std::unique_ptr<RestClient> client_;
};

TEST_F(RestClientTest, SendsWhatIsConfigured) {
  ClientConfig config;
  config.user_agent = "berth/1";
  config.headers = {{"Impersonate-User", "jane"}};
  config.credentials = std::make_shared<StaticCredentials>(Token("t"));
  Start(config);
  Send({.method = "PUT",
        .path = "/a?b=c",
        .body = "{}",
        .content_type = "application/json",
        .accept = "application/json, */*",
        .timeout = Duration::Seconds(7)});
  ASSERT_EQ(server_.requests.size(), 1u);
  const FakeRequest& request = server_.requests[0];
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.url, "https://h:6443/a?b=c");
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.timeout, Duration::Seconds(7));
  EXPECT_THAT(request.headers, ElementsAre(net::HttpHeader{"User-Agent", "berth/1"},
                                           net::HttpHeader{"Accept", "application/json, */*"},
                                           net::HttpHeader{"Content-Type", "application/json"},
                                           net::HttpHeader{"Authorization", "Bearer t"},
                                           net::HttpHeader{"Impersonate-User", "jane"}));
  Respond(404, "no");
  EXPECT_THAT(outcomes_, ElementsAre("404 no"));
}

TEST_F(RestClientTest, RespectsTheRateLimitAndTheOrder) {
  ClientConfig config;
  config.qps = 10;
  config.burst = 2;
  Start(config);
  for (const char* path : {"/1", "/2", "/3", "/4", "/5"}) Send({.path = path});
  EXPECT_EQ(server_.requests.size(), 2u);
  executor_.Advance(Duration::Millis(99));
  EXPECT_EQ(server_.requests.size(), 2u);
  executor_.Advance(Duration::Millis(1));
  ASSERT_EQ(server_.requests.size(), 3u);
  EXPECT_EQ(server_.requests[2].url, "https://h:6443/3");
  executor_.Advance(Duration::Millis(200));
  ASSERT_EQ(server_.requests.size(), 5u);
  EXPECT_EQ(server_.requests[4].url, "https://h:6443/5");
}

TEST_F(RestClientTest, CancelledRequestsUseNoTokens) {
  ClientConfig config;
  config.qps = 10;
  config.burst = 1;
  Start(config);
  Send({.path = "/1"});
  const auto second = Send({.path = "/2"});
  Send({.path = "/3"});
  client_->Cancel(second);
  executor_.Run();
  EXPECT_THAT(outcomes_, ElementsAre("error 5 GET https://h:6443/2: cancelled"));
  executor_.Advance(kMillis100);
  ASSERT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.requests[1].url, "https://h:6443/3");
}

TEST_F(RestClientTest, NegativeQpsIsNoLimitAndZeroTheDefault) {
  ClientConfig config;
  config.qps = -1;
  Start(config);
  for (int i = 0; i < 500; ++i) Send();
  EXPECT_EQ(server_.requests.size(), 500u);
  server_.requests.clear();
  config.qps = 0;
  config.burst = 0;
  Start(config);
  for (int i = 0; i < 500; ++i) Send();
  EXPECT_EQ(server_.requests.size(), 10u);
}

TEST_F(RestClientTest, RetriesAfterRetryAfter) {
  const struct {
    int status;
    std::vector<net::HttpHeader> headers;
    int seconds;  // -1: not repeated.
  } cases[] = {
      {429, {{"Retry-After", "3"}}, 3},
      {503, {{"retry-after", "1"}}, 1},
      {500, {{"Retry-After", "0"}}, 0},
      {504, {{"Retry-After", "60"}}, 60},
      {429, {}, -1},
      {500, {}, -1},
      {503, {{"Retry-After", "61"}}, -1},
      {503, {{"Retry-After", "-1"}}, -1},
      {503, {{"Retry-After", "1x"}}, -1},
      {503, {{"Retry-After", "99999999999"}}, -1},
      {503, {{"Retry-After", ""}}, -1},
      {503, {{"Retry-After", "Wed, 21 Oct 2015"}}, -1},
      {404, {{"Retry-After", "1"}}, -1},
      {200, {{"Retry-After", "1"}}, -1},
      {409, {{"Retry-After", "1"}}, -1},
  };
  for (const auto& c : cases) {
    server_.requests.clear();
    outcomes_.clear();
    Start({});
    Send();
    Respond(c.status, "first", c.headers);
    if (c.seconds < 0) {
      EXPECT_THAT(outcomes_, ElementsAre(fmt::format("{} first", c.status)));
      continue;
    }
    if (c.seconds > 0) {
      executor_.Advance({Duration::Seconds(c.seconds).nanos - 1});
      EXPECT_EQ(server_.requests.size(), 1u) << c.status;
    }
    executor_.Advance({1});
    EXPECT_EQ(server_.requests.size(), 2u) << c.status;
    Respond(200, "second");
    EXPECT_THAT(outcomes_, ElementsAre("200 second"));
  }
}

TEST_F(RestClientTest, FailsAfterTenRetries) {
  Start({});
  Send();
  for (int i = 0; i < 10; ++i) {
    Respond(429, "no", {{"Retry-After", "1"}});
    EXPECT_THAT(outcomes_, IsEmpty());
    executor_.Advance(Duration::Seconds(1));
  }
  EXPECT_EQ(server_.requests.size(), 11u);
  Respond(429, "no", {{"Retry-After", "1"}});
  EXPECT_THAT(outcomes_, ElementsAre("429 no"));
}

TEST_F(RestClientTest, ErrorsRetainTheirKindAndAreNotRetried) {
  using enum net::HttpError::Kind;
  const net::HttpError::Kind kinds[] = {kUnreachable, kTls, kTimeout, kBroken, kCancelled};
  for (const net::HttpError::Kind kind : kinds) {
    outcomes_.clear();
    Start({});
    Send();
    server_.Break(kind, "why");
    EXPECT_THAT(outcomes_, ElementsAre(fmt::format("error {} why", static_cast<int>(kind))));
  }
  EXPECT_EQ(server_.requests.size(), std::size(kinds));
}

TEST_F(RestClientTest, A401IsRetriedOnceWithAnotherCredential) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->next = Token("old");
  StartWith(credentials);
  Send();
  EXPECT_EQ(server_.last().header("Authorization"), "Bearer old");
  credentials->next = Token("new");
  Respond(401, "who?");
  EXPECT_THAT(credentials->refused, ElementsAre("old"));
  EXPECT_EQ(server_.requests.size(), 2u);
  EXPECT_EQ(server_.last().header("Authorization"), "Bearer new");
  credentials->next = Token("newer");
  Respond(401, "who?");
  EXPECT_THAT(outcomes_, ElementsAre("401 who?"));
}

TEST_F(RestClientTest, A401IsReturnedIfThereIsNoOtherCredential) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->next = Token("old");
  StartWith(credentials);
  Send();
  Respond(401, "one");
  Send();
  credentials->next = Fail("the plugin is gone");
  Respond(401, "two");
  Start({});
  Send();
  Respond(401, "three");
  EXPECT_THAT(outcomes_, ElementsAre("401 one", "401 two", "401 three"));
  EXPECT_EQ(server_.requests.size(), 3u);
}

TEST_F(RestClientTest, CredentialsMayTakeTimeAndFail) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->hold = true;
  StartWith(credentials);
  Send();
  const auto second = Send();
  EXPECT_EQ(server_.requests.size(), 0u);
  ASSERT_EQ(credentials->held.size(), 2u);
  client_->Cancel(second);
  executor_.Run();
  credentials->held[1](Token("late"));
  credentials->held[0](Fail("no plugin"));
  EXPECT_EQ(outcomes_.size(), 1u);  // Never from within Send.
  executor_.Run();
  EXPECT_THAT(outcomes_,
              ElementsAre("error 5 GET https://h:6443/x: cancelled", "error 4 no plugin"));
  EXPECT_EQ(server_.requests.size(), 0u);
}

TEST_F(RestClientTest, NewCertificatesAreUsed) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->next = Credential{.certificate = "C1", .key = "K1"};
  StartWith(credentials);
  server_.tls_error = "bad pair";
  Send();
  EXPECT_THAT(outcomes_, ElementsAre("error 3 https://h:6443: bad pair"));
  server_.tls_error = "";
  Send();
  Send();
  ASSERT_EQ(server_.tls.size(), 1u);
  EXPECT_EQ(server_.tls[0].cert_data + server_.tls[0].key_data, "C1K1");
  // An incomplete new pair is ignored while the old one works.
  credentials->next = Credential{.certificate = "C2", .key = "K1"};
  server_.tls_error = "bad pair";
  Send();
  credentials->next = Credential{.certificate = "C2", .key = "K2"};
  server_.tls_error = "";
  Send();
  ASSERT_EQ(server_.tls.size(), 2u);
  EXPECT_EQ(server_.tls[1].cert_data + server_.tls[1].key_data, "C2K2");
  EXPECT_EQ(server_.requests.size(), 4u);
}

TEST_F(RestClientTest, CancelledRequestsEndOnce) {
  Start({});
  const auto id = Send();
  client_->Cancel(id);
  client_->Cancel(id);
  client_->Cancel(12345);
  executor_.Run();
  EXPECT_THAT(outcomes_, ElementsAre("error 5 GET https://h:6443/x: cancelled"));
  EXPECT_TRUE(server_.pending() == 0);

  const auto waiting = Send();
  Respond(503, "", {{"Retry-After", "1"}});
  client_->Cancel(waiting);
  executor_.Advance(Duration::Seconds(10));
  EXPECT_EQ(outcomes_.size(), 2u);
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(RestClientTest, DestructionCancelsPendingRequests) {
  Start({});
  Send();
  Open();
  client_.reset();
  EXPECT_THAT(outcomes_, IsEmpty());
  executor_.Run();
  EXPECT_THAT(outcomes_, ElementsAre("error 5 GET https://h:6443/x: cancelled",
                                     "end: GET https://h:6443/w: cancelled"));
}

TEST_F(RestClientTest, StreamsArePassedOnAsTheyArrive) {
  Start({});
  Open();
  const FakeRequest watch = server_.last();
  watch.stream.on_head(200, {{"Content-Type", "application/json"}});
  watch.stream.on_data("a");
  watch.stream.on_data("b");
  EXPECT_THAT(outcomes_, ElementsAre("head 200 application/json", "a", "b"));
  watch.stream.on_end(std::unexpected(net::HttpError{net::HttpError::Kind::kBroken, "reset"}));
  EXPECT_EQ(outcomes_.back(), "end: reset");
  watch.stream.on_data("late");
  EXPECT_EQ(outcomes_.size(), 4u);
}

TEST_F(RestClientTest, RejectedStreamsAreRetried) {
  const auto credentials = std::make_shared<FakeCredentials>();
  credentials->next = Token("old");
  StartWith(credentials);
  Open();
  Respond(429, "slow", {{"Retry-After", "1"}});
  executor_.Advance(Duration::Seconds(1));
  credentials->next = Token("new");
  Respond(401, "who?");
  EXPECT_EQ(server_.last().header("Authorization"), "Bearer new");
  EXPECT_THAT(outcomes_, IsEmpty());
  Respond(410, "gone", {{"Content-Type", "text/plain"}});
  EXPECT_THAT(outcomes_, ElementsAre("head 410 text/plain", "gone", "end"));
}

TEST_F(RestClientTest, TheObserverIsNotifiedOfEverything) {
  Notes notes;
  Start({}, &notes);
  Send({.method = "POST", .path = "/x", .body = "abc"});
  Respond(429, "12", {{"Retry-After", "2"}});
  executor_.Advance(Duration::Seconds(2));
  server_.Break(net::HttpError::Kind::kBroken, "reset");
  EXPECT_THAT(notes.lines, ElementsAre("waited POST 0s", "sent POST 3", "tried POST h:6443 429",
                                       "received POST 2", "retried POST 429", "waited POST 0s",
                                       "sent POST 3", "tried POST h:6443 0", "finished POST 2s"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
