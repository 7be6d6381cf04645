// Scales, the two forms of events, and reviews.
#include <gtest/gtest.h>

#include "apiserver/registry/access.h"
#include "apiserver/registry/api_testing.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

TEST(ApiScale, ReadsAndSetsTheReplicas) {
  ApiFixture fixture;
  fixture.Make("deployments.apps",
               "{'metadata':{'name':'d'},'spec':{'replicas':2,'selector':{'matchLabels':{'a':'b'},"
               "'matchExpressions':[{'key':'c','operator':'NotIn','values':['z','y']}]},"
               "'template':{'metadata':{'labels':{'a':'b'}},"
               "'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
  const api::scheme::Kind& kind = api::scheme::KindOf("deployments.apps");
  const ObjectName name{"default", "d"};
  const auto scale = fixture.api.GetScale(kind, name);
  ASSERT_EQ(ErrorOf(scale), "ok");
  EXPECT_HOLDS(*scale, R"({'kind':'Scale','apiVersion':'autoscaling/v1',
      'metadata':{'name':'d','namespace':'default'},'spec':{'replicas':2},
      'status':{'replicas':0,'selector':'a=b,c notin (y,z)'}})");
  api::Json more = *scale;
  more.get_object()["spec"].get_object()["replicas"] = 5;
  const auto put = fixture.api.PutScale(kind, name, more);
  ASSERT_EQ(ErrorOf(put), "ok");
  EXPECT_HOLDS(*put, "{'spec':{'replicas':5}}");
  EXPECT_HOLDS(fixture.Get("deployments.apps", "d"),
               "{'metadata':{'generation':2},'spec':{'replicas':5}}");
  // The version is now stale.
  EXPECT_EQ(fixture.api.PutScale(kind, name, more).error().reason, "Conflict");
  EXPECT_EQ(ErrorOf(fixture.api.PutScale(kind, name, Doc("{'spec':{'replicas':-1}}"))),
            "422 Invalid: Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: "
            "must be greater than or equal to 0");
  EXPECT_EQ(ErrorOf(fixture.api.GetScale(kind, {"default", "x"})),
            "404 NotFound: deployments.apps \"x\" not found");
}

constexpr std::string_view kNewEvent = R"({
    'kind':'Event','apiVersion':'events.k8s.io/v1','metadata':{'name':'e'},
    'eventTime':'2026-01-01T00:00:00.000001Z','reportingController':'scheduler',
    'reportingInstance':'s-1','action':'Binding','reason':'Scheduled','type':'Normal',
    'regarding':{'kind':'Pod','namespace':'default','name':'a'},'note':'done',
    'deprecatedCount':1})";

TEST(Events, AreTheSameObjectInTwoForms) {
  ApiFixture fixture;
  const api::scheme::Kind& events = api::scheme::KindOf("events.events.k8s.io");
  const auto written = fixture.api.Create(events, "default", Doc(kNewEvent));
  ASSERT_EQ(ErrorOf(written), "ok");
  const api::Json core = fixture.Get("events", "e");
  EXPECT_HOLDS(core, R"({'kind':'Event','apiVersion':'v1','reportingComponent':'scheduler',
      'involvedObject':{'kind':'Pod','namespace':'default','name':'a'},'message':'done','count':1,
      'reason':'Scheduled','note':null,'regarding':null})");
  EXPECT_EQ(InForm(api::scheme::KindOf("events"), written->object), written->object);
  const api::Json other = store::Parse(*InForm(events, written->object));
  EXPECT_HOLDS(other, R"({'apiVersion':'events.k8s.io/v1','note':'done','deprecatedCount':1,
      'reportingController':'scheduler','regarding':{'name':'a'},'message':null,
      'involvedObject':null})");
  EXPECT_EQ(api::ObjectAt(api::AsObject(other), "metadata")->at("resourceVersion"),
            api::ObjectAt(api::AsObject(core), "metadata")->at("resourceVersion"));
  // Field selectors use the core form.
  EXPECT_EQ(store::SelectableField(api::scheme::KindOf("events"), core.get_object(),
                                   "involvedObject.name"),
            "a");
  EXPECT_EQ(store::SelectableField(api::scheme::KindOf("events"), core.get_object(), "source"),
            "scheduler");

  const auto series =
      fixture.api.Patch(events, {"default", "e"}, "", patch::PatchType::kStrategic,
                        Doc("{'series':{'count':2,'lastObservedTime':'2026-01-01T00:"
                            "01:00.000000Z'},'note':'again'}"));
  ASSERT_EQ(ErrorOf(series), "ok");
  EXPECT_HOLDS(fixture.Get("events", "e"), "{'series':{'count':2},'message':'again','note':null}");
}

