// Defaults, validation and conversion of kinds that have no controller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"
#include "apiserver/registry/conversion.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

struct GroupCase {
  const char* name;
  const char* kind;
  const char* object;
  const char* want;  // Part of the stored object, or the causes of the error.
};

class GroupDefaults : public testing::TestWithParam<GroupCase> {};

TEST_P(GroupDefaults, AreThoseOfKubeApiserver) {
  ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make(GetParam().kind, GetParam().object), GetParam().want);
}

#define TARGET "'scaleTargetRef':{'kind':'Deployment','name':'w'}"

INSTANTIATE_TEST_SUITE_P(
    All, GroupDefaults,
    testing::Values(
        GroupCase{"Autoscaler", "horizontalpodautoscalers.autoscaling",
                  "{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3}}",
                  "{'spec':{'minReplicas':1,'metrics':[{'type':'Resource','resource':{'name':'cpu',"
                  "'target':{'type':'Utilization','averageUtilization':80}}}],'behavior':null}}"},
        GroupCase{
            "ScalingRules", "horizontalpodautoscalers.autoscaling",
            "{'metadata':{'name':'a'},'spec':{" TARGET ",'maxReplicas':3,'behavior':{"
            "'scaleDown':{'policies':[{'type':'Pods','value':1,'periodSeconds':60}]}}}}",
            "{'spec':{'behavior':{'scaleDown':{'selectPolicy':'Max','policies':[{'type':'Pods',"
            "'value':1,'periodSeconds':60}],'stabilizationWindowSeconds':null},'scaleUp':{"
            "'selectPolicy':'Max','stabilizationWindowSeconds':0,'policies':[{'type':'Pods',"
            "'value':4,'periodSeconds':15},{'type':'Percent','value':100,"
            "'periodSeconds':15}]}}}}"},
        GroupCase{"IngressPolicy", "networkpolicies.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'podSelector':{},'ingress':[{'ports':[{"
                  "'port':80}]}]}}",
                  "{'spec':{'policyTypes':['Ingress'],'ingress':[{'ports':[{'port':80,"
                  "'protocol':'TCP'}]}]}}"},
        GroupCase{"EgressPolicy", "networkpolicies.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'podSelector':{},'egress':[{}]}}",
                  "{'spec':{'policyTypes':['Ingress','Egress']}}"},
        GroupCase{"RoleBinding", "rolebindings.rbac.authorization.k8s.io",
                  "{'metadata':{'name':'a'},'roleRef':{'kind':'Role','name':'r'},'subjects':["
                  "{'kind':'User','name':'u'},{'kind':'ServiceAccount','name':'s',"
                  "'namespace':'n'}]}",
                  "{'roleRef':{'apiGroup':'rbac.authorization.k8s.io'},'subjects':[{'apiGroup':"
                  "'rbac.authorization.k8s.io'},{'apiGroup':null}]}"},
        GroupCase{"Webhook", "mutatingwebhookconfigurations.admissionregistration.k8s.io",
                  "{'metadata':{'name':'a'},'webhooks':[{'name':'w.example.com','clientConfig':{"
                  "'service':{'namespace':'n','name':'s'}},'sideEffects':'None',"
                  "'admissionReviewVersions':['v1'],'rules':[{'operations':['CREATE'],"
                  "'apiGroups':[''],'apiVersions':['v1'],'resources':['pods']}]}]}",
                  "{'webhooks':[{'failurePolicy':'Fail','matchPolicy':'Equivalent',"
                  "'namespaceSelector':{},'objectSelector':{},'timeoutSeconds':10,"
                  "'reinvocationPolicy':'Never','clientConfig':{'service':{'port':443}},"
                  "'rules':[{'scope':'*'}]}]}"},
        GroupCase{"PriorityLevel", "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'type':'Limited','limited':{'limitResponse':{"
                  "'type':'Queue','queuing':{}}}}}",
                  "{'metadata':{'generation':1},'spec':{'limited':{'nominalConcurrencyShares':30,"
                  "'lendablePercent':0,'limitResponse':{'queuing':{'queues':64,'handSize':8,"
                  "'queueLengthLimit':50}}}}}"},
        GroupCase{"LocalApiService", "apiservices.apiregistration.k8s.io",
                  "{'metadata':{'name':'v1.'},'spec':{'version':'v1','groupPriorityMinimum':1,"
                  "'versionPriority':1}}",
                  "{'status':{'conditions':[{'type':'Available','status':'True',"
                  "'reason':'Local'}]}}"},
        GroupCase{"Certificate", "certificatesigningrequests.certificates.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'request':'AAAA','signerName':'e.x/s',"
                  "'usages':['client auth'],'username':'somebody','uid':'1'}}",
                  "{'spec':{'username':'system:admin','uid':null,'groups':['system:masters',"
                  "'system:authenticated']},'status':{}}"},
        GroupCase{"QuantitiesOfAnyKind", "limitranges",
                  "{'metadata':{'name':'a'},'spec':{'limits':[{'type':'Container','max':{'cpu':1.5,"
                  "'memory':'1024Mi'}}]}}",
                  "{'spec':{'limits':[{'max':{'cpu':'1500m','memory':'1Gi'}}]}}"},
        GroupCase{"Overhead", "runtimeclasses.node.k8s.io",
                  "{'metadata':{'name':'a'},'handler':'h','overhead':{'podFixed':{'cpu':'0.5'}}}",
                  "{'overhead':{'podFixed':{'cpu':'500m'}}}"}),
    [](const auto& param_info) { return param_info.param.name; });

