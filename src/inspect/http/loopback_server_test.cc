#include "inspect/http/loopback_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "inspect/http/api_handler.h"
#include "inspect/http/dashboard_files.h"
#include "inspect/http/link_token.h"
#include "inspect/inspector_testing.h"
#include "testing/raw_client.h"

namespace berth::inspect::http {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kKey = "0123456789abcdef0123456789abcdef";
constexpr const char* kSession = "fedcba9876543210fedcba9876543210";

class LoopbackServerTest : public testing::Test {
 protected:
  LoopbackServerTest() {
    engine_.Put(MakeNode("n").Label("markup", "<script>alert(1)</script>"));
    api_ = std::make_unique<ApiHandler>(engine_.TakeInspector());
    server_ = Require(LoopbackServer::Start(
        {.port = 0, .link_key = kKey, .session = kSession, .clock = &clock_}, *api_));
  }

  // The request that a link makes.
  std::string OpenLink() const { return "GET /" + server_->url().substr(server_->url().find('?')); }
  std::string host() const { return fmt::format("127.0.0.1:{}", server_->port()); }
  std::string cookie() const {
    return fmt::format("Cookie: a=b; berth-session-{}={}\r\n", server_->port(), kSession);
  }
  // Returns the whole response.
  std::string Send(const std::string& line, const std::string& headers) {
    RawClient client(server_->port());
    client.Send(fmt::format("{} HTTP/1.1\r\nConnection: close\r\n{}\r\n", line, headers));
    return client.ReadAll();
  }
  std::string SendToHost(const std::string& line, const std::string& headers = "") {
    return Send(line, fmt::format("Host: {}\r\n{}", host(), headers));
  }

