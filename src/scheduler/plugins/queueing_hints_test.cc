// Which events the pods wait for that the plugins with short rules rejected.
#include <any>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/queueing_hint_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string NodeWith(std::string_view labels, std::string_view spec = "") {
  return NodeYaml("a", {.labels = std::string(labels), .spec = std::string(spec)});
}

std::string PodWith(std::string_view spec, std::string_view name = "waits") {
  return PodYaml(name, {.spec = std::string(spec)});
}

constexpr const char* kTolerant = "tolerations: [{operator: Exists}]";
constexpr const char* kCordoned = "unschedulable: true";
constexpr const char* kTainted = "taints: [{key: t, effect: NoSchedule}]";
constexpr const char* kSoft = "taints: [{key: t, effect: PreferNoSchedule}]";

TEST(SchedulingGatesHints, TheGatesOfThePodItself) {
  const std::string gated = PodWith("schedulingGates: [{name: g}]");
  CheckHints(*MakePlugin("SchedulingGates"),
             {
                 {"ItsGatesAreGone", gated, gated, PodWith(""), "Queue"},
                 {"AnotherPodsGatesAreGone", gated,
                  PodWith("schedulingGates: [{name: g}]", "other"), PodWith("", "other"), "Skip"},
             });
}

TEST(NodeUnschedulableHints, EachKind) {
  const std::string pod = PodWith("");
  CheckHints(
      *MakePlugin("NodeUnschedulable"),
      {
          {"ANodeComes", pod, "", NodeWith(""), "Queue"},
          {"ACordonedNodeComes", pod, "", NodeWith("", kCordoned), "Skip"},
          {"ANodeIsUncordoned", pod, NodeWith("", kCordoned), NodeWith(""), "Queue"},
          {"ANodeIsCordoned", pod, NodeWith(""), NodeWith("", kCordoned), "Skip"},
          {"ANodeWasOpenBefore", pod, NodeWith("", kTainted), NodeWith(""), "Skip"},
          {"ThePodToleratesIt", pod, pod, PodWith(kTolerant), "Queue"},
          {"ThePodToleratesSomethingElse", pod, pod,
           PodWith("tolerations: [{key: x, operator: Exists}]"), "Skip"},
          {"AnotherPodToleratesIt", pod, PodWith("", "other"), PodWith(kTolerant, "other"), "Skip"},
      });
}

TEST(TaintTolerationHints, EachKind) {
  const std::string pod = PodWith("");
  CheckHints(*MakePlugin("TaintToleration"),
             {
                 {"ANodeComes", pod, "", NodeWith(""), "Queue"},
                 {"ATaintedNodeComes", pod, "", NodeWith("", kTainted), "Skip"},
                 {"ATaintedNodeComesToATolerantPod", PodWith(kTolerant), "", NodeWith("", kTainted),
                  "Queue"},
                 {"SoftTaintsRejectNoPod", pod, "", NodeWith("", kSoft), "Queue"},
                 {"ATaintGoes", pod, NodeWith("", kTainted), NodeWith("", kSoft), "Queue"},
                 {"ATaintComes", pod, NodeWith(""), NodeWith("", kTainted), "Skip"},
                 {"NothingWasInTheWayBefore", pod, NodeWith("", kSoft), NodeWith(""), "Skip"},
                 {"ThePodsTolerationsChange", pod, pod, PodWith(kTolerant), "Queue"},
                 {"AnotherPodsTolerationsChange", pod, PodWith("", "other"),
                  PodWith(kTolerant, "other"), "Skip"},
             });
}

std::string Requiring(std::string_view terms, std::string_view more = "") {
  return PodWith(
      fmt::format("affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
                  "{{nodeSelectorTerms: [{}]}}}}}}, {}",
                  terms, more));
}

constexpr const char* kSsd = "{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}";
constexpr const char* kWrong = "{matchExpressions: [{key: disk, operator: Near}]}";
constexpr const char* kNodeA = "{matchFields: [{key: metadata.name, operator: In, values: [a]}]}";

