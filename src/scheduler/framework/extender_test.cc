#include "scheduler/framework/extender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

api::Pod WithInitRequest(const std::string& resource) {
  api::Pod pod = MakePod("p");
  pod.spec.init_containers.emplace_back().resources.requests[resource] = berth::Amount("1");
  return pod;
}

api::Pod WithLimit(const std::string& resource) {
  api::Pod pod = MakePod("p");
  pod.spec.containers[0].resources.limits[resource] = berth::Amount("1");
  return pod;
}

api::Pod WithInitLimit(const std::string& resource) {
  api::Pod pod = MakePod("p");
  pod.spec.init_containers.emplace_back().resources.limits[resource] = berth::Amount("1");
  return pod;
}

api::Pod WithPodLevelRequest(const std::string& resource) {
  api::Pod pod = MakePod("p");
  pod.spec.resources.emplace().requests[resource] = berth::Amount("1");
  pod.spec.overhead[resource] = berth::Amount("1");
  return pod;
}

TEST(Extender, IsInterestedInPodsThatNameAManagedResource) {
  const std::string gpu = "example.com/gpu";
  const std::string nic = "example.com/nic";
  const struct {
    const char* name;
    std::vector<ManagedResource> managed;
    api::Pod pod;
    bool want;
  } cases[] = {
      {"nothing managed", {}, MakePod("p"), true},
      {"no resources", {{gpu}}, MakePod("p"), false},
      {"request", {{gpu}}, MakePod("p").Request(gpu, "1"), true},
      {"request of zero", {{gpu}}, MakePod("p").Request(gpu, "0"), true},
      {"another resource", {{gpu}}, MakePod("p").Request(nic, "1"), false},
      {"second managed resource", {{gpu}, {nic}}, MakePod("p").Request(nic, "1"), true},
      {"limit", {{gpu}}, WithLimit(gpu), true},
      {"init container", {{gpu}}, WithInitRequest(gpu), true},
      {"limit of init container", {{gpu}}, WithInitLimit(gpu), true},
      {"pod-level resources and overhead", {{gpu}}, WithPodLevelRequest(gpu), false},
      {"ignored by the scheduler", {{gpu, true}}, MakePod("p").Request(gpu, "1"), true},
  };
  for (const auto& c : cases) {
    const ExtenderConfig extender{.managed_resources = c.managed};
    EXPECT_EQ(IsInterested(extender, c.pod), c.want) << c.name;
  }
}

TEST(Extender, TakesPartWhereItHasAVerb) {
  const ExtenderConfig extender{.filter_verb = "f", .bind_verb = "b"};
  EXPECT_TRUE(TakesPartIn(extender, ExtenderStep::kFilter));
  EXPECT_FALSE(TakesPartIn(extender, ExtenderStep::kPrioritize));
  EXPECT_FALSE(TakesPartIn(extender, ExtenderStep::kPreempt));
  EXPECT_TRUE(TakesPartIn(extender, ExtenderStep::kBind));
}

TEST(Extender, IsCalledAtPrefixAndVerb) {
  const struct {
    const char* prefix;
    const char* want;
  } cases[] = {
      {"http://h:8080/api", "http://h:8080/api/sort"},
      {"http://h:8080/api///", "http://h:8080/api/sort"},
      {"http://h", "http://h/sort"},
  };
  for (const auto& c : cases) {
    const ExtenderConfig extender{.url_prefix = c.prefix, .prioritize_verb = "sort"};
    EXPECT_EQ(UrlOf(extender, ExtenderStep::kPrioritize), c.want);
  }
}

TEST(Extender, ThoseThatMayFailComeLast) {
  std::vector<ExtenderConfig> extenders;
  for (const char* name : {"a", "B", "c", "D"}) extenders.push_back({.url_prefix = name});
  extenders[0].ignorable = extenders[2].ignorable = true;
  std::vector<std::string> names;
  for (const ExtenderConfig& e : InOrderOfUse(extenders)) names.push_back(e.url_prefix);
  EXPECT_THAT(names, ElementsAre("B", "D", "a", "c"));
}

TEST(Extender, ContributesWeightedScores) {
  const struct {
    int64_t weight, score, want;
  } cases[] = {
      {1, 0, 0},
      {1, 10, 100},
      {5, 7, 350},
      {2, 50, 1000},  // Out of range counts as it is.
      {2, -3, -60},
      {1, kMax, int64_t{1} << 56},
      {kMax, -kMax, -(int64_t{1} << 56)},
  };
  for (const auto& c : cases) {
    const ExtenderConfig extender{.weight = c.weight};
    EXPECT_EQ(Contribution(extender, c.score), c.want) << c.weight << " * " << c.score;
  }
}

TEST(Extender, ErrorOfAStatusNamesVerbAndUrl) {
  const ExtenderConfig extender{.url_prefix = "http://h/", .filter_verb = "sieve"};
  EXPECT_EQ(StatusError(extender, ExtenderStep::kFilter, 503),
            "failed sieve with extender at URL http://h/sieve, code 503");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
