// berth schedule with extenders, over HTTP.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berth_process_testing.h"
#include "testing/fake_http_server.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: big}
status: {capacity: {cpu: 8, memory: 16Gi}}
---
apiVersion: v1
kind: Node
metadata: {name: small}
status: {capacity: {cpu: 2, memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: c, image: i}]
)";

class ExtenderCliTest : public ::testing::Test {
 protected:
  ProcessResult Schedule(const std::string& url, std::string_view more) {
    const std::string config = fmt::format(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- urlPrefix: "{}"
  nodeCacheCapable: true
  {}
)",
                                           url, more);
    return RunBerth({"schedule", "-f", files_.Write("cluster.yaml", kCluster), "--config",
                     files_.Write("config.yaml", config)});
  }

  TemporaryDirectory files_;
};

TEST_F(ExtenderCliTest, FilterDecides) {
  FakeHttpServer server([](const ReceivedRequest& request) {
    return FakeResponse{.body = request.target == "/filter"
                                    ? R"({"NodeNames":["small"],"FailedNodes":{"big":"no"}})"
                                    : "unexpected"};
  });
  const ProcessResult ended = Schedule(server.url(), "filterVerb: filter");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("default/web  Scheduled  small"));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ExtenderCliTest, ExtenderMayBind) {
  FakeHttpServer server([](const ReceivedRequest&) { return FakeResponse{.body = "{}"}; });
  const ProcessResult ended = Schedule(server.url(), "bindVerb: bind");
  EXPECT_THAT(ended.out, HasSubstr("default/web  Scheduled  big"));
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(server.requests()[0].body, HasSubstr(R"("Node":"big")"));
}

TEST_F(ExtenderCliTest, BadServersAreNamed) {
  struct Case {
    const char* name;
    FakeResponse response;
    const char* want;
  };
  const Case cases[] = {
      {"Status", {.status = 500, .body = "oh no"}, "500"},
      {"Nonsense", {.body = "<html>"}, "answer to filter"},
      {"Silent", {.body = {}, .none = true}, "100ms"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    FakeHttpServer server([&](const ReceivedRequest&) { return c.response; });
    const ProcessResult ended = Schedule(server.url(), "filterVerb: filter\n  httpTimeout: 100ms");
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("default/web  Failed"));
    EXPECT_THAT(ended.out, HasSubstr(c.want));
  }
}

TEST_F(ExtenderCliTest, AbsentServerIsFatalUnlessIgnorable) {
  std::string url;
  {
    FakeHttpServer gone([](const ReceivedRequest&) { return FakeResponse{}; });
    url = gone.url();
  }
  EXPECT_THAT(Schedule(url, "filterVerb: filter").out, HasSubstr("connection refused"));
  EXPECT_THAT(Schedule(url, "filterVerb: filter\n  ignorable: true").out,
              HasSubstr("default/web  Scheduled  big"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
