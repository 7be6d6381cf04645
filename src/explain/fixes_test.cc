#include "explain/fixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explain/patches.h"
#include "testing/cluster_dump.h"
#include "testing/engine_harness.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kZone = "topology.kubernetes.io/zone";

// "uncordon node n1 + lower the cpu request from 4 to 2 -> n1"
std::string LineOf(const Fix& fix) {
  std::string line;
  for (const Change& change : fix.changes) line += (line.empty() ? "" : " + ") + change.text;
  line += " -> " + fix.node;
  for (const Fix::Move& move : fix.moves) line += ", " + move.pod.name + " -> " + move.to;
  for (const api::ObjectKey& victim : fix.victims) line += ", preempting " + victim.name;
  if (fix.similar > 0) line += " and " + std::to_string(fix.similar) + " more";
  return line;
}

class FixesTest : public testing::Test {
 protected:
  std::vector<std::string> LinesFor(const MakePod& pod, const FixOptions& options = {}) {
    harness_.engine().DropCaches();
    const std::string before = Dump(harness_.cluster());
    report_ = Require(FindFixes(harness_.engine(), pod.ref(), harness_.now(), options));
    harness_.engine().DropCaches();
    EXPECT_EQ(Dump(harness_.cluster()), before);
    std::vector<std::string> lines;
    for (const Fix& fix : report_.fixes) lines.push_back(LineOf(fix));
    return lines;
  }

  EngineHarness harness_;
  FixReport report_;
};

TEST_F(FixesTest, RequestIsLoweredToTheLargestThatFits) {
  harness_.Put(MakeNode("small").Cpu("2"));
  harness_.Put(MakeNode("large").Cpu("4"));
  harness_.Put(MakePod("web").Request("cpu", "1700m").On("large"));
  EXPECT_THAT(LinesFor(MakePod("big").Request("cpu", "6")),
              ElementsAre("lower the cpu request from 6 to 2300m -> large"));
  EXPECT_TRUE(report_.complete);
}

TEST_F(FixesTest, RequestsOfSeveralContainersAreLoweredTheLargestFirst) {
  harness_.Put(MakeNode("n").Cpu("4"));
  MakePod pod = MakePod("big").Request("cpu", "3");
  pod.object.spec.containers.push_back({.name = "side", .image = "app:1"});
  pod.object.spec.containers[1].resources.requests["cpu"] = Amount("2");
  pod.object.spec.init_containers.push_back({.name = "init", .image = "app:1"});
  pod.object.spec.init_containers[0].resources.requests["cpu"] = Amount("5");
  EXPECT_THAT(LinesFor(pod), ElementsAre("lower the cpu request from 5 to 4 -> n"));
  const auto fixed = Apply(report_.fixes[0].changes, pod);
  EXPECT_EQ(fixed->spec.containers[0].resources.requests.at("cpu").ToString(), "2");
  EXPECT_EQ(fixed->spec.containers[1].resources.requests.at("cpu").ToString(), "2");
  EXPECT_EQ(fixed->spec.init_containers[0].resources.requests.at("cpu").ToString(), "4");
}

TEST_F(FixesTest, CordonsAreLifted) {
  harness_.Put(
      MakeNode("n").Cordoned().Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"));
  EXPECT_THAT(LinesFor(MakePod("web"), {.opens_nodes = true}),
              ElementsAre("uncordon node n -> n", "add a node like n -> n-new-1"));
  // They are there for a reason, unless they are what decides.
  EXPECT_THAT(LinesFor(MakePod("web")),
              ElementsAre("add a node like n -> n-new-1", "uncordon node n -> n"));
}

TEST_F(FixesTest, TaintsAreToleratedOrRemoved) {
  harness_.Put(MakeNode("n").Taint("dedicated", "db", "NoSchedule"));
  EXPECT_THAT(LinesFor(MakePod("web")),
              ElementsAre("add a toleration for the taint dedicated=db:NoSchedule -> n",
                          "remove the taint dedicated=db:NoSchedule from node n -> n"));
}

// What is probably misspelt comes first.
TEST_F(FixesTest, NamesAreCorrected) {
  harness_.Put(MakeNode("n").Label("disktype", "ssd").Offer("nvidia.com/gpu", "2"));
  EXPECT_THAT(LinesFor(MakePod("web").NodeSelector("disktype", "sdd"))[0],
              "ask for disktype=ssd in the nodeSelector instead of disktype=sdd -> n");
  EXPECT_THAT(LinesFor(MakePod("web").NodeSelector("disk-type", "ssd"))[0],
              "ask for disktype=ssd in the nodeSelector instead of disk-type=ssd -> n");
  EXPECT_THAT(LinesFor(MakePod("web").Request("nvidia.com/gpus", "1")),
              ElementsAre("request nvidia.com/gpu instead of nvidia.com/gpus -> n"));
}

TEST_F(FixesTest, RequestsAreNotLoweredToNextToNothing) {
  harness_.Put(MakeNode("n").Cpu("4"));
  harness_.Put(MakePod("large").Request("cpu", "3900m").On("n"));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "2")),
              Not(Contains(HasSubstr("lower the cpu request"))));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "1")),
              Contains("lower the cpu request from 1 to 100m -> n"));
}

