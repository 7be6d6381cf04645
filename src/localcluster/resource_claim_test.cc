#include "localcluster/resource_claim.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kClaims = "resourceclaims.resource.k8s.io";
constexpr const char* kTemplate = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus}
spec:
  metadata: {labels: {made: "yes"}, annotations: {from: template}}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
)";
constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {berth.dev/run-seconds: "60"}}
spec:
  restartPolicy: Never
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpus}]
  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
)";
constexpr const char* kOwnClaim = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: mine}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
)";

std::string PodOfClaim(std::string_view name, std::string_view node = "") {
  return fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, annotations: {{berth.dev/run-seconds: "60"}}}}
spec:
  nodeName: "{}"
  restartPolicy: Never
  resourceClaims: [{{name: gpu, resourceClaimName: mine}}]
  containers: [{{name: c, image: i}}]
)",
                     name, node);
}

// Pods are bound by the tests, as the scheduler does it: after their claims are allocated.
struct DeviceCluster : TestCluster {
  DeviceCluster() : TestCluster({.stop_delay = Duration::Seconds(5)}) {
    schedules_pods = false;
    AddNodes(1);
  }

  std::string OnlyClaim() const {
    const auto names = Names(ResourceClaims());
    EXPECT_THAT(names, SizeIs(1));
    return names.empty() ? "" : names.front();
  }
  // Allocates and reserves the claim, as the scheduler does it.
  void Allocate(const std::string& claim, std::string_view pod) {
    const std::string uid(StringAt(ObjectAt(AsObject(Get("pods", pod)), "metadata"), "uid"));
    ASSERT_EQ(apiserver::registry::ErrorOf(Merge(
                  kClaims, claim,
                  "{'metadata':{'finalizers':['resource.kubernetes.io/delete-protection']}}")),
              "ok");
    const std::string status = fmt::format(
        "{{'status':{{'allocation':{{'devices':{{'results':[{{'request':'r','driver':'d.com',"
        "'pool':'node-0','device':'gpu-0'}}]}}}},'reservedFor':[{{'resource':'pods','name':'{}',"
        "'uid':'{}'}}]}}}}",
        pod, uid);
    ASSERT_EQ(apiserver::registry::ErrorOf(Merge(kClaims, claim, status, "status")), "ok");
    Run();
  }
  void BindTo(std::string_view pod) {
    ASSERT_TRUE(Bind(pod, "node-0").has_value());
    Run();
  }
};

TEST(ClaimPrefix, IsShortenedInProportion) {
  EXPECT_EQ(ClaimPrefix("web", "gpu"), "web-gpu-");
  EXPECT_EQ(ClaimPrefix(std::string(52, 'p'), "eee"), std::string(52, 'p') + "-eee-");
  EXPECT_EQ(ClaimPrefix(std::string(63, 'p'), std::string(63, 'e')),
            std::string(28, 'p') + "-" + std::string(28, 'e'));
}

TEST(ResourceClaimController, CreatesAClaimFromTheTemplateAndRecordsIt) {
  DeviceCluster cluster;
  cluster.Apply(kTemplate);
  cluster.Apply(kPod);
  const std::string claim = cluster.OnlyClaim();
  EXPECT_THAT(claim, StartsWith("web-gpu-"));
  const Json pod = cluster.Get("pods", "web");
  EXPECT_HOLDS(pod, "{'status':{'resourceClaimStatuses':[{'name':'gpu','resourceClaimName':'" +
                        claim + "'}]}}");
  const std::string uid(StringAt(ObjectAt(AsObject(pod), "metadata"), "uid"));
  EXPECT_HOLDS(cluster.Get(kClaims, claim),
               "{'metadata':{'generateName':'web-gpu-','labels':{'made':'yes'},'annotations':{"
               "'from':'template','resource.kubernetes.io/pod-claim-name':'gpu'},'finalizers':null,"
               "'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'web','uid':'" +
                   uid +
                   "','controller':true,'blockOwnerDeletion':null}]},'spec':{'devices':{'requests'"
                   ":[{'name':'r','exactly':{'deviceClassName':'gpu','count':1}}]}}}");
  cluster.AdvanceSeconds(100);
  EXPECT_THAT(cluster.Names(ResourceClaims()), ElementsAre(claim)) << "once is enough";
}