TEST(NodeAffinityHints, Nodes) {
  const std::string either = fmt::format("{}, {}", kWrong, kSsd);
  CheckHints(
      *MakePlugin("NodeAffinity"),
      {
          {"AMatchingNodeComes", Requiring(kSsd), "", NodeWith("disk: ssd"), "Queue"},
          {"AnotherNodeComes", Requiring(kSsd), "", NodeWith("disk: hdd"), "Skip"},
          {"ANodeBeginsToMatch", Requiring(kSsd), NodeWith(""), NodeWith("disk: ssd"), "Queue"},
          {"ANodeMatchesAsBefore", Requiring(kSsd), NodeWith("disk: ssd"),
           NodeWith("disk: ssd, x: z"), "Skip"},
          {"ANodeMatchesNoMore", Requiring(kSsd), NodeWith("disk: ssd"), NodeWith(""), "Skip"},
          {"ANodeOfThatNameComes", Requiring(kNodeA), "", NodeWith(""), "Queue"},
          {"TheSelectorMustMatchToo", Requiring(kSsd, "nodeSelector: {zone: b}"), "",
           NodeWith("disk: ssd"), "Skip"},
          {"TheSelectorAlone", PodWith("nodeSelector: {zone: b}"), NodeWith(""),
           NodeWith("zone: b"), "Queue"},
          {"ATermThatDoesNotParse", Requiring(kWrong), "", NodeWith("disk: ssd"), "error"},
          {"ATermThatDoesNotParseBesideOneThatMatches", Requiring(either), "",
           NodeWith("disk: ssd"), "Queue"},
          {"ATermThatDidNotMatchBefore", Requiring(either), NodeWith(""), NodeWith("disk: ssd"),
           "error"},
      });
}

TEST(NodeAffinityHints, WhatTheOperatorAdds) {
  framework::NodeAffinityArgs args;
  args.added_affinity.emplace().required.emplace().terms.push_back(
      {.match_expressions = {{"pool", "In", {"blue"}}}, .match_fields = {}});
  CheckHints(*MakePlugin("NodeAffinity", std::any(args)),
             {
                 {"ANodeOfThePoolComes", PodWith(""), "", NodeWith("pool: blue"), "Queue"},
                 {"AnotherNodeComes", PodWith(""), "", NodeWith("pool: red"), "Skip"},
                 {"ANodeThatEntersThePoolIsMissed", PodWith(""), NodeWith(""),
                  NodeWith("pool: blue"), "Skip"},
             });
}

TEST(NodePortsHints, PodsThatGo) {
  auto ports = [](std::string_view list, std::string_view name, std::string_view more = "") {
    return PodWith(fmt::format("containers: [{{name: c, ports: [{}]}}], {}", list, more), name);
  };
  const std::string pod = ports("{hostPort: 80}", "waits");
  CheckHints(
      *MakePlugin("NodePorts"),
      {
          {"ItHeldThePort", pod, ports("{hostPort: 80, hostIP: 10.0.0.1}", "other", "nodeName: a"),
           "", "Queue"},
          {"ItHeldAnotherPort", pod, ports("{hostPort: 81}", "other", "nodeName: a"), "", "Skip"},
          {"ItHeldAnotherAddress", ports("{hostPort: 80, hostIP: 10.0.0.2}", "waits"),
           ports("{hostPort: 80, hostIP: 10.0.0.1}", "other", "nodeName: a"), "", "Skip"},
          {"ItHeldNone", pod, ports("", "other", "nodeName: a"), "", "Skip"},
          {"ItWasOnNoNode", pod, ports("{hostPort: 80}", "other"), "", "Skip"},
      });
}

TEST(NodeDeclaredFeaturesHints, EachKind) {
  auto node = [](std::string_view features) {
    return NodeYaml("a", {.status = fmt::format("declaredFeatures: [{}]", features)});
  };
  const std::string pod = PodWith("hostNetwork: true, hostUsers: false");
  CheckHints(
      *MakePlugin("NodeDeclaredFeatures"),
      {
          {"ANodeComes", pod, "", node(""), "Queue"},
          {"ANodeDeclaresMore", pod, node("A"), node("A, B"), "Queue"},
          {"ANodeDeclaresTheSame", pod, node("A"), node("A"), "Skip"},
          {"ThePodNeedsLess", pod, pod, PodWith("hostNetwork: true"), "Queue"},
          {"ThePodNeedsTheSame", pod, pod, PodWith("hostNetwork: true, hostUsers: false"), "Skip"},
          {"AnotherPodNeedsLess", pod, PodWith("hostNetwork: true, hostUsers: false", "other"),
           PodWith("", "other"), "Skip"},
      });
}

TEST(DefaultPreemptionHints, NoPodThatGoesHelps) {
  CheckHints(*MakePlugin("DefaultPreemption"),
             {{"ARunningPodGoes", PodWith(""), PodWith("nodeName: a", "other"), "", "Skip"}});
}

// An event with an object that it cannot have requeues the pod, because the hint fails.
TEST(Hints, FailOnOtherObjects) {
  TestCluster world;
  framework::ClusterEvent event = EventOf("", PodYaml("other"));
  event.type.resource = framework::Resource::kNode;
  EXPECT_EQ(Hint(world, *MakePlugin("TaintToleration"), PodWith(""), event), "error");
  EXPECT_EQ(Hint(world, *MakePlugin("TaintToleration"), PodWith(""), EventOf(NodeWith(""), "")),
            "error");
  EXPECT_EQ(Hint(world, *MakePlugin("NodePorts"), PodWith(""), EventOf("", PodYaml("other"))),
            "error");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
