#include "scheduler/devices/search.h"

#include <gtest/gtest.h>

#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

// Devices a, b, c and d with a model and a number each.
constexpr const char* kFour =
    "{name: a, attributes: {model: {string: x}, 'n': {int: 1}}}, "
    "{name: b, attributes: {model: {string: 'y'}, 'n': {int: 2}}}, "
    "{name: c, attributes: {model: {string: x}, 'n': {int: 3}}}, "
    "{name: d, attributes: {model: {string: 'y'}, 'n': {int: 4}}}";

std::string ModelIs(std::string_view model) {
  return Selecting(fmt::format("device.attributes[\"d\"].model == \"{}\"", model));
}

std::string Allocated(std::string_view name, std::string_view device, std::string_view more = "") {
  return ClaimYaml(
      name, "", "",
      fmt::format("allocation: {{devices: {{results: [{{request: r, driver: d, pool: p, "
                  "device: {}{}}}]}}}}",
                  device, more));
}

struct SearchCase {
  const char* name;
  std::vector<std::string> claims;
  const char* want;
};

void Check(DeviceWorld& world, const std::vector<SearchCase>& cases) {
  for (const SearchCase& c : cases) EXPECT_EQ(world.Allocate(c.claims), c.want) << c.name;
}

TEST(Search, TakesTheFirstDevicesInOrder) {
  DeviceWorld world{SliceYaml("s", {.devices = kFour}), ClassYaml("gpu")};
  Check(world, {{"One", {ClaimYaml("c", RequestYaml("r"))}, "c: r=a"},
                {"Three", {ClaimYaml("c", RequestYaml("r", 3))}, "c: r=a r=b r=c"},
                {"TooMany", {ClaimYaml("c", RequestYaml("r", 5))}, "not found"},
                {"ByModel", {ClaimYaml("c", RequestYaml("r", 2, ModelIs("y")))}, "c: r=b r=d"},
                {"NoRequests", {ClaimYaml("c", "")}, "c:"},
                {"TwoRequests",
                 {ClaimYaml("c", RequestYaml("r") + "," + RequestYaml("s", 2))},
                 "c: r=a s=b s=c"},
                {"TwoClaims",
                 {ClaimYaml("c", RequestYaml("r")), ClaimYaml("e", RequestYaml("r"))},
                 "c: r=a; e: r=b"},
                {"TheFirstGivesWay",
                 {ClaimYaml("c", RequestYaml("r", 2) + "," + RequestYaml("s", 1, ModelIs("x")) +
                                     "," + RequestYaml("t", 1, ModelIs("x")))},
                 "c: r=b r=d s=a t=c"},
                {"All", {ClaimYaml("c", AllRequestYaml("r", ModelIs("x")))}, "c: r=a r=c"},
                {"AllOfNone", {ClaimYaml("c", AllRequestYaml("r", ModelIs("z")))}, "not found"},
                {"AllButOneIsTaken",
                 {ClaimYaml("c", RequestYaml("r") + "," + AllRequestYaml("s"))},
                 "not found"}});
}

TEST(Search, AlternativesAreTriedInOrder) {
  DeviceWorld world{SliceYaml("s", {.devices = kFour}), ClassYaml("gpu")};
  auto first_available = [](std::string_view a, std::string_view b) {
    return fmt::format(
        "{{name: r, firstAvailable: [{{name: one, deviceClassName: gpu, allocationMode: "
        "ExactCount, {}}}, "
        "{{name: two, deviceClassName: gpu, allocationMode: ExactCount, {}}}]}}",
        a, b);
  };
  Check(world,
        {{"First", {ClaimYaml("c", first_available("count: 2", "count: 1"))}, "c: r/one=a r/one=b"},
         {"Second", {ClaimYaml("c", first_available("count: 5", "count: 1"))}, "c: r/two=a"},
         {"ByALaterRequest",
          {ClaimYaml("c", first_available("count: 3", "count: 1") + "," + RequestYaml("s", 3))},
          "c: r/two=a s=b s=c s=d"},
         {"None", {ClaimYaml("c", first_available("count: 5", "count: 6"))}, "not found"},
         {"TooManyForAClaim",
          {ClaimYaml("c", first_available("count: 33", "count: 2"))},
          "c: r/two=a r/two=b"}});
}

