#include "scheduler/plugins/queueing_hint_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kWeb = "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}";
constexpr const char* kDb = "{topologyKey: rack, labelSelector: {matchLabels: {app: db}}}";
constexpr const char* kTier = "{topologyKey: zone, labelSelector: {matchLabels: {tier: front}}}";

// A spec with required terms; `kind` is podAffinity or podAntiAffinity.
std::string Terms(std::string_view kind, std::string_view terms) {
  return fmt::format("affinity: {{{}: {{requiredDuringSchedulingIgnoredDuringExecution: [{}]}}}}",
                     kind, terms);
}

std::string Near(std::string_view terms) {
  return PodYaml("waits", {.labels = "app: me", .spec = Terms("podAffinity", terms)});
}
std::string Apart(std::string_view terms) {
  return PodYaml("waits", {.labels = "app: me", .spec = Terms("podAntiAffinity", terms)});
}

std::string Other(std::string_view labels, std::string_view spec = "nodeName: a",
                  std::string_view namespace_ = "default") {
  return fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: other, namespace: {}, uid: u, labels: "
      "{{{}}}}}, "
      "spec: {{{}}}}}",
      namespace_, labels, spec);
}

TEST(InterPodAffinityHints, OtherPods) {
  const std::string both = fmt::format("{}, {}", kWeb, kTier);
  const std::string nominated =
      "{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: default, uid: u, labels: "
      "{app: "
      "web}}, status: {nominatedNodeName: a}}";
  CheckHints(
      *MakePlugin("InterPodAffinity"),
      {
          {"AWantedPodComes", Near(kWeb), "", Other("app: web"), "Queue"},
          {"AnotherPodComes", Near(kWeb), "", Other("app: db"), "Skip"},
          {"AWantedPodComesToNoNode", Near(kWeb), "", Other("app: web", ""), "Skip"},
          {"AWantedPodIsNominated", Near(kWeb), "", nominated, "Queue"},
          {"OnePodMustMatchAllTerms", Near(both), "", Other("app: web"), "Skip"},
          {"OnePodMatchesAllTerms", Near(both), "", Other("app: web, tier: front"), "Queue"},
          {"AWantedPodGoes", Near(kWeb), Other("app: web"), "", "Skip"},
          {"APodBecomesWanted", Near(kWeb), Other("app: db"), Other("app: web"), "Queue"},
          {"APodIsWantedNoMore", Near(kWeb), Other("app: web"), Other("app: db"), "Skip"},
          {"APodIsWantedAsBefore", Near(kWeb), Other("app: web"), Other("app: web, x: z"), "Skip"},
          {"AnUnwantedPodGoes", Apart(kWeb), Other("app: web"), "", "Queue"},
          {"AnUnwantedPodOnNoNodeGoes", Apart(kWeb), Other("app: web", ""), "", "Skip"},
          {"AnUnwantedPodComes", Apart(kWeb), "", Other("app: web"), "Skip"},
          {"APodIsUnwantedNoMore", Apart(kWeb), Other("app: web"), Other("app: db"), "Queue"},
          {"APodBecomesUnwanted", Apart(kWeb), Other("app: db"), Other("app: web"), "Skip"},
          {"APodGoesThatDidNotWantIt", PodYaml("waits", {.labels = "app: web"}),
           Other("app: x", Terms("podAntiAffinity", kWeb) + ", nodeName: a"), "", "Queue"},
          {"APodGoesThatDidNotWantOthers", PodYaml("waits", {.labels = "app: web"}),
           Other("app: x", Terms("podAntiAffinity", kDb) + ", nodeName: a"), "", "Skip"},
          {"PodsWithoutTermsWaitForNoPod", PodYaml("waits"), "", Other("app: web"), "Skip"},
          {"ASelectorThatDoesNotParse",
           Near("{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: "
                "Near}]}}"),
           "", Other("app: web"), "error"},
      });
}

TEST(InterPodAffinityHints, Namespaces) {
  auto term = [](std::string_view more) {
    return Near(fmt::format(
        "{{topologyKey: zone, labelSelector: {{matchLabels: {{app: web}}}}, {}}}", more));
  };
  const std::string far = Other("app: web", "nodeName: a", "far");
  const std::string none = "namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}";
  const std::string not_b =
      "namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [b]}]}";
  CheckHints(*MakePlugin("InterPodAffinity"),
             {
                 {"ItsOwnByDefault", term(""), "", far, "Skip"},
                 {"ThoseThatItNames", term("namespaces: [far]"), "", far, "Queue"},
                 {"AllOfThem", term("namespaceSelector: {}"), "", far, "Queue"},
                 {"SelectorsAreTriedOnNoLabels", term(none), "", far, "Skip"},
                 {"SoThatNegationsMatch", term(not_b), "", far, "Queue"},
                 {"ItsOwnIsNotAddedToASelector", term(none), "", Other("app: web"), "Skip"},
             });
}

TEST(InterPodAffinityHints, ThePodItself) {
  CheckHints(*MakePlugin("InterPodAffinity"),
             {
                 {"ItsLabelsChange", PodYaml("waits"), PodYaml("waits", {.labels = "a: b"}),
                  PodYaml("waits"), "Queue"},
                 {"ItComes", PodYaml("waits"), "", PodYaml("waits"), "Skip"},
             });
}

TEST(InterPodAffinityHints, Nodes) {
  auto node = [](std::string_view labels) {
    return NodeYaml("a", {.labels = std::string(labels)});
  };
  CheckHints(*MakePlugin("InterPodAffinity"),
             {
                 {"ANodeComesWithTheKey", Near(kWeb), "", node("zone: '1'"), "Queue"},
                 {"ANodeComesWithoutIt", Near(kWeb), "", node("rack: '1'"), "Skip"},
                 {"ANodeGetsTheKey", Near(kWeb), node(""), node("zone: '1'"), "Queue"},
                 {"ANodeMoves", Near(kWeb), node("zone: '1'"), node("zone: '2'"), "Queue"},
                 {"ANodeStays", Near(kWeb), node("zone: '1'"), node("zone: '1', x: z"), "Skip"},
                 {"ANodeLosesTheKey", Near(kWeb), node("zone: '1'"), node(""), "Skip"},
                 {"AnyNewNodeKeepsPodsApart", Apart(kWeb), "", node(""), "Queue"},
                 {"SoDoesOneThatLosesTheKey", Apart(kWeb), node("zone: '1'"), node(""), "Queue"},
                 {"AndOneThatMoves", Apart(kWeb), node("zone: '1'"), node("zone: '2'"), "Queue"},
                 {"ButNotOneThatGetsTheKey", Apart(kWeb), node(""), node("zone: '1'"), "Skip"},
                 {"OneTermOfSeveralIsEnough", Near(fmt::format("{}, {}", kWeb, kDb)), "",
                  node("rack: '1'"), "Queue"},
                 {"PodsWithoutTermsWaitForNoNode", PodYaml("waits"), "", node("zone: '1'"), "Skip"},
             });
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
