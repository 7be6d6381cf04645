// Groups of pods that are searched for completely, or in topology levels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "api/json/decode.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/model/device_model.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

using engine::Command;
using engine::EngineOptions;

using Lines = std::vector<std::string>;

constexpr const char* kNoVictims =
    ". no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims "
    "found for incoming pod.";

class SearchGroupTest : public testing::Test {
 protected:
  void Start(const framework::GangSchedulingArgs& args, bool topology = false,
             bool preemption = false) {
    EngineOptions options;
    options.features.generic_workload = options.features.gang_scheduling = true;
    options.features.topology_aware_workload_scheduling = topology;
    options.features.workload_aware_preemption = preemption;
    options.profiles = {DefaultProfile("default-scheduler", options.features)};
    options.profiles[0].args["GangScheduling"] = args;
    options.paranoid = true;
    harness_ = std::make_unique<EngineHarness>(options);
  }
  static framework::GangSchedulingArgs Complete(int64_t budget = 10'000) {
    framework::GangSchedulingArgs args;
    args.search = "Complete";
    args.search_budget = budget;
    return args;
  }
  static framework::GangSchedulingArgs Levels(const std::vector<std::string>& levels) {
    framework::GangSchedulingArgs args;
    args.topology_levels = levels;
    return args;
  }

  void PutNode(const std::string& name, const std::string& cpu, const std::string& rack,
               const std::string& zone = "z") {
    harness_->Put(MakeNode(name)
                      .Cpu(cpu)
                      .Label("kubernetes.io/hostname", name)
                      .Label("rack", rack)
                      .Label("zone", zone)
                      .ref());
  }
  static MakePod Member(const std::string& name, const std::string& cpu) {
    return MakePod(name)
        .InGroup("job")
        .Request("cpu", cpu)
        .Label("app", "job")
        .Label("index", name);
  }
  void Put(const MakePod& pod) { harness_->Put(pod.ref()); }

  // What is bound: "a to n1", sorted.
  Lines Bind() {
    harness_->Schedule();
    Lines bound = harness_->Bind();
    std::ranges::sort(bound);
    return bound;
  }
  // The group's conditions that were written.
  Lines Conditions() {
    Lines conditions;
    for (const std::string& line : harness_->Reports()) {
      if (line.starts_with("group ")) conditions.push_back(line.substr(6));
    }
    return conditions;
  }

  // The pods that are marked as victims, sorted.
  Lines Evicted() {
    Lines evicted;
    for (const Command& command : harness_->engine().TakeCommands()) {
      const auto* patch = std::get_if<framework::PatchPodStatus>(&command.write);
      if (patch != nullptr && patch->condition && patch->condition->type == "DisruptionTarget")
        evicted.push_back(patch->pod.name);
    }
    std::ranges::sort(evicted);
    return evicted;
  }

  std::unique_ptr<EngineHarness> harness_;
};

// The first member prefers the larger node, which the second needs.
constexpr const char* kFirst = "3";
constexpr const char* kSecond = "4";

TEST_F(SearchGroupTest, GreedyIsTheDefault) {
  Start({});
  PutNode("n1", "4", "a");
  PutNode("n2", "3", "a");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  Put(Member("a", kFirst).Priority(2));
  Put(Member("b", kSecond).Priority(1));
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(Conditions(), Lines({"job is Unschedulable: pod group is unschedulable"}));
}

TEST_F(SearchGroupTest, CompleteFindsWhatGreedyMisses) {
  Start(Complete());
  PutNode("n1", "4", "a");
  PutNode("n2", "3", "a");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  Put(Member("a", kFirst).Priority(2));
  Put(Member("b", kSecond).Priority(1));
  EXPECT_EQ(Bind(), Lines({"a to n2", "b to n1"}));
  EXPECT_EQ(Conditions(), Lines({"job is Scheduled: "}));
}