class GroupErrors : public testing::TestWithParam<GroupCase> {};

TEST_P(GroupErrors, NameTheFields) {
  ApiFixture fixture;
  EXPECT_EQ(CausesOf(fixture.Create(GetParam().kind, GetParam().object)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, GroupErrors,
    testing::Values(
        GroupCase{"AutoscalerBounds", "horizontalpodautoscalers.autoscaling",
                  "{'metadata':{'name':'a'},'spec':{" TARGET ",'minReplicas':5,'maxReplicas':3}}",
                  "spec.maxReplicas: Invalid value: 3: must be greater than or equal to "
                  "`minReplicas`"},
        GroupCase{"AutoscalerOfNothing", "horizontalpodautoscalers.autoscaling",
                  "{'metadata':{'name':'a'},'spec':{'maxReplicas':1}}",
                  "spec.scaleTargetRef.kind: Required value\n"
                  "spec.scaleTargetRef.name: Required value"},
        GroupCase{"IngressWithoutPathType", "ingresses.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'rules':[{'http':{'paths':[{'path':'x',"
                  "'backend':{}}]}}]}}",
                  "spec.rules[0].http.paths[0].pathType: Required value"},
        GroupCase{"IngressPath", "ingresses.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'rules':[{'http':{'paths':[{'path':'x',"
                  "'pathType':'Exact','backend':{}}]}}]}}",
                  "spec.rules[0].http.paths[0].path: Invalid value: \"x\": must be an absolute "
                  "path"},
        GroupCase{"IngressWithoutPaths", "ingresses.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'rules':[{'http':{}}]}}",
                  "spec.rules[0].http.paths: Required value"},
        GroupCase{"PolicyType", "networkpolicies.networking.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'podSelector':{},'policyTypes':['In']}}",
                  "spec.policyTypes[0]: Unsupported value: \"In\": supported values: \"Egress\", "
                  "\"Ingress\""},
        GroupCase{"RoleBindingWithoutRole", "rolebindings.rbac.authorization.k8s.io",
                  "{'metadata':{'name':'a'}}",
                  "roleRef.kind: Required value\nroleRef.name: Required value"},
        GroupCase{"RoleWithoutVerbs", "roles.rbac.authorization.k8s.io",
                  "{'metadata':{'name':'a'},'rules':[{'resources':['pods']}]}",
                  "rules[0].verbs: Required value"},
        GroupCase{"WebhookWithTwoAddresses",
                  "validatingwebhookconfigurations.admissionregistration.k8s.io",
                  "{'metadata':{'name':'a'},'webhooks':[{'name':'w.example.com','clientConfig':{},"
                  "'sideEffects':'Some','admissionReviewVersions':['v1'],'timeoutSeconds':31}]}",
                  "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: "
                  "\"None\", \"NoneOnDryRun\"\n"
                  "webhooks[0].clientConfig: Required value: exactly one of url or service is "
                  "required\n"
                  "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be less "
                  "than or equal to 30"},
        GroupCase{"MatchConditionOfAWebhook",
                  "validatingwebhookconfigurations.admissionregistration.k8s.io",
                  "{'metadata':{'name':'a'},'webhooks':[{'name':'w.example.com','clientConfig':{"
                  "'url':'https://x.y'},'sideEffects':'None','admissionReviewVersions':['v1'],"
                  "'matchConditions':[{'name':'a','expression':'object.spec.x == 1'},"
                  "{'name':'b','expression':'a b'}]}]}",
                  "webhooks[0].matchConditions[1].expression: Invalid value: \"a b\": compilation "
                  "failed: ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>\n"
                  " | a b\n | ..^"},
        GroupCase{"NameOfAnApiService", "apiservices.apiregistration.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'group':'g','version':'v1',"
                  "'groupPriorityMinimum':1,'versionPriority':1}}",
                  "metadata.name: Invalid value: \"a\": must be `spec.version+\".\"+spec.group`: "
                  "\"v1.g\""},
        GroupCase{"EndpointSlice", "endpointslices.discovery.k8s.io",
                  "{'metadata':{'name':'a'},'addressType':'IPv5','endpoints':[{}]}",
                  "addressType: Unsupported value: \"IPv5\": supported values: \"FQDN\", \"IPv4\", "
                  "\"IPv6\"\nendpoints[0].addresses: Required value"},
        GroupCase{"UnlimitedPriorityLevel",
                  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
                  "{'metadata':{'name':'a'},'spec':{'type':'Limited'}}",
                  "spec.limited: Required value: must not be empty when type is Limited"},
        GroupCase{"RuntimeClassWithoutHandler", "runtimeclasses.node.k8s.io",
                  "{'metadata':{'name':'a'}}", "handler: Required value"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(GroupUpdates, KeepWhatIsImmutable) {
  ApiFixture fixture;
  fixture.Make("rolebindings.rbac.authorization.k8s.io",
               "{'metadata':{'name':'a'},'roleRef':{'kind':'Role','name':'r'}}");
  EXPECT_THAT(CausesOf(fixture.Merge("rolebindings.rbac.authorization.k8s.io", "a",
                                     "{'roleRef':{'name':'other'}}")),
              testing::HasSubstr("cannot change roleRef"));
  fixture.Make("runtimeclasses.node.k8s.io", "{'metadata':{'name':'a'},'handler':'h'}");
  EXPECT_EQ(CausesOf(fixture.Merge("runtimeclasses.node.k8s.io", "a", "{'handler':'x'}")),
            "handler: Invalid value: \"x\": field is immutable");
  fixture.Make("certificatesigningrequests.certificates.k8s.io",
               "{'metadata':{'name':'a'},'spec':{'request':'AAAA','signerName':'e.x/s',"
               "'usages':['client auth']}}");
  const char* csr = "certificatesigningrequests.certificates.k8s.io";
  EXPECT_EQ(ErrorOf(fixture.Merge(csr, "a", "{'spec':{'signerName':'e.x/t'}}")), "ok");
  EXPECT_HOLDS(fixture.Get(csr, "a"), "{'spec':{'signerName':'e.x/s'}}");
  EXPECT_EQ(
      ErrorOf(fixture.Merge(
          csr, "a", "{'status':{'conditions':[{'type':'Approved','status':'True'}]}}", "approval")),
      "ok");
  EXPECT_HOLDS(fixture.Get(csr, "a"), "{'status':{'conditions':[{'type':'Approved'}]}}");
}

TEST(GroupUpdates, ABindingMayNameAnotherPolicy) {
  ApiFixture fixture;
  for (const char* kind : {"validatingadmissionpolicybindings.admissionregistration.k8s.io",
                           "mutatingadmissionpolicybindings.admissionregistration.k8s.io"}) {
    fixture.Make(
        kind, "{'metadata':{'name':'a'},'spec':{'policyName':'p','validationActions':['Deny']}}");
    EXPECT_EQ(ErrorOf(fixture.Merge(kind, "a", "{'spec':{'policyName':'q'}}")), "ok");
  }
}

TEST(GroupUpdates, OfAnythingButMetadataAndStatusMakeAGeneration) {
  ApiFixture fixture;
  const char* webhooks = "validatingwebhookconfigurations.admissionregistration.k8s.io";
  fixture.Make(webhooks, "{'metadata':{'name':'a'}}");
  EXPECT_EQ(ErrorOf(fixture.Merge(webhooks, "a", "{'metadata':{'labels':{'x':'y'}}}")), "ok");
  EXPECT_HOLDS(fixture.Get(webhooks, "a"), "{'metadata':{'generation':1}}");
  EXPECT_EQ(ErrorOf(fixture.Merge(webhooks, "a",
                                  "{'webhooks':[{'name':'w.example.com','clientConfig':{'url':"
                                  "'https://a'},'sideEffects':'None',"
                                  "'admissionReviewVersions':['v1']}]}")),
            "ok");
  EXPECT_HOLDS(fixture.Get(webhooks, "a"), "{'metadata':{'generation':2}}");
}

TEST(EphemeralContainers, AreAllThatTheirSubresourceChanges) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a",
                                  "{'spec':{'nodeName':'n','ephemeralContainers':[{'name':'debug',"
                                  "'image':'busybox'}]}}",
                                  "ephemeralcontainers")),
            "ok");
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'spec':{'nodeName':null,'ephemeralContainers':[{'name':'debug'}]}}");
}

