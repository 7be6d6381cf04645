#include "plugins/gang_scheduling.h"

#include "plugins/registry.h"
#include "plugins/testing.h"

namespace berth {
namespace BERTH_TEST_FILE {

TEST(GangScheduling, LetsPodsIn) {
  World world;
  world.Add(PodYaml("web", {}));
  EXPECT_EQ(
      Text(GangScheduling().PreEnqueue(world.cluster(), world.cluster().pod(world.pod("web")))),
      "Success");
}

TEST(GangScheduling, IsKnownByName) { EXPECT_NE(InTreeRegistry().Find("GangScheduling"), nullptr); }

}  // namespace BERTH_TEST_FILE
}  // namespace berth
