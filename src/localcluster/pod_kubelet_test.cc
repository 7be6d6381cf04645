#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;

constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: c, image: nginx, resources: {requests: {cpu: "1"}}}]
)";

TEST(NodeKubelet, ANodeGetsReadyInOneWrite) {
  Scenario story({.leases = false});
  story.Make("nodes", "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'4'}}}");
  const apiserver::store::Version before = story.store->version();
  story.Run();
  EXPECT_EQ(story.store->version(), before + 1);
  const Json node = story.Get("nodes", "n");
  EXPECT_HOLDS(node,
               "{'spec':{'taints':null,'podCIDR':'10.0.4.0/22'},'status':{"
               "'allocatable':{'cpu':'4','pods':'110'},'nodeInfo':{'kubeletVersion':'v1.36.0'},"
               "'addresses':[{'type':'InternalIP','address':'172.16.0.1'},"
               "{'type':'Hostname','address':'n'}]}}");
  EXPECT_EQ(story.Conditions("nodes", "n"),
            "DiskPressure=False(KubeletHasNoDiskPressure) "
            "MemoryPressure=False(KubeletHasSufficientMemory) "
            "PIDPressure=False(KubeletHasSufficientPID) Ready=True(KubeletReady)");
}

TEST(NodeKubelet, NodesOfOthersAreLeftAlone) {
  Scenario story({.controllers = false});
  story.Make("nodes", "{'metadata':{'name':'n','annotations':{'berth.dev/kubelet':'none'}}}");
  const apiserver::store::Version before = story.store->version();
  story.Run();
  EXPECT_EQ(story.store->version(), before);
}

TEST(NodeKubelet, ANodeSaidToBeBrokenStaysSo) {
  Scenario story({.controllers = false});
  story.Make(
      "nodes",
      "{'metadata':{'name':'n'},'status':{'conditions':[{'type':'Ready','status':'False'}]}}");
  story.Run();
  EXPECT_HOLDS(story.Get("nodes", "n"),
               "{'spec':{'taints':[{'key':'node.kubernetes.io/not-ready'}]}}");
  EXPECT_THAT(story.Conditions("nodes", "n"), ::testing::HasSubstr("Ready=False"));
}

TEST(NodeLeases, AreRenewedWhileTheKubeletRuns) {
  Scenario story({.controllers = false});
  story.AddNodes(1);
  const auto renewed = [&] {
    const auto lease = story.store->Get(Leases().collection, {"kube-node-lease", "node-0"});
    const Json document = apiserver::store::Parse(*lease);
    return std::string(StringAt(ObjectAt(AsObject(document), "spec"), "renewTime"));
  };
  const std::string first = renewed();
  story.AdvanceSeconds(10);
  const std::string second = renewed();
  EXPECT_LT(first, second);
  story.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  story.AdvanceSeconds(100);
  EXPECT_EQ(renewed(), second);
}

TEST(PodKubelet, APodRunsAfterItsDelay) {
  Scenario story({.start_delay = Duration::Seconds(3)});
  story.AddNodes(1);
  story.Apply(kPod);
  EXPECT_EQ(story.ShowPods(), "1 a Pending");
  story.AdvanceSeconds(2);
  EXPECT_EQ(story.ShowPods(), "1 a Pending");
  story.AdvanceSeconds(1);
  EXPECT_EQ(story.ShowPods(), "1 a Running");
  EXPECT_HOLDS(story.Get("pods", "a"),
               "{'status':{'hostIP':'172.16.0.1','podIP':'10.0.4.1','podIPs':[{'ip':'10.0.4.1'}],"
               "'startTime':'2026-01-01T00:00:03Z','qosClass':'Burstable','containerStatuses':[{"
               "'name':'c','ready':true,'started':true,'restartCount':0,'image':'nginx',"
               "'state':{'running':{'startedAt':'2026-01-01T00:00:03Z'}}}]}}");
  EXPECT_EQ(story.Conditions("pods", "a"),
            "ContainersReady=True Initialized=True PodReadyToStartContainers=True "
            "PodScheduled=True Ready=True");
}