// What `kubectl autoscale` sends.
TEST(Autoscalers, OfV1AreStoredAsV2) {
  ApiFixture fixture;
  const api::scheme::Kind& v1 =
      *api::scheme::FindKind("autoscaling", "v1", "horizontalpodautoscalers");
  const auto written = fixture.api.Create(
      v1, "default",
      Doc("{'apiVersion':'autoscaling/v1','kind':'HorizontalPodAutoscaler','metadata':{"
          "'name':'a'},'spec':{" TARGET ",'maxReplicas':5,'targetCPUUtilizationPercentage':50}}"));
  ASSERT_EQ(ErrorOf(written), "ok");
  EXPECT_HOLDS(fixture.Get("horizontalpodautoscalers.autoscaling", "a"),
               "{'apiVersion':'autoscaling/v2','spec':{'metrics':[{'type':'Resource','resource':{"
               "'name':'cpu','target':{'type':'Utilization','averageUtilization':50}}}],"
               "'targetCPUUtilizationPercentage':null}}");
  EXPECT_HOLDS(store::Parse(*InForm(v1, written->object)),
               "{'apiVersion':'autoscaling/v1','spec':{'minReplicas':1,'maxReplicas':5,"
               "'targetCPUUtilizationPercentage':50,'metrics':null},'metadata':{"
               "'annotations':null}}");
}