  SimClock clock_{Instant::FromUnixSeconds(1'800'000'000)};
  InspectedEngine engine_;
  std::unique_ptr<ApiHandler> api_;
  std::unique_ptr<LoopbackServer> server_;
};

TEST_F(LoopbackServerTest, WithoutASessionThereIsNothing) {
  for (const std::string& headers :
       {std::string(), std::string("Cookie: berth-session-1=x\r\n"),
        fmt::format("Cookie: berth-session-{}={}\r\n", server_->port(), kKey),
        std::string("Authorization: Bearer nobody\r\n"),
        std::string("Authorization: Bearer \r\n")}) {
    EXPECT_THAT(SendToHost("GET /berth/v1/cluster", headers),
                AllOf(StartsWith("HTTP/1.1 401"), HasSubstr(R"("kind":"Status")")));
    EXPECT_THAT(SendToHost("GET /", headers), StartsWith("HTTP/1.1 401"));
    EXPECT_THAT(SendToHost("GET /index.html", headers), StartsWith("HTTP/1.1 401"));
  }
}

TEST_F(LoopbackServerTest, ALinkOpensAsOftenAsNeeded) {
  const std::string link = OpenLink();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(SendToHost(link),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("content=\"0; url=/\""),
                      HasSubstr(fmt::format("Set-Cookie: berth-session-{}={}; Path=/; HttpOnly; "
                                            "SameSite=Strict\r\n",
                                            server_->port(), kSession))));
  }
  EXPECT_THAT(SendToHost("GET /berth/v1/cluster", cookie()), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(SendToHost("GET /?token=wrong"),
              AllOf(StartsWith("HTTP/1.1 401"), Not(HasSubstr(kSession))));
}

TEST_F(LoopbackServerTest, AnOldLinkSaysHowToGetANewOne) {
  const std::string link = OpenLink();
  clock_.Advance(kLinkLifetime + Duration::Seconds(1));
  EXPECT_THAT(SendToHost(link), AllOf(StartsWith("HTTP/1.1 401"), Not(HasSubstr(kSession)),
                                      HasSubstr("berth dashboard --open")));
  EXPECT_THAT(SendToHost(OpenLink()), StartsWith("HTTP/1.1 200"));
  // The browser that has the cookie needs no new link.
  EXPECT_THAT(SendToHost(link, cookie()), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(SendToHost("GET /", cookie()), StartsWith("HTTP/1.1 200"));
}

TEST_F(LoopbackServerTest, ATokenIsNoCredential) {
  const std::string token = OpenLink().substr(std::string("GET /?token=").size());
  for (const std::string& secret : {token, std::string(kKey), std::string(kSession)}) {
    EXPECT_THAT(SendToHost("GET /berth/v1/cluster", "Authorization: Bearer " + secret + "\r\n"),
                StartsWith("HTTP/1.1 401"));
    EXPECT_THAT(SendToHost("GET /berth/v1/cluster?token=" + secret), StartsWith("HTTP/1.1 401"));
  }
}

TEST_F(LoopbackServerTest, NamesOfOtherHostsAreRefused) {
  for (const std::string& name :
       {std::string("evil.example"), fmt::format("evil.example:{}", server_->port()),
        std::string("127.0.0.1"), std::string("localhost:1"),
        fmt::format("x127.0.0.1:{}", server_->port())}) {
    EXPECT_THAT(Send("GET /berth/v1/cluster", "Host: " + name + "\r\n" + cookie()),
                StartsWith("HTTP/1.1 403"))
        << name;
    EXPECT_THAT(Send(OpenLink(), "Host: " + name + "\r\n"),
                AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("Set-Cookie"))))
        << name;
  }
  EXPECT_THAT(Send("GET /berth/v1/cluster",
                   fmt::format("Host: localhost:{}\r\n{}", server_->port(), cookie())),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(LoopbackServerTest, TheApiIsReadOnly) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"}) {
    EXPECT_THAT(SendToHost(std::string(method) + " /berth/v1/cluster", cookie()),
                AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET")))
        << method;
  }
  EXPECT_THAT(SendToHost("GET /berth/v1/nodes/%zz", cookie()), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(SendToHost("GET /berth/v1/events?topics=secrets", cookie()),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(SendToHost("POST /", cookie()), StartsWith("HTTP/1.1 405"));
}

TEST_F(LoopbackServerTest, FilesHaveAStrictPolicy) {
  EXPECT_THAT(SendToHost("GET /", cookie()),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Type: text/html; charset=utf-8"),
                    HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self';"),
                    HasSubstr("X-Content-Type-Options: nosniff"),
                    HasSubstr("Referrer-Policy: no-referrer"), Not(HasSubstr("Access-Control-"))));
  for (const char* path : {"/nothing", "/../etc/passwd", "/%2e%2e/x", "//", "/index.html/"}) {
    EXPECT_THAT(SendToHost(std::string("GET ") + path, cookie()), StartsWith("HTTP/1.1 404"))
        << path;
  }
}

TEST_F(LoopbackServerTest, EventsAreStreamed) {
  RawClient client(server_->port());
  client.Send(fmt::format("GET /berth/v1/events?topics=queue,nodes HTTP/1.1\r\nHost: {}\r\n{}\r\n",
                          host(), cookie()));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Type: text/event-stream")));
  client.ReadUntil("retry: 1000\n\n");
  client.ReadUntil("event: queue\ndata: {\"counts\":{\"active\":0,");
  client.ReadUntil("\n\n");
}

TEST_F(LoopbackServerTest, AClientThatMissedTooMuchReadsTheMapAgain) {
  RawClient client(server_->port());
  client.Send(
      fmt::format("GET /berth/v1/events?topics=nodes HTTP/1.1\r\nHost: {}\r\n"
                  "Last-Event-ID: 999999\r\n{}\r\n",
                  host(), cookie()));
  client.ReadUntil("event: nodes\ndata: {\"generation\":0,\"reset\":true,");
}

// What cannot be allocated, for example, ends the request and not the process that schedules.
TEST_F(LoopbackServerTest, ARequestThatThrowsIsA500AndALineInTheLog) {
  engine_.Throw(true);
  testing::internal::CaptureStderr();
  EXPECT_THAT(SendToHost("GET /berth/v1/pods", cookie()),
              AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("std::bad_alloc")));
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("A request could not be answered"), HasSubstr("path=\"/berth/v1/pods\"")));
  engine_.Throw(false);
  EXPECT_THAT(SendToHost("GET /berth/v1/pods", cookie()), StartsWith("HTTP/1.1 200 "));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::inspect::http
