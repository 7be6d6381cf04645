#include "scheduler/devices/allocation.h"

#include <gtest/gtest.h>

#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

// "FromClass r s: x; FromClaim r: y"
std::string ConfigText(const api::AllocationResult& allocation) {
  std::vector<std::string> texts;
  for (const auto& config : allocation.config) {
    texts.push_back(fmt::format("{} {}: {}", config.source, fmt::join(config.requests, " "),
                                config.opaque ? config.opaque->driver : "-"));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string SelectorText(const api::AllocationResult& allocation) {
  if (!allocation.node_selector) return "everywhere";
  std::string text;
  for (const auto& term : allocation.node_selector->terms) {
    for (const auto& field : term.match_fields)
      text += fmt::format("[{} {} {}]", field.key, field.op, fmt::join(field.values, ","));
    for (const auto& label : term.match_expressions)
      text += fmt::format("({} {} {})", label.key, label.op, fmt::join(label.values, ","));
  }
  return text;
}

std::string Opaque(std::string_view driver) {
  return fmt::format("opaque: {{driver: '{}', parameters: {{}}}}", driver);
}

TEST(Allocation, ConfigurationsOfClassesComeOnceAndThoseOfClaimsPerRequest) {
  DeviceWorld world{SliceYaml("s", {.devices = "{name: a}, {name: b}, {name: c}"}),
                    ClassYaml("gpu", "config: [{" + Opaque("x") + "}, {" + Opaque("y") + "}]")};
  world.Allocate({ClaimYaml("c", RequestYaml("r") + "," + RequestYaml("s") + "," + RequestYaml("t"),
                            "config: [{" + Opaque("all") + "}, {requests: [s, t], " +
                                Opaque("two") + "}, {requests: [u], " + Opaque("none") + "}]")});
  EXPECT_EQ(
      ConfigText(world.Result(0)),
      "FromClass r s t: x; FromClass r s t: y; FromClaim : all; FromClaim s t: two; FromClaim "
      "s t: two");
}

TEST(Allocation, ConfigurationsOfAlternativesAreThoseOfTheChosenOne) {
  DeviceWorld world{SliceYaml("s", {.devices = "{name: a}"}),
                    ClassYaml("gpu", "config: [{" + Opaque("x") + "}]"),
                    ClassYaml("big", "config: [{" + Opaque("y") + "}]")};
  world.Allocate({ClaimYaml(
      "c",
      "{name: r, firstAvailable: [{name: one, deviceClassName: big, allocationMode: ExactCount, "
      "count: 2}, {name: two, deviceClassName: gpu, allocationMode: ExactCount, count: 1}]}",
      "config: [{requests: [r/one], " + Opaque("one") + "}, {requests: [r/two], " + Opaque("two") +
          "}]")});
  EXPECT_EQ(ConfigText(world.Result(0)), "FromClass r/two: x; FromClaim r/two: two");
}

TEST(Allocation, IsAvailableWhereTheDevicesAre) {
  const std::string zone =
      "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
      "[a, "
      "b]}]}]}";
  const std::string same_zone =
      "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
      "[b, "
      "a]}, {key: x, operator: Exists}]}]}";
  const struct {
    std::string first, second;  // How slices with a device each choose nodes.
    const char* want;
  } kCases[] = {
      {"allNodes: true", "allNodes: true", "everywhere"},
      {"allNodes: true", "nodeName: 'n'", "[metadata.name In n]"},
      {zone, "allNodes: true", "(zone In a,b)"},
      {zone, same_zone, "(zone In a,b)(x Exists )"},
  };
  for (const auto& c : kCases) {
    DeviceWorld world{
        "---\n{apiVersion: v1, kind: Node, metadata: {name: 'n', labels: {zone: a, x: 'y'}}}\n",
        SliceYaml("1", {.devices = "{name: a}", .nodes = c.first, .pool = "p"}),
        SliceYaml("2", {.devices = "{name: b}", .nodes = c.second, .pool = "q"}), ClassYaml("gpu")};
    EXPECT_EQ(world.Allocate({ClaimYaml("c", RequestYaml("r", 2))}), "c: r=a r=b");
    EXPECT_EQ(SelectorText(world.Result(0)), c.want) << c.first << c.second;
  }
}

TEST(Allocation, ADeviceMayBindTheClaimToItsNode) {
  DeviceWorld world{
      SliceYaml("1", {.devices = "{name: a, bindsToNode: true, bindingConditions: [ready], "
                                 "bindingFailureConditions: [failed]}",
                      .nodes = "allNodes: true"}),
      ClassYaml("gpu")};
  world.Allocate(
      {ClaimYaml("c", RequestYaml("r", 1, "tolerations: [{key: k, operator: Exists}]"))});
  const api::AllocationResult allocation = world.Result(0);
  EXPECT_EQ(SelectorText(allocation), "[metadata.name In n]");
  EXPECT_EQ(allocation.results[0].binding_conditions, std::vector<std::string>({"ready"}));
  EXPECT_EQ(allocation.results[0].binding_failure_conditions, std::vector<std::string>({"failed"}));
  EXPECT_EQ(allocation.results[0].tolerations.size(), 1u);
  EXPECT_FALSE(allocation.results[0].share_id);
  EXPECT_FALSE(allocation.results[0].admin_access);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
