#include <gtest/gtest.h>

#include "api/json/document.h"
#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::ApiFixture;
using registry::kPodA;

struct MountingFixture : ApiFixture {
  MountingFixture() { api.set_mount_tokens(true); }
};

const api::JsonObject* SpecOf(const api::Json& pod) {
  return api::ObjectAt(api::AsObject(pod), "spec");
}

TEST(AdmitServiceAccount, SetsTheDefaultAccount) {
  ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make("pods", kPodA),
               "{'spec':{'serviceAccountName':'default','serviceAccount':'default',"
               "'volumes':null}}");
}

TEST(AdmitServiceAccount, MountsTheToken) {
  MountingFixture fixture;
  const api::Json pod =
      fixture.Make("pods",
                   "{'metadata':{'name':'a'},'spec':{'initContainers':[{'name':'i','image':'i'}],"
                   "'containers':[{'name':'c','image':'i'},{'name':'d','image':'i','volumeMounts':["
                   "{'name':'own','mountPath':'/var/run/secrets/kubernetes.io/serviceaccount'}]}],"
                   "'volumes':[{'name':'own','emptyDir':{}}]}}");
  const api::JsonArray* volumes = api::ArrayAt(SpecOf(pod), "volumes");
  ASSERT_TRUE(volumes && volumes->size() == 2);
  const std::string name(api::StringAt(api::AsObject((*volumes)[1]), "name"));
  EXPECT_TRUE(name.starts_with("kube-api-access-")) << name;
  const std::string mount = fmt::format(
      "'volumeMounts':[{{'name':'{}','readOnly':true,"
      "'mountPath':'/var/run/secrets/kubernetes.io/serviceaccount'}}]",
      name);
  EXPECT_HOLDS(pod, fmt::format("{{'spec':{{'initContainers':[{{{}}}],'containers':[{{{}}},"
                                "{{'volumeMounts':[{{'name':'own'}}]}}]}}}}",
                                mount, mount));
  EXPECT_HOLDS((*volumes)[1],
               "{'projected':{'defaultMode':420,'sources':["
               "{'serviceAccountToken':{'expirationSeconds':3607,'path':'token'}},"
               "{'configMap':{'name':'kube-root-ca.crt','items':[{'key':'ca.crt',"
               "'path':'ca.crt'}]}},"
               "{'downwardAPI':{'items':[{'path':'namespace','fieldRef':{'apiVersion':'v1',"
               "'fieldPath':'metadata.namespace'}}]}}]}}");
}

// As in a pod that is copied from another one.
TEST(AdmitServiceAccount, MountsAVolumeThatThePodHas) {
  MountingFixture fixture;
  EXPECT_HOLDS(
      fixture.Make("pods",
                   "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}],"
                   "'volumes':[{'name':'kube-api-access-abcde','emptyDir':{}}]}}"),
      "{'spec':{'volumes':[{'name':'kube-api-access-abcde','projected':null}],"
      "'containers':[{'volumeMounts':[{'name':'kube-api-access-abcde'}]}]}}");
}

// Pods of one workload are equal to the scheduler only if their volumes have the same names.
TEST(AdmitServiceAccount, PodsOfAnAccountHaveTheSameVolume) {
  MountingFixture fixture;
  const auto volumes = [&](std::string_view name, std::string_view account) {
    const api::Json pod = fixture.Make(
        "pods", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'serviceAccountName':'{}',"
                            "'containers':[{{'name':'c','image':'i'}}]}}}}",
                            name, account));
    return *api::ArrayAt(SpecOf(pod), "volumes");
  };
  EXPECT_EQ(volumes("a", "robot"), volumes("b", "robot"));
  EXPECT_NE(volumes("c", "robot"), volumes("d", "other"));
}

TEST(AdmitServiceAccount, PodOrAccountCanOptOut) {
  MountingFixture fixture;
  fixture.Make("serviceaccounts",
               "{'metadata':{'name':'robot'},'automountServiceAccountToken':false,"
               "'imagePullSecrets':[{'name':'registry'}]}");
  EXPECT_HOLDS(fixture.Make("pods",
                            "{'metadata':{'name':'a'},'spec':{'serviceAccountName':'robot',"
                            "'containers':[{'name':'c','image':'i'}]}}"),
               "{'spec':{'volumes':null,'imagePullSecrets':[{'name':'registry'}]}}");
  EXPECT_HOLDS(fixture.Make("pods",
                            "{'metadata':{'name':'b'},'spec':{'serviceAccountName':'robot',"
                            "'automountServiceAccountToken':true,"
                            "'containers':[{'name':'c','image':'i'}]}}"),
               "{'spec':{'volumes':[{}]}}");
  EXPECT_HOLDS(fixture.Make("pods",
                            "{'metadata':{'name':'c'},'spec':{"
                            "'automountServiceAccountToken':false,"
                            "'containers':[{'name':'c','image':'i'}]}}"),
               "{'spec':{'volumes':null}}");
}

TEST(AdmitServiceAccount, MirrorPodsAreNotChanged) {
  MountingFixture fixture;
  EXPECT_HOLDS(fixture.Make("pods",
                            "{'metadata':{'name':'a','annotations':{"
                            "'kubernetes.io/config.mirror':'x'}},'spec':{'nodeName':'n',"
                            "'containers':[{'name':'c','image':'i'}]}}"),
               "{'spec':{'volumes':null,'serviceAccountName':null}}");
}

TEST(AdmitServiceAccount, TheOldNameOfTheAccountFollows) {
  ApiFixture fixture;
  EXPECT_HOLDS(fixture.Make("pods",
                            "{'metadata':{'name':'a'},'spec':{'serviceAccount':'robot',"
                            "'containers':[{'name':'c','image':'i'}]}}"),
               "{'spec':{'serviceAccountName':'robot','serviceAccount':'robot'}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
