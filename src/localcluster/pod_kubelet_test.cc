#include <limits>

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

TEST(NodeKubelet, MakesANodeReadyInOneWrite) {
  TestCluster cluster({.leases = false});
  cluster.Run();
  cluster.Make("nodes", "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'4'}}}");
  const apiserver::store::Version before = cluster.store->version();
  cluster.Run();
  // The other write is the event RegisteredNode.
  EXPECT_EQ(cluster.store->version(), before + 2);
  const Json node = cluster.Get("nodes", "n");
  EXPECT_HOLDS(node,
               "{'spec':{'taints':null,'podCIDR':'10.0.4.0/22'},'status':{"
               "'allocatable':{'cpu':'4','pods':'110'},'nodeInfo':{'kubeletVersion':'v1.36.0'},"
               "'addresses':[{'type':'InternalIP','address':'172.16.0.1'},"
               "{'type':'Hostname','address':'n'}]}}");
  EXPECT_EQ(cluster.Conditions("nodes", "n"),
            "DiskPressure=False(KubeletHasNoDiskPressure) "
            "MemoryPressure=False(KubeletHasSufficientMemory) "
            "PIDPressure=False(KubeletHasSufficientPID) Ready=True(KubeletReady)");
}

TEST(NodeKubelet, IgnoresNodesOfOtherKubelets) {
  TestCluster cluster({.controllers = false});
  cluster.Make("nodes", "{'metadata':{'name':'n','annotations':{'berth.dev/kubelet':'none'}}}");
  const apiserver::store::Version before = cluster.store->version();
  cluster.Run();
  EXPECT_EQ(cluster.store->version(), before);
}

TEST(NodeKubelet, RetainsAReadyConditionOfFalse) {
  TestCluster cluster({.controllers = false});
  cluster.Make(
      "nodes",
      "{'metadata':{'name':'n'},'status':{'conditions':[{'type':'Ready','status':'False'}]}}");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("nodes", "n"),
               "{'spec':{'taints':[{'key':'node.kubernetes.io/not-ready'}]}}");
  EXPECT_THAT(cluster.Conditions("nodes", "n"), ::testing::HasSubstr("Ready=False"));
}

TEST(NodeLeases, AreRenewedWhileTheKubeletRuns) {
  TestCluster cluster({.controllers = false});
  cluster.AddNodes(1);
  const auto renewed = [&] {
    const auto lease = cluster.store->Get(Leases().collection, {"kube-node-lease", "node-0"});
    const Json document = apiserver::store::Parse(*lease);
    return std::string(StringAt(ObjectAt(AsObject(document), "spec"), "renewTime"));
  };
  const std::string first = renewed();
  cluster.AdvanceSeconds(10);
  const std::string second = renewed();
  EXPECT_LT(first, second);
  cluster.Merge("nodes", "node-0", "{'metadata':{'annotations':{'berth.dev/kubelet':'stopped'}}}");
  cluster.AdvanceSeconds(100);
  EXPECT_EQ(renewed(), second);
}

TEST(PodKubelet, APodRunsAfterItsDelay) {
  TestCluster cluster({.start_delay = Duration::Seconds(3)});
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  EXPECT_EQ(cluster.ShowPods(), "1 a Pending");
  cluster.AdvanceSeconds(2);
  EXPECT_EQ(cluster.ShowPods(), "1 a Pending");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'hostIP':'172.16.0.1','podIP':'10.0.4.1','podIPs':[{'ip':'10.0.4.1'}],"
               "'startTime':'2026-01-01T00:00:00Z','qosClass':'Burstable','containerStatuses':[{"
               "'name':'c','ready':true,'started':true,'restartCount':0,'image':'nginx',"
               "'state':{'running':{'startedAt':'2026-01-01T00:00:03Z'}}}]}}");
  EXPECT_EQ(cluster.Conditions("pods", "a"),
            "ContainersReady=True Initialized=True PodReadyToStartContainers=True "
            "PodScheduled=True Ready=True");
}

