#include "engine/paranoid.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "framework/node_at_a_time.h"
#include "support/engine_world.h"
#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

// A profile with one plugin of our own under `name`, which rejects node "a".
EngineWorld& WorldWith(const std::string& name) {
  static std::vector<std::unique_ptr<EngineWorld>> worlds;
  Registry registry;
  registry.Add<FakeSort>();
  registry.Add<FakeBinder>();
  Rule rule;
  rule.filter = [](const Cycle& cycle, NodeRow node) {
    return cycle.nodes().name(node) == "a" ? Verdict(Code::kUnschedulable, "no a's") : Verdict();
  };
  Offer<FakeRule>(registry, name, rule);
  worlds.push_back(std::make_unique<EngineWorld>(
      std::vector{ProfileOf({{"FakeSort"}, {"FakeBinder"}, {name}})}, registry));
  return *worlds.back();
}

TEST(ParanoidDeathTest, ADifferenceNamesPodNodePluginAndBothAnswers) {
  EXPECT_DEATH(
      {
        EngineWorld& world = WorldWith("NodeUnschedulable");
        world.Put(MakeNode("a"));
        world.Put(MakePod("web"));
        world.Schedule();
      },
      "two ways to decide about pod default/web differ(.|\n)*"
      "node a, plugin NodeUnschedulable:(.|\n)*"
      "fast: Unschedulable by NodeUnschedulable: no a's(.|\n)*slow: Success");
}

TEST(Paranoid, APluginThatTheTwinDoesNotKnowIsHeldAgainstItself) {
  EngineWorld& world = WorldWith("OutOfTree");
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b"));
  world.Put(MakePod("web"));
  world.Schedule();
  EXPECT_EQ(world.Decisions(), std::vector<std::string>{"web -> b"});
}

// Preemption and the choice among equals are part of what is compared; none of this may end the
// program.
TEST(Paranoid, AgreesAboutChoicesNominationsAndVictims) {
  EngineWorld world;
  for (const char* node : {"b", "a"}) world.Put(MakeNode(node).Cpu("2"));
  for (const char* pod : {"one", "two", "three"}) world.Put(MakePod(pod).Request("cpu", "1"));
  world.Put(MakePod("large").Request("cpu", "2").Priority(10));
  world.Schedule();
  world.Put(MakePod("small").Request("cpu", "1"));
  world.Schedule();
  EXPECT_EQ(world.Where("large"), "assumed on a");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
