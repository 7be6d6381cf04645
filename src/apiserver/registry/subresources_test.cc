// Binding and eviction.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

TEST(ApiBind, ABoundPodIsScheduled) {
  ApiFixture fixture;
  fixture.Make("nodes", R"({'metadata':{'name':'n','labels':{
      'topology.kubernetes.io/zone':'z','topology.kubernetes.io/region':'r','other':'o'}}})");
  fixture.Make("pods", kPodA);
  ASSERT_TRUE(fixture.Merge("pods", "a", R"({'status':{'nominatedNodeName':'m','conditions':[
      {'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'no',
       'lastTransitionTime':'2025-01-01T00:00:00Z'}]}})",
                            "status"));
  const auto bound = fixture.api.Bind({"default", "a"}, Doc(R"({
      'metadata':{'name':'a','namespace':'default','annotations':{'why':'x'}},
      'target':{'kind':'Node','name':'n'}})"));
  EXPECT_EQ(ErrorOf(bound), "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"), R"({
      'metadata':{'generation':1,'annotations':{'why':'x'},
        'labels':{'topology.kubernetes.io/zone':'z','topology.kubernetes.io/region':'r',
                  'other':null}},
      'spec':{'nodeName':'n'},
      'status':{'nominatedNodeName':null,'conditions':[{'type':'PodScheduled','status':'True',
        'reason':null,'message':null,'lastTransitionTime':'2026-01-01T00:00:00Z'}]}})");
  EXPECT_EQ((*bound)->fields.front(), "n");
}

struct Case {
  const char* name;
  const char* pod;
  const char* binding;
  const char* want;
};
class ApiBindRejects : public ::testing::TestWithParam<Case> {};

TEST_P(ApiBindRejects, With) {
  ApiFixture fixture;
  for (const char* name : {"a", "bound", "going"}) {
    fixture.Make("pods", fmt::format("{{'metadata':{{'name':'{}','finalizers':['x/y']}},'spec':{{"
                                     "'containers':[{{'name':'c','image':'i'}}]}}}}",
                                     name));
  }
  fixture.Make("pods",
               "{'metadata':{'name':'gated'},'spec':{'schedulingGates':[{'name':'g'}],"
               "'containers':[{'name':'c','image':'i'}]}}");
  ASSERT_TRUE(fixture.Bind("bound", "n"));
  ASSERT_TRUE(fixture.Delete("pods", "going"));
  EXPECT_EQ(ErrorOf(fixture.api.Bind({"default", GetParam().pod}, Doc(GetParam().binding))),
            GetParam().want);
}

#define TO_N "{'target':{'kind':'Node','name':'n'}}"
INSTANTIATE_TEST_SUITE_P(
    Table, ApiBindRejects,
    ::testing::Values(
        Case{"NoPod", "x", TO_N, "404 NotFound: pods \"x\" not found"},
        Case{"APodThatIsBound", "bound", TO_N,
             "409 Conflict: Operation cannot be fulfilled on pods/binding \"bound\": pod bound is "
             "already assigned to node \"n\""},
        Case{"APodThatGoes", "going", TO_N,
             "409 Conflict: Operation cannot be fulfilled on pods/binding \"going\": pod going is "
             "being deleted, cannot be assigned to a host"},
        Case{"AGatedPod", "gated", TO_N,
             "409 Conflict: Operation cannot be fulfilled on pods/binding \"gated\": pod gated has "
             "non-empty .spec.schedulingGates"},
        Case{"NoTarget", "a", "{}",
             "422 Invalid: Binding \"a\" is invalid: target.name: Required value"},
        Case{"AnotherTarget", "a", "{'target':{'kind':'Pod','name':'n'}}",
             "422 Invalid: Binding \"a\" is invalid: target.kind: Unsupported value: \"Pod\": "
             "supported values: \"Node\", \"<empty>\""},
        Case{"AnotherName", "a", "{'metadata':{'name':'b'},'target':{'name':'n'}}",
             "400 BadRequest: the name of the object (b) does not match the name on the URL (a)"},
        Case{"AnotherVersion", "a", "{'metadata':{'resourceVersion':'1'},'target':{'name':'n'}}",
             "409 Conflict: Operation cannot be fulfilled on pods/binding \"a\": the object has "
             "been modified; please apply your changes to the latest version and try again"},
        Case{"NoObject", "a", "[]", "400 BadRequest: a binding must be a JSON object"}),
    [](const auto& test) { return test.param.name; });