TEST(PodKubelet, APodThatDoesNotFitIsRejected) {
  TestCluster cluster;
  cluster.AddNodes(1, "1", "2");
  cluster.Apply(kPod);
  cluster.Make("pods",
               "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'c','image':'i','resources':"
               "{'requests':{'cpu':'100m'}}}]}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Running, 1 b Failed");
  const Json rejected = cluster.Get("pods", "b");
  EXPECT_HOLDS(rejected, "{'status':{'reason':'OutOfcpu'}}");
  EXPECT_EQ(StringAt(ObjectAt(AsObject(rejected), "status"), "message"),
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 100, used: 1000, "
            "capacity: 1000");
  cluster.Make("pods",
               "{'metadata':{'name':'c'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Make("pods",
               "{'metadata':{'name':'d'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Running, 1 b Failed, 1 c Running, 1 d Failed");
  EXPECT_HOLDS(cluster.Get("pods", "d"), "{'status':{'reason':'OutOfpods'}}");
}

// A pod with a host port, and more members of that port.
std::string PodWithPort(std::string_view name, int port, std::string_view more = "") {
  return fmt::format(
      "{{'metadata':{{'name':'{}'}},'spec':{{'containers':[{{'name':'c','image':'i','ports':["
      "{{'containerPort':80,'hostPort':{}{}}}]}}]}}}}",
      name, port, more);
}

TEST(PodKubelet, APodWhoseHostPortIsTakenIsRejected) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods", PodWithPort("a", 80));
  cluster.Run();
  cluster.Make("pods", PodWithPort("b", 80));
  cluster.Make("pods", PodWithPort("c", 80, ",'hostIP':'172.16.0.1'"));
  cluster.Make("pods", PodWithPort("d", 80, ",'protocol':'UDP'"));
  cluster.Make("pods", PodWithPort("e", 81));
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Running, 1 b Failed, 1 c Failed, 1 d Running, 1 e Running");
  const Json rejected = cluster.Get("pods", "b");
  EXPECT_HOLDS(rejected, "{'status':{'reason':'NodePorts'}}");
  EXPECT_EQ(StringAt(ObjectAt(AsObject(rejected), "status"), "message"),
            "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the "
            "requested pod ports");
  // A pod that is gone leaves its port to others, as does one that was rejected.
  cluster.Delete("pods", "a");
  cluster.Run();
  cluster.Make("pods", PodWithPort("f", 80));
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("pods", "f"), "{'status':{'phase':'Running'}}");
}

TEST(PodKubelet, APodOnANodeThatIsNotForItIsRejected) {
  TestCluster cluster({.controllers = false});
  cluster.Make("nodes",
               "{'metadata':{'name':'n'},'spec':{'taints':[{'key':'k','effect':'NoExecute'}]},"
               "'status':{'capacity':{'cpu':'4'}}}");
  cluster.Run();
  const auto make = [&](std::string_view name, std::string_view spec) {
    cluster.Make("pods", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'nodeName':'n',{}}}}}",
                                     name, spec));
  };
  constexpr std::string_view kTolerant = "'tolerations':[{'operator':'Exists'}],";
  const std::string container = "'containers':[{'name':'c','image':'i'}]";
  make("a", std::string(kTolerant) + "'nodeSelector':{'disk':'ssd'}," + container);
  make("b", container);
  // The device may be another's than the node's.
  make("c", std::string(kTolerant) +
                "'containers':[{'name':'c','image':'i','resources':{'requests':"
                "{'example.com/gpu':'1'},'limits':{'example.com/gpu':'1'}}}]");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'phase':'Failed','reason':'NodeAffinity','message':'Pod was rejected: "
               "Predicate NodeAffinity failed: node(s) didn\\u0027t match Pod\\u0027s node "
               "affinity/selector'}}");
  EXPECT_HOLDS(cluster.Get("pods", "b"),
               "{'status':{'phase':'Failed','reason':'TaintToleration'}}");
  EXPECT_HOLDS(cluster.Get("pods", "c"), "{'status':{'phase':'Running'}}");
}

