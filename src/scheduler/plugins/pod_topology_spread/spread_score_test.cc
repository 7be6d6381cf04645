// The scores of PodTopologySpread's soft constraints.
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string Host(std::string_view name, std::string_view zone = "") {
  const std::string labels = fmt::format("kubernetes.io/hostname: {}", name);
  return NodeYaml(
      name,
      {.labels = zone.empty() ? labels
                              : labels + fmt::format(", topology.kubernetes.io/zone: {}", zone)});
}

std::string Web(std::string_view name, std::string_view node = "") {
  return PodYaml(name, {.labels = "app: web", .spec = fmt::format("nodeName: '{}'", node)});
}

constexpr const char* kService =
    "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: "
    "{app: web}}}\n";

// By the default constraints, a count weighs ln(domains + 2), and maxSkew - 1 is added: 2 for
// hosts, 4 for zones. The nodes without a zone are a domain, too: two domains, in which a pod
// counts 1.39.
TEST(SpreadScore, NodesWithoutAZoneAreADomainOfTheDefaultConstraints) {
  const std::initializer_list<std::string> three = {Host("a", "z"),  Host("b", "z"),  Host("c"),
                                                    Web("one", "a"), Web("two", "a"), kService};
  TestCluster world(three);
  // a: 2 * 1.61 + 2 + 2 * 1.39 + 4; b: 2 + 2 * 1.39 + 4; c: 2.
  PluginHarness all(world, MakePlugin("PodTopologySpread"), Web("web"));
  EXPECT_EQ(all.RawScores(), "12 9 2");

  TestCluster more(three);
  more.Add(Host("d", "x"));
  PluginHarness some(more, MakePlugin("PodTopologySpread"), Web("web"));
  EXPECT_EQ(some.RawScores("1110"), "12 9 2 -") << "the zone of a node that is not feasible";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