TEST(PodKubelet, APodThatDoesNotFitIsRejected) {
  Scenario story;
  story.AddNodes(1, "1", "2");
  story.Apply(kPod);
  story.Make("pods",
             "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i','resources':"
             "{'requests':{'cpu':'100m'}}}]}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 a Running, 1 b Failed");
  const Json rejected = story.Get("pods", "b");
  EXPECT_HOLDS(rejected, "{'status':{'reason':'OutOfcpu'}}");
  EXPECT_EQ(StringAt(ObjectAt(AsObject(rejected), "status"), "message"),
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 100, used: 1000, "
            "capacity: 1000");
  story.Make("pods", "{'metadata':{'name':'c'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  story.Make("pods", "{'metadata':{'name':'d'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 a Running, 1 b Failed, 1 c Running, 1 d Failed");
  EXPECT_HOLDS(story.Get("pods", "d"), "{'status':{'reason':'OutOfpods'}}");
}

TEST(PodKubelet, ADeletedPodGoesAfterTheShorterOfGraceAndStopDelay) {
  Scenario story({.stop_delay = Duration::Seconds(5)});
  story.AddNodes(1);
  story.Apply(kPod);
  story.Delete("pods", "a");
  story.AdvanceSeconds(4);
  EXPECT_EQ(story.ShowPods(), "1 a Running!");
  story.AdvanceSeconds(1);
  EXPECT_EQ(story.ShowPods(), "");
  story.Apply(kPod);
  story.Delete("pods", "a", {.grace_period_seconds = 2});
  story.AdvanceSeconds(2);
  EXPECT_EQ(story.ShowPods(), "");
}

TEST(PodKubelet, FinalizersHoldAStoppedPod) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kPod);
  story.Merge("pods", "a", "{'metadata':{'finalizers':['example.com/x']}}");
  story.Delete("pods", "a");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 a Failed!");
  story.Merge("pods", "a", "{'metadata':{'finalizers':null}}");
  EXPECT_EQ(story.ShowPods(), "");
}

struct ExitCase {
  const char* name;
  const char* policy;
  const char* annotations;
  int64_t seconds;
  const char* want;
};

class Exit : public ::testing::TestWithParam<ExitCase> {};

TEST_P(Exit, Scenario) {
  Scenario story;
  story.AddNodes(1);
  story.Make("pods",
             fmt::format("{{'metadata':{{'name':'a','annotations':{{{}}}}},'spec':{{"
                         "'restartPolicy':'{}','containers':[{{'name':'c','image':'i'}}]}}}}",
                         GetParam().annotations, GetParam().policy));
  story.AdvanceSeconds(GetParam().seconds);
  const Json pod = story.Get("pods", "a");
  const JsonObject* status = ObjectAt(AsObject(pod), "status");
  const JsonObject& container = ObjectsAt(status, "containerStatuses").front();
  EXPECT_EQ(fmt::format("{} restarts={} ready={}", StringAt(status, "phase"),
                        *IntAt(&container, "restartCount"), BoolAt(&container, "ready")),
            GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    PodKubelet, Exit,
    ::testing::Values(
        ExitCase{"WithoutATimeItRunsForEver", "Never", "", 9999, "Running restarts=0 ready=true"},
        ExitCase{"NotYet", "Never", "'berth.dev/run-seconds':'5'", 4,
                 "Running restarts=0 ready=true"},
        ExitCase{"Succeeds", "Never", "'berth.dev/run-seconds':'5'", 5,
                 "Succeeded restarts=0 ready=false"},
        ExitCase{"Fails", "Never", "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 5,
                 "Failed restarts=0 ready=false"},
        ExitCase{"OnFailureWaits", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 14,
                 "Running restarts=0 ready=false"},
        ExitCase{"OnFailureRestarts", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 15,
                 "Running restarts=1 ready=true"},
        ExitCase{"OnFailureSucceeds", "OnFailure", "'berth.dev/run-seconds':'5'", 5,
                 "Succeeded restarts=0 ready=false"},
        ExitCase{"AlwaysRestarts", "Always", "'berth.dev/run-seconds':'0.5'", 11,
                 "Running restarts=1 ready=false"}),
    [](const auto& each) { return each.param.name; });

TEST(PodKubelet, PodsWaitForTheirNodesKubelet) {
  Scenario story({.controllers = false});
  story.places_pods = false;
  story.Apply(kPod);
  story.Bind("a", "node-0");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 a Pending");
  story.AddNodes(1);
  EXPECT_EQ(story.ShowPods(), "1 a Running");
}

TEST(PodKubelet, PodsThatComeWithTheirNodeAreNotRejected) {
  Scenario story;
  story.Make("nodes", "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'4'}}}");
  story.Make("pods",
             "{'metadata':{'name':'a'},'spec':{'nodeName':'n','containers':[{'name':'c',"
             "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}");
  story.Run();
  EXPECT_EQ(story.ShowPods(), "1 a Running");
}

TEST(PodKubelet, AddressesAreUnique) {
  Scenario story({.leases = false});
  story.AddNodes(2);
  for (int i = 0; i < 100; ++i) {
    story.Make("pods", fmt::format("{{'metadata':{{'name':'p{}'}},'spec':{{'containers':"
                                   "[{{'name':'c','image':'i'}}]}}}}",
                                   i));
  }
  story.Run();
  std::set<std::string> addresses;
  for (const auto& pod : story.store->List(Pods().collection, {}).objects) {
    const Json document = apiserver::store::Parse(*pod);
    addresses.insert(std::string(StringAt(ObjectAt(AsObject(document), "status"), "podIP")));
  }
  EXPECT_EQ(addresses.size(), 100u);
}

TEST(LocalCluster, ForgetsWhatIsGone) {
  Scenario story;
  story.AddNodes(3);
  story.Apply(kPod);
  story.AdvanceSeconds(30);
  EXPECT_THAT(story.Leftovers(), ::testing::Not(IsEmpty()));
  story.Delete("pods", "a");
  for (const std::string& name : story.Names(Nodes())) story.Delete("nodes", name);
  story.AdvanceSeconds(300);
  EXPECT_THAT(story.Leftovers(), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
