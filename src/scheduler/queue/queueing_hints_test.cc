#include "scheduler/queue/queueing_hints.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testing/fake_plugins.h"
#include "testing/require.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

// Rejects no pod, and registers for the given events.
class WaitingGate final : public framework::PreEnqueuePlugin {
 public:
  WaitingGate(std::string name, std::vector<framework::ClusterEventWithHint> events)
      : name_(std::move(name)), interests_(std::move(events)) {}
  std::string_view name() const override { return name_; }
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override {
    return interests_;
  }
  framework::Verdict PreEnqueue(const model::Cluster&, const model::PodRecord&) const override {
    return {};
  }

 private:
  const std::string name_;
  const std::vector<framework::ClusterEventWithHint> interests_;
};

// Never rejects a pod, although it registers for events.
class WaitingScorer final : public framework::NodeScorer {
 public:
  static constexpr std::string_view kName = "Scorer";
  std::string_view name() const override { return kName; }
  int64_t ScoreNode(const framework::Cycle&, model::NodeRow) const override { return 0; }
};

using Gates = std::vector<std::pair<std::string, std::vector<framework::ClusterEventWithHint>>>;

std::unique_ptr<framework::Profile> ProfileWith(const Gates& gates) {
  framework::Registry registry;
  registry.Add<FakeSort>();
  registry.Add<FakeBinder>();
  registry.Add<WaitingScorer>();
  std::vector<framework::PluginChoice> enabled = {{"FakeSort"}, {"FakeBinder"}, {"Scorer"}};
  for (const auto& [name, events] : gates) {
    Offer<WaitingGate>(registry, name, events);
    enabled.push_back({name});
  }
  return Require(framework::Profile::Build(ProfileOf(std::move(enabled)), registry));
}

// "A NodeAdd, B NodeUpdateNodeTaint always"
std::string Text(std::span<const QueueingHintMap::Registration> hints) {
  std::string text;
  for (const QueueingHintMap::Registration& registration : hints) {
    text += (text.empty() ? "" : ", ") + std::string(registration.plugin->name()) + " " +
            registration.event.type.Label() + (registration.event.conditional ? "" : " always");
  }
  return text;
}

TEST(QueueingHintMap, HasThePluginsThatMayReject) {
  const auto profile =
      ProfileWith({{"A", {{{framework::Resource::kPod, framework::kDelete}}}},
                   {"B", {{{framework::Resource::kCsiNode, framework::kAdd}, false}}},
                   {"C", {}}});
  const QueueingHintMap hints(*profile);
  EXPECT_EQ(Text(hints.registrations()), "A PodDelete, B storage.k8s.io/CSINodeAdd always");
  EXPECT_EQ(hints.EventsRegisteredBy("A"),
            (std::vector<framework::EventType>{{framework::Resource::kPod, framework::kDelete}}));
  EXPECT_EQ(hints.EventsRegisteredBy("C"), std::vector<framework::EventType>());
  EXPECT_EQ(hints.EventsRegisteredBy("Scorer"), std::vector<framework::EventType>());
  EXPECT_EQ(hints.EventsRegisteredBy("Unknown"), std::vector<framework::EventType>());
}

TEST(QueueingHintMap, PluginsThatWaitForNodesReceiveTaintEvents) {
  struct Case {
    const char* name;
    std::vector<framework::ClusterEventWithHint> events;
    const char* want;
  };
  const Case cases[] = {
      {"NodesAlone",
       {{{framework::Resource::kNode, framework::kAdd}}},
       "A NodeAdd, A NodeUpdateNodeTaint always"},
      {"NodesTwice",
       {{{framework::Resource::kNode, framework::kAdd}},
        {{framework::Resource::kNode, framework::kUpdateNodeTaint}}},
       "A NodeAdd, A NodeUpdateNodeTaint"},
      {"EverythingOfNodes", {{{framework::Resource::kNode, framework::kAllActions}}}, "A NodeAll"},
      {"LabelsAlone",
       {{{framework::Resource::kNode, framework::kUpdateNodeLabel}}},
       "A NodeUpdateNodeLabel"},
      {"OtherObjects",
       {{{framework::Resource::kCsiNode, framework::kAdd}}},
       "A storage.k8s.io/CSINodeAdd"},
  };
  for (const Case& c : cases) {
    const auto profile = ProfileWith({{"A", c.events}});
    EXPECT_EQ(Text(QueueingHintMap(*profile).registrations()), c.want) << c.name;
  }
}

TEST(QueueingHintMap, ReportsWhetherAnyPluginIsInterested) {
  const auto profile = ProfileWith(
      {{"A", {{{framework::Resource::kPod, framework::kDelete | framework::kUpdatePodLabel}}}},
       {"B", {{{framework::Resource::kUnschedulablePod, framework::kUpdatePodToleration}}}},
       {"C", {{{framework::Resource::kCsiNode, framework::kUpdate}}}}});
  const QueueingHintMap hints(*profile);
  struct Case {
    const char* name;
    framework::EventType event;
    bool want;
  };
  const Case cases[] = {
      {"Everything", framework::kEverything, true},
      {"AnAction", {framework::Resource::kPod, framework::kDelete}, true},
      {"OfAPodOnANode", {framework::Resource::kAssignedPod, framework::kDelete}, true},
      {"OfOneOnNone", {framework::Resource::kUnschedulablePod, framework::kUpdatePodLabel}, true},
      {"OfTheOtherPods",
       {framework::Resource::kAssignedPod, framework::kUpdatePodToleration},
       false},
      {"AnotherAction", {framework::Resource::kPod, framework::kAdd}, false},
      {"AnUnspecificUpdateIsNotASpecificOne",
       {framework::Resource::kAssignedPod, framework::kUpdate},
       false},
      {"AnUnspecificUpdateThatIsWaitedFor",
       {framework::Resource::kCsiNode, framework::kUpdate},
       true},
      {"AnotherKind", {framework::Resource::kCsiDriver, framework::kUpdate}, false},
  };
  for (const Case& c : cases) EXPECT_EQ(hints.IsEventOfInterest(c.event), c.want) << c.name;
  EXPECT_EQ(Text(hints.RegistrationsFor(framework::Resource::kAssignedPod)),
            Text(hints.registrations().subspan(0, 1)));
  EXPECT_EQ(Text(hints.RegistrationsFor(framework::Resource::kUnschedulablePod)),
            Text(hints.registrations().subspan(0, 2)));
  EXPECT_EQ(Text(hints.RegistrationsFor(framework::Resource::kNode)), "");
}

TEST(QueueingHintMap, AWildcardCoversAllKinds) {
  const auto profile = ProfileWith(
      {{"A", {{framework::kEverything}}}, {"B", {{{framework::Resource::kAny, framework::kAdd}}}}});
  const QueueingHintMap hints(*profile);
  EXPECT_EQ(Text(hints.RegistrationsFor(framework::Resource::kNode)), "A *All, B *Add");
  EXPECT_TRUE(hints.IsEventOfInterest({framework::Resource::kResourceSlice, framework::kDelete}));
}

TEST(QueueingHintMap, APluginWithoutRegistrationsGetsEveryEvent) {
  FakeCluster fake;
  fake.Add("A", Rule());
  const QueueingHintMap hints(fake.profile());
  EXPECT_EQ(Text(hints.RegistrationsFor(framework::Resource::kNode)), "A NodeAll always");
  EXPECT_TRUE(
      hints.IsEventOfInterest({framework::Resource::kPersistentVolumeClaim, framework::kUpdate}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