TEST(ApiBind, TheUidMustMatch) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  const auto bound =
      fixture.api.Bind({"default", "a"}, Doc("{'metadata':{'uid':'x'},'target':{'name':'n'}}"));
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().reason, "Conflict");
}

// A running pod "a" with label app=x, and a budget that allows `allowed` disruptions.
struct EvictionFixture : ApiFixture {
  explicit EvictionFixture(int allowed, bool ready = true) {
    Make("pods",
         "{'metadata':{'name':'a','labels':{'app':'x'}},'spec':{'containers':"
         "[{'name':'c','image':'i'}]}}");
    EXPECT_TRUE(Bind("a", "n"));
    EXPECT_TRUE(Merge("pods", "a",
                      fmt::format("{{'status':{{'phase':'Running','conditions':[{{'type':'Ready',"
                                  "'status':'{}'}}]}}}}",
                                  ready ? "True" : "False"),
                      "status"));
    Make("poddisruptionbudgets.policy",
         "{'metadata':{'name':'b'},'spec':{'minAvailable':2,"
         "'selector':{'matchLabels':{'app':'x'}}}}");
    EXPECT_TRUE(Merge("poddisruptionbudgets.policy", "b",
                      fmt::format("{{'status':{{'observedGeneration':1,'disruptionsAllowed':{},"
                                  "'currentHealthy':{},'desiredHealthy':2}}}}",
                                  allowed, 2 + allowed),
                      "status"));
  }
  api::scheme::ApiResult<Deleted> Evict() { return api.Evict({"default", "a"}, {}); }
};

TEST(ApiEvict, ConsumesTheBudget) {
  EvictionFixture fixture(1);
  const auto evicted = fixture.Evict();
  EXPECT_EQ(ErrorOf(evicted), "ok");
  EXPECT_FALSE(evicted->gone);
  EXPECT_HOLDS(fixture.Get("poddisruptionbudgets.policy", "b"),
               "{'metadata':{'generation':1},'status':{'disruptionsAllowed':0,"
               "'disruptedPods':{'a':'2026-01-01T00:00:00Z'}}}");
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'deletionGracePeriodSeconds':30},'status':{'conditions':["
               "{'type':'Ready'},{'type':'DisruptionTarget','status':'True',"
               "'reason':'EvictionByEvictionAPI'}]}}");
  // A terminating pod can be evicted again.
  EXPECT_EQ(ErrorOf(fixture.Evict()), "ok");
}

TEST(ApiEvict, IsRejectedWithoutBudget) {
  EvictionFixture fixture(0);
  const auto evicted = fixture.Evict();
  EXPECT_EQ(ErrorOf(evicted),
            "429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption "
            "budget.");
  EXPECT_EQ(CausesOf(evicted),
            ": The disruption budget b needs 2 healthy pods and has 2 currently");
  EXPECT_EQ(evicted.error().retry_after_seconds, 0);
  EXPECT_HOLDS(fixture.Get("pods", "a"), "{'metadata':{'deletionTimestamp':null}}");
}

TEST(ApiEvict, IsRejectedUntilTheBudgetIsProcessed) {
  EvictionFixture fixture(1);
  ASSERT_TRUE(fixture.Merge("poddisruptionbudgets.policy", "b", "{'spec':{'minAvailable':1}}"));
  EXPECT_EQ(CausesOf(fixture.Evict()),
            ": The disruption budget b is still being processed by the server.");
}

TEST(ApiEvict, AnUnreadyPodDoesNotConsumeTheBudgetOfHealthyPods) {
  EvictionFixture fixture(0, false);
  EXPECT_EQ(ErrorOf(fixture.Evict()), "ok");
  EXPECT_HOLDS(fixture.Get("poddisruptionbudgets.policy", "b"),
               "{'status':{'disruptedPods':null}}");
}

TEST(ApiEvict, FailsWithTwoBudgets) {
  EvictionFixture fixture(1);
  fixture.Make("poddisruptionbudgets.policy", "{'metadata':{'name':'c'},'spec':{'selector':{}}}");
  EXPECT_EQ(fixture.Evict().error().code, 500);
}

TEST(ApiEvict, PodsThatAreNotRunningNeedNoBudget) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  fixture.Make("poddisruptionbudgets.policy", "{'metadata':{'name':'c'},'spec':{'selector':{}}}");
  EXPECT_TRUE(fixture.api.Evict({"default", "a"}, {})->gone);
  EXPECT_EQ(ErrorOf(fixture.api.Evict({"default", "a"}, {})), "404 NotFound: pods \"a\" not found");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