TEST_F(SearchGroupTest, MembersBeyondThoseNeededArePlacedIfTheyFit) {
  Start(Complete());
  PutNode("n1", "5", "a");
  PutNode("n2", "3", "b");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  // The first prefers n1, the only node for the others.
  Put(Member("p", "3").Priority(3).Label("role", "first"));
  Put(Member("q", "4").Priority(2));
  Put(Member("r", "1").Priority(1).NodeSelector("rack", "a").KeepApart("rack", "role", "first"));
  EXPECT_EQ(Bind(), Lines({"p to n2", "q to n1", "r to n1"}));
}

TEST_F(SearchGroupTest, ProofThatThereIsNoPlacementIsReported) {
  Start(Complete());
  PutNode("n1", "4", "a");
  PutNode("n2", "4", "a");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"a", "b", "c"}) Put(Member(name, "1").HostPort(80));
  const std::string before = DescribeCounts(harness_->cluster());
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
  EXPECT_EQ(
      Conditions(),
      Lines({std::string("job is Unschedulable: pod group is unschedulable, complete search: "
                         "there is no placement, b: 0/2 nodes are available: 2 node(s) didn't "
                         "have free ports for the requested pod ports") +
             kNoVictims}))
      << "the one that completes the gang is tried first, then a and b";
}

TEST_F(SearchGroupTest, MissingResourcesAreReported) {
  Start(Complete());
  PutNode("n1", "2", "a");
  PutNode("n2", "3", "a");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"a", "b", "c"}) Put(Member(name, "2"));
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(Conditions(),
            Lines({std::string("job is Unschedulable: pod group is unschedulable, complete search: "
                               "there is no placement, resources suffice for 2 of 3 members that "
                               "must be placed, b: 0/2 nodes are available: 2 Insufficient cpu") +
                   kNoVictims}));
}

TEST_F(SearchGroupTest, EndOfTheBudgetIsReported) {
  Start(Complete(/*budget=*/3));
  PutNode("n1", "4", "a");
  PutNode("n2", "4", "a");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"a", "b", "c"}) Put(Member(name, "1").HostPort(80));
  const std::string before = DescribeCounts(harness_->cluster());
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
  EXPECT_EQ(Conditions(),
            Lines({std::string("job is Unschedulable: pod group is unschedulable, complete search: "
                               "not decided in 3 steps, b: 0/2 nodes are available: 2 node(s) "
                               "didn't have free ports for the requested pod ports") +
                   kNoVictims}));
}

TEST_F(SearchGroupTest, AntiAffinityInsideTheGroupCounts) {
  Start(Complete());
  PutNode("n1", "4", "a");
  PutNode("n2", "1", "b");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  // The first prefers n1, and keeps the second away from there.
  Put(Member("a", "1").Priority(2).KeepApart("rack", "app", "job"));
  Put(Member("b", "2").Priority(1));
  EXPECT_EQ(Bind(), Lines({"a to n2", "b to n1"}));
}

TEST_F(SearchGroupTest, SpreadConstraintsCount) {
  Start(Complete());
  PutNode("a1", "4", "a");
  PutNode("b1", "2", "b");
  harness_->Put(MakePodGroup("job").Gang(4).ref());
  // Two in each rack; the large ones only together with a small one in rack a.
  Put(Member("p", "1").Priority(4).Spread(1, "rack", "app", "job"));
  Put(Member("q", "1").Priority(3).Spread(1, "rack", "app", "job"));
  Put(Member("r", "2").Priority(2).Spread(1, "rack", "app", "job"));
  Put(Member("s", "2").Priority(1).Spread(1, "rack", "app", "job"));
  const Lines bound = Bind();
  EXPECT_EQ(bound, Lines({"p to b1", "q to b1", "r to a1", "s to a1"}));
}

api::Object Decoded(const std::string& json) {
  auto objects = api::DecodeJson(json);
  EXPECT_TRUE(objects.has_value()) << objects.error().message;
  return objects->at(0);
}

