#include "scheduler/plugins/gang_scheduling.h"

#include "scheduler/model/cluster.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

TEST(GangScheduling, LetsPodsIn) {
  TestCluster world;
  world.Add(PodYaml("web", {}));
  EXPECT_EQ(
      Text(GangScheduling().PreEnqueue(world.cluster(), world.cluster().pod(world.pod("web")))),
      "Success");
}

TEST(GangScheduling, IsKnownByName) { EXPECT_NE(InTreeRegistry().Find("GangScheduling"), nullptr); }

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
