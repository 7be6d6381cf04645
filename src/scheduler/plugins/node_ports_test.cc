#include "scheduler/plugins/node_ports.h"

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// A pod with one container that has the given ports.
std::string WithPorts(std::string_view name, std::string_view ports, std::string_view node = "") {
  return PodYaml(
      name, {.spec = fmt::format("containers: [{{name: main, ports: [{}]}}], nodeName: '{}'", ports,
                                 node)});
}

struct FilterCase {
  const char* name;
  const char* wanted;
  std::vector<std::string> taken;  // One pod per node.
  const char* want;                // One character per node: '1' feasible, '0' rejected.
};

class NodePortsTest : public testing::TestWithParam<FilterCase> {};

TEST_P(NodePortsTest, Filter) {
  const FilterCase& c = GetParam();
  TestCluster world;
  for (size_t i = 0; i < c.taken.size(); ++i) {
    world.Add(NodeYaml(NthName(i)));
    world.Add(WithPorts("on-" + NthName(i), c.taken[i], NthName(i)));
  }
  PluginHarness trial(world, MakePlugin("NodePorts"), WithPorts("web", c.wanted));
  EXPECT_EQ(trial.Filter(), c.want);
}

constexpr const char* kAny80 = "{hostPort: 80}";
constexpr const char* kOne80 = "{hostPort: 80, hostIP: 10.0.0.1}";
constexpr const char* kTwo80 = "{hostPort: 80, hostIP: 10.0.0.2}";
constexpr const char* kSix80 = "{hostPort: 80, hostIP: '::'}";
constexpr const char* kUdp80 = "{hostPort: 80, protocol: UDP}";
constexpr const char* kAny81 = "{hostPort: 81}";

const FilterCase kFilterCases[] = {
    {"NoPortsSkip", "", {kAny80}, "Skip"},
    {"ContainerPortsAloneSkip", "{containerPort: 80}", {kAny80}, "Skip"},
    {"PortZeroIsNoPort", "{containerPort: 80, hostPort: 0}", {kAny80}, "Skip"},
    {"TheSamePortIsTaken", kAny80, {kAny80, kAny81, ""}, "011"},
    {"TheProtocolMustDiffer", kAny80, {"{hostPort: 80, protocol: TCP}", kUdp80}, "01"},
    {"NoProtocolMeansTcp", "{hostPort: 80, protocol: TCP}", {kAny80, kUdp80}, "01"},
    {"NoAddressMeansAll", "{hostPort: 80, hostIP: 0.0.0.0}", {kAny80, kOne80}, "00"},
    {"AllAddressesClashWithEach", kAny80, {kOne80, kTwo80, kSix80}, "000"},
    {"EachAddressClashesWithAll", kOne80, {kAny80, "{hostPort: 80, hostIP: 0.0.0.0}"}, "00"},
    {"AddressesClashWithThemselvesAlone", kOne80, {kOne80, kTwo80, kSix80}, "011"},
    {"AllSixesAreNoWildcard", kSix80, {kOne80, kSix80, kAny80}, "100"},
    {"OneClashOfSeveralIsEnough",
     "{hostPort: 79}, {hostPort: 81}",
     {"{hostPort: 80}, {hostPort: 81}", kAny80},
     "01"},
    {"APodDoesNotClashWithItself", "{hostPort: 80}, {hostPort: 80}", {""}, "1"},
};

INSTANTIATE_TEST_SUITE_P(All, NodePortsTest, testing::ValuesIn(kFilterCases),
                         [](const auto& c) { return c.param.name; });

TEST(NodePorts, SaysWhyAndThatPreemptionMayHelp) {
  TestCluster world{NodeYaml("a"), WithPorts("holder", kAny80, "a")};
  PluginHarness trial(world, MakePlugin("NodePorts"), WithPorts("web", kAny80));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"),
            "Unschedulable: node(s) didn't have free ports for the requested pod ports");
}

TEST(NodePorts, SidecarsHoldPortsAndInitContainersDoNot) {
  auto with_init = [](std::string_view name, std::string_view policy, std::string_view node) {
    return PodYaml(
        name, {.spec = fmt::format("initContainers: [{{name: i, {}, ports: [{{hostPort: 80}}]}}], "
                                   "nodeName: '{}'",
                                   policy, node)});
  };
  TestCluster world{NodeYaml("a"), with_init("holder-a", "restartPolicy: Always", "a"),
                    NodeYaml("b"), with_init("holder-b", "image: x", "b")};
  EXPECT_EQ(PluginHarness(world, MakePlugin("NodePorts"), WithPorts("web", kAny80)).Filter(), "01");
  EXPECT_EQ(PluginHarness(world, MakePlugin("NodePorts"),
                          with_init("sidecar", "restartPolicy: Always", ""))
                .Filter(),
            "01");
  EXPECT_EQ(
      PluginHarness(world, MakePlugin("NodePorts"), with_init("init", "image: x", "")).Filter(),
      "Skip");
}

TEST(NodePorts, APortIsFreeOnceAllItsHoldersAreGone) {
  TestCluster world{NodeYaml("a"), WithPorts("one", kOne80, "a"), WithPorts("two", kTwo80, "a")};
  PluginHarness trial(world, MakePlugin("NodePorts"), WithPorts("web", kAny80));
  EXPECT_EQ(trial.Filter(), "0");
  world.cluster().Remove<api::Pod>({"default", "one"});
  EXPECT_EQ(trial.Filter(), "0");
  world.cluster().Remove<api::Pod>({"default", "two"});
  EXPECT_EQ(trial.Filter(), "1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
