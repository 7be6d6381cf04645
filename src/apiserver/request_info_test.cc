#include "apiserver/request_info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

// "verb group/version/resource namespace/name/subresource", or "path <path>", or the error's code.
std::string Tell(const api::scheme::ApiResult<RequestInfo>& info) {
  if (!info) return fmt::to_string(info.error().code);
  if (info->kind == nullptr) return "path " + info->path;
  return fmt::format("{} {}/{} {}/{}/{}", VerbName(info->verb), info->kind->api_version(),
                     info->kind->resource, info->namespace_, info->name, info->subresource);
}

struct PathCase {
  const char* name;
  const char* method;
  const char* target;
  const char* want;
};

class PathTest : public testing::TestWithParam<PathCase> {};

TEST_P(PathTest, IsParsedLikeKubernetes) {
  EXPECT_EQ(Tell(ReadRequest(GetParam().method, GetParam().target, api::scheme::KindSet())),
            GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Objects, PathTest,
    testing::Values(
        PathCase{"ListOfANamespace", "GET", "/api/v1/namespaces/a/pods", "list v1/pods a//"},
        PathCase{"ListOfAll", "GET", "/api/v1/pods?limit=500", "list v1/pods //"},
        PathCase{"HeadIsGet", "HEAD", "/api/v1/pods", "list v1/pods //"},
        PathCase{"Get", "GET", "/api/v1/namespaces/a/pods/x", "get v1/pods a/x/"},
        PathCase{"SlashAtTheEnd", "GET", "/api/v1/namespaces/a/pods/", "list v1/pods a//"},
        PathCase{"Watch", "GET", "/api/v1/nodes?watch=true", "watch v1/nodes //"},
        PathCase{"WatchAsNumber", "GET", "/api/v1/nodes?watch=1", "watch v1/nodes //"},
        PathCase{"WatchNothingSaid", "GET", "/api/v1/nodes?watch", "watch v1/nodes //"},
        PathCase{"WatchFalse", "GET", "/api/v1/nodes?watch=False", "list v1/nodes //"},
        PathCase{"WatchZero", "GET", "/api/v1/nodes?watch=0", "list v1/nodes //"},
        PathCase{"NamedGetIsNoWatch", "GET", "/api/v1/nodes/n?watch=1", "get v1/nodes /n/"},
        PathCase{"LegacyWatch", "GET", "/api/v1/watch/pods", "watch v1/pods //"},
        PathCase{"LegacyWatchOfOne", "GET", "/api/v1/watch/namespaces/a/pods/x",
                 "watch v1/pods a/x/"},
        PathCase{"Create", "POST", "/apis/apps/v1/namespaces/a/deployments",
                 "create apps/v1/deployments a//"},
        PathCase{"Update", "PUT", "/api/v1/nodes/n", "update v1/nodes /n/"},
        PathCase{"PatchStatus", "PATCH", "/api/v1/nodes/n/status", "patch v1/nodes /n/status"},
        PathCase{"Delete", "DELETE", "/api/v1/namespaces/a/pods/x", "delete v1/pods a/x/"},
        PathCase{"DeleteCollection", "DELETE", "/api/v1/namespaces/a/pods",
                 "deletecollection v1/pods a//"},
        PathCase{"Bind", "POST", "/api/v1/namespaces/a/pods/x/binding",
                 "create v1/pods a/x/binding"},
        PathCase{"Namespace", "GET", "/api/v1/namespaces/a", "get v1/namespaces /a/"},
        PathCase{"NamespaceStatus", "GET", "/api/v1/namespaces/a/status",
                 "get v1/namespaces /a/status"},
        PathCase{"NamespaceFinalize", "PUT", "/api/v1/namespaces/a/finalize",
                 "update v1/namespaces /a/finalize"},
        PathCase{"Namespaces", "GET", "/api/v1/namespaces", "list v1/namespaces //"},
        PathCase{"EventsOfTheirGroup", "GET", "/apis/events.k8s.io/v1/events",
                 "list events.k8s.io/v1/events //"},
        PathCase{"EscapedName", "GET", "/api/v1/namespaces/a/pods/x%2Ey", "get v1/pods a/x.y/"},
        PathCase{"Review", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                 "create authorization.k8s.io/v1/selfsubjectaccessreviews //"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Others, PathTest,
    testing::Values(
        PathCase{"Root", "GET", "/", "path /"},
        PathCase{"Version", "GET", "/version", "path /version"},
        PathCase{"Api", "GET", "/api", "path /api"},
        PathCase{"ApiVersion", "GET", "/api/v1/", "path /api/v1"},
        PathCase{"Group", "GET", "/apis/apps", "path /apis/apps"},
        PathCase{"GroupVersion", "GET", "/apis/apps/v1?timeout=32s", "path /apis/apps/v1"},
        PathCase{"OpenApi", "GET", "/openapi/v3/apis/apps/v1", "path /openapi/v3/apis/apps/v1"},
        PathCase{"Health", "GET", "/readyz?verbose", "path /readyz"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Errors, PathTest,
    testing::Values(
        PathCase{"UnknownResource", "GET", "/api/v1/boats", "404"},
        PathCase{"UnknownGroup", "GET", "/apis/boats/v1/boats", "404"},
        PathCase{"UnknownVersion", "GET", "/apis/apps/v9/deployments", "404"},
        PathCase{"UnknownSubresource", "GET", "/api/v1/namespaces/a/pods/x/y", "404"},
        PathCase{"TooLong", "GET", "/api/v1/namespaces/a/pods/x/status/y", "404"},
        PathCase{"NameWithoutNamespace", "GET", "/api/v1/pods/x", "404"},
        PathCase{"NamespaceOfClusterScoped", "GET", "/api/v1/namespaces/a/nodes", "404"},
        PathCase{"EmptyNamespace", "GET", "/api/v1/namespaces//pods", "404"},
        PathCase{"EmptySegment", "GET", "/api/v1//pods", "404"},
        PathCase{"CreateWithoutNamespace", "POST", "/api/v1/pods", "405"},
        PathCase{"CreateUnderAName", "POST", "/api/v1/nodes/n", "405"},
        PathCase{"UpdateOfACollection", "PUT", "/api/v1/nodes", "405"},
        PathCase{"PatchOfACollection", "PATCH", "/api/v1/namespaces/a/pods", "405"},
        PathCase{"DeleteOfAllNamespaces", "DELETE", "/api/v1/pods", "405"},
        PathCase{"DeleteOfAStatus", "DELETE", "/api/v1/nodes/n/status", "405"},
        PathCase{"ReviewsAreNotListed", "GET",
                 "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "405"},
        PathCase{"UnknownMethod", "BREW", "/api/v1/nodes", "405"},
        PathCase{"Traversal", "GET", "/api/v1/../../etc/passwd", "400"},
        PathCase{"EscapedTraversal", "GET", "/api/v1/namespaces/%2e%2e/pods", "400"},
        PathCase{"EscapedSlash", "GET", "/api/v1/namespaces/a/pods/x%2fy", "400"},
        PathCase{"EscapedNull", "GET", "/api/v1/namespaces/a/pods/x%00", "400"},
        PathCase{"BadEscape", "GET", "/api/v1/namespaces/%zz/pods", "400"},
        PathCase{"CutEscape", "GET", "/api/v1/nodes/%4", "400"},
        PathCase{"MethodNotUtf8", "G\xff", "/nothing", "400"},
        PathCase{"NotUtf8", "GET", "/api/v1/nodes/%ff", "400"},
        PathCase{"BadEscapeInTheQuery", "GET", "/api/v1/nodes?labelSelector=%", "400"},
        PathCase{"NotUtf8InTheQuery", "GET", "/api/v1/nodes?labelSelector=%c3%28", "400"},
        PathCase{"NoSlash", "GET", "api/v1/nodes", "400"}, PathCase{"Star", "OPTIONS", "*", "400"},
        PathCase{"Nothing", "GET", "", "400"}),
    [](const auto& test) { return test.param.name; });

TEST(QueryTest, NamesAndValuesAreDecoded) {
  const auto query = Query::Parse("a=1&b=x+y%2Bz&c&&a=2&%64=e%3D");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->Get("a"), "1");
  EXPECT_EQ(query->All("a"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(query->Get("b"), "x y+z");
  EXPECT_EQ(query->Find("c"), "");
  EXPECT_EQ(query->Get("d"), "e=");
  EXPECT_EQ(query->Find("e"), std::nullopt);
}

TEST(QueryTest, NumbersAreIntegers) {
  const auto query = Query::Parse("a=12&b=-3&c=&d=1.5&e=99999999999999999999&f=x");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->Int("a"), 12);
  EXPECT_EQ(query->Int("b"), -3);
  EXPECT_EQ(query->Int("c"), std::nullopt);
  EXPECT_EQ(query->Int("absent"), std::nullopt);
  for (const char* name : {"d", "e", "f"}) {
    const auto number = query->Int(name);
    ASSERT_FALSE(number) << name;
    EXPECT_EQ(number.error().code, 400);
  }
}

// What `kubectl top` requests.
TEST(RequestInfo, ThereAreNoMetrics) {
  const auto request =
      ReadRequest("GET", "/apis/metrics.k8s.io/v1beta1/nodes", api::scheme::KindSet());
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, 501);
  EXPECT_EQ(request.error().message,
            "there are no metrics: Berth runs no containers, its pods are fake");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
