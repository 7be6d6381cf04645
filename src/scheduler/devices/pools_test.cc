#include "scheduler/devices/pools.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

// The pools that the node sees, with their devices: "d/p: a b; d/q incomplete".
std::string PoolsText(DeviceWorld& world) {
  const NodePools pools = world.catalog().PoolsOf(world.node());
  if (pools.error) return "error: " + *pools.error;
  std::vector<std::string> texts;
  for (const auto& pool : pools.pools) {
    std::string text = pool->ToString();
    if (pool->incomplete) text += " incomplete";
    if (pool->invalid) text += " invalid: " + pool->invalid_reason;
    if (pool->usable()) text += ":";
    for (const Pool::Member& member : pool->devices) text += " " + member.device->object->name;
    texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string AffectedText(const SliceCatalog::Affected& nodes) {
  return nodes ? fmt::format("{}", fmt::join(*nodes, " ")) : "all";
}

std::shared_ptr<const api::ResourceSlice> DecodeSlice(const std::string& yaml) {
  return std::get<api::Ref<api::ResourceSlice>>(api::DecodeObjects(yaml, "test")->at(0));
}

constexpr const char* kLabelledNode =
    "---\n{apiVersion: v1, kind: Node, metadata: {name: 'n', labels: {zone: a}}}\n";
constexpr const char* kZoneA =
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
    "[a]}]}]}";
constexpr const char* kZoneB =
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
    "[b]}]}]}";

TEST(Pools, AreOrderedByDriverAndName) {
  DeviceWorld world{
      SliceYaml("1", {.devices = "{name: a}", .pool = "z", .driver = "x"}),
      SliceYaml("2", {.devices = "{name: b}", .pool = "y", .driver = "x"}),
      SliceYaml("3", {.devices = "{name: c}", .pool = "z", .driver = "w"}),
      SliceYaml("4", {.devices = "{name: d, bindingConditions: []}", .pool = "a", .driver = "a"})};
  EXPECT_EQ(PoolsText(world), "w/z: c; x/y: b; x/z: a; a/a: d")
      << "those with binding conditions come last";
}

TEST(Pools, SlicesAreOrderedByName) {
  DeviceWorld world{SliceYaml("s2", {.devices = "{name: b}, {name: a}", .count = 2}),
                    SliceYaml("s1", {.devices = "{name: c}", .count = 2})};
  EXPECT_EQ(PoolsText(world), "d/p: c b a");
}

TEST(Pools, DevicesThatLookAlikeShareTheirLook) {
  DeviceWorld world{
      SliceYaml("s1",
                {.devices = "{name: a, attributes: {n: {int: 1}}}, "
                            "{name: b, attributes: {n: {int: 2}}}, "
                            "{name: c, attributes: {n: {int: 1}}, capacity: {c: {value: 1}}}, "
                            "{name: d, attributes: {n: {string: '1'}}}",
                 .count = 2}),
      SliceYaml("s2",
                {.devices = "{name: e, attributes: {n: {int: 1}}}, "
                            "{name: f, attributes: {n: {int: 1}}, capacity: {c: {value: 1000m}}}, "
                            "{name: g, attributes: {n: {int: 1}}, allowMultipleAllocations: true}",
                 .count = 2})};
  const NodePools pools = world.catalog().PoolsOf(world.node());
  std::map<uint32_t, std::string> names_of_slot;
  std::map<uint32_t, const cel::Device*> value_of_slot;
  for (const auto& candidate : pools.candidates) {
    const Device& device = candidate.device();
    names_of_slot[device.look->slot()] += device.object->name;
    const auto value = value_of_slot.try_emplace(device.look->slot(), &device.value()).first;
    EXPECT_EQ(value->second, &device.value());
  }
  std::set<std::string> alike;
  for (const auto& [slot, names] : names_of_slot) alike.insert(names);
  EXPECT_EQ(alike, (std::set<std::string>{"ae", "b", "cf", "d", "g"}));
}

TEST(Pools, LooksEndWithTheirDevices) {
  DeviceWorld world{SliceYaml("s1", {.devices = "{name: a}, {name: b}"}),
                    SliceYaml("s2", {.devices = "{name: c}", .pool = "q"})};
  EXPECT_EQ(world.looks().size(), 1);
  world.catalog().Remove("s1");
  EXPECT_EQ(world.looks().size(), 1);
  world.catalog().Remove("s2");
  EXPECT_EQ(world.looks().size(), 0);
}

TEST(Pools, EachWayToChooseNodes) {
  const struct {
    const char* nodes;
    const char* want;
  } kCases[] = {
      {"nodeName: 'n'", "d/p: a"},
      {"nodeName: other", ""},
      {"allNodes: true", "d/p: a"},
      {kZoneA, "d/p: a"},
      {kZoneB, ""},
      {"perDeviceNodeSelection: true", ""},
  };
  for (const auto& c : kCases) {
    DeviceWorld world{kLabelledNode, SliceYaml("s", {.devices = "{name: a}", .nodes = c.nodes})};
    EXPECT_EQ(PoolsText(world), c.want) << c.nodes;
  }
}

TEST(Pools, DevicesMayChooseNodes) {
  DeviceWorld world{
      SliceYaml("s", {.devices = "{name: a, nodeName: other}, {name: b, nodeName: 'n'}",
                      .nodes = "perDeviceNodeSelection: true"}),
      ClassYaml("gpu")};
  EXPECT_EQ(PoolsText(world), "d/p: a b") << "selectors are evaluated for both";
  EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r"))}), "c: r=b");
}

TEST(Pools, TheHighestGenerationCounts) {
  DeviceWorld world{SliceYaml("old", {.devices = "{name: a}", .generation = 1}),
                    SliceYaml("new", {.devices = "{name: b}", .generation = 2})};
  EXPECT_EQ(PoolsText(world), "d/p: b");
}

TEST(Pools, AnOldGenerationThatTheNodeSeesCompletelyIsUsed) {
  DeviceWorld world{
      SliceYaml("old", {.devices = "{name: a}", .generation = 1}),
      SliceYaml("new", {.devices = "{name: b}", .nodes = "nodeName: m", .generation = 2})};
  EXPECT_EQ(PoolsText(world), "d/p: a");
  world.Add(SliceYaml("old", {.devices = "{name: a}", .generation = 1, .count = 2}));
  EXPECT_EQ(PoolsText(world), "") << "one that it does not is replaced elsewhere";
}

TEST(Pools, MissingSlicesMakeThemIncomplete) {
  DeviceWorld world{SliceYaml("s1", {.devices = "{name: a}", .count = 2})};
  EXPECT_EQ(PoolsText(world), "d/p incomplete");
  world.Add(SliceYaml("s2", {.devices = "{name: b}", .nodes = "nodeName: m", .count = 2}));
  EXPECT_EQ(PoolsText(world), "d/p: a") << "a slice for another node counts";
  world.catalog().Remove("s2");
  EXPECT_EQ(PoolsText(world), "d/p incomplete");
}

TEST(Pools, ContradictionsMakeThemInvalid) {
  const std::string counters = "sharedCounters: [{name: set, counters: {c: {value: 1}}}]";
  const std::string uses =
      "{name: a, consumesCounters: [{counterSet: set, counters: {c: {value: 1}}}]}";
  const struct {
    std::vector<std::string> slices;
    const char* want;
  } kCases[] = {
      {{SliceYaml("s", {.devices = "{name: a}, {name: a}"})},
       "d/p invalid: duplicate device name a"},
      {{SliceYaml("s", {.devices = uses})}, "d/p invalid: counter set set not found"},
      {{SliceYaml("s", {.count = 2, .more = counters}),
        SliceYaml("t", {.count = 2, .more = counters})},
       "d/p invalid: duplicate counter set name set"},
      {{SliceYaml("s", {.count = 2, .more = "sharedCounters: [{name: set, counters: {}}]"}),
        SliceYaml("t", {.devices = uses, .count = 2})},
       "d/p invalid: counter c not found in counter set set"},
      // Every node sees counters, and the devices of others that draw on them.
      {{SliceYaml("s", {.nodes = "nodeName: m",
                        .count = 2,
                        .more = "sharedCounters: [{name: set, counters: {}}]"}),
        SliceYaml("t", {.devices = uses, .nodes = "nodeName: m", .count = 2})},
       "d/p invalid: counter c not found in counter set set"},
      {{SliceYaml("s", {.nodes = "nodeName: m", .count = 2, .more = counters}),
        SliceYaml("t", {.devices = uses, .nodes = "nodeName: m", .count = 2})},
       ""},
      {{SliceYaml("s", {.nodes = "nodeName: m", .count = 2, .more = counters})}, "d/p incomplete"},
  };
  for (const auto& c : kCases) {
    DeviceWorld world;
    for (const std::string& slice : c.slices) world.Add(slice);
    EXPECT_EQ(PoolsText(world), c.want) << c.want;
  }
}

TEST(Pools, NodesWithTheSameSlicesShareThem) {
  DeviceWorld world{SliceYaml("s", {.devices = "{name: a}", .nodes = "allNodes: true"})};
  api::Node other;
  other.metadata.name = "m";
  EXPECT_EQ(world.catalog().PoolsOf(world.node()).pools, world.catalog().PoolsOf(other).pools);
}

TEST(Pools, ChangesAffectFewNodes) {
  DeviceWorld world;
  SliceCatalog& catalog = world.catalog();
  auto put = [&](std::string_view name, const SliceParts& parts) {
    return AffectedText(catalog.Put(DecodeSlice(SliceYaml(name, parts))));
  };
  EXPECT_EQ(put("s", {.devices = "{name: a}"}), "n");
  EXPECT_EQ(put("s", {.devices = "{name: a}", .nodes = "nodeName: m"}), "m n");
  EXPECT_EQ(put("t", {.devices = "{name: b}", .nodes = "nodeName: o"}), "m o")
      << "whether the pool is complete matters to all of its nodes";
  EXPECT_EQ(put("u", {.devices = "{name: b}", .nodes = "nodeName: x", .pool = "q"}), "x");
  EXPECT_EQ(put("v", {.devices = "{name: b}", .nodes = "allNodes: true", .pool = "r"}), "all");
  EXPECT_EQ(AffectedText(catalog.Remove("u")), "x");
  EXPECT_EQ(AffectedText(catalog.Remove("unknown")), "");
}

// Neither can be used, but each node says which it is.
TEST(Pools, CountersThatBecomeInvalidAffectAllNodes) {
  DeviceWorld world;
  auto put = [&](std::string_view name) {
    return AffectedText(world.catalog().Put(
        DecodeSlice(SliceYaml(name, {.nodes = "nodeName: m",
                                     .count = 2,
                                     .more = "sharedCounters: [{name: set, counters: {}}]"}))));
  };
  EXPECT_EQ(put("s"), "all");
  EXPECT_EQ(PoolsText(world), "d/p incomplete");
  EXPECT_EQ(put("t"), "all");
  EXPECT_EQ(PoolsText(world), "d/p invalid: duplicate counter set name set");
}

TEST(Pools, NothingIsLeftOfRemovedSlices) {
  DeviceWorld world;
  for (int i = 0; i < 3; ++i) {
    world.Add(SliceYaml("s", {.devices = "{name: a}, {name: b}"}));
    EXPECT_EQ(PoolsText(world), "d/p: a b");
    world.catalog().Remove("s");
    EXPECT_EQ(PoolsText(world), "");
    EXPECT_TRUE(world.catalog().slices().empty());
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
