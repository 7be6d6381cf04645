#include "daemon/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/endpoint_responses.h"
#include "daemon/flags.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string BodyOf(const net::ServerResponse& answer) {
  std::string body;
  for (const net::Piece& piece : answer.body) body += piece.bytes;
  return body;
}

std::string HeaderOf(const net::ServerResponse& answer, std::string_view name) {
  return std::string(net::FindHeader(answer.headers, name));
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

  // "status body".
  std::string Ask(const net::ServerRequest& request) { return Ask(request, Sources()); }
  static std::string Ask(const net::ServerRequest& request, EndpointSources sources) {
    const auto answer = MakeEndpoints(std::move(sources)).Serve(request);
    return std::to_string(answer.status) + " " + BodyOf(answer);
  }

  SimClock clock_{Instant::FromUnixSeconds(1'717'590'896 + 3661)};
  observability::Logger log_{clock_, 1, [](std::string_view) {}, [](std::string_view) {}};
  std::string resets_;
};

TEST_F(EndpointsTest, PathsFindTheirHandlers) {
  EXPECT_EQ(Ask(Request("/healthz?verbose")), "200 healthz /healthz?verbose");
  EXPECT_EQ(Ask(Request("/healthz/ping")), "200 healthz /healthz/ping");
  EXPECT_EQ(Ask(Request("/livez")), "200 livez /livez");
  EXPECT_EQ(Ask(Request("/readyz/shutdown")), "200 readyz /readyz/shutdown");
  EXPECT_EQ(Ask(Request("/metrics")), "200 metrics /metrics");
  EXPECT_EQ(Ask(Request("/metrics/slis")), "200 slis /metrics/slis");
  EXPECT_EQ(Ask(Request("/metrics/resources")), "200 resources /metrics/resources");
  EXPECT_EQ(Ask(Request("/metrics%2Fslis")), "200 slis /metrics%2Fslis");
  for (const char* path : {"/", "/nope", "/healthzz", "/metrics/", "/metrics/other", "/debug"}) {
    EXPECT_EQ(Ask(Request(path)), "404 404 page not found\n") << path;
  }
}

TEST_F(EndpointsTest, DeleteResetsMetrics) {
  EXPECT_EQ(Ask(Request("/metrics", "DELETE")), "200 metrics reset\n");
  EXPECT_EQ(Ask(Request("/metrics/slis", "DELETE")), "200 metrics reset\n");
  EXPECT_EQ(Ask(Request("/metrics/resources", "DELETE")), "200 resources /metrics/resources");
  EXPECT_EQ(resets_, "metrics slis ");
}

TEST_F(EndpointsTest, ConfigzIsTheConfiguration) {
  const auto answer = MakeEndpoints(Sources()).Serve(Request("/configz"));
  EXPECT_EQ(HeaderOf(answer, "Content-Type"), "application/json");
  EXPECT_THAT(BodyOf(answer), AllOf(StartsWith("{\"componentconfig\":{\"apiVersion\":"
                                               "\"kubescheduler.config.k8s.io/v1\","
                                               "\"kind\":\"KubeSchedulerConfiguration\","),
                                    HasSubstr("\"leaseDuration\":\"15s\""), EndsWith("}}")));
}

TEST_F(EndpointsTest, VerbosityIsSetByPut) {
  net::ServerRequest request = Request("/debug/flags/v", "PUT");
  request.body = "4";
  EXPECT_EQ(Ask(request), "200 successfully set klog.logging.verbosity to 4");
  EXPECT_EQ(log_.verbosity(), 4);
  request.body = "lots";
  EXPECT_EQ(Ask(request), "400 strconv.ParseUint: parsing \"lots\": invalid syntax");
  EXPECT_EQ(Ask(Request("/debug/flags/v")), "406 unsupported http method");
  EXPECT_THAT(Ask(Request("/debug/pprof/heap")), StartsWith("501 "));
}

TEST_F(EndpointsTest, WithoutProfilingThereIsNothingToDebug) {
  EndpointSources sources = Sources();
  sources.configuration.enable_profiling = false;
  EXPECT_THAT(Ask(Request("/debug/flags/v", "PUT"), sources), StartsWith("404 "));
  EXPECT_THAT(Ask(Request("/debug/pprof/"), sources), StartsWith("404 "));
}

constexpr const char* kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

TEST_F(EndpointsTest, FlagzIsTextByDefault) {
  const std::string want =
      std::string("200 \nkube-scheduler flagz\n") + kWarning + "a:1\nb-c:[x,y]\n";
  EXPECT_EQ(Ask(Request("/flagz")), want);
  for (const char* accept : {"", "*/*", "text/plain", "application/json, text/plain;q=0.5"}) {
    EXPECT_EQ(Ask(Request("/flagz", "GET", {{"Accept", accept}})), want) << accept;
  }
}

TEST_F(EndpointsTest, FlagzIsStructuredIfAsked) {
  const auto ask = [&](const char* accept) {
    return MakeEndpoints(Sources()).Serve(Request("/flagz", "GET", {{"Accept", accept}}));
  };
  const auto json = ask("application/json;v=v1beta1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(BodyOf(json),
            "{\"kind\":\"Flagz\",\"apiVersion\":\"config.k8s.io/v1beta1\",\"metadata\":{\"name\":"
            "\"kube-scheduler\"},\"flags\":{\"a\":\"1\",\"b-c\":\"[x,y]\"}}\n");
  EXPECT_EQ(HeaderOf(json, "Content-Type"), "application/json");
  EXPECT_EQ(HeaderOf(json, "Warning"), "");
  const auto yaml = ask("application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  EXPECT_EQ(BodyOf(yaml),
            "apiVersion: config.k8s.io/v1alpha1\nflags:\n  a: \"1\"\n  b-c: \"[x,y]\"\nkind: "
            "Flagz\nmetadata:\n  name: kube-scheduler\n");
  EXPECT_EQ(HeaderOf(yaml, "Warning"),
            "299 - \"This version of the flagz endpoint is deprecated. Please use a newer "
            "version.\"");
}

TEST_F(EndpointsTest, OtherFormsAreNotAcceptable) {
  for (const char* accept :
       {"application/json", "text/html", "application/json;v=v1;g=config.k8s.io;as=Flagz",
        "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}) {
    EXPECT_EQ(Ask(Request("/flagz", "GET", {{"Accept", accept}})),
              "406 {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
              "\"Failure\",\"message\":\"only the following media types are accepted: "
              "application/json, application/yaml, text/plain\",\"reason\":\"NotAcceptable\","
              "\"code\":406}\n")
        << accept;
  }
}

TEST_F(EndpointsTest, StatuszTellsHowLongAndWhat) {
  const std::string text = Ask(Request("/statusz"));
  EXPECT_THAT(text, StartsWith(std::string("200 \nkube-scheduler statusz\n") + kWarning +
                               "\nStarted: Wed Jun  5 12:34:56 UTC 2024\nUp: 1 hr 01 min 01 sec\n"
                               "Go version: none (C++, gcc "));
  EXPECT_THAT(text, EndsWith("\nBinary version: 1.36.0\nEmulation version: 1.36\n"
                             "Paths: /configz /flagz /healthz /livez /metrics /readyz\n"));
  const std::string json = Ask(Request(
      "/statusz", "GET", {{"Accept", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz"}}));
  EXPECT_THAT(json, StartsWith("200 {\"kind\":\"Statusz\",\"apiVersion\":\"config.k8s.io/v1beta1\","
                               "\"metadata\":{\"name\":\"kube-scheduler\"},\"startTime\":"
                               "\"2024-06-05T12:34:56Z\",\"uptimeSeconds\":3661,\"goVersion\":"));
  EXPECT_THAT(json, EndsWith("\"binaryVersion\":\"1.36.0\",\"emulationVersion\":\"1.36\",\"paths\":"
                             "[\"/configz\",\"/flagz\",\"/healthz\",\"/livez\",\"/metrics\","
                             "\"/readyz\"]}\n"));
}

TEST_F(EndpointsTest, GatesSwitchPagesOff) {
  const std::vector<std::string> settings = {"ComponentFlagz=false", "ComponentStatusz=false"};
  EndpointSources sources = Sources();
  sources.gates = *FeatureGates::Parse(settings);
  EXPECT_THAT(Ask(Request("/flagz"), sources), StartsWith("404 "));
  EXPECT_THAT(Ask(Request("/statusz"), sources), StartsWith("404 "));
}

TEST(AnswersTest, RefusalsAreStatusObjects) {
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

TEST(AnswersTest, PeopleGetLines) {
  const auto request = Request("/metrics", "GET", {{"User-Agent", "curl/8.0"}});
  EXPECT_EQ(
      BodyOf(ForbiddenResponse(request, {"a"}, "get", "")),
      "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
      "  \"status\": \"Failure\",\n  \"message\": \"forbidden: User \\\"a\\\" cannot get path "
      "\\\"/metrics\\\"\",\n  \"reason\": \"Forbidden\",\n  \"details\": {},\n  \"code\": "
      "403\n}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