TEST(Search, AllocatedDevicesAreInUse) {
  DeviceWorld world{SliceYaml("s", {.devices = kFour}), ClassYaml("gpu"), Allocated("x", "a"),
                    Allocated("y", "c", ", adminAccess: true")};
  Check(world,
        {{"NextOnes", {ClaimYaml("c", RequestYaml("r", 2))}, "c: r=b r=c"},
         {"AdminSeesAll", {ClaimYaml("c", RequestYaml("r", 2, "adminAccess: true"))}, "c: r=a r=b"},
         {"AdminBlocksLaterRequests",
          {ClaimYaml("c", RequestYaml("r", 2, "adminAccess: true") + "," + RequestYaml("s", 2))},
          "c: r=a r=b s=c s=d"},
         {"AdminOncePerClaim",
          {ClaimYaml("c", RequestYaml("r", 3, "adminAccess: true") + "," +
                              RequestYaml("s", 2, "adminAccess: true"))},
          "not found"},
         {"AdminOfTwoClaims",
          {ClaimYaml("c", RequestYaml("r", 3, "adminAccess: true")),
           ClaimYaml("e", RequestYaml("s", 3, "adminAccess: true"))},
          "c: r=a r=b r=c; e: s=a s=b s=c"},
         {"AllOfThem", {ClaimYaml("c", AllRequestYaml("r"))}, "not found"}});
}

TEST(Search, ConstraintsHold) {
  DeviceWorld world{SliceYaml("s", {.devices = kFour}), ClassYaml("gpu")};
  const std::string match = "constraints: [{matchAttribute: d/model}]";
  const std::string distinct = "constraints: [{distinctAttribute: d/model}]";
  Check(world,
        {{"Match", {ClaimYaml("c", RequestYaml("r", 2), match)}, "c: r=a r=c"},
         {"MatchTooMany", {ClaimYaml("c", RequestYaml("r", 3), match)}, "not found"},
         {"MatchOneRequest",
          {ClaimYaml("c", RequestYaml("r", 2) + "," + RequestYaml("s"),
                     "constraints: [{requests: [r], matchAttribute: d/model}]")},
          "c: r=a r=c s=b"},
         {"MatchMissing",
          {ClaimYaml("c", RequestYaml("r"), "constraints: [{matchAttribute: d/none}]")},
          "not found"},
         {"MatchAll",
          {ClaimYaml("c", AllRequestYaml("r"), match)},
          "error: claim c, request r: cannot add device d/p/b because a claim constraint would not "
          "be satisfied"},
         {"Distinct", {ClaimYaml("c", RequestYaml("r", 2), distinct)}, "c: r=a r=b"},
         // Only neighbours are compared, as in kube-scheduler.
         {"DistinctNeighbours", {ClaimYaml("c", RequestYaml("r", 3), distinct)}, "c: r=a r=b r=c"},
         {"DistinctRequests",
          {ClaimYaml("c", RequestYaml("r") + "," + RequestYaml("s") + "," + RequestYaml("t"),
                     distinct)},
          "not found"},
         // The third request takes the first device from the second, which then takes an equal one.
         {"DistinctAfterGivingBack",
          {ClaimYaml("c",
                     RequestYaml("r", 1, ModelIs("y")) + "," + RequestYaml("s", 1, ModelIs("x")) +
                         "," + RequestYaml("t", 1, Selecting("device.attributes[\"d\"].n == 1")),
                     "constraints: [{requests: [r, s], distinctAttribute: d/model}]")},
          "c: r=b s=c t=a"},
         {"NoConstraint",
          {ClaimYaml("c", RequestYaml("r"), "constraints: [{}]")},
          "error: claim c, constraint #0: empty constraint (unsupported constraint type?)"}});
}

TEST(Search, TaintsMustBeTolerated) {
  DeviceWorld world{
      SliceYaml("s", {.devices = "{name: a, taints: [{key: k, value: v, effect: NoSchedule}]}, "
                                 "{name: b, taints: [{key: k, effect: None}]}"}),
      ClassYaml("gpu")};
  Check(
      world,
      {{"None", {ClaimYaml("c", RequestYaml("r"))}, "c: r=b"},
       {"ByValue",
        {ClaimYaml("c", RequestYaml("r", 1, "tolerations: [{key: k, operator: Equal, value: v}]"))},
        "c: r=a"},
       {"OtherValue",
        {ClaimYaml("c", RequestYaml("r", 1, "tolerations: [{key: k, operator: Equal, value: w}]"))},
        "c: r=b"},
       {"Exists",
        {ClaimYaml("c",
                   RequestYaml("r", 1, "tolerations: [{operator: Exists, effect: NoExecute}]"))},
        "c: r=b"},
       {"AllIsTainted", {ClaimYaml("c", AllRequestYaml("r"))}, "not found"}});
}