TEST(PodKubelet, ADeletedPodGoesAfterTheShorterOfGraceAndStopDelay) {
  TestCluster cluster({.stop_delay = Duration::Seconds(5)});
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  cluster.Delete("pods", "a");
  cluster.AdvanceSeconds(4);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running!");
  cluster.AdvanceSeconds(1);
  EXPECT_EQ(cluster.ShowPods(), "");
  cluster.Apply(kPod);
  cluster.Delete("pods", "a", {.grace_period_seconds = 2});
  cluster.AdvanceSeconds(2);
  EXPECT_EQ(cluster.ShowPods(), "");
}

TEST(PodKubelet, FinalizersHoldAStoppedPod) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kPod);
  cluster.Merge("pods", "a", "{'metadata':{'finalizers':['example.com/x']}}");
  cluster.Delete("pods", "a");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Failed!");
  cluster.Merge("pods", "a", "{'metadata':{'finalizers':null}}");
  EXPECT_EQ(cluster.ShowPods(), "");
}

struct ExitCase {
  const char* name;
  const char* policy;
  const char* annotations;
  int64_t seconds;
  const char* want;
};

class Exit : public ::testing::TestWithParam<ExitCase> {};

TEST_P(Exit, Status) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               fmt::format("{{'metadata':{{'name':'a','annotations':{{{}}}}},'spec':{{"
                           "'restartPolicy':'{}','containers':[{{'name':'c','image':'i'}}]}}}}",
                           GetParam().annotations, GetParam().policy));
  cluster.AdvanceSeconds(GetParam().seconds);
  const Json pod = cluster.Get("pods", "a");
  const JsonObject* status = ObjectAt(AsObject(pod), "status");
  const JsonObject& container = ObjectsAt(status, "containerStatuses").front();
  EXPECT_EQ(fmt::format("{} restarts={} ready={}", StringAt(status, "phase"),
                        *IntAt(&container, "restartCount"), BoolAt(&container, "ready")),
            GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    PodKubelet, Exit,
    ::testing::Values(
        ExitCase{"RunsForeverWithoutATime", "Never", "", 9999, "Running restarts=0 ready=true"},
        ExitCase{"NotYet", "Never", "'berth.dev/run-seconds':'5'", 4,
                 "Running restarts=0 ready=true"},
        ExitCase{"Succeeds", "Never", "'berth.dev/run-seconds':'5'", 5,
                 "Succeeded restarts=0 ready=false"},
        ExitCase{"Fails", "Never", "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 5,
                 "Failed restarts=0 ready=false"},
        ExitCase{"OnFailureExits", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 5,
                 "Running restarts=0 ready=false"},
        ExitCase{"OnFailureRestarts", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 6,
                 "Running restarts=1 ready=true"},
        ExitCase{"OnFailureWaits", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 20,
                 "Running restarts=1 ready=false"},
        ExitCase{"OnFailureRestartsAgain", "OnFailure",
                 "'berth.dev/run-seconds':'5','berth.dev/exit-code':'3'", 21,
                 "Running restarts=2 ready=true"},
        ExitCase{"OnFailureSucceeds", "OnFailure", "'berth.dev/run-seconds':'5'", 5,
                 "Succeeded restarts=0 ready=false"},
        ExitCase{"AlwaysRestarts", "Always", "'berth.dev/run-seconds':'0.5'", 12,
                 "Running restarts=2 ready=false"}),
    [](const auto& each) { return each.param.name; });