// Nodes n1 and n2 with a device each, of which the class "large" has only that of n1.
class SearchGroupDevicesTest : public SearchGroupTest {
 protected:
  static constexpr const char* kApi = R"({"apiVersion":"resource.k8s.io/v1","kind":")";

  void StartWithDevices(const framework::GangSchedulingArgs& args, const std::string& cpu_of_n1) {
    Start(args);
    harness_->Put(MakeNode("n1").Cpu(cpu_of_n1).Memory("64Gi").ref());
    harness_->Put(MakeNode("n2").Cpu("4").Memory("8Gi").ref());
    const std::string api = kApi;
    harness_->Put(Decoded(api + R"(DeviceClass","metadata":{"name":"any"}})"));
    harness_->Put(Decoded(api + R"(DeviceClass","metadata":{"name":"large"},"spec":{"selectors":)"
                                R"([{"cel":{"expression":"device.driver == 'n1'"}}]}})"));
    for (const std::string node : {"n1", "n2"}) {
      harness_->Put(Decoded(
          api + R"(ResourceSlice","metadata":{"name":"of-)" + node + R"("},"spec":{"driver":")" +
          node + R"(","nodeName":")" + node + R"(","pool":{"name":")" + node +
          R"(","generation":1,"resourceSliceCount":1},"devices":[{"name":"g"}]}})"));
    }
  }
  void PutClaim(const std::string& name, const std::string& device_class) {
    harness_->Put(
        Decoded(kApi + (R"(ResourceClaim","metadata":{"name":")" + name) +
                R"(","namespace":"default","uid":")" + name +
                R"(","resourceVersion":"1"},"spec":{"devices":{"requests":[{"name":"r",)" +
                R"("exactly":{"deviceClassName":")" + device_class +
                R"(","allocationMode":"ExactCount","count":1}}]}}})"));
  }
  static MakePod MemberWithClaim(const std::string& name, const std::string& claim) {
    MakePod pod = Member(name, "1").Request("memory", "1Gi");
    pod.object.spec.resource_claims = {{.name = "gpu", .resource_claim_name = claim}};
    return pod;
  }
  // The decisions, sorted.
  Lines Decide() {
    harness_->Schedule();
    Lines decisions = harness_->Decisions();
    std::ranges::sort(decisions);
    return decisions;
  }

  // A claim of which every write that is based on its current version succeeds.
  class StoredClaim {
   public:
    explicit StoredClaim(std::shared_ptr<const api::ResourceClaim> claim)
        : current_(std::move(claim)) {}

    // The result of a write; empty if it is not about the claim.
    std::optional<framework::WriteResult> Apply(const framework::ApiWrite& write) {
      ++writes_;
      framework::WriteResult result;
      if (const auto* update = std::get_if<framework::UpdateResourceClaim>(&write)) {
        Store(update->object, result);
      } else if (const auto* status = std::get_if<framework::UpdateResourceClaimStatus>(&write)) {
        Store(status->object, result);
      } else if (std::holds_alternative<framework::GetResourceClaim>(write)) {
        result.claim = current_;
      } else {
        --writes_;
        return std::nullopt;
      }
      return result;
    }
    // "g of n1 for p q r".
    std::string Text() const {
      if (!current_->status.allocation) return "not allocated";
      const api::DeviceRequestAllocationResult& device = current_->status.allocation->results.at(0);
      std::string text = device.device + " of " + device.pool + " for";
      for (const auto& user : current_->status.reserved_for) text += " " + user.name;
      return text;
    }
    size_t writes() const { return writes_; }

   private:
    void Store(const std::shared_ptr<const api::ResourceClaim>& claim,
               framework::WriteResult& result) {
      if (claim->metadata.resource_version != current_->metadata.resource_version) {
        result = {framework::WriteResult::Kind::kConflict, "it was modified"};
        return;
      }
      auto next = std::make_shared<api::ResourceClaim>(*claim);
      next->metadata.resource_version = std::to_string(++version_);
      current_ = next;
      result.claim = current_;
    }

    std::shared_ptr<const api::ResourceClaim> current_;
    int version_ = 1;
    size_t writes_ = 0;
  };

  // Executes all commands until there are none; returns what was bound, sorted.
  Lines BindWith(StoredClaim& claim) {
    Lines bound;
    for (int quiet = 0; quiet < 10; ++quiet) {
      for (const Command& command : harness_->Commands()) {
        quiet = 0;
        if (const auto* bind = std::get_if<framework::BindPod>(&command.write)) {
          bound.push_back(bind->pod.name + " to " + bind->node);
          harness_->End(command);
        } else {
          harness_->End(command, claim.Apply(command.write).value_or(framework::WriteResult()));
        }
      }
      harness_->Pass(Duration::Millis(10));
      harness_->Schedule();
    }
    std::ranges::sort(bound);
    return bound;
  }
  StoredClaim Stored(const std::string& name) const {
    return StoredClaim(harness_->cluster().devices().FindClaim({"default", name}));
  }
};

