#include "apiserver/registry/quota_charge.h"

#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

struct QuotaFixture : ApiFixture {
  // Creates a quota with a status, as the quota controller writes it.
  void AddQuota(std::string_view hard, std::string_view used, std::string_view more = "") {
    Make("resourcequotas",
         fmt::format("{{'metadata':{{'name':'q'}},'spec':{{'hard':{}{}}}}}", hard, more));
    ASSERT_EQ(
        ErrorOf(Merge("resourcequotas", "q",
                      fmt::format("{{'status':{{'hard':{},'used':{}}}}}", hard, used), "status")),
        "ok");
  }
  api::Json Used() const { return Get("resourcequotas", "q").at("status").at("used"); }
};

std::string PodWith(std::string_view name, std::string_view resources) {
  return fmt::format(
      "{{'metadata':{{'name':'{}'}},'spec':{{'containers':[{{'name':'c','image':'i',"
      "'resources':{}}}]}}}}",
      name, resources);
}

TEST(QuotaCharge, CountsAndRefuses) {
  QuotaFixture fixture;
  fixture.AddQuota("{'pods':'2','requests.cpu':'1','limits.memory':'2Gi'}",
                   "{'pods':'0','requests.cpu':'0','limits.memory':'0'}");
  constexpr std::string_view kSmall = "{'requests':{'cpu':'400m'},'limits':{'memory':'1Gi'}}";
  EXPECT_EQ(ErrorOf(fixture.Create("pods", PodWith("a", kSmall))), "ok");
  EXPECT_HOLDS(fixture.Used(), "{'pods':'1','requests.cpu':'400m','limits.memory':'1Gi'}");
  EXPECT_EQ(ErrorOf(fixture.Create(
                "pods", PodWith("b", "{'requests':{'cpu':'700m'},'limits':{'memory':'2Gi'}}"))),
            "403 Forbidden: pods \"b\" is forbidden: exceeded quota: q, requested: "
            "limits.memory=2Gi,requests.cpu=700m, used: limits.memory=1Gi,requests.cpu=400m, "
            "limited: limits.memory=2Gi,requests.cpu=1");
  EXPECT_EQ(ErrorOf(fixture.Create("pods", PodWith("b", "{'requests':{'cpu':'1m'}}"))),
            "403 Forbidden: pods \"b\" is forbidden: failed quota: q: must specify limits.memory "
            "for: c");
  EXPECT_HOLDS(fixture.Used(), "{'pods':'1'}");
}

TEST(QuotaCharge, FailedWritesAreTakenBack) {
  QuotaFixture fixture;
  fixture.AddQuota("{'configmaps':'5','count/configmaps':'5'}",
                   "{'configmaps':'0','count/configmaps':'0'}");
  EXPECT_EQ(ErrorOf(fixture.Create("configmaps", "{'metadata':{'name':'a'}}")), "ok");
  EXPECT_EQ(ErrorOf(fixture.Create("configmaps", "{'metadata':{'name':'a'}}")),
            "409 AlreadyExists: configmaps \"a\" already exists");
  EXPECT_HOLDS(fixture.Used(), "{'configmaps':'1','count/configmaps':'1'}");
  EXPECT_EQ(ErrorOf(fixture.api.Create(api::scheme::KindOf("configmaps"), "default",
                                       Doc("{'metadata':{'name':'b'}}"), {.dry_run = true})),
            "ok");
  EXPECT_HOLDS(fixture.Used(), "{'configmaps':'1'}");
}

TEST(QuotaCharge, UnknownUsageIsRefused) {
  QuotaFixture fixture;
  fixture.AddQuota("{'secrets':'1'}", "{}");
  EXPECT_EQ(ErrorOf(fixture.Create("secrets", "{'metadata':{'name':'a'}}")),
            "403 Forbidden: secrets \"a\" is forbidden: status unknown for quota: q, resources: "
            "secrets");
}

TEST(QuotaCharge, WithoutAStatusNothingIsRefused) {
  QuotaFixture fixture;
  fixture.Make("resourcequotas", "{'metadata':{'name':'q'},'spec':{'hard':{'pods':'0'}}}");
  EXPECT_EQ(ErrorOf(fixture.Create("pods", kPodA)), "ok");
}

TEST(QuotaCharge, ScopesSelectPods) {
  QuotaFixture fixture;
  fixture.AddQuota("{'pods':'0'}", "{'pods':'0'}", ",'scopes':['BestEffort']");
  EXPECT_EQ(ErrorOf(fixture.Create("pods", PodWith("a", "{'requests':{'cpu':'1'}}"))), "ok");
  EXPECT_EQ(ErrorOf(fixture.Create("pods", PodWith("b", "{}"))),
            "403 Forbidden: pods \"b\" is forbidden: exceeded quota: q, requested: pods=1, used: "
            "pods=0, limited: pods=0");
}

TEST(QuotaCharge, CountsServicesAndClaims) {
  QuotaFixture fixture;
  fixture.AddQuota(
      "{'services.nodeports':'2','count/persistentvolumeclaims':'9','requests.storage':'10Gi',"
      "'gold.storageclass.storage.k8s.io/requests.storage':'5Gi'}",
      "{'services.nodeports':'0','count/persistentvolumeclaims':'0','requests.storage':'0',"
      "'gold.storageclass.storage.k8s.io/requests.storage':'0'}");
  EXPECT_EQ(ErrorOf(fixture.Create("services",
                                   "{'metadata':{'name':'a'},'spec':{'type':'NodePort',"
                                   "'ports':[{'port':80},{'port':81,'name':'b'}]}}")),
            "422 Invalid: Service \"a\" is invalid: spec.ports[0].name: Required value");
  EXPECT_EQ(ErrorOf(fixture.Create("services",
                                   "{'metadata':{'name':'a'},'spec':{'type':'NodePort',"
                                   "'ports':[{'port':80,'name':'a'},{'port':81,'name':'b'}]}}")),
            "ok");
  EXPECT_EQ(ErrorOf(fixture.Create("persistentvolumeclaims",
                                   "{'metadata':{'name':'c'},'spec':{'storageClassName':'gold',"
                                   "'accessModes':['ReadWriteOnce'],'resources':{'requests':{"
                                   "'storage':'6Gi'}}}}")),
            "403 Forbidden: persistentvolumeclaims \"c\" is forbidden: exceeded quota: q, "
            "requested: gold.storageclass.storage.k8s.io/requests.storage=6Gi, used: "
            "gold.storageclass.storage.k8s.io/requests.storage=0, limited: "
            "gold.storageclass.storage.k8s.io/requests.storage=5Gi");
  EXPECT_HOLDS(fixture.Used(), "{'services.nodeports':'2','requests.storage':'0'}");
}

TEST(QuotaCharge, UpdatesAreChargedForWhatTheyAdd) {
  QuotaFixture fixture;
  fixture.AddQuota("{'services.nodeports':'1'}", "{'services.nodeports':'0'}");
  fixture.Make("services", "{'metadata':{'name':'a'},'spec':{'ports':[{'port':80}]}}");
  EXPECT_HOLDS(fixture.Used(), "{'services.nodeports':'0'}");
  EXPECT_EQ(ErrorOf(fixture.Merge("services", "a", "{'spec':{'type':'NodePort'}}")), "ok");
  EXPECT_HOLDS(fixture.Used(), "{'services.nodeports':'1'}");
  EXPECT_EQ(ErrorOf(fixture.Merge("services", "a", "{'metadata':{'labels':{'a':'b'}}}")), "ok");
  EXPECT_HOLDS(fixture.Used(), "{'services.nodeports':'1'}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
