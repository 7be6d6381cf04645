#include "runtime/extender_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <future>

#include "scheduler/engine/extender_protocol.h"
#include "testing/await.h"
#include "testing/fake_http_server.h"
#include "testing/object_builders.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::StartsWith;

class ExtenderCallerTest : public testing::Test {
 protected:
  ExtenderCallerTest() { loop_.Start(); }

  static scheduler::framework::ExtenderConfig At(const std::string& url) {
    scheduler::framework::ExtenderConfig extender;
    extender.url_prefix = url;
    extender.filter_verb = "filter";
    extender.prioritize_verb = "sort";
    return extender;
  }

  Result<std::string> Call(const scheduler::framework::ExtenderConfig& extender,
                           scheduler::framework::ExtenderStep step, std::string body) {
    const auto caller = ExtenderCaller::Create(loop_, extender);
    if (!caller) return std::unexpected(caller.error());
    std::promise<Result<std::string>> promise;
    (*caller)->Call(step, std::move(body),
                    [&](Result<std::string> response) { promise.set_value(std::move(response)); });
    return Await(promise);
  }

  net::EventLoop loop_;
};

TEST_F(ExtenderCallerTest, SendsTheRequestAndReturnsTheResponse) {
  FakeHttpServer server([](const ReceivedRequest& request) {
    return FakeResponse{.body = request.target == "/api/sort"
                                    ? R"([{"Host":"a","Score":7}])"
                                    : R"({"NodeNames":["b"],"FailedNodes":{"a":"full"}})"};
  });
  scheduler::framework::ExtenderConfig extender = At(server.url() + "/api/");
  extender.node_cache_capable = true;
  const api::Node a = MakeNode("a");
  const api::Node b = MakeNode("b");
  const std::string request =
      scheduler::engine::EncodeExtenderArgs(extender, MakePod("p"), std::vector{&a, &b});

  const auto filtered = Call(extender, scheduler::framework::ExtenderStep::kFilter, request);
  ASSERT_TRUE(filtered.has_value()) << filtered.error().message;
  const auto was_sent = [](std::string_view node) { return node == "a" || node == "b"; };
  EXPECT_THAT(
      scheduler::engine::DecodeExtenderFilterResult(extender, *filtered, was_sent).value().nodes,
      ElementsAre("b"));

  const auto sorted = Call(extender, scheduler::framework::ExtenderStep::kPrioritize, request);
  ASSERT_TRUE(sorted.has_value()) << sorted.error().message;
  EXPECT_THAT(scheduler::engine::DecodeHostPriorityList(extender, *sorted).value(),
              ElementsAre(scheduler::engine::HostPriority{"a", 7}));

  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[0].method, "POST");
  EXPECT_EQ(server.requests()[0].target, "/api/filter");
  EXPECT_EQ(server.requests()[0].content_type, "application/json");
  EXPECT_EQ(server.requests()[0].body, request);
}

TEST_F(ExtenderCallerTest, OtherStatusesAreErrors) {
  for (const int status : {201, 204, 302, 404, 500, 503}) {
    FakeHttpServer server([&](const ReceivedRequest&) { return FakeResponse{.status = status}; });
    const auto response = Call(At(server.url()), scheduler::framework::ExtenderStep::kFilter, "{}");
    ASSERT_FALSE(response.has_value());
    EXPECT_EQ(response.error().message, "failed filter with extender at URL " + server.url() +
                                            "/filter, code " + std::to_string(status));
  }
}

TEST_F(ExtenderCallerTest, WaitsAsLongAsConfigured) {
  FakeHttpServer server(
      [](const ReceivedRequest&) { return FakeResponse{.body = {}, .none = true}; });
  scheduler::framework::ExtenderConfig extender = At(server.url());
  extender.http_timeout = Duration::Millis(10);
  EXPECT_EQ(Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").error().message,
            "POST " + server.url() + "/filter: no answer within 10ms");
}

