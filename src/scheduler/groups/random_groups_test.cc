// Random small gangs: a complete search finds a placement exactly if one exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::groups {
namespace BERTH_TEST_FILE {

using engine::Command;
using engine::EngineOptions;

constexpr const char* kHost = "kubernetes.io/hostname";
constexpr const char* kRack = "rack";

struct PlainNode {
  std::string name;
  int cpu = 0;
  std::string rack;
};

struct PlainPod {
  std::string name;
  int cpu = 0;
  int port = 0;             // None if 0.
  std::string color;        // Its label.
  std::string avoids;       // The color of pods that it stays away from.
  std::string avoids_over;  // The topology key.
  std::string node;         // Where it runs already.

  MakePod Make() const {
    MakePod pod(name);
    pod.Request("cpu", std::to_string(cpu)).Label("color", color);
    if (port != 0) pod.HostPort(port);
    if (!avoids.empty()) pod.KeepApart(avoids_over, "color", avoids);
    if (!node.empty()) pod.On(node);
    return pod;
  }
};

// A cluster with a gang, and the rules again in their plainest form.
struct PlainGang {
  std::vector<PlainNode> nodes;
  std::vector<PlainPod> running, members;
  size_t min_count = 1;
  bool in_one_rack = false;

  explicit PlainGang(Random& random) {
    const auto pick = [&](size_t low, size_t high) { return low + random.Below(high - low + 1); };
    const std::vector<std::string> colors = {"red", "blue"};
    for (size_t i = pick(1, 4); i > 0; --i) {
      nodes.push_back(
          {"n" + std::to_string(i), static_cast<int>(pick(1, 5)), random.Chance(50) ? "a" : "b"});
    }
    const auto random_pod = [&] {
      PlainPod pod;
      pod.cpu = static_cast<int>(pick(1, 4));
      if (random.Chance(20)) pod.port = 80;
      pod.color = colors[pick(0, 1)];
      if (random.Chance(35)) {
        pod.avoids = colors[pick(0, 1)];
        pod.avoids_over = random.Chance(60) ? kHost : kRack;
      }
      return pod;
    };
    for (size_t i = pick(0, 1); i > 0; --i) {
      PlainPod pod = random_pod();
      pod.name = "running";
      pod.cpu = 1;
      pod.node = nodes[pick(0, nodes.size() - 1)].name;
      running.push_back(pod);
    }
    std::vector<PlainPod> templates;
    for (size_t i = pick(1, 3); i > 0; --i) templates.push_back(random_pod());
    for (size_t i = pick(1, 5); i > 0; --i) {
      PlainPod pod = templates[pick(0, templates.size() - 1)];
      pod.name = "m" + std::to_string(i);
      members.push_back(pod);
    }
    min_count = pick(1, members.size());
    in_one_rack = random.Chance(30);
  }

  const std::string& RackOf(const std::string& node) const {
    return std::ranges::find(nodes, node, &PlainNode::name)->rack;
  }
  bool Disturbs(const PlainPod& a, const PlainPod& b) const {
    if (a.avoids.empty() || a.avoids != b.color) return false;
    return a.avoids_over == kHost ? a.node == b.node : RackOf(a.node) == RackOf(b.node);
  }
  // Reports whether all these pods may be where they are. Pods that run already are not judged
  // among themselves.
  bool IsValid(const std::vector<PlainPod>& placed) const {
    for (const PlainNode& node : nodes) {
      int cpu = 0;
      for (const auto* pods : {&running, &placed}) {
        for (const PlainPod& pod : *pods) cpu += pod.node == node.name ? pod.cpu : 0;
      }
      const bool used = std::ranges::find(placed, node.name, &PlainPod::node) != placed.end();
      if (used && cpu > node.cpu) return false;
    }
    for (size_t i = 0; i < placed.size(); ++i) {
      const auto clash = [&](const PlainPod& other) {
        const bool same_port = placed[i].port != 0 && placed[i].port == other.port;
        return (same_port && placed[i].node == other.node) || Disturbs(placed[i], other) ||
               Disturbs(other, placed[i]);
      };
      if (std::ranges::any_of(running, clash)) return false;
      for (size_t j = 0; j < i; ++j) {
        if (clash(placed[j])) return false;
        if (in_one_rack && RackOf(placed[i].node) != RackOf(placed[j].node)) return false;
      }
    }
    return true;
  }