TEST_F(SearchGroupDevicesTest, DevicesCount) {
  StartWithDevices(Complete(), "8");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  // The first prefers n1, and takes the only device that the second can use.
  PutClaim("claim-p", "any");
  PutClaim("claim-q", "large");
  Put(MemberWithClaim("p", "claim-p").Priority(2));
  Put(MemberWithClaim("q", "claim-q").Priority(1));
  EXPECT_EQ(Decide(), Lines({"p -> n2", "q -> n1"}));
}

TEST_F(SearchGroupDevicesTest, MembersShareAClaimThatTheFirstAllocates) {
  StartWithDevices(Complete(), "8");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  PutClaim("shared", "any");
  StoredClaim stored = Stored("shared");
  for (const char* name : {"p", "q", "r"}) Put(MemberWithClaim(name, "shared"));
  EXPECT_EQ(Decide(), Lines({"p -> n1", "q -> n1", "r -> n1"}));
  EXPECT_EQ(BindWith(stored), Lines({"p to n1", "q to n1", "r to n1"}));
  // The last to come completes the gang, and is tried first.
  EXPECT_EQ(stored.Text(), "g of n1 for r p q");
  EXPECT_EQ(stored.writes(), 4u) << "a finalizer and three reservations, without conflicts";
  EXPECT_EQ(harness_->cluster().devices().in_flight().size(), 0u);
}

TEST_F(SearchGroupDevicesTest, ASharedClaimIsAllocatedWhereAllMembersFit) {
  StartWithDevices(Complete(), "2");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  PutClaim("shared", "any");
  // The first prefers n1, where only two have room.
  for (const char* name : {"p", "q", "r"}) Put(MemberWithClaim(name, "shared"));
  EXPECT_EQ(Decide(), Lines({"p -> n2", "q -> n2", "r -> n2"}));
}

TEST_F(SearchGroupDevicesTest, MembersFailWithTheOneThatAllocatesTheirClaim) {
  StartWithDevices(Complete(), "8");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutClaim("shared", "any");
  for (const char* name : {"p", "q"}) Put(MemberWithClaim(name, "shared"));
  EXPECT_EQ(Decide(), Lines({"p -> n1", "q -> n1"}));
  for (int i = 0; i < 3; ++i) {
    for (const Command& command : harness_->Commands()) {
      const bool nominates = std::holds_alternative<framework::PatchPodStatus>(command.write);
      harness_->End(command, nominates ? framework::WriteResult()
                                       : framework::WriteResult{
                                             framework::WriteResult::Kind::kRejected, "no"});
    }
    harness_->Pass(Duration::Millis(10));
    harness_->Schedule(0);
  }
  EXPECT_EQ(harness_->Commands().size(), 0u);
  EXPECT_EQ(harness_->cluster().devices().in_flight().size(), 0u);
  EXPECT_EQ(harness_->engine().bindings_under_way(), 0u);
}