TEST(ResourceClaimController, APodWaitsForItsTemplate) {
  DeviceCluster cluster;
  cluster.Apply(kPod);
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
  EXPECT_THAT(cluster.EventsOf("web"),
              Contains("Warning FailedResourceClaimCreation PodResourceClaim gpu: resource claim "
                       "template \"gpus\": resourceclaimtemplate.resource.k8s.io \"gpus\" not "
                       "found"));
  cluster.Apply(kTemplate);
  EXPECT_THAT(cluster.Names(ResourceClaims()), SizeIs(1));
}

TEST(ResourceClaimController, ReplacesAClaimThatIsGone) {
  DeviceCluster cluster;
  cluster.Apply(kTemplate);
  cluster.Apply(kPod);
  const std::string first = cluster.OnlyClaim();
  ASSERT_TRUE(cluster.Delete(kClaims, first).has_value());
  cluster.Run();
  const std::string second = cluster.OnlyClaim();
  EXPECT_NE(second, first);
  EXPECT_HOLDS(
      cluster.Get("pods", "web"),
      "{'status':{'resourceClaimStatuses':[{'name':'gpu','resourceClaimName':'" + second + "'}]}}");
}

TEST(ResourceClaimController, AFinishedPodLosesItsGeneratedClaim) {
  DeviceCluster cluster;
  cluster.Apply(kTemplate);
  cluster.Apply(kPod);
  cluster.Allocate(cluster.OnlyClaim(), "web");
  cluster.BindTo("web");
  EXPECT_EQ(cluster.ShowPods(), "1 web Running");
  cluster.AdvanceSeconds(30);
  EXPECT_THAT(cluster.Names(ResourceClaims()), SizeIs(1));
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "1 web Succeeded");
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
}

TEST(ResourceClaimController, ADeletedPodsClaimGoesWithIt) {
  DeviceCluster cluster;
  cluster.Apply(kTemplate);
  cluster.Apply(kPod);
  cluster.Allocate(cluster.OnlyClaim(), "web");
  cluster.BindTo("web");
  ASSERT_TRUE(cluster.Delete("pods", "web").has_value());
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
}

TEST(ResourceClaimController, AClaimOfItsOwnIsDeallocatedAndStays) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web"));
  cluster.Allocate("mine", "web");
  cluster.BindTo("web");
  cluster.AdvanceSeconds(100);
  EXPECT_EQ(cluster.ShowPods(), "1 web Succeeded");
  EXPECT_HOLDS(cluster.Get(kClaims, "mine"),
               "{'metadata':{'finalizers':null},'status':{'allocation':null,'reservedFor':null}}");
}

TEST(ResourceClaimController, AClaimInUseIsDeletedAfterItsLastPod) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web"));
  cluster.Allocate("mine", "web");
  cluster.BindTo("web");
  ASSERT_TRUE(cluster.Delete(kClaims, "mine").has_value());
  cluster.AdvanceSeconds(30);
  EXPECT_HOLDS(cluster.Get(kClaims, "mine"), "{'status':{'reservedFor':[{'name':'web'}]}}");
  cluster.AdvanceSeconds(60);
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
}

TEST(ResourceClaimController, APodThatWasBoundByHandGetsItsReservation) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("first"));
  cluster.Allocate("mine", "first");
  cluster.Apply(PodOfClaim("second", "node-0"));
  EXPECT_HOLDS(cluster.Get(kClaims, "mine"),
               "{'status':{'reservedFor':[{'name':'first'},{'name':'second','resource':'pods'}]}}");
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.ShowPods(), "1 first Pending, 1 second Running");
}

TEST(ResourceClaimController, OtherConsumersKeepTheirReservation) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web"));
  cluster.Allocate("mine", "web");
  ASSERT_EQ(apiserver::registry::ErrorOf(cluster.Merge(
                kClaims, "mine",
                "{'status':{'reservedFor':[{'apiGroup':'x.com','resource':'things','name':'a',"
                "'uid':'1'},{'resource':'pods','name':'gone','uid':'2'}]}}",
                "status")),
            "ok");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get(kClaims, "mine"),
               "{'status':{'reservedFor':[{'resource':'things'}],'allocation':{}}}");
}