TEST(Search, SelectorsFailOnlyIfTheyAreNeeded) {
  DeviceWorld world{
      SliceYaml("s", {.devices = "{name: a, attributes: {'n': {int: 1}}}, {name: b}"}),
      ClassYaml("gpu"), ClassYaml("bad", Selecting("device.nothing"))};
  const std::string reads_n = Selecting("device.attributes[\"d\"].n == 1");
  Check(world, {{"First", {ClaimYaml("c", RequestYaml("r", 1, reads_n))}, "c: r=a"}});
  EXPECT_TRUE(world.Allocate({ClaimYaml("c", RequestYaml("r", 2, reads_n))})
                  .starts_with("error: claim c: selector #0: CEL runtime error: "));
  EXPECT_TRUE(world.Allocate({ClaimYaml("c", AllRequestYaml("r", reads_n))})
                  .starts_with("error: claim c: selector #0: CEL runtime error: "));
  EXPECT_TRUE(
      world
          .Allocate({ClaimYaml(
              "c",
              "{name: r, exactly: {deviceClassName: bad, allocationMode: ExactCount, count: 1}}")})
          .starts_with("error: class bad: selector #0: CEL compile error: "));
}

TEST(Search, RequestsAreCheckedFirst) {
  DeviceWorld world{SliceYaml("s", {.devices = kFour}), ClassYaml("gpu")};
  Check(
      world,
      {{"NoClass",
        {ClaimYaml(
            "c", "{name: r, exactly: {deviceClassName: x, allocationMode: ExactCount, count: 1}}")},
        "error: claim c, request r: could not retrieve device class x: "
        "deviceclass.resource.k8s.io \"x\" not found"},
       {"Limit",
        {ClaimYaml("c", RequestYaml("r", 20) + "," + RequestYaml("s", 13))},
        "error: claim c: number of requested devices 33 exceeds the claim limit of 32"},
       {"Mode",
        {ClaimYaml("c",
                   "{name: r, exactly: {deviceClassName: gpu, allocationMode: Some, count: 1}}")},
        "error: claim c, request r: unsupported count mode Some"},
       {"Selector",
        {ClaimYaml("c", RequestYaml("r", 1, "selectors: [{}]"))},
        "error: claim c, request r, selector #0: CEL expression empty (unsupported selector "
        "type?)"}});
}

// --- devices that are shared, and counters ---

TEST(Search, ShareableDevicesHaveCapacity) {
  DeviceWorld world{
      SliceYaml("s",
                {.devices = "{name: a, allowMultipleAllocations: true, capacity: {memory: "
                            "{value: 10Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, "
                            "step: 2Gi}}}}}"}),
      ClassYaml("gpu")};
  auto memory = [](std::string_view amount) {
    return fmt::format("capacity: {{requests: {{memory: {}}}}}", amount);
  };
  Check(world,
        {{"Default", {ClaimYaml("c", RequestYaml("r"))}, "c: r=a(memory 1Gi)"},
         {"RoundedUp", {ClaimYaml("c", RequestYaml("r", 1, memory("4Gi")))}, "c: r=a(memory 5Gi)"},
         {"Small", {ClaimYaml("c", RequestYaml("r", 1, memory("500Mi")))}, "c: r=a(memory 1Gi)"},
         {"Twice",
          {ClaimYaml(
              "c", RequestYaml("r", 1, memory("5Gi")) + "," + RequestYaml("s", 1, memory("5Gi")))},
          "c: r=a(memory 5Gi) s=a(memory 5Gi)"},
         {"TooMuchTogether",
          {ClaimYaml(
              "c", RequestYaml("r", 1, memory("5Gi")) + "," + RequestYaml("s", 1, memory("7Gi")))},
          "not found"},
         {"OncePerRequest", {ClaimYaml("c", RequestYaml("r", 2))}, "not found"},
         {"UnknownCapacity",
          {ClaimYaml("c", RequestYaml("r", 1, "capacity: {requests: {cores: 1}}"))},
          "not found"}});
  world.Add(Allocated("x", "a", ", shareID: s-1, consumedCapacity: {memory: 6Gi}"));
  Check(world,
        {{"Rest", {ClaimYaml("c", RequestYaml("r", 1, memory("3Gi")))}, "c: r=a(memory 3Gi)"},
         {"MoreThanTheRest", {ClaimYaml("c", RequestYaml("r", 1, memory("5Gi")))}, "not found"}});
}

