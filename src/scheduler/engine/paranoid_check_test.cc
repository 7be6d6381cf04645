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
EngineHarness& WorldWith(const std::string& name) {
  static std::vector<std::unique_ptr<EngineHarness>> worlds;
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
  worlds.push_back(std::make_unique<EngineHarness>(
      std::vector{ProfileOf({{"FakeSort"}, {"FakeBinder"}, {name}})}, registry));
  return *worlds.back();
}

TEST(ParanoidDeathTest, ADifferenceNamesPodNodePluginAndBothAnswers) {
  EXPECT_DEATH(
      {
        EngineHarness& world = WorldWith("NodeUnschedulable");
        world.Put(MakeNode("a"));
        world.Put(MakePod("web"));
        world.Schedule();
      },
      "two ways to decide about pod default/web differ(.|\n)*"
      "node a, plugin NodeUnschedulable:(.|\n)*"
      "fast: Unschedulable by NodeUnschedulable: no a's(.|\n)*slow: Success");
}

TEST(Paranoid, APluginThatTheTwinDoesNotKnowIsHeldAgainstItself) {
  EngineHarness& world = WorldWith("OutOfTree");
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b"));
  world.Put(MakePod("web"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), std::vector<std::string>{"web -> b"});
}

// Preemption and the choice among equals are part of what is compared; none of this may end the
// program.
TEST(Paranoid, AgreesAboutChoicesNominationsAndVictims) {
  EngineHarness world;
  for (const char* node : {"b", "a"}) world.Put(MakeNode(node).Cpu("2"));
  for (const char* pod : {"one", "two", "three"}) world.Put(MakePod(pod).Request("cpu", "1"));
  world.Put(MakePod("large").Request("cpu", "2").Priority(10));
  world.Schedule();
  world.Put(MakePod("small").Request("cpu", "1"));
  world.Schedule();
  EXPECT_EQ(world.Where("large"), "assumed on a");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