// A change of the template is one of all its pods: replicas do not have to preempt one another.
TEST_F(FixesTest, AntiAffinityAmongReplicasIsSoftenedForAll) {
  harness_.Put(MakeNode("n").Zone("a"));
  MakePod pod("web-1");
  pod.Label("app", "web");
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", "web"}};
  term.topology_key = kZone;
  pod.object.spec.affinity.emplace().pod_anti_affinity.emplace().required = {term};
  pod.object.metadata.owner_references = {
      {.api_version = "apps/v1", .kind = "ReplicaSet", .name = "web", .controller = true}};
  MakePod placed = pod;
  placed.object.metadata.name = "web-0";
  placed.object.metadata.uid = "web-0";
  harness_.Put(placed.On("n"));
  EXPECT_THAT(LinesFor(pod),
              ElementsAre("make the pod anti-affinity \"app=web\" by topology.kubernetes.io/zone "
                          "preferred instead of required -> n",
                          "add a node like n, in a new zone -> n-new-1"));
}

// The node controllers would add the taint again.
TEST_F(FixesTest, TaintsOfConditionsHaveNoPatch) {
  harness_.Put(MakeNode("n").Taint("node.kubernetes.io/not-ready", "", "NoExecute"));
  EXPECT_THAT(
      LinesFor(MakePod("web"), {.opens_nodes = true}),
      ElementsAre(
          "repair node n, until it loses the taint node.kubernetes.io/not-ready:NoExecute -> n",
          "add a node like n -> n-new-1"));
  EXPECT_THAT(report_.fixes[0].changes[0].patch, IsEmpty());
}

TEST_F(FixesTest, SelectorsAreDroppedOrMet) {
  harness_.Put(MakeNode("n"));
  EXPECT_THAT(
      LinesFor(MakePod("web").NodeSelector("disk", "ssd")),
      ElementsAre("drop disk=ssd from the nodeSelector -> n", "label node n with disk=ssd -> n"));
}

// A label that says where a node is cannot be chosen.
TEST_F(FixesTest, ZonesOfNodesAreNotChanged) {
  harness_.Put(MakeNode("n").Zone("a"));
  EXPECT_THAT(LinesFor(MakePod("web").NodeSelector(kZone, "b")),
              ElementsAre("drop topology.kubernetes.io/zone=b from the nodeSelector -> n"));
}

TEST_F(FixesTest, AffinityExpressionsAreDroppedOneByOne) {
  harness_.Put(MakeNode("n").Label("disk", "hdd").Label("arch", "arm"));
  MakePod pod("web");
  pod.object.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{{"arch", "In", {"arm"}}, {"disk", "In", {"ssd"}}}, {}}};
  EXPECT_THAT(LinesFor(pod), ElementsAre("drop disk In [ssd] from the required node affinity -> n",
                                         "drop the required node affinity -> n",
                                         "label node n with disk=ssd, instead of disk=hdd -> n"));
}

TEST_F(FixesTest, HostPortsAreDropped) {
  harness_.Put(MakeNode("n"));
  harness_.Put(MakePod("a").HostPort(80).On("n"));
  EXPECT_THAT(
      LinesFor(MakePod("web").HostPort(80)),
      ElementsAre("drop hostPort 80/TCP of container main -> n", "add a node like n -> n-new-1",
                  "raise the priority from 0 to 1 (priorityClassName: priority-1, a new "
                  "class) -> n, preempting a"));
  // The host has the port all the same.
  MakePod pod = MakePod("web").HostPort(80);
  pod.object.spec.host_network = true;
  EXPECT_THAT(LinesFor(pod), Not(Contains(HasSubstr("hostPort"))));
}

