#include "scheduler/framework/scored_resource.h"

#include "scheduler/plugins/plugin_testing.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

TEST(ResourceScoring, ResolvesEachResourceInItsUnit) {
  using enum framework::ScoredResource::Kind;
  TestCluster world;
  const api::ResourceList requests = {{"cpu", Amount("1500m")},
                                      {"memory", Amount("1500m")},
                                      {"ephemeral-storage", Amount("1Ki")},
                                      {"example.com/gpu", Amount("2")},
                                      {"shoes", Amount("3")}};
  model::ScalarHolder names(world.cluster().mutable_scalars());
  const auto resolved = framework::ResolveResources({{"cpu", 1},
                                                     {"memory", 2},
                                                     {"ephemeral-storage", 3},
                                                     {"example.com/gpu", 4},
                                                     {"hugepages-2Mi", 5},
                                                     {"shoes", 6}},
                                                    requests, names);
  struct Want {
    framework::ScoredResource::Kind kind;
    int64_t weight, request;
    bool counts;
  };
  const Want wants[] = {
      {kCpu, 1, 1500, true}, {kMemory, 2, 2, true},  {kEphemeralStorage, 3, 1024, true},
      {kScalar, 4, 2, true}, {kScalar, 5, 0, false}, {kUnknown, 6, 3, false}};
  ASSERT_EQ(resolved.size(), std::size(wants));
  for (size_t i = 0; i < resolved.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(resolved[i].kind, wants[i].kind);
    EXPECT_EQ(resolved[i].weight, wants[i].weight);
    EXPECT_EQ(resolved[i].request, wants[i].request);
    EXPECT_EQ(resolved[i].counts(), wants[i].counts);
  }
}

TEST(ResourceScoring, ReadsThePlainOrTheNonzeroSums) {
  TestCluster world;
  world.Add(MakeNode("a")
                .Cpu("4")
                .Memory("8Gi")
                .Offer("ephemeral-storage", "1Gi")
                .Offer("example.com/gpu", "2"));
  world.Add(MakePod("asks")
                .On("a")
                .Request("cpu", "1")
                .Request("ephemeral-storage", "5")
                .Request("example.com/gpu", "1"));
  world.Add(MakePod("does-not").On("a"));
  model::ScalarHolder names(world.cluster().mutable_scalars());
  const auto resolved = framework::ResolveResources(
      {{"cpu", 1}, {"memory", 1}, {"ephemeral-storage", 1}, {"example.com/gpu", 1}, {"shoes", 1}},
      {}, names);

  const model::NodeColumns& columns = world.cluster().nodes().columns();
  struct Want {
    int64_t allocatable, requested, nonzero;
  };
  const Want wants[] = {
      {4000, 1000, 1100}, {8589934592, 0, 419430400}, {1073741824, 5, 5}, {2, 1, 1}};
  for (size_t i = 0; i < std::size(wants); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(*framework::ColumnsOf(resolved[i], columns, false).allocatable, wants[i].allocatable);
    EXPECT_EQ(*framework::ColumnsOf(resolved[i], columns, false).requested, wants[i].requested);
    EXPECT_EQ(*framework::ColumnsOf(resolved[i], columns, true).allocatable, wants[i].allocatable);
    EXPECT_EQ(*framework::ColumnsOf(resolved[i], columns, true).requested, wants[i].nonzero);
  }
  EXPECT_EQ(framework::ColumnsOf(resolved[4], columns, true).allocatable, nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
