#include "apiserver/openapi/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/json/view.h"
#include "api/scheme/kind_set.h"
#include "api/scheme/scheme.h"

namespace berth::apiserver::openapi {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Not a global variable: the table of kinds refers to others.
const api::scheme::KindSet& BuiltIn() {
  static const api::scheme::KindSet kinds({}, 0, /*alpha_workloads=*/true);
  return kinds;
}

TEST(DiscoveryTest, AggregatedCoreGroupHasNoName) {
  const std::string text = AggregatedDiscovery(BuiltIn(), true, "v2");
  EXPECT_THAT(text, StartsWith(R"({"kind":"APIGroupDiscoveryList",)"
                               R"("apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
                               R"("items":[{"metadata":{},"versions":[{"version":"v1",)"));
  EXPECT_THAT(text, Not(HasSubstr("deployments")));
}

TEST(DiscoveryTest, AggregatedPods) {
  EXPECT_THAT(
      AggregatedDiscovery(BuiltIn(), true, "v2"),
      HasSubstr(R"({"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},)"
                R"("scope":"Namespaced","singularResource":"pod","verbs":["create","delete",)"
                R"("deletecollection","get","list","patch","update","watch"],)"
                R"("shortNames":["po"],"categories":["all"],"subresources":[)"
                R"({"subresource":"attach","responseKind":{"group":"","version":"v1",)"
                R"("kind":"PodAttachOptions"},"verbs":["create","get"]},)"
                R"({"subresource":"binding","responseKind":{"group":"","version":"v1",)"
                R"("kind":"Binding"},"verbs":["create"]},)"
                R"({"subresource":"ephemeralcontainers","responseKind":{"group":"","version":"",)"
                R"("kind":"Pod"},"verbs":["get","patch","update"]},)"
                R"({"subresource":"eviction","responseKind":{"group":"policy","version":"v1",)"
                R"("kind":"Eviction"},"verbs":["create"]},)"));
}

TEST(DiscoveryTest, AggregatedDeploymentsHaveTheScaleOfAutoscaling) {
  const std::string text = AggregatedDiscovery(BuiltIn(), false, "v2beta1");
  EXPECT_THAT(text, HasSubstr(R"("apiVersion":"apidiscovery.k8s.io/v2beta1")"));
  EXPECT_THAT(text, HasSubstr(R"({"metadata":{"name":"apps"},"versions":[{"version":"v1",)"));
  EXPECT_THAT(text, HasSubstr(R"("shortNames":["deploy"],"categories":["all"],"subresources":[)"
                              R"({"subresource":"scale","responseKind":{"group":"autoscaling",)"
                              R"("version":"v1","kind":"Scale"},"verbs":["get","patch",)"
                              R"("update"]})"));
  EXPECT_THAT(text, Not(HasSubstr(R"("resource":"pods")")));
}

TEST(DiscoveryTest, EveryKindIsInOneOfTheAggregatedDocuments) {
  size_t count = 0;
  for (const bool core : {true, false}) {
    const api::Json document = boost::json::parse(AggregatedDiscovery(BuiltIn(), core, "v2"));
    for (const api::JsonView group : api::JsonView(document)["items"].items()) {
      for (const api::JsonView version : group["versions"].items()) {
        EXPECT_EQ(version["freshness"].text(), "Current");
        for (const api::JsonView resource : version["resources"].items()) {
          EXPECT_NE(api::scheme::FindKind(group["metadata"]["name"].text(),
                                          version["version"].text(), resource["resource"].text()),
                    nullptr);
          ++count;
        }
      }
    }
  }
  EXPECT_EQ(count, api::scheme::Kinds().size());
}

TEST(DiscoveryTest, ApiVersions) {
  EXPECT_EQ(ApiVersions(),
            R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]})");
}