TEST_F(FixesTest, SpreadIsRelaxedAsLittleAsPossible) {
  harness_.Put(MakeNode("n").Zone("a"));
  harness_.Put(MakeNode("m").Zone("b").Cordoned());
  for (const char* name : {"p1", "p2", "p3"}) {
    harness_.Put(MakePod(name).Label("app", "web").On("n"));
  }
  MakePod pod = MakePod("web").Label("app", "web");
  pod.object.spec.topology_spread_constraints = {
      {.max_skew = 1, .topology_key = kZone, .when_unsatisfiable = "DoNotSchedule"}};
  pod.object.spec.topology_spread_constraints[0].label_selector.emplace().match_labels = {
      {"app", "web"}};
  EXPECT_THAT(LinesFor(pod), Contains("raise maxSkew of the spread by topology.kubernetes.io/zone "
                                      "from 1 to 4 -> n"));
  EXPECT_THAT(LinesFor(pod), Contains("uncordon node m -> m"));
}

TEST_F(FixesTest, AffinityTermsAreSoftened) {
  harness_.Put(MakeNode("n").Zone("a"));
  harness_.Put(MakePod("db").Label("app", "db").On("n"));
  MakePod pod("web");
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", "db"}};
  term.topology_key = kZone;
  pod.object.spec.affinity.emplace().pod_anti_affinity.emplace().required = {term};
  EXPECT_THAT(LinesFor(pod),
              ElementsAre("make the pod anti-affinity \"app=db\" by topology.kubernetes.io/zone "
                          "preferred instead of required -> n",
                          "add a node like n, in a new zone -> n-new-1",
                          "raise the priority from 0 to 1 (priorityClassName: priority-1, a new "
                          "class) -> n, preempting db"));
}

TEST_F(FixesTest, PodsAreMovedIfTheyFitElsewhere) {
  harness_.Put(MakeNode("n").Cpu("4"));
  harness_.Put(MakeNode("m").Cpu("2").Label("disk", "ssd"));
  harness_.Put(MakePod("small").Request("cpu", "1").On("n"));
  harness_.Put(MakePod("large").Request("cpu", "2500m").On("n"));
  // On m there is not enough for the large one.
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "2500m")), Not(Contains(HasSubstr("move"))));
}

TEST_F(FixesTest, TheSmallestPodThatLeavesEnoughIsMoved) {
  harness_.Put(MakeNode("n").Cpu("4").Label("disk", "ssd"));
  harness_.Put(MakeNode("m").Cpu("2"));
  harness_.Put(MakePod("tiny").Request("cpu", "200m").On("n"));
  harness_.Put(MakePod("small").Request("cpu", "1").On("n"));
  harness_.Put(MakePod("large").Request("cpu", "2").On("n"));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "1500m").NodeSelector("disk", "ssd")),
              Contains("move default/small away from node n (frees 1 cpu) -> n, small -> m"));
}

TEST_F(FixesTest, PairsAreTriedIfNoSingleChangeSuffices) {
  harness_.Put(MakeNode("n").Cpu("2").Taint("dedicated", "db", "NoSchedule"));
  EXPECT_THAT(
      LinesFor(MakePod("web").Request("cpu", "3")),
      ElementsAre("add a toleration for the taint dedicated=db:NoSchedule + lower the cpu request "
                  "from 3 to 2 -> n",
                  "remove the taint dedicated=db:NoSchedule from node n + lower the cpu request "
                  "from 3 to 2 -> n"));
}

TEST_F(FixesTest, TriplesAreTheMost) {
  const MakeNode node = MakeNode("n").Cpu("2").Taint("dedicated", "db", "NoSchedule");
  harness_.Put(node);
  const MakePod pod = MakePod("web").Request("cpu", "3").NodeSelector("disk", "ssd");
  EXPECT_EQ(LinesFor(pod).size(), 4U);
  EXPECT_THAT(LinesFor(MakePod(pod.object).Request("memory", "64Gi")), IsEmpty());
  EXPECT_TRUE(report_.complete);
}

