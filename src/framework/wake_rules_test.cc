#include "framework/wake_rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "support/fake_plugins.h"

namespace berth {
namespace BERTH_TEST_FILE {

// Keeps nobody out, and waits for what it is given.
class WaitingGate final : public PreEnqueuePlugin {
 public:
  WaitingGate(std::string name, std::vector<Interest> interests)
      : name_(std::move(name)), interests_(std::move(interests)) {}
  std::string_view name() const override { return name_; }
  std::vector<Interest> Interests() const override { return interests_; }
  Verdict PreEnqueue(const Cluster&, const PodRecord&) const override { return {}; }

 private:
  const std::string name_;
  const std::vector<Interest> interests_;
};

// Never rejects a pod, whatever it says that it waits for.
class WaitingScorer final : public NodeScorer {
 public:
  static constexpr std::string_view kName = "Scorer";
  std::string_view name() const override { return kName; }
  int64_t ScoreNode(const Cycle&, NodeRow) const override { return 0; }
};

using Gates = std::vector<std::pair<std::string, std::vector<Interest>>>;

std::unique_ptr<Profile> ProfileWith(const Gates& gates) {
  Registry registry;
  registry.Add<FakeSort>();
  registry.Add<FakeBinder>();
  registry.Add<WaitingScorer>();
  std::vector<PluginChoice> enabled = {{"FakeSort"}, {"FakeBinder"}, {"Scorer"}};
  for (const auto& [name, interests] : gates) {
    Offer<WaitingGate>(registry, name, interests);
    enabled.push_back({name});
  }
  auto profile = Profile::Build(ProfileOf(std::move(enabled)), registry);
  CHECK(profile.has_value());
  return *std::move(profile);
}

// "A NodeAdd, B NodeUpdateNodeTaint always"
std::string Text(std::span<const WakeRules::Rule> rules) {
  std::string text;
  for (const WakeRules::Rule& rule : rules) {
    text += (text.empty() ? "" : ", ") + std::string(rule.plugin->name()) + " " +
            rule.interest.type.Label() + (rule.interest.conditional ? "" : " always");
  }
  return text;
}

TEST(WakeRules, AreThoseOfThePluginsThatMayReject) {
  const auto profile = ProfileWith({{"A", {{{Resource::kPod, kDelete}}}},
                                    {"B", {{{Resource::kCsiNode, kAdd}, false}}},
                                    {"C", {}}});
  const WakeRules rules(*profile);
  EXPECT_EQ(Text(rules.rules()), "A PodDelete, B storage.k8s.io/CSINodeAdd always");
  EXPECT_EQ(rules.EventsOf("A"), (std::vector<EventType>{{Resource::kPod, kDelete}}));
  EXPECT_EQ(rules.EventsOf("C"), std::vector<EventType>());
  EXPECT_EQ(rules.EventsOf("Scorer"), std::vector<EventType>());
  EXPECT_EQ(rules.EventsOf("Unknown"), std::vector<EventType>());
}

TEST(WakeRules, WhoWaitsForNodesHearsOfTheirTaints) {
  struct Case {
    const char* name;
    std::vector<Interest> interests;
    const char* want;
  };
  const Case cases[] = {
      {"NodesAlone", {{{Resource::kNode, kAdd}}}, "A NodeAdd, A NodeUpdateNodeTaint always"},
      {"NodesTwice",
       {{{Resource::kNode, kAdd}}, {{Resource::kNode, kUpdateNodeTaint}}},
       "A NodeAdd, A NodeUpdateNodeTaint"},
      {"EverythingOfNodes", {{{Resource::kNode, kAllActions}}}, "A NodeAll"},
      {"LabelsAlone", {{{Resource::kNode, kUpdateNodeLabel}}}, "A NodeUpdateNodeLabel"},
      {"OtherObjects", {{{Resource::kCsiNode, kAdd}}}, "A storage.k8s.io/CSINodeAdd"},
  };
  for (const Case& c : cases) {
    const auto profile = ProfileWith({{"A", c.interests}});
    EXPECT_EQ(Text(WakeRules(*profile).rules()), c.want) << c.name;
  }
}

TEST(WakeRules, KnowWhetherAnyoneCares) {
  const auto profile = ProfileWith({{"A", {{{Resource::kPod, kDelete | kUpdatePodLabel}}}},
                                    {"B", {{{Resource::kUnschedulablePod, kUpdatePodToleration}}}},
                                    {"C", {{{Resource::kCsiNode, kUpdate}}}}});
  const WakeRules rules(*profile);
  struct Case {
    const char* name;
    EventType event;
    bool want;
  };
  const Case cases[] = {
      {"Everything", kEverything, true},
      {"AnAction", {Resource::kPod, kDelete}, true},
      {"OfAPodOnANode", {Resource::kAssignedPod, kDelete}, true},
      {"OfOneOnNone", {Resource::kUnschedulablePod, kUpdatePodLabel}, true},
      {"OfTheOtherPods", {Resource::kAssignedPod, kUpdatePodToleration}, false},
      {"AnotherAction", {Resource::kPod, kAdd}, false},
      {"AnUnspecificUpdateIsNotASpecificOne", {Resource::kAssignedPod, kUpdate}, false},
      {"AnUnspecificUpdateThatIsWaitedFor", {Resource::kCsiNode, kUpdate}, true},
      {"AnotherKind", {Resource::kCsiDriver, kUpdate}, false},
  };
  for (const Case& c : cases) EXPECT_EQ(rules.AnyoneCares(c.event), c.want) << c.name;
  EXPECT_EQ(Text(rules.RulesAbout(Resource::kAssignedPod)), Text(rules.rules().subspan(0, 1)));
  EXPECT_EQ(Text(rules.RulesAbout(Resource::kUnschedulablePod)), Text(rules.rules().subspan(0, 2)));
  EXPECT_EQ(Text(rules.RulesAbout(Resource::kNode)), "");
}

TEST(WakeRules, AWildcardCoversAllKinds) {
  const auto profile = ProfileWith({{"A", {{kEverything}}}, {"B", {{{Resource::kAny, kAdd}}}}});
  const WakeRules rules(*profile);
  EXPECT_EQ(Text(rules.RulesAbout(Resource::kNode)), "A *All, B *Add");
  EXPECT_TRUE(rules.AnyoneCares({Resource::kResourceSlice, kDelete}));
}

TEST(WakeRules, APluginThatSaysNothingWaitsForEverything) {
  FakeWorld world;
  world.Add("A", Rule());
  const WakeRules rules(world.profile());
  EXPECT_EQ(Text(rules.RulesAbout(Resource::kNode)), "A NodeAll always");
  EXPECT_TRUE(rules.AnyoneCares({Resource::kPersistentVolumeClaim, kUpdate}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