TEST(Autoscalers, OfV2LoseNothingInV1) {
  ApiFixture fixture;
  const api::scheme::Kind& v1 =
      *api::scheme::FindKind("autoscaling", "v1", "horizontalpodautoscalers");
  const api::Json before = fixture.Make(
      "horizontalpodautoscalers.autoscaling",
      "{'metadata':{'name':'a'},'spec':{" TARGET
      ",'maxReplicas':5,'metrics':[{'type':'Resource',"
      "'resource':{'name':'memory','target':{'type':'AverageValue','averageValue':'1Gi'}}}],"
      "'behavior':{'scaleDown':{'selectPolicy':'Disabled'}}}}");
  EXPECT_EQ(ErrorOf(fixture.Merge("horizontalpodautoscalers.autoscaling", "a",
                                  "{'status':{'currentReplicas':1,'desiredReplicas':1,"
                                  "'conditions':[{'type':'AbleToScale','status':'True'}]}}",
                                  "status")),
            "ok");
  const api::Json stored = fixture.Get("horizontalpodautoscalers.autoscaling", "a");
  // A client of v1 reads the object and writes it back.
  EXPECT_EQ(ErrorOf(fixture.api.Patch(v1, {"default", "a"}, "", patch::PatchType::kMerge,
                                      Doc("{'spec':{'maxReplicas':6}}"))),
            "ok");
  const api::Json after = fixture.Get("horizontalpodautoscalers.autoscaling", "a");
  EXPECT_HOLDS(after, "{'spec':{'maxReplicas':6},'metadata':{'annotations':null}}");
  for (const char* field : {"metrics", "behavior"}) {
    EXPECT_EQ(after.at("spec").at(field), stored.at("spec").at(field)) << field;
  }
  EXPECT_EQ(after.at("status"), stored.at("status"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