TEST_F(SearchGroupDevicesTest, WithoutASearchAClaimInFlightIsNotShared) {
  StartWithDevices({}, "8");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  PutClaim("shared", "any");
  for (const char* name : {"p", "q"}) Put(MemberWithClaim(name, "shared"));
  EXPECT_THAT(Decide(), testing::Contains(testing::HasSubstr(
                            "resource claim default/shared is in the process of being allocated")));
}

TEST_F(SearchGroupDevicesTest, AnotherGroupDoesNotShareAClaimInFlight) {
  StartWithDevices(Complete(), "8");
  harness_->Put(MakePodGroup("job").Gang(1).ref());
  harness_->Put(MakePodGroup("other").Gang(1).ref());
  PutClaim("shared", "any");
  Put(MemberWithClaim("p", "shared"));
  Put(MemberWithClaim("q", "shared").InGroup("other"));
  EXPECT_THAT(Decide(), testing::Contains(testing::HasSubstr(
                            "resource claim default/shared is in the process of being allocated")));
}

TEST_F(SearchGroupTest, EveryDomainIsSearched) {
  Start(Complete(), /*topology=*/true);
  PutNode("a1", "3", "a");
  PutNode("a2", "2", "a");
  PutNode("b1", "4", "b");
  PutNode("b2", "3", "b");
  harness_->Put(MakePodGroup("job").Gang(2).Within("rack").ref());
  Put(Member("p", kFirst).Priority(2));
  Put(Member("q", kSecond).Priority(1));
  EXPECT_EQ(Bind(), Lines({"p to b2", "q to b1"}));
}

TEST_F(SearchGroupTest, ReplicasWithAnIndexAreTreatedOnce) {
  // Twelve members with labels of their own, and eleven nodes: the search would not end otherwise.
  Start(Complete(/*budget=*/200));
  for (int i = 0; i < 11; ++i) PutNode("n" + std::to_string(i), "4", "a");
  harness_->Put(MakePodGroup("job").Gang(12).ref());
  for (int i = 0; i < 12; ++i) {
    Put(Member("m" + std::to_string(i), "1").KeepApart("kubernetes.io/hostname", "app", "job"));
  }
  EXPECT_EQ(Bind(), Lines());
  const Lines conditions = Conditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_TRUE(
      conditions[0].starts_with("job is Unschedulable: pod group is unschedulable, complete "
                                "search: there is no placement, "))
      << conditions[0];
}

TEST_F(SearchGroupTest, NodesAreNotEqualIfOnlyASelectorTellsThemApart) {
  Start(Complete());
  const auto put_node = [&](const std::string& name, const char* cpu, const char* zone) {
    harness_->Put(MakeNode(name).Cpu(cpu).Label("zone", zone).Label("own", name).ref());
  };
  put_node("v", "1", "1");
  put_node("w", "1", "2");
  put_node("x", "2", "1");
  put_node("y", "2", "1");
  Put(MakePod("running").Request("cpu", "1").Label("app", "job").On("v"));
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  Put(Member("p", "2").Priority(3).Label("app", "other"));
  Put(Member("q", "1").Priority(2));
  // Fits on x alone, and there only after q is in the other zone: until then x and y look alike.
  MakePod last =
      Member("r", "2").Priority(1).NodeSelector("own", "x").Spread(1, "zone", "app", "job");
  last.object.spec.topology_spread_constraints[0].node_affinity_policy = "Ignore";
  Put(last);
  EXPECT_EQ(Bind(), Lines({"p to y", "q to w", "r to x"}));
}

// --- topology levels ---

