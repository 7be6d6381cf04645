// Random claims and devices: a search that is pruned from the start against one that never is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/devices/devices_testing.h"

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

// Few devices with few values, so that most requests compete.
class RandomProblem {
 public:
  explicit RandomProblem(uint64_t seed) : random_(seed) {}

  std::vector<std::string> Objects() {
    has_counters_ = random_.Chance(50);
    std::vector<std::string> objects = {ClassYaml("gpu")};
    const bool second_pool = random_.Chance(30);
    objects.push_back(Devices("s", "p"));
    if (second_pool) objects.push_back(Devices("t", "q"));
    if (random_.Chance(30)) objects.push_back(Allocated("d0", false));
    return objects;
  }

  std::vector<std::string> Claims() {
    std::vector<std::string> claims;
    const uint64_t count = 1 + random_.Below(2);
    for (uint64_t i = 0; i < count; ++i) claims.push_back(Claim(fmt::format("c{}", i)));
    return claims;
  }

  static std::string Allocated(std::string_view device, bool shared) {
    return ClaimYaml(
        "x", "", "",
        fmt::format("allocation: {{devices: {{results: [{{request: r, driver: d, pool: p, device: "
                    "{}{}}}]}}}}",
                    device, shared ? ", shareID: s, consumedCapacity: {memory: 1}" : ""));
  }

 private:
  std::string Pick(std::initializer_list<std::string> texts) {
    return texts.begin()[random_.Below(texts.size())];
  }

  std::string Device(uint64_t i) {
    std::string text = fmt::format("{{name: d{}, attributes: {{", i);
    if (random_.Chance(90)) text += fmt::format("m: {{string: '{}'}}, ", random_.Below(3));
    if (random_.Chance(90)) text += fmt::format("'n': {{int: {}}}, ", random_.Below(3));
    text += fmt::format("k: {{int: {}}}}}", random_.Below(2));
    const bool shareable = random_.Chance(25);
    if (shareable) text += ", allowMultipleAllocations: true";
    if (shareable || random_.Chance(20)) {
      text += fmt::format(", capacity: {{memory: {{value: {}}}, cores: {{value: {}}}}}",
                          1 + random_.Below(6), 1 + random_.Below(4));
    }
    if (has_counters_ && random_.Chance(70)) {
      text += fmt::format(
          ", consumesCounters: [{{counterSet: set, counters: {{a: {{value: {}}}, b: {{value: "
          "{}}}}}}}]",
          random_.Below(4), random_.Below(3));
    }
    if (random_.Chance(10)) text += ", taints: [{key: k, value: v, effect: NoSchedule}]";
    return text + "}";
  }

  std::string Devices(std::string_view name, std::string_view pool) {
    std::string devices;
    const uint64_t count = 3 + random_.Below(5);
    for (uint64_t i = 0; i < count; ++i) devices += Device(i) + ", ";
    std::string text = SliceYaml(
        name, {.devices = devices, .pool = std::string(pool), .count = has_counters_ ? 2 : 1});
    if (has_counters_) {
      text += SliceYaml(
          fmt::format("{}-counters", name),
          {.pool = std::string(pool),
           .count = 2,
           .more = fmt::format("sharedCounters: [{{name: set, counters: {{a: {{value: {}}}, b: "
                               "{{value: {}}}}}}}]",
                               2 + random_.Below(6), 2 + random_.Below(6))});
    }
    return text;
  }

  std::string Details(bool may_have_admin) {
    std::string text;
    if (random_.Chance(50)) {
      text += ", " +
              Selecting(
                  Pick({"device.attributes[\"d\"].k == 1", "\"m\" in device.attributes[\"d\"]",
                        "device.attributes[\"d\"].m == \"1\"", "device.attributes[\"d\"].n != 2"}));
    }
    if (random_.Chance(25))
      text += fmt::format(", capacity: {{requests: {{memory: {}}}}}", 1 + random_.Below(4));
    if (may_have_admin && random_.Chance(8)) text += ", adminAccess: true";
    if (random_.Chance(20)) text += ", tolerations: [{operator: Exists}]";
    return text;
  }

  std::string Mode() {
    if (random_.Chance(7)) return "allocationMode: All";
    return fmt::format("allocationMode: ExactCount, count: {}",
                       random_.Chance(60) ? 1 : 2 + random_.Below(2));
  }

  std::string Claim(const std::string& name) {
    std::string requests, constraints;
    const uint64_t count = 1 + random_.Below(4);
    for (uint64_t r = 0; r < count; ++r) {
      if (random_.Chance(25)) {
        requests += fmt::format("{{name: r{}, firstAvailable: [", r);
        for (const char* alternative : {"x", "z"}) {
          requests += fmt::format("{{name: {}, deviceClassName: gpu, {}{}}}, ", alternative, Mode(),
                                  Details(false));
        }
        requests += "]}, ";
      } else {
        requests += fmt::format("{{name: r{}, exactly: {{deviceClassName: gpu, {}{}}}}}, ", r,
                                Mode(), Details(true));
      }
    }
    const uint64_t number = random_.Below(4);
    for (uint64_t i = 0; i < number; ++i) {
      std::string names;
      for (uint64_t r = 0; r < count; ++r) {
        if (random_.Chance(60)) names += fmt::format("r{}, ", r);
      }
      constraints += fmt::format("{{requests: [{}], {}Attribute: d/{}}}, ", names,
                                 random_.Chance(50) ? "match" : "distinct", Pick({"m", "n", "k"}));
    }
    return ClaimYaml(name, requests, fmt::format("constraints: [{}]", constraints));
  }

  Random random_;
  bool has_counters_ = false;
};

TEST(SearchPruning, FindsWhatAnExhaustiveSearchFinds) {
  size_t found = 0, not_found = 0, failed = 0;
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    RandomProblem problem(seed);
    DeviceWorld world;
    for (const std::string& yaml : problem.Objects()) world.Add(yaml);
    const std::vector<std::string> claims = problem.Claims();
    world.set_easy_failures(UINT64_MAX);
    const std::string exhaustive = world.Allocate(claims, 5'000'000);
    if (exhaustive == "timed out") continue;
    world.set_easy_failures(0);
    ASSERT_EQ(world.Allocate(claims), exhaustive) << "seed " << seed << "\n" << claims[0];
    SearchMemory memory;
    world.set_memory(&memory);
    for (const char* device : {"d1", "d2", "d1"}) {
      world.Search(WorkBudget::kUnlimited);
      const std::string with_memory = world.Text();
      world.set_memory(nullptr);
      world.Search(WorkBudget::kUnlimited);
      ASSERT_EQ(with_memory, world.Text()) << "seed " << seed;
      world.Add(RandomProblem::Allocated(device, seed % 2 == 0));
      world.set_memory(&memory);
    }
    found += exhaustive.starts_with("c0:");
    not_found += exhaustive == "not found";
    failed += exhaustive.starts_with("error");
  }
  EXPECT_GT(found, 200u);
  EXPECT_GT(not_found, 200u);
  EXPECT_GT(failed, 30u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