  // Tries everything.
  bool Exists(size_t next = 0, std::vector<PlainPod> placed = {}) const {
    if (!IsValid(placed)) return false;
    if (placed.size() >= min_count) return true;
    if (next == members.size()) return false;
    if (Exists(next + 1, placed)) return true;
    for (const PlainNode& node : nodes) {
      placed.push_back(members[next]);
      placed.back().node = node.name;
      if (Exists(next + 1, placed)) return true;
      placed.pop_back();
    }
    return false;
  }
};

// Returns the members with the nodes that they were bound to.
std::vector<PlainPod> Schedule(const PlainGang& gang, const std::string& search, bool paranoid,
                               std::vector<std::string>* reports = nullptr) {
  EngineOptions options;
  options.features.generic_workload = options.features.gang_scheduling = true;
  options.features.topology_aware_workload_scheduling = true;
  options.profiles = {DefaultProfile("default-scheduler", options.features)};
  framework::GangSchedulingArgs args;
  args.search = search;
  args.search_budget = 1'000'000;
  options.profiles[0].args["GangScheduling"] = args;
  options.paranoid = paranoid;
  EngineHarness harness(options);
  for (const PlainNode& node : gang.nodes) {
    harness.Put(MakeNode(node.name)
                    .Cpu(std::to_string(node.cpu))
                    .Label(kHost, node.name)
                    .Label(kRack, node.rack)
                    .ref());
  }
  for (const PlainPod& pod : gang.running) harness.Put(pod.Make().ref());
  MakePodGroup group("job");
  group.Gang(static_cast<int32_t>(gang.min_count));
  if (gang.in_one_rack) group.Within(kRack);
  harness.Put(group.ref());
  for (const PlainPod& pod : gang.members) harness.Put(pod.Make().InGroup("job").ref());
  harness.Schedule();
  std::vector<PlainPod> placed;
  for (const Command& command : harness.Commands()) {
    const auto* bind = std::get_if<framework::BindPod>(&command.write);
    if (bind == nullptr) continue;
    placed.push_back(*std::ranges::find(gang.members, bind->pod.name, &PlainPod::name));
    placed.back().node = bind->node;
  }
  if (reports != nullptr) *reports = harness.Reports();
  return placed;
}

TEST(RandomGangs, CompleteSearchFindsAPlacementExactlyIfOneExists) {
  constexpr int kRuns = 10'000;
  Random random(1);
  int found = 0, missed_greedily = 0;
  for (int run = 0; run < kRuns; ++run) {
    const PlainGang gang(random);
    const bool exists = gang.Exists();
    std::vector<std::string> reports;
    const std::vector<PlainPod> placed =
        Schedule(gang, "Complete", /*paranoid=*/run % 20 == 0, &reports);
    ASSERT_TRUE(gang.IsValid(placed)) << "run " << run;
    ASSERT_EQ(placed.size() >= gang.min_count, exists) << "run " << run;
    if (exists) {
      ++found;
      if (run % 4 == 0 && Schedule(gang, "Greedy", false).empty()) ++missed_greedily;
      continue;
    }
    ASSERT_TRUE(placed.empty()) << "run " << run;
    const bool proven = std::ranges::any_of(reports, [](const std::string& line) {
      return line.find("complete search: there is no placement") != std::string::npos;
    });
    ASSERT_TRUE(proven) << "run " << run;
  }
  EXPECT_GT(found, kRuns / 4) << "both outcomes must be frequent";
  EXPECT_LT(found, kRuns * 9 / 10);
  EXPECT_GT(missed_greedily, 0) << "the search must have something to find";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::groups