std::string CounterSlices() {
  return SliceYaml("a-counters", {.count = 2,
                                  .more = "sharedCounters: [{name: set, counters: "
                                          "{memory: {value: 10}}}]"}) +
         SliceYaml(
             "b-devices",
             {.devices = "{name: big, consumesCounters: [{counterSet: set, counters: {memory: "
                         "{value: 10}}}]}, {name: half1, consumesCounters: [{counterSet: set, "
                         "counters: {memory: {value: 5}}}]}, {name: half2, consumesCounters: "
                         "[{counterSet: set, counters: {memory: {value: 5}}}]}, {name: free}",
              .count = 2});
}

TEST(Search, DevicesShareCounters) {
  DeviceWorld world{CounterSlices(), ClassYaml("gpu")};
  Check(world, {{"Big", {ClaimYaml("c", RequestYaml("r"))}, "c: r=big"},
                {"BigAndFree", {ClaimYaml("c", RequestYaml("r", 2))}, "c: r=big r=free"},
                {"Halves", {ClaimYaml("c", RequestYaml("r", 3))}, "c: r=half1 r=half2 r=free"},
                {"NotAll", {ClaimYaml("c", RequestYaml("r", 4))}, "not found"}});
  world.Add(Allocated("x", "half1"));
  Check(world, {{"Other", {ClaimYaml("c", RequestYaml("r"))}, "c: r=half2"}});
}

TEST(Search, WithoutGatesDevicesArePlain) {
  DeviceWorld world(Gates{.partitionable_devices = false, .device_taints = false});
  world.Add(CounterSlices() + ClassYaml("gpu"));
  world.Add(
      SliceYaml("t", {.devices = "{name: t, taints: [{key: k, effect: NoExecute}]}", .pool = "q"}));
  // Devices that draw on counters cannot be used; the slice with counters makes the pool complete.
  EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r", 2))}), "c: r=free r=t");
  EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r", 3))}), "not found");
}

// --- how much work it is ---

std::string ManyDevices(size_t number, bool distinct_attributes) {
  std::string devices;
  for (size_t i = 0; i < number; ++i) {
    devices += fmt::format("{}{{name: dev-{:03}, attributes: {{uuid: {{string: u{}}}}}}}",
                           i == 0 ? "" : ", ", i, distinct_attributes ? i : 0);
  }
  return devices;
}