TEST_F(FixesTest, PriorityIsRaisedToTheLowestThatPreempts) {
  harness_.Put(MakeNode("n").Cpu("4"));
  harness_.Put(MakePod("low").Request("cpu", "1").Priority(5).On("n"));
  harness_.Put(MakePod("high").Request("cpu", "3").Priority(100).On("n"));
  api::PriorityClass known;
  known.metadata.name = "important";
  known.value = 50;
  harness_.Put(std::make_shared<const api::PriorityClass>(known));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "1")),
              Contains("raise the priority from 0 to 50 (priorityClassName: important) -> n, "
                       "preempting low"));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "2")),
              Contains("raise the priority from 0 to 101 (priorityClassName: priority-101, a new "
                       "class) -> n, preempting high"));
}

TEST_F(FixesTest, NewNodesHaveTheirDaemons) {
  harness_.Put(MakeNode("n").Cpu("4"));
  MakePod daemon = MakePod("agent").Request("cpu", "500m").On("n");
  daemon.object.metadata.owner_references = {
      {.kind = "DaemonSet", .name = "agent", .controller = true}};
  harness_.Put(daemon);
  harness_.Put(MakePod("other").Request("cpu", "3").On("n"));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "3500m")),
              Contains("add a node like n -> n-new-1"));
  EXPECT_THAT(LinesFor(MakePod("web").Request("cpu", "3501m")), Not(Contains(HasSubstr("add a"))));
}

TEST_F(FixesTest, VolumesAreProvided) {
  harness_.Put(MakeNode("n"));
  EXPECT_THAT(LinesFor(MakePod("web").Mounts("data")),
              ElementsAre("create the claim default/data and a PersistentVolume for it -> n"));
}

TEST_F(FixesTest, OnlyTheNodeThatIsAskedForIsSearched) {
  harness_.Put(MakeNode("free"));
  harness_.Put(MakeNode("n").Taint("dedicated", "db", "NoSchedule"));
  EXPECT_THAT(LinesFor(MakePod("web"), {.node = "n"}),
              ElementsAre(HasSubstr("add a toleration"), HasSubstr("remove the taint")));
}

TEST_F(FixesTest, TheBudgetIsAnUpperBound) {
  for (int i = 0; i < 40; ++i) {
    harness_.Put(MakeNode("n" + std::to_string(i)).Taint("a", "", "NoSchedule").Cpu("1"));
  }
  const auto lines = LinesFor(
      MakePod("web").Request("cpu", "2").Request("memory", "64Gi").NodeSelector("disk", "ssd"),
      {.max_decisions = 50});
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_FALSE(report_.complete);
  EXPECT_LE(report_.decisions, 60U);
}

TEST_F(FixesTest, PatchesAreForTheWorkload) {
  harness_.Put(MakeNode("n").Cpu("2"));
  const MakePod pod = MakePod("web").Request("cpu", "3");
  LinesFor(pod);
  const Workload deployment{{"apps/v1", "Deployment", {"default", "web"}}, "/spec/template", true};
  const auto steps = StepsOf(report_.fixes[0], deployment);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].command,
            "kubectl patch deployment/web -n default --type=json -p '" + steps[0].body + "'");
  EXPECT_EQ(steps[0].body,
            R"([{"op":"test","path":"/spec/template/spec/containers/0/name","value":"main"},)"
            R"({"op":"add","path":"/spec/template/spec/containers/0/resources/requests/cpu",)"
            R"("value":"2"}])");
}

TEST(PatchPathTest, EscapesSlashesAndTildes) {
  EXPECT_EQ(PatchPath({"metadata", "labels", "a.b/c~d"}), "/metadata/labels/a.b~1c~0d");
}

// Names come from others.
TEST(StepsTest, CommandsQuoteOddNames) {
  Fix fix;
  fix.changes.push_back(
      MakeChange(ChangeKind::kUncordon, {"v1", "Node", {"", "a'; rm -rf ~"}}, "", ""));
  fix.changes[0].patch = {{"add", "/spec/unschedulable", "false"}};
  EXPECT_EQ(StepsOf(fix, {})[0].command,
            R"(kubectl patch 'node/a'\''; rm -rf ~' --type=json )"
            R"(-p '[{"op":"add","path":"/spec/unschedulable","value":false}]')");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