TEST(DiscoveryTest, GroupsAreListedOnceWithTheirVersion) {
  const std::string text = ApiGroupList(BuiltIn());
  EXPECT_THAT(text, StartsWith(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)"));
  const std::string apps =
      R"("name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],)"
      R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}})";
  EXPECT_THAT(text, HasSubstr("{" + apps));
  EXPECT_EQ(text.find(apps), text.rfind(apps));
  EXPECT_EQ(ApiGroup(BuiltIn(), "apps"), R"({"kind":"APIGroup","apiVersion":"v1",)" + apps);
}

TEST(DiscoveryTest, AGroupMayHaveSeveralVersions) {
  EXPECT_THAT(ApiGroup(BuiltIn(), "coordination.k8s.io").value_or(""),
              HasSubstr(R"("versions":[{"groupVersion":"coordination.k8s.io/v1","version":"v1"},)"
                        R"({"groupVersion":"coordination.k8s.io/v1beta1","version":"v1beta1"}],)"
                        R"("preferredVersion":{"groupVersion":"coordination.k8s.io/v1",)"));
  EXPECT_THAT(ApiResourceList(BuiltIn(), "coordination.k8s.io", "v1beta1").value_or(""),
              HasSubstr(R"("resources":[{"name":"leasecandidates",)"));
  const std::string text = AggregatedDiscovery(BuiltIn(), false, "v2");
  EXPECT_THAT(text, HasSubstr(R"({"metadata":{"name":"coordination.k8s.io"},"versions":[)"
                              R"({"version":"v1","resources":[{"resource":"leases",)"));
  EXPECT_THAT(text,
              HasSubstr(R"({"version":"v1beta1","resources":[{"resource":"leasecandidates",)"));
}

TEST(DiscoveryTest, UnknownGroupsAreNotFound) {
  EXPECT_EQ(ApiGroup(BuiltIn(), "x"), std::nullopt);
  EXPECT_EQ(ApiGroup(BuiltIn(), ""), std::nullopt);
  EXPECT_EQ(ApiResourceList(BuiltIn(), "apps", "v1beta1"), std::nullopt);
  EXPECT_EQ(ApiResourceList(BuiltIn(), "", "v2"), std::nullopt);
}

TEST(DiscoveryTest, PlainResources) {
  const std::string text = ApiResourceList(BuiltIn(), "", "v1").value_or("");
  EXPECT_THAT(text, StartsWith(R"({"kind":"APIResourceList","apiVersion":"v1",)"
                               R"("groupVersion":"v1","resources":[)"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"nodes","singularName":"node","namespaced":false,)"
                              R"("kind":"Node","verbs":["create",)"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"pods/eviction","singularName":"","namespaced":true,)"
                              R"("group":"policy","version":"v1","kind":"Eviction",)"
                              R"("verbs":["create"]})"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"pods/status","singularName":"","namespaced":true,)"
                              R"("kind":"Pod","verbs":["get","patch","update"]})"));
}

TEST(DiscoveryTest, PlainScale) {
  EXPECT_THAT(ApiResourceList(BuiltIn(), "apps", "v1").value_or(""),
              HasSubstr(R"({"name":"deployments/scale","singularName":"","namespaced":true,)"
                        R"("group":"autoscaling","version":"v1","kind":"Scale",)"
                        R"("verbs":["get","patch","update"]})"));
}

TEST(DiscoveryTest, TheVersionIsASemanticOne) {
  EXPECT_THAT(VersionInfo(), StartsWith(R"({"major":"1","minor":"36","gitVersion":"v1.36.0",)"));
}

TEST(Discovery, MetricsAreAnnouncedWithoutResources) {
  EXPECT_EQ(
      ApiResourceList(BuiltIn(), "metrics.k8s.io", "v1beta1"),
      R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"metrics.k8s.io/v1beta1",)"
      R"("resources":[]})");
  EXPECT_THAT(ApiGroupList(BuiltIn()), testing::HasSubstr(R"("name":"metrics.k8s.io")"));
  EXPECT_THAT(AggregatedDiscovery(BuiltIn(), false, "v2"),
              testing::HasSubstr(R"("name":"metrics.k8s.io")"));
  EXPECT_FALSE(ApiResourceList(BuiltIn(), "metrics.k8s.io", "v1"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::openapi