TEST_F(ExtenderCallerTest, CallsCanBeCancelled) {
  FakeHttpServer server(
      [](const ReceivedRequest&) { return FakeResponse{.body = {}, .none = true}; });
  const auto caller = ExtenderCaller::Create(loop_, At(server.url())).value();
  std::promise<Result<std::string>> promise;
  const auto id =
      caller->Call(scheduler::framework::ExtenderStep::kFilter, "{}",
                   [&](Result<std::string> response) { promise.set_value(std::move(response)); });
  caller->Cancel(id);
  EXPECT_EQ(Await(promise).error().message, "POST " + server.url() + "/filter: cancelled");
}

TEST(ExtenderCallsTest, OnlyBindsNeedTheLeader) {
  using scheduler::framework::ExtenderStep;
  FakeHttpServer server([](const ReceivedRequest&) { return FakeResponse{.body = "{}"}; });
  scheduler::framework::ExtenderConfig extender;
  extender.url_prefix = server.url();
  extender.filter_verb = "filter";
  extender.bind_verb = "bind";
  const auto calls = *ExtenderCalls::Make({extender});
  const auto succeeds = [&](ExtenderStep step) {
    std::promise<scheduler::framework::WriteResult> promise;
    calls->Execute(
        {.step = step, .body = "{}"},
        [&](scheduler::framework::WriteResult result) { promise.set_value(std::move(result)); },
        [] { return false; });
    return Await(promise).ok();
  };
  EXPECT_TRUE(succeeds(ExtenderStep::kFilter));
  EXPECT_FALSE(succeeds(ExtenderStep::kBind));
  EXPECT_EQ(server.requests().size(), 1) << "the bind was sent";
}

TEST(ExtenderCallsTest, StopEndsTheCallsInFlight) {
  FakeHttpServer server(
      [](const ReceivedRequest&) { return FakeResponse{.body = {}, .none = true}; });
  scheduler::framework::ExtenderConfig extender;
  extender.url_prefix = server.url();
  extender.filter_verb = "filter";
  const auto calls = *ExtenderCalls::Make({extender});
  std::promise<scheduler::framework::WriteResult> promise;
  calls->Execute({.body = "{}"}, [&](scheduler::framework::WriteResult result) {
    promise.set_value(std::move(result));
  });
  server.WaitForRequests(1);
  calls->Stop();
  EXPECT_FALSE(Await(promise).ok());
}

TEST_F(ExtenderCallerTest, BadUrlFailsTheCall) {
  EXPECT_EQ(Call(At("h:80"), scheduler::framework::ExtenderStep::kFilter, "{}").error().message,
            R"(POST h:80/filter: URL "h:80/filter": it must begin with http:// or https://)");
}

TEST_F(ExtenderCallerTest, UsesTlsAsConfigured) {
  const Certificate authority = MakeAuthority("ours");
  FakeHttpServer server(
      [](const ReceivedRequest&) { return FakeResponse{.body = "{}"}; },
      ServerTls{MakeCertificate(authority, "s", "DNS:s.example.com"), authority.certificate});
  const Certificate own = MakeCertificate(authority, "client", "DNS:client");
  const std::string ca_file = testing::TempDir() + "/extender_caller_test_ca.pem";
  std::ofstream(ca_file) << authority.certificate;

  scheduler::framework::ExtenderConfig extender = At(server.url());
  scheduler::framework::ExtenderTls& tls = extender.tls.emplace();
  tls.cert_data.bytes = own.certificate;
  tls.key_data.bytes = own.key;
  EXPECT_THAT(Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").error().message,
              StartsWith("POST " + server.url() + "/filter: TLS: certificate verify failed ("));

  // HTTPS is requested without a CA: the server is not verified.
  extender.enable_https = true;
  EXPECT_EQ(Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").value(), "{}");

  tls.ca_file = ca_file;
  EXPECT_EQ(
      Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").error().message,
      "POST " + server.url() + "/filter: TLS: certificate verify failed (IP address mismatch)");
  tls.server_name = "s.example.com";
  EXPECT_EQ(Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").value(), "{}");

  tls.insecure = true;
  EXPECT_EQ(Call(extender, scheduler::framework::ExtenderStep::kFilter, "{}").error().message,
            "extender \"" + server.url() +
                "\": tlsConfig: specifying a root certificates file with the insecure flag is not "
                "allowed");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