TEST_F(SearchGroupTest, GroupGoesToTheSmallestDomainThatHoldsIt) {
  Start(Levels({"kubernetes.io/hostname", "rack", "zone"}));
  PutNode("a1", "2", "a");
  PutNode("a2", "2", "a");
  PutNode("b1", "2", "b");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  for (const char* name : {"p", "q"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind(), Lines({"p to b1", "q to b1"})) << "one node, in the rack with less room";

  Start(Levels({"kubernetes.io/hostname", "rack", "zone"}));
  PutNode("a1", "2", "a");
  PutNode("a2", "2", "a");
  PutNode("b1", "2", "b");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"p", "q", "r"}) Put(Member(name, "1"));
  const Lines bound = Bind();
  ASSERT_EQ(bound.size(), 3u);
  for (const std::string& line : bound) EXPECT_NE(line.find(" to a"), std::string::npos) << line;
}

TEST_F(SearchGroupTest, LargeFreeDomainsStayWhole) {
  Start(Levels({"rack"}));
  PutNode("a1", "8", "a");
  PutNode("b1", "3", "b");
  PutNode("c1", "4", "c");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"p", "q", "r"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind(), Lines({"p to b1", "q to b1", "r to b1"}));
}

TEST_F(SearchGroupTest, GroupThatNoDomainHoldsGoesAnywhere) {
  Start(Levels({"rack"}));
  PutNode("a1", "2", "a");
  PutNode("b1", "2", "b");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"p", "q", "r"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind().size(), 3u);
}

