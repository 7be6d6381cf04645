#include "scheduler/plugins/scheduling_gates.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string Ask(const std::string& spec) {
  TestCluster world;
  world.Add(PodYaml("web", {.spec = spec}));
  return Text(SchedulingGates().PreEnqueue(world.cluster(), world.cluster().pod(world.pod("web"))));
}

TEST(SchedulingGates, LetsInPodsWithoutGates) {
  EXPECT_EQ(Ask(""), "Success");
  EXPECT_EQ(Ask("schedulingGates: []"), "Success");
}

TEST(SchedulingGates, NamesTheGatesInOrder) {
  EXPECT_EQ(Ask("schedulingGates: [{name: quota}]"),
            "UnschedulableAndUnresolvable: waiting for scheduling gates: [quota]");
  EXPECT_EQ(
      Ask("schedulingGates: [{name: example.com/z}, {name: example.com/a}]"),
      "UnschedulableAndUnresolvable: waiting for scheduling gates: [example.com/z example.com/a]");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
