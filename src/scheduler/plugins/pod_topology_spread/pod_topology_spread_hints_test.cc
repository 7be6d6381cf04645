#include <any>

#include "scheduler/model/pod_counters.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "scheduler/plugins/queueing_hint_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// A pod of app=web that waits to be spread over zones.
std::string Waiting(std::string_view more = "", std::string_view more_spec = "") {
  return PodYaml("waits",
                 {.labels = "app: web",
                  .spec = fmt::format("topologySpreadConstraints: [{{maxSkew: 1, "
                                      "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
                                      "labelSelector: {{matchLabels: {{app: web}}}}, {}}}], "
                                      "{}",
                                      more, more_spec)});
}

std::string Other(std::string_view labels, std::string_view spec = "nodeName: a",
                  std::string_view status = "") {
  return PodYaml(
      "other",
      {.labels = std::string(labels), .spec = std::string(spec), .status = std::string(status)});
}

std::string InZone(std::string_view labels, std::string_view spec = "") {
  return NodeYaml("a", {.labels = std::string(labels), .spec = std::string(spec)});
}

constexpr const char* kTwoKeys =
    "}, {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {}";
constexpr const char* kHonor = "nodeTaintsPolicy: Honor";
constexpr const char* kTolerant = "tolerations: [{operator: Exists}]";
constexpr const char* kSpread =
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
    "ScheduleAnyway, "
    "labelSelector: {matchLabels: {app: web}}}]";

TEST(PodTopologySpreadHints, OtherPods) {
  const std::string elsewhere =
      "{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: far, uid: u, labels: {app: "
      "web}}, spec: {nodeName: a}}";
  const std::string bad =
      PodYaml("waits",
              {.spec = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                       "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchExpressions: [{key: "
                       "app, operator: Near}]}}]"});
  CheckHints(
      *MakePlugin("PodTopologySpread"),
      {
          {"ACountedPodComes", Waiting(), "", Other("app: web"), "Queue"},
          {"ACountedPodGoes", Waiting(), Other("app: web"), "", "Queue"},
          {"AnotherPodComes", Waiting(), "", Other("app: db"), "Skip"},
          {"AnotherPodGoes", Waiting(), Other("app: db"), "", "Skip"},
          {"APodOnNoNodeGoes", Waiting(), Other("app: web", ""), "", "Skip"},
          {"ANominatedPodGoes", Waiting(), Other("app: web", "", "nominatedNodeName: a"), "",
           "Queue"},
          {"APodOfAnotherNamespaceGoes", Waiting(), elsewhere, "", "Skip"},
          {"APodBeginsToCount", Waiting(), Other("app: db"), Other("app: web"), "Queue"},
          {"APodCountsNoMore", Waiting(), Other("app: web"), Other("app: db"), "Queue"},
          {"APodCountsAsBefore", Waiting(), Other("app: web"), Other("app: web, x: z"), "Skip"},
          {"SoftConstraintsRejectNoPod", PodYaml("waits", {.labels = "app: web", .spec = kSpread}),
           Other("app: web"), "", "Skip"},
          {"MatchLabelKeysNarrowIt", Waiting("matchLabelKeys: [app, x]"), Other("app: db"), "",
           "Skip"},
          {"ASelectorThatDoesNotParse", bad, Other("app: web"), "", "error"},
      });
}

TEST(PodTopologySpreadHints, ThePodItself) {
  const std::string db = PodYaml("waits", {.labels = "app: db"});
  CheckHints(
      *MakePlugin("PodTopologySpread"),
      {
          {"ItsLabelsChange", Waiting(), db, Waiting(), "Queue"},
          {"NothingChanges", Waiting(), Waiting(), Waiting(), "Skip"},
          {"TolerationsMatterWhereTaintsDo", Waiting(kHonor), Waiting(kHonor),
           Waiting(kHonor, kTolerant), "Queue"},
          {"TolerationsDoNotMatterElse", Waiting(), Waiting(), Waiting("", kTolerant), "Skip"},
      });
}