TEST(Events, OfEventsK8sIoRequireControllerAndAction) {
  ApiFixture fixture;
  EXPECT_EQ(CausesOf(fixture.api.Create(
                api::scheme::KindOf("events.events.k8s.io"), "default",
                Doc("{'metadata':{'name':'e'},'eventTime':'2026-01-01T00:00:00.000001Z',"
                    "'regarding':{'namespace':'other'}}"))),
            "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace\n"
            "reportingController: Required value\n"
            "reportingInstance: Required value\n"
            "action: Required value\n"
            "reason: Required value");
}

TEST(Reviews, AreEvaluatedAndNotStored) {
  ApiFixture fixture;
  const store::Version before = fixture.store->version();
  const auto evaluate = [&](std::string_view kind, std::string_view text) {
    const api::scheme::Kind& which = api::scheme::KindOf(kind);
    const auto result = fixture.api.Create(which, "", Doc(text));
    EXPECT_EQ(ErrorOf(result), "ok");
    return Doc(result->object->json);
  };
  EXPECT_HOLDS(evaluate("selfsubjectaccessreviews.authorization.k8s.io",
                        "{'spec':{'resourceAttributes':{'verb':'get','resource':'pods'}}}"),
               R"({'kind':'SelfSubjectAccessReview','apiVersion':'authorization.k8s.io/v1',
                   'metadata':{},'spec':{'resourceAttributes':{'verb':'get'}},
                   'status':{'allowed':true}})");
  EXPECT_HOLDS(evaluate("selfsubjectreviews.authentication.k8s.io", "{}"),
               "{'status':{'userInfo':{'username':'system:admin'}}}");
  EXPECT_HOLDS(evaluate("tokenreviews.authentication.k8s.io", "{'spec':{'token':'x'}}"),
               "{'status':{'authenticated':false}}");
  EXPECT_HOLDS(
      evaluate("subjectaccessreviews.authorization.k8s.io", "{'spec':{'user':'system:anonymous'}}"),
      "{'status':{'allowed':true}}");
  EXPECT_HOLDS(evaluate("selfsubjectrulesreviews.authorization.k8s.io", "{}"),
               "{'status':{'resourceRules':[{'verbs':['*'],'apiGroups':['*'],"
               "'resources':['*']}],'incomplete':false}}");
  EXPECT_EQ(fixture.store->version(), before);
}

TEST(ApiReviews, RecognizeTokensAndRejectAnonymousUsers) {
  ApiFixture fixture;
  const Access access({.tokens = {{"secret", {"alice", "u1", {"dev"}}}}});
  auto evaluate = [&](const char* kind, std::string_view text) {
    WriteOptions options;
    options.access = &access;
    const auto result = fixture.api.Create(api::scheme::KindOf(kind), "", Doc(text), options);
    EXPECT_EQ(ErrorOf(result), "ok");
    return Doc(result->object->json);
  };
  EXPECT_HOLDS(evaluate("tokenreviews.authentication.k8s.io", "{'spec':{'token':'secret'}}"),
               "{'status':{'authenticated':true,'user':{'username':'alice','uid':'u1',"
               "'groups':['dev']}}}");
  EXPECT_HOLDS(evaluate("tokenreviews.authentication.k8s.io", "{'spec':{'token':'guess'}}"),
               "{'status':{'authenticated':false}}");
  EXPECT_HOLDS(evaluate("subjectaccessreviews.authorization.k8s.io", "{'spec':{'user':'alice'}}"),
               "{'status':{'allowed':true}}");
  EXPECT_HOLDS(
      evaluate("subjectaccessreviews.authorization.k8s.io", "{'spec':{'user':'system:anonymous'}}"),
      "{'status':{'allowed':false}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
