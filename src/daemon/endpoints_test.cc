#include "daemon/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "daemon/endpoint_responses.h"
#include "daemon/flags.h"
#include "testing/await.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string BodyOf(const net::ServerResponse& response) {
  std::string body;
  for (const net::Piece& piece : response.body) body += piece.bytes;
  return body;
}

std::string HeaderOf(const net::ServerResponse& response, std::string_view name) {
  return std::string(net::FindHeader(response.headers, name));
}

net::ServerRequest Request(std::string target, std::string method = "GET",
                           std::vector<net::HttpHeader> headers = {}) {
  net::ServerRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers = std::move(headers);
  return request;
}

Endpoints::Handler Says(const std::string& text) {
  return [text](const net::ServerRequest& request) {
    return PlainResponse(200, text + " " + request.target);
  };
}

class EndpointsTest : public testing::Test {
 protected:
  EndpointSources Sources() {
    EndpointSources sources;
    sources.healthz = Says("healthz");
    sources.livez = Says("livez");
    sources.readyz = Says("readyz");
    sources.metrics = Says("metrics");
    sources.metrics_slis = Says("slis");
    sources.metrics_resources = Says("resources");
    sources.reset_metrics = [this] { resets_ += "metrics "; };
    sources.reset_slis = [this] { resets_ += "slis "; };
    sources.configuration = scheduler::config::Default();
    sources.flags = {{"a", "1"}, {"b-c", "[x,y]"}};
    sources.log = &log_;
    sources.clock = &clock_;
    sources.started = Instant::FromUnixSeconds(1'717'590'896);
    return sources;
  }

  // Returns "status body".
  std::string Fetch(const net::ServerRequest& request) { return Fetch(request, Sources()); }
  static std::string Fetch(const net::ServerRequest& request, EndpointSources sources) {
    const auto response = MakeEndpoints(std::move(sources)).Serve(request);
    return std::to_string(response.status) + " " + BodyOf(response);
  }

  SimClock clock_{Instant::FromUnixSeconds(1'717'590'896 + 3661)};
  observability::Logger log_{clock_, 1, [](std::string_view) {}, [](std::string_view) {}};
  std::string resets_;
};

TEST_F(EndpointsTest, PathsFindTheirHandlers) {
  EXPECT_EQ(Fetch(Request("/healthz?verbose")), "200 healthz /healthz?verbose");
  EXPECT_EQ(Fetch(Request("/healthz/ping")), "200 healthz /healthz/ping");
  EXPECT_EQ(Fetch(Request("/livez")), "200 livez /livez");
  EXPECT_EQ(Fetch(Request("/readyz/shutdown")), "200 readyz /readyz/shutdown");
  EXPECT_EQ(Fetch(Request("/metrics")), "200 metrics /metrics");
  EXPECT_EQ(Fetch(Request("/metrics/slis")), "200 slis /metrics/slis");
  EXPECT_EQ(Fetch(Request("/metrics/resources")), "200 resources /metrics/resources");
  EXPECT_EQ(Fetch(Request("/metrics%2Fslis")), "200 slis /metrics%2Fslis");
  for (const char* path : {"/", "/nope", "/healthzz", "/metrics/", "/metrics/other", "/debug"}) {
    EXPECT_EQ(Fetch(Request(path)), "404 404 page not found\n") << path;
  }
}

TEST_F(EndpointsTest, TheDashboardIsServedOnRequest) {
  EndpointSources sources = Sources();
  sources.api = sources.dashboard = [](const std::shared_ptr<net::Exchange>&) {};
  const Endpoints with = MakeEndpoints(std::move(sources));
  const Endpoints without = MakeEndpoints(Sources());
  for (const char* path : {"/berth/v1/pods", "/berth/dashboard/", "/berth/dashboard/icon.svg"}) {
    EXPECT_NE(with.FindExchangeHandler(Request(path)), nullptr) << path;
    EXPECT_EQ(without.FindExchangeHandler(Request(path)), nullptr) << path;
  }
  EXPECT_EQ(with.FindExchangeHandler(Request("/metrics")), nullptr);
  EXPECT_EQ(HeaderOf(with.Serve(Request("/berth/dashboard")), "Location"), "dashboard/");
  EXPECT_EQ(without.Serve(Request("/berth/dashboard")).status, 404);
}

TEST_F(EndpointsTest, DeleteResetsMetrics) {
  EXPECT_EQ(Fetch(Request("/metrics", "DELETE")), "200 metrics reset\n");
  EXPECT_EQ(Fetch(Request("/metrics/slis", "DELETE")), "200 metrics reset\n");
  EXPECT_EQ(Fetch(Request("/metrics/resources", "DELETE")), "200 resources /metrics/resources");
  EXPECT_EQ(resets_, "metrics slis ");
}

TEST_F(EndpointsTest, ConfigzIsTheConfiguration) {
  const auto response = MakeEndpoints(Sources()).Serve(Request("/configz"));
  EXPECT_EQ(HeaderOf(response, "Content-Type"), "application/json");
  EXPECT_THAT(BodyOf(response), AllOf(StartsWith("{\"componentconfig\":{\"apiVersion\":"
                                                 "\"kubescheduler.config.k8s.io/v1\","
                                                 "\"kind\":\"KubeSchedulerConfiguration\","),
                                      HasSubstr("\"leaseDuration\":\"15s\""), EndsWith("}}")));
}

TEST_F(EndpointsTest, VerbosityIsSetByPut) {
  net::ServerRequest request = Request("/debug/flags/v", "PUT");
  request.body = "4";
  EXPECT_EQ(Fetch(request), "200 successfully set klog.logging.verbosity to 4");
  EXPECT_EQ(log_.verbosity(), 4);
  request.body = "lots";
  EXPECT_EQ(Fetch(request), "400 strconv.ParseUint: parsing \"lots\": invalid syntax");
  EXPECT_EQ(Fetch(Request("/debug/flags/v")), "406 unsupported http method");
  EXPECT_THAT(Fetch(Request("/debug/pprof/heap")), StartsWith("501 "));
}

TEST_F(EndpointsTest, WithoutProfilingThereIsNothingToDebug) {
  EndpointSources sources = Sources();
  sources.configuration.enable_profiling = false;
  EXPECT_THAT(Fetch(Request("/debug/flags/v", "PUT"), sources), StartsWith("404 "));
  EXPECT_THAT(Fetch(Request("/debug/pprof/"), sources), StartsWith("404 "));
}

constexpr const char* kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

TEST_F(EndpointsTest, FlagzIsTextByDefault) {
  const std::string want =
      std::string("200 \nberth-scheduler flagz\n") + kWarning + "a:1\nb-c:[x,y]\n";
  EXPECT_EQ(Fetch(Request("/flagz")), want);
  for (const char* accept : {"", "*/*", "text/plain", "application/json, text/plain;q=0.5"}) {
    EXPECT_EQ(Fetch(Request("/flagz", "GET", {{"Accept", accept}})), want) << accept;
  }
}

TEST_F(EndpointsTest, FlagzIsStructuredOnRequest) {
  const auto fetch = [&](const char* accept) {
    return MakeEndpoints(Sources()).Serve(Request("/flagz", "GET", {{"Accept", accept}}));
  };
  const auto json = fetch("application/json;v=v1beta1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(BodyOf(json),
            "{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":{\"name\":"
            "\"berth-scheduler\"},\"flags\":{\"a\":\"1\",\"b-c\":\"[x,y]\"}}\n");
  EXPECT_EQ(HeaderOf(json, "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(json, "Warning"), "");
  const auto yaml = fetch("application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(BodyOf(yaml),
            "apiVersion: config.k8s.io/v1alpha1\nflags:\n  a: \"1\"\n  b-c: \"[x,y]\"\nkind: "
            "Flagz\nmetadata:\n  name: berth-scheduler\n");
  EXPECT_EQ(HeaderOf(yaml, "Warning"),
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer "
            "version.\"");
}

TEST_F(EndpointsTest, OtherFormsAreNotAcceptable) {
  for (const char* accept :
       {"application/json", "text/html", "application/json;v=v1;g=config.k8s.io;as=Flagz",
        "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}) {
    EXPECT_EQ(Fetch(Request("/flagz", "GET", {{"Accept", accept}})),
              "406 {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
              "\"Failure\",\"message\":\"only the following media types are accepted: "
              "application/json, application/yaml, text/plain\",\"reason\":\"NotAcceptable\","
              "\"code\":406}\n")
        << accept;
  }
}

TEST_F(EndpointsTest, StatuszHasUptimeAndPaths) {
  const std::string text = Fetch(Request("/statusz"));
  EXPECT_THAT(text, StartsWith(std::string("200 \nberth-scheduler statusz\n") + kWarning +
                               "\nStarted: Wed Jun  5 12:34:56 UTC 2024\nUp: 1 hr 01 min 01 sec\n"
                               "Go version: none (C++, gcc "));
  EXPECT_THAT(text, EndsWith("\nBinary version: 1.36.0\nEmulation version: 1.36\n"
                             "Paths: /configz /flagz /healthz /livez /metrics /readyz\n"));
  const std::string json = Fetch(Request(
      "/statusz", "GET", {{"Accept", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}}));
  EXPECT_THAT(json, StartsWith("200 {\"kind\":\"Statusz\",\"apiVersion\":\"config.k8s.io/v1beta1\","
                               "\"metadata\":{\"name\":\"berth-scheduler\"},\"startTime\":"
                               "\"2024-06-05T12:34:56Z\",\"uptimeSeconds\":3661,\"goVersion\":"));
  EXPECT_THAT(json, EndsWith("\"binaryVersion\":\"1.36.0\",\"emulationVersion\":\"1.36\",\"paths\":"
                             "[\"/configz\",\"/flagz\",\"/healthz\",\"/livez\",\"/metrics\","
                             "\"/readyz\"]}\n"));
}

TEST_F(EndpointsTest, GatesSwitchPagesOff) {
  const std::vector<std::string> settings = {"ComponentFlagz=false", "ComponentStatusz=false"};
  EndpointSources sources = Sources();
  sources.gates = *features::FeatureGates::Parse(settings);
  EXPECT_THAT(Fetch(Request("/flagz"), sources), StartsWith("404 "));
  EXPECT_THAT(Fetch(Request("/statusz"), sources), StartsWith("404 "));
}

TEST(ResponsesTest, RefusalsAreStatusObjects) {
  const net::ServerRequest request = Request("/metrics?x=1");
  EXPECT_EQ(BodyOf(UnauthorizedResponse(request)),
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
            "\"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}\n");
  const auto forbidden = ForbiddenResponse(request, {"system:anonymous"}, "get", "");
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_EQ(BodyOf(forbidden),
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
            "\"message\":\"forbidden: User \\\"system:anonymous\\\" cannot get path "
            "\\\"/metrics\\\"\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}\n");
  EXPECT_THAT(BodyOf(ForbiddenResponse(Request("/<a>"), {"b&c"}, "get", "no role")),
              HasSubstr("User \\\"b&amp;c\\\" cannot get path \\\"/&lt;a&gt;\\\": no role"));
  EXPECT_EQ(BodyOf(InternalErrorResponse(request, "boom")),
            "Internal Server Error: \"/metrics?x=1\": boom\n");
}

TEST(ResponsesTest, JsonIsIndentedForPeople) {
  const auto request = Request("/metrics", "GET", {{"User-Agent", "curl/8.0"}});
  EXPECT_EQ(
      BodyOf(ForbiddenResponse(request, {"a"}, "get", "")),
      "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
      "  \"status\": \"Failure\",\n  \"message\": \"forbidden: User \\\"a\\\" cannot get path "
      "\\\"/metrics\\\"\",\n  \"reason\": \"Forbidden\",\n  \"details\": {},\n  \"code\": "
      "403\n}");
}

TEST(SlowEndpoints, AreServedOneAfterAnotherAndOthersMeanwhile) {
  Endpoints endpoints;
  std::promise<void> begun, go;
  std::atomic<int> calls = 0;
  endpoints.HandleSlowly("/slow", [&](const net::ServerRequest&) {
    if (++calls == 1) {
      begun.set_value();
      Await(go);
    }
    return PlainResponse(200, "slow");
  });
  endpoints.Handle("/fast", Says("fast"));
  const net::ServerRequest slow = Request("/slow");
  constexpr int kServed = 1 + SlowRequests::kMaxWaiting;
  std::vector<std::promise<int>> statuses(kServed + 1);
  const auto ask = [&](size_t i) {
    endpoints.Serve(slow,
                    [&, i](const net::ServerResponse& r) { statuses[i].set_value(r.status); });
  };
  ask(0);
  Await(begun);
  for (size_t i = 1; i <= kServed; ++i) ask(i);
  EXPECT_EQ(Await(statuses[kServed]), 503) << "too many wait";
  int fast = 0;
  endpoints.Serve(Request("/fast"), [&](const net::ServerResponse& r) { fast = r.status; });
  EXPECT_EQ(fast, 200);
  go.set_value();
  for (size_t i = 0; i < kServed; ++i) EXPECT_EQ(Await(statuses[i]), 200);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
