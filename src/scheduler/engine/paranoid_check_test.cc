#include "scheduler/engine/paranoid_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "scheduler/framework/cycle.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

// A profile with one plugin of our own under `name`, which rejects node "a".
EngineHarness& HarnessWith(const std::string& name) {
  static std::vector<std::unique_ptr<EngineHarness>> harnesses;
  framework::Registry registry;
  registry.Add<FakeSort>();
  registry.Add<FakeBinder>();
  Rule rule;
  rule.filter = [](const framework::Cycle& cycle, model::NodeRow node) {
    return cycle.nodes().name(node) == "a"
               ? framework::Verdict(framework::Code::kUnschedulable, "no a's")
               : framework::Verdict();
  };
  Offer<FakeRule>(registry, name, rule);
  harnesses.push_back(std::make_unique<EngineHarness>(
      std::vector{ProfileOf({{"FakeSort"}, {"FakeBinder"}, {name}})}, registry));
  return *harnesses.back();
}

TEST(ParanoidDeathTest, ADifferenceNamesPodNodePluginAndBothResults) {
  EXPECT_DEATH(
      {
        EngineHarness& harness = HarnessWith("NodeUnschedulable");
        harness.Put(MakeNode("a"));
        harness.Put(MakePod("web"));
        harness.Schedule();
      },
      "two ways to decide about pod default/web differ(.|\n)*"
      "node a, plugin NodeUnschedulable:(.|\n)*"
      "fast: Unschedulable by NodeUnschedulable: no a's(.|\n)*slow: Success");
}

TEST(Paranoid, APluginUnknownToTheReferenceIsComparedWithItself) {
  EngineHarness& harness = HarnessWith("OutOfTree");
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b"));
  harness.Put(MakePod("web"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), std::vector<std::string>{"web -> b"});
}

// Preemption and the choice among equals are part of what is compared; none of this may end the
// program.
TEST(Paranoid, AgreesAboutChoicesNominationsAndVictims) {
  EngineHarness harness;
  for (const char* node : {"b", "a"}) harness.Put(MakeNode(node).Cpu("2"));
  for (const char* pod : {"one", "two", "three"}) harness.Put(MakePod(pod).Request("cpu", "1"));
  harness.Put(MakePod("large").Request("cpu", "2").Priority(10));
  harness.Schedule();
  harness.Put(MakePod("small").Request("cpu", "1"));
  harness.Schedule();
  EXPECT_EQ(harness.Where("large"), "assumed on a");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