TEST_F(SearchGroupTest, AsManyAsMustBeStayTogetherIfNotAllCan) {
  Start(Levels({"rack", "zone"}));
  PutNode("a1", "2", "a", "x");
  PutNode("b1", "3", "b", "y");
  harness_->Put(MakePodGroup("job").Gang(3).ref());
  for (const char* name : {"p", "q", "r", "s"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind(), Lines({"p to b1", "q to b1", "r to b1", "s to a1"}));
}

TEST_F(SearchGroupTest, LateMembersJoinTheOthers) {
  Start(Levels({"rack"}));
  PutNode("a1", "1", "a");
  PutNode("b1", "8", "b");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  for (const char* name : {"p", "q"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind(), Lines({"p to b1", "q to b1"}));
  Put(Member("r", "1"));
  EXPECT_EQ(Bind(), Lines({"r to b1"})) << "though rack a has less room";
}

TEST_F(SearchGroupTest, LevelsAreWithinTheGroupsOwnConstraint) {
  Start(Levels({"rack"}), /*topology=*/true);
  // Rack a reaches over both zones.
  PutNode("a1", "2", "a", "x");
  PutNode("a2", "2", "a", "y");
  PutNode("b1", "4", "b", "y");
  harness_->Put(MakePodGroup("job").Gang(3).Within("zone").ref());
  for (const char* name : {"p", "q", "r"}) Put(Member(name, "1"));
  EXPECT_EQ(Bind(), Lines({"p to b1", "q to b1", "r to b1"}));
}

TEST_F(SearchGroupTest, SmallestDomainIsFoundCompletely) {
  framework::GangSchedulingArgs args = Levels({"rack", "zone"});
  args.search = "Complete";
  Start(args);
  PutNode("a1", "4", "a");
  PutNode("a2", "3", "a");
  PutNode("b1", "8", "b");
  PutNode("b2", "8", "b");
  harness_->Put(MakePodGroup("job").Gang(2).ref());
  Put(Member("p", kFirst).Priority(2));
  Put(Member("q", kSecond).Priority(1));
  EXPECT_EQ(Bind(), Lines({"p to a2", "q to a1"})) << "greedily they fit in rack b alone";
}

// --- preemption ---

TEST_F(SearchGroupTest, GroupDisplacesTheLeastWithinItsConstraint) {
  Start(Complete(), /*topology=*/true, /*preemption=*/true);
  PutNode("a1", "2", "a");
  PutNode("b1", "2", "b");
  Put(MakePod("low-a").Request("cpu", "1").On("a1"));
  Put(MakePod("low-b1").Request("cpu", "1").On("b1"));
  Put(MakePod("low-b2").Request("cpu", "1").On("b1"));
  harness_->Put(MakePodGroup("job").Gang(2).Within("rack").Priority(10).ref());
  for (const char* name : {"p", "q"}) Put(Member(name, "1"));
  harness_->Schedule();
  Lines evicted, nominated;
  for (const Command& command : harness_->engine().TakeCommands()) {
    const auto* patch = std::get_if<framework::PatchPodStatus>(&command.write);
    if (patch == nullptr) continue;
    if (patch->condition && patch->condition->type == "DisruptionTarget")
      evicted.push_back(patch->pod.name);
    if (patch->nominated_node_name)
      nominated.push_back(patch->pod.name + " to " + *patch->nominated_node_name);
  }
  std::ranges::sort(nominated);
  EXPECT_EQ(evicted, Lines({"low-a"})) << "in the other rack there would be two";
  EXPECT_EQ(nominated, Lines({"p to a1", "q to a1"})) << "all members";
}

TEST_F(SearchGroupTest, DisruptionBudgetsComeBeforePrioritiesOfVictims) {
  Start(Complete(), /*topology=*/true, /*preemption=*/true);
  PutNode("a1", "2", "a");
  PutNode("b1", "2", "b");
  Put(MakePod("guarded").Label("app", "db").Request("cpu", "1").On("a1"));
  Put(MakePod("important").Priority(5).Request("cpu", "1").On("b1"));
  auto budget = std::make_shared<api::PodDisruptionBudget>();
  budget->metadata.name = "db";
  budget->metadata.namespace_ = "default";
  budget->selector.emplace().match_labels.emplace("app", "db");
  harness_->Put(api::Ref<api::PodDisruptionBudget>(std::move(budget)));
  harness_->Put(MakePodGroup("job").Gang(2).Within("rack").Priority(10).ref());
  for (const char* name : {"p", "q"}) Put(Member(name, "1"));
  harness_->Schedule();
  EXPECT_EQ(Evicted(), Lines({"important"}));
}

TEST_F(SearchGroupTest, NobodyIsEvictedForAGroupThatDoesNotFitThen) {
  Start(Complete(), /*topology=*/true, /*preemption=*/true);
  PutNode("a1", "2", "a");
  Put(MakePod("low").Request("cpu", "1").On("a1"));
  harness_->Put(MakePodGroup("job").Gang(3).Within("rack").Priority(10).ref());
  for (const char* name : {"p", "q", "r"}) Put(Member(name, "1"));
  const std::string before = DescribeCounts(harness_->cluster());
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(DescribeCounts(harness_->cluster()), before);
  EXPECT_TRUE(harness_->Commands().empty());
}

TEST_F(SearchGroupTest, OwnMembersAreNeverEvicted) {
  Start(Complete(), /*topology=*/false, /*preemption=*/true);
  PutNode("a1", "2", "a");
  harness_->Put(MakePodGroup("job").Gang(2).Priority(10).ref());
  Put(Member("p", "1").On("a1"));
  Put(Member("q", "1").On("a1"));
  Put(Member("r", "1"));
  EXPECT_EQ(Bind(), Lines());
  EXPECT_EQ(harness_->engine().background_tasks(), 0u);
  EXPECT_EQ(harness_->Where("p"), "bound on a1");
}

TEST_F(SearchGroupTest, MembersThatAreBeingBoundAreNotEvictedForOthers) {
  Start({}, /*topology=*/false, /*preemption=*/true);
  PutNode("a1", "2", "a");
  harness_->Put(MakePodGroup("job").Gang(1).Priority(10).ref());
  Put(Member("p", "1").Priority(1));
  Put(Member("q", "2"));
  harness_->Schedule(/*limit=*/20);
  EXPECT_EQ(harness_->Where("p"), "assumed on a1");
  const auto command = harness_->TheCommand();
  EXPECT_TRUE(std::holds_alternative<framework::BindPod>(command.write));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
