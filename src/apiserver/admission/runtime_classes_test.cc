#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::ApiFixture;
using registry::ErrorOf;

struct RuntimeClassFixture : ApiFixture {
  RuntimeClassFixture() {
    Make("runtimeclasses.node.k8s.io",
         "{'metadata':{'name':'sandbox'},'handler':'h','overhead':{'podFixed':{'cpu':'250m'}},"
         "'scheduling':{'nodeSelector':{'sandbox':'yes'},"
         "'tolerations':[{'key':'sandbox','operator':'Exists'}]}}");
  }
  api::scheme::ApiResult<registry::Written> Pod(std::string_view more) {
    return Create("pods", fmt::format("{{'metadata':{{'name':'a'}},'spec':{{"
                                      "'containers':[{{'name':'c','image':'i'}}]{}}}}}",
                                      more));
  }
};

TEST(AdmitRuntimeClass, AddsWhatTheClassNeeds) {
  RuntimeClassFixture fixture;
  const auto pod = fixture.Pod(",'runtimeClassName':'sandbox','nodeSelector':{'disk':'ssd'}");
  ASSERT_EQ(ErrorOf(pod), "ok");
  EXPECT_HOLDS(store::Parse(*pod->object),
               "{'spec':{'overhead':{'cpu':'250m'},'nodeSelector':{'disk':'ssd','sandbox':'yes'},"
               "'tolerations':[{'key':'node.kubernetes.io/not-ready'},"
               "{'key':'node.kubernetes.io/unreachable'},{'key':'sandbox','operator':'Exists'}]}}");
}

TEST(AdmitRuntimeClass, RefusesWhatDoesNotFit) {
  RuntimeClassFixture fixture;
  EXPECT_EQ(
      ErrorOf(fixture.Pod(",'runtimeClassName':'none'")),
      "403 Forbidden: pods \"a\" is forbidden: pod rejected: RuntimeClass \"none\" not found");
  EXPECT_EQ(ErrorOf(fixture.Pod(",'runtimeClassName':'sandbox','overhead':{'cpu':'1'}")),
            "403 Forbidden: pods \"a\" is forbidden: pod rejected: Pod's Overhead doesn't match "
            "RuntimeClass's defined Overhead");
  EXPECT_EQ(ErrorOf(fixture.Pod(",'runtimeClassName':'sandbox','nodeSelector':{'sandbox':'no'}")),
            "403 Forbidden: pods \"a\" is forbidden: conflict: "
            "runtimeClass.scheduling.nodeSelector[sandbox] = yes; "
            "pod.spec.nodeSelector[sandbox] = no");
  EXPECT_EQ(ErrorOf(fixture.Pod(",'runtimeClassName':'sandbox','overhead':{'cpu':'0.25'}")), "ok");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