TEST(PodTopologySpreadHints, Nodes) {
  const std::string tainted = "taints: [{key: t, effect: NoSchedule}]";
  CheckHints(
      *MakePlugin("PodTopologySpread"),
      {
          {"ANodeComesWithTheKey", Waiting(), "", InZone("zone: '1'"), "Queue"},
          {"ANodeComesWithoutIt", Waiting(), "", InZone("rack: '1'"), "Skip"},
          {"ANodeGoes", Waiting(), InZone("zone: '1'"), "", "Queue"},
          {"ANodeGetsTheKey", Waiting(), InZone(""), InZone("zone: '1'"), "Queue"},
          {"ANodeLosesTheKey", Waiting(), InZone("zone: '1'"), InZone(""), "Queue"},
          {"ANodeMoves", Waiting(), InZone("zone: '1'"), InZone("zone: '2'"), "Queue"},
          {"AnotherLabelChanges", Waiting(), InZone("zone: '1'"), InZone("zone: '1', rack: '1'"),
           "Skip"},
          {"ItsTaintsChange", Waiting(), InZone("zone: '1'"), InZone("zone: '1'", tainted),
           "Queue"},
          {"TaintsOfANodeWithoutTheKey", Waiting(), InZone(""), InZone("", tainted), "Skip"},
          {"AllKeysAreNeeded", Waiting(kTwoKeys), "", InZone("zone: '1'"), "Skip"},
          {"AllKeysAreThere", Waiting(kTwoKeys), "", InZone("zone: '1', rack: '1'"), "Queue"},
          {"WithoutConstraintsEveryNodeCounts", PodYaml("waits"), "", InZone(""), "Queue"},
      });
}

// Default constraints concern the pods of a Service, unless they have constraints of their own.
TEST(PodTopologySpreadHints, DefaultConstraints) {
  framework::PodTopologySpreadArgs args{.defaulting_type = "List", .default_constraints = {}};
  auto& constraint = args.default_constraints.emplace_back();
  constraint.max_skew = 1;
  constraint.topology_key = "zone";
  constraint.when_unsatisfiable = "DoNotSchedule";
  const auto plugin = MakePlugin("PodTopologySpread", std::any(args));
  TestCluster world{
      "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {selector: "
      "{app: web}}}"};
  const framework::ClusterEvent web_goes = EventOf(Other("app: web"), "");
  const framework::ClusterEvent db_goes = EventOf(Other("app: db"), "");
  const std::string web = PodYaml("waits", {.labels = "app: web"});
  const std::string db = PodYaml("waits", {.labels = "app: db"});
  EXPECT_EQ(Hint(world, *plugin, web, web_goes), "Queue");
  EXPECT_EQ(Hint(world, *plugin, web, db_goes), "Skip");
  EXPECT_EQ(Hint(world, *plugin, db, db_goes), "Skip");
  EXPECT_EQ(
      Hint(world, *plugin, PodYaml("waits", {.labels = "app: web", .spec = kSpread}), web_goes),
      "Skip");
}

// They count all pods of the Service: matchLabelKeys are not read.
TEST(PodTopologySpread, KeysOfDefaultConstraintsDoNotNarrowThem) {
  framework::PodTopologySpreadArgs args{.defaulting_type = "List", .default_constraints = {}};
  auto& constraint = args.default_constraints.emplace_back();
  constraint.max_skew = 1;
  constraint.topology_key = "zone";
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.match_label_keys = {"version"};
  TestCluster world{
      "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {selector: "
      "{app: web}}}",
      NodeYaml("a", {.labels = "zone: '1'"}), NodeYaml("b", {.labels = "zone: '2'"}),
      PodYaml("old", {.labels = "app: web, version: '1'", .spec = "nodeName: a"})};
  PluginHarness harness(world, MakePlugin("PodTopologySpread", std::any(args)),
                        PodYaml("new", {.labels = "app: web, version: '2'"}));
  EXPECT_EQ(harness.Filter(), "01");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