TEST(ResourceClaimController, APodDoesNotStartWithoutItsDevices) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web", "node-0"));
  EXPECT_EQ(cluster.ShowPods(), "1 web Pending");
  EXPECT_THAT(cluster.EventsOf("web"),
              Contains(StartsWith("Warning FailedPrepareDynamicResources Failed to prepare ")));
  cluster.Allocate("mine", "web");
  cluster.AdvanceSeconds(30);
  EXPECT_EQ(cluster.ShowPods(), "1 web Running");
}

TEST(ResourceClaimController, TheClaimForExtendedResourcesGoesWithThePod) {
  DeviceCluster cluster;
  cluster.Apply(R"(
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {berth.dev/run-seconds: "10"}}
spec: {restartPolicy: Never, containers: [{name: c, image: i}]}
)");
  const std::string uid(
      StringAt(ObjectAt(AsObject(cluster.Get("pods", "web")), "metadata"), "uid"));
  cluster.Make(kClaims,
               "{'metadata':{'name':'special','annotations':{"
               "'resource.kubernetes.io/extended-resource-claim':'true'},'ownerReferences':[{"
               "'apiVersion':'v1','kind':'Pod','name':'web','uid':'" +
                   uid +
                   "','controller':true}]},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                   "'deviceClassName':'gpu'}}]}}}");
  cluster.Allocate("special", "web");
  cluster.Merge("pods", "web",
                "{'status':{'extendedResourceClaimStatus':{'resourceClaimName':'special',"
                "'requestMappings':[]}}}",
                "status");
  cluster.BindTo("web");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "1 web Succeeded");
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
}

TEST(ResourceClaimController, NothingIsLeftBehind) {
  DeviceCluster cluster;
  cluster.Apply(kTemplate);
  cluster.Apply(kPod);
  cluster.Allocate(cluster.OnlyClaim(), "web");
  cluster.BindTo("web");
  cluster.Delete("pods", "web");
  cluster.Delete("resourceclaimtemplates.resource.k8s.io", "gpus");
  cluster.AdvanceSeconds(100);
  EXPECT_THAT(cluster.Names(ResourceClaims()), IsEmpty());
  for (const std::string& size : cluster.Leftovers()) {
    EXPECT_FALSE(size.starts_with("resource-claims=") || size.starts_with("device-taint-eviction="))
        << size;
  }
}

std::string TaintedSlice(std::string_view taints) {
  return fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: d.com
  nodeName: node-0
  pool: {{name: node-0, generation: 1, resourceSliceCount: 1}}
  devices: [{{name: gpu-0, taints: [{}]}}]
)",
                     taints);
}

TEST(DeviceTaintEviction, DeletesPodsWhoseDevicesAreTainted) {
  DeviceCluster cluster;
  cluster.Apply(TaintedSlice("{key: k, effect: NoSchedule}"));
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web"));
  cluster.Allocate("mine", "web");
  cluster.BindTo("web");
  EXPECT_EQ(cluster.ShowPods(), "1 web Running");
  cluster.Apply(TaintedSlice("{key: k, effect: NoExecute}"));
  EXPECT_THAT(cluster.Conditions("pods", "web"),
              HasSubstr("DisruptionTarget=True(DeletionByDeviceTaintManager)"));
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "");
}

TEST(DeviceTaintEviction, WaitsAsLongAsTheResultTolerates) {
  DeviceCluster cluster;
  cluster.Apply(kOwnClaim);
  cluster.Apply(PodOfClaim("web"));
  const std::string uid(
      StringAt(ObjectAt(AsObject(cluster.Get("pods", "web")), "metadata"), "uid"));
  ASSERT_EQ(apiserver::registry::ErrorOf(cluster.Merge(
                kClaims, "mine",
                "{'status':{'allocation':{'devices':{'results':[{'request':'r','driver':'d.com',"
                "'pool':'node-0','device':'gpu-0','tolerations':[{'operator':'Exists','effect':"
                "'NoExecute','tolerationSeconds':20}]}]}},'reservedFor':[{'resource':'pods',"
                "'name':'web','uid':'" +
                    uid + "'}]}}",
                "status")),
            "ok");
  cluster.BindTo("web");
  cluster.Apply(TaintedSlice("{key: k, effect: NoExecute}"));
  cluster.AdvanceSeconds(15);
  EXPECT_EQ(cluster.ShowPods(), "1 web Running");
  cluster.AdvanceSeconds(40);
  EXPECT_EQ(cluster.ShowPods(), "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
