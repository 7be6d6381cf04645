#include "runtime/cache_debugger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/engine_harness.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CacheDump, ContainsNodesAndTheirPods) {
  EngineHarness harness;
  harness.Put(MakeNode("a").Cpu("4").Memory("1Ki").Pods("10").Offer("example.com/gpu", "2"));
  harness.Put(MakePod("web").Request("cpu", "1500m").On("a"));
  harness.Put(MakePod("low").Request("cpu", "1").Nominated("a"));
  EXPECT_EQ(DumpNodes(harness.engine()),
            "Node name: a\nDeleted: false\n"
            "Requested Resources: cpu: 1500m, memory: 0, ephemeral-storage: 0, pods: 1\n"
            "Allocatable Resources: cpu: 4000m, memory: 1024, ephemeral-storage: 0, pods: 10, "
            "example.com/gpu: 2\n"
            "Scheduled Pods(number: 1):\n"
            "name: web, namespace: default, uid: uid-of-web, phase: , nominated node: \n"
            "Nominated Pods(number: 1):\n"
            "name: low, namespace: default, uid: uid-of-low, phase: , nominated node: a\n");
}

TEST(CacheDump, ContainsTheQueuesOfPods) {
  EngineHarness harness;
  harness.Put(MakePod("ready"));
  harness.Put(MakePod("gated").Gate("wait"));
  harness.Put(MakePod("foreign").Scheduler("another"));
  const std::string dump = DumpQueue(harness.engine());
  EXPECT_THAT(dump, Not(HasSubstr("foreign")));
  EXPECT_THAT(dump, HasSubstr("activeQ: name: ready, namespace: default"));
  EXPECT_THAT(dump, HasSubstr("unschedulablePods: name: gated, namespace: default"));
  EXPECT_THAT(dump, HasSubstr("\nactiveQ:1; backoffQ:0; unschedulablePods:1"));
}

TEST(CacheDump, ComparesWithTheApi) {
  EngineHarness harness;
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b"));
  harness.Put(MakePod("web"));
  const auto same = CompareWithApi(harness.engine(), {{"a", "b"}, {"uid-of-web"}});
  EXPECT_THAT(same.missed_nodes, IsEmpty());
  EXPECT_THAT(same.redundant_pods, IsEmpty());
  const auto other = CompareWithApi(harness.engine(), {{"b", "c"}, {"uid-of-new"}});
  EXPECT_THAT(other.missed_nodes, ElementsAre("c"));
  EXPECT_THAT(other.redundant_nodes, ElementsAre("a"));
  EXPECT_THAT(other.missed_pods, ElementsAre("uid-of-new"));
  EXPECT_THAT(other.redundant_pods, ElementsAre("uid-of-web"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