TEST(PodKubelet, AnyGracePeriodEndsWithTheStopDelay) {
  for (const int64_t grace : {int64_t{9'000'000'000}, std::numeric_limits<int64_t>::max()}) {
    TestCluster cluster;
    cluster.AddNodes(1);
    cluster.Apply(kPod);
    ASSERT_TRUE(cluster.Delete("pods", "a", {.grace_period_seconds = grace}));
    cluster.AdvanceSeconds(60);
    EXPECT_EQ(cluster.ShowPods(), "") << grace;
  }
}

TEST(PodKubelet, NegativeRestartCountsAreNone) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods",
               "{'metadata':{'name':'a','annotations':{'berth.dev/run-seconds':'5'}},'spec':{"
               "'containers':[{'name':'c','image':'i'}]}}");
  cluster.Run();
  Json pod = cluster.Get("pods", "a");
  SetInt(pod.at("status").at("containerStatuses").at(0).as_object(), "restartCount", -2147483648);
  ASSERT_TRUE(cluster.Update("pods", "a", pod, "status"));
  // It ends after five seconds, and is restarted at once.
  cluster.AdvanceSeconds(16);
  EXPECT_HOLDS(cluster.Get("pods", "a"), "{'status':{'containerStatuses':[{'ready':true}]}}");
}

TEST(PodKubelet, PodsWaitForTheirNodesKubelet) {
  TestCluster cluster({.controllers = false});
  cluster.schedules_pods = false;
  cluster.Apply(kPod);
  cluster.Bind("a", "node-0");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Pending");
  cluster.AddNodes(1);
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
}

TEST(PodKubelet, PodsThatComeWithTheirNodeAreNotRejected) {
  TestCluster cluster;
  cluster.Make("nodes", "{'metadata':{'name':'n'},'status':{'capacity':{'cpu':'4'}}}");
  cluster.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'nodeName':'n','containers':[{'name':'c',"
               "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "1 a Running");
}

TEST(PodKubelet, AddressesAreUnique) {
  TestCluster cluster({.leases = false});
  cluster.AddNodes(2);
  for (int i = 0; i < 100; ++i) {
    cluster.Make("pods", fmt::format("{{'metadata':{{'name':'p{}'}},'spec':{{'containers':"
                                     "[{{'name':'c','image':'i'}}]}}}}",
                                     i));
  }
  cluster.Run();
  std::set<std::string> addresses;
  for (const auto& pod : cluster.store->List(Pods().collection, {}).objects) {
    const Json document = apiserver::store::Parse(*pod);
    addresses.insert(std::string(StringAt(ObjectAt(AsObject(document), "status"), "podIP")));
  }
  EXPECT_EQ(addresses.size(), 100u);
}

TEST(LocalCluster, ForgetsDeletedObjects) {
  TestCluster cluster;
  cluster.AddNodes(3);
  cluster.Apply(kPod);
  cluster.AdvanceSeconds(30);
  EXPECT_THAT(cluster.Leftovers(), ::testing::Not(IsEmpty()));
  cluster.Delete("pods", "a");
  for (const std::string& name : cluster.Names(Nodes())) cluster.Delete("nodes", name);
  cluster.AdvanceSeconds(300);
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

TEST(PodKubelet, RunsEphemeralContainers) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("pods", apiserver::registry::kPodA);
  cluster.Run();
  for (const std::string_view containers :
       {"{'name':'one','image':'i'}", "{'name':'one','image':'i'},{'name':'two','image':'i'}"}) {
    cluster.Merge("pods", "a", fmt::format("{{'spec':{{'ephemeralContainers':[{}]}}}}", containers),
                  "ephemeralcontainers");
    cluster.AdvanceSeconds(10);
  }
  EXPECT_HOLDS(cluster.Get("pods", "a"),
               "{'status':{'phase':'Running','containerStatuses':[{}],"
               "'ephemeralContainerStatuses':["
               "{'name':'one','state':{'running':{'startedAt':'2026-01-01T00:00:00Z'}}},"
               "{'name':'two','state':{'running':{'startedAt':'2026-01-01T00:00:10Z'}}}]}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