// Exhaustively, these take C(64, 16) steps, and more.
TEST(Search, ARequestThatCannotBeMetFailsWithLittleWork) {
  for (const bool distinct_attributes : {false, true}) {
    DeviceWorld world{SliceYaml("s", {.devices = ManyDevices(64, distinct_attributes)}),
                      ClassYaml("gpu")};
    const std::string impossible = Selecting("device.attributes[\"d\"].uuid == \"none\"");
    EXPECT_EQ(world.Allocate(
                  {ClaimYaml("c", RequestYaml("r", 16) + "," + RequestYaml("s", 1, impossible))}),
              "not found");
    EXPECT_LT(world.work(), 20'000u) << distinct_attributes;
    EXPECT_EQ(
        world.Allocate({ClaimYaml("c", RequestYaml("r", 16)), ClaimYaml("e", RequestYaml("r", 16)),
                        ClaimYaml("f", RequestYaml("r", 1, impossible))}),
        "not found");
    EXPECT_LT(world.work(), 100'000u) << distinct_attributes;
    EXPECT_EQ(
        world.Allocate({ClaimYaml("c", RequestYaml("r", 32)), ClaimYaml("e", RequestYaml("r", 32)),
                        ClaimYaml("f", RequestYaml("r", 1))}),
        "not found");
    EXPECT_LT(world.work(), 100'000u) << distinct_attributes;
  }
}

TEST(Search, AConstraintThatTheLastRequestViolatesFailsWithLittleWork) {
  std::string devices;
  for (size_t i = 0; i < 32; ++i) {
    devices += fmt::format(
        "{{name: gpu-{:02}, attributes: {{root: {{string: r{}}}, kind: {{string: "
        "gpu}}}}}}, ",
        i, i % 4);
  }
  devices += "{name: nic, attributes: {root: {string: other}, kind: {string: nic}}}";
  DeviceWorld world{SliceYaml("s", {.devices = devices}), ClassYaml("gpu")};
  EXPECT_EQ(world.Allocate({ClaimYaml(
                "c",
                RequestYaml("r", 4, Selecting("device.attributes[\"d\"].kind == \"gpu\"")) + "," +
                    RequestYaml("s", 1, Selecting("device.attributes[\"d\"].kind == \"nic\"")),
                "constraints: [{matchAttribute: d/root}]")}),
            "not found");
  EXPECT_LT(world.work(), 20'000u);
}

TEST(Search, ARequestMayFindAllDevicesInUse) {
  DeviceWorld world{SliceYaml("s", {.devices = "{name: a}, {name: b}"}), ClassYaml("gpu")};
  EXPECT_EQ(world.Allocate({ClaimYaml("c",
                                      "{name: r, firstAvailable: [{name: x, deviceClassName: "
                                      "gpu, allocationMode: ExactCount, count: 2}, {name: 'y', "
                                      "deviceClassName: gpu, allocationMode: ExactCount, "
                                      "count: 1}]}, " +
                                          RequestYaml("s"))}),
            "c: r/y=a s=b");
}

// Partitions of devices with counters of their own are never equivalent.
TEST(Search, ARequestThatSelectsNothingFailsWithLittleWorkEvenIfAllDevicesDiffer) {
  std::string devices;
  for (size_t i = 0; i < 60; ++i) {
    devices += fmt::format("{}{{name: dev-{:02}, capacity: {{memory: {{value: {}}}}}}}",
                           i == 0 ? "" : ", ", i, i + 1);
  }
  DeviceWorld world{SliceYaml("s", {.devices = devices}), ClassYaml("gpu")};
  const std::string none = Selecting("device.driver == \"none\"");
  EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r", 2) + "," + RequestYaml("s", 1, none))}),
            "not found");
  EXPECT_LT(world.work(), 20'000u);
  // One that is taken by the first request alone may be what the second needs.
  const std::string last = Selecting("device.capacity[\"d\"].memory == quantity(\"1\")");
  EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r", 2) + "," + RequestYaml("s", 1, last))}),
            "c: r=dev-01 r=dev-02 s=dev-00");
  EXPECT_LT(world.work(), 20'000u);
}

TEST(Search, GivesUpAfterTheLimitOfWork) {
  // All devices differ, in what the second request reads, so nothing is equivalent.
  std::string devices;
  for (size_t i = 0; i < 40; ++i) {
    devices += fmt::format("{}{{name: dev-{:02}, capacity: {{memory: {{value: {}}}}}}}",
                           i == 0 ? "" : ", ", i, i + 1);
  }
  DeviceWorld world{SliceYaml("s", {.devices = devices}), ClassYaml("gpu")};
  const std::vector<std::string> claims = {
      ClaimYaml("c", RequestYaml("r", 20) + "," +
                         RequestYaml("s", 12, "capacity: {requests: {memory: 21}}")),
      ClaimYaml("e", RequestYaml("r", 9))};
  EXPECT_EQ(world.Allocate(claims, 1'000), "timed out");
  EXPECT_LT(world.work(), 2'000u);
  EXPECT_EQ(world.Allocate(claims, 100'000), "not found");
}

// The first constraint forgets the value of a when the second rejects b; a repetition of it behind
// the second does not, and then rejects c.
TEST(Search, ARepeatedDistinctAttributeMayMatter) {
  DeviceWorld world{
      SliceYaml("s", {.devices = "{name: a, attributes: {v: {int: 1}, w: {int: 1}}}, "
                                 "{name: b, attributes: {v: {int: 2}, w: {int: 2}}}, "
                                 "{name: c, attributes: {v: {int: 1}, w: {int: 1}}}"}),
      ClassYaml("gpu")};
  const std::string distinct = "{distinctAttribute: d/v}", match = "{matchAttribute: d/w}";
  auto allocate = [&](const std::string& constraints) {
    return world.Allocate(
        {ClaimYaml("c", RequestYaml("r", 2), "constraints: [" + constraints + "]")});
  };
  EXPECT_EQ(allocate(distinct + ", " + match), "c: r=a r=c");
  EXPECT_EQ(allocate(distinct + ", " + distinct + ", " + match), "c: r=a r=c");
  EXPECT_EQ(allocate(distinct + ", " + match + ", " + distinct), "not found");
}

TEST(Search, TooManyExpressionsAreNotCompiled) {
  DeviceWorld world{SliceYaml("s", {.devices = "{name: a}"}), ClassYaml("gpu")};
  const std::string expression =
      "device.driver != \"" + std::string(kMaxSelectorBytes / 2, 'x') + "\"";
  const std::string one = RequestYaml("r", 1, Selecting(expression));
  EXPECT_EQ(world.Allocate({ClaimYaml("c", one)}), "c: r=a");
  EXPECT_EQ(world.Allocate({ClaimYaml("c", one), ClaimYaml("e", one)}), "timed out");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
