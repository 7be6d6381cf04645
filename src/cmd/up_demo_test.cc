#include "cmd/up_demo.h"

#include <gmock/gmock.h>

#include "apiserver/registry/api_testing.h"
#include "cmd/up_demo.h"
#include "cmd/up_objects.h"
#include "cmd/up_status.h"

namespace berth::cmd {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

TEST(UpStatusLine, NumbersHaveCommas) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1'000), "1,000");
  EXPECT_EQ(WithCommas(1'234'567), "1,234,567");
}

TEST(UpStatusLine, CountsNodesAndPods) {
  EXPECT_EQ(StatusText({.nodes = 20, .pods = 52, .pending = 2, .bound = 50, .running = 48}, 119.6),
            "nodes 20 | pods: bound 50, running 48, pending 2 | 120 decisions/s");
  EXPECT_EQ(StatusText({.nodes = 1, .finished = 3}, 0),
            "nodes 1 | pods: bound 0, running 0, pending 0, finished 3 | 0 decisions/s");
}

TEST(UpStatusLine, ShowsProgress) {
  EXPECT_EQ(ProgressText(0, 0), "scheduling pods [------------------------------] 0 of 0");
  EXPECT_EQ(ProgressText(5'000, 10'000),
            "scheduling pods [###############---------------] 5,000 of 10,000");
  EXPECT_EQ(ProgressText(12, 10), "scheduling pods [##############################] 12 of 10");
}

TEST(UpStatusLine, RateIsComputedBetweenTwoSamples) {
  DecisionRate rate;
  runtime::DriverSnapshot snapshot;
  snapshot.placed = 100;
  rate.Sample(snapshot, Instant::FromUnixSeconds(10));
  snapshot.placed = 150;
  snapshot.unschedulable = 10;
  EXPECT_DOUBLE_EQ(rate.Sample(snapshot, Instant::FromUnixSeconds(12)), 30);
  EXPECT_DOUBLE_EQ(rate.Sample(snapshot, Instant::FromUnixSeconds(12)), 0);
}

class UpSummary : public ::testing::Test {
 protected:
  void Pod(const char* name, const char* cpu) {
    fixture.Make("pods", fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'containers':[{{"
                                     "'name':'c','image':'i','resources':{{'requests':{{'cpu':'{}',"
                                     "'memory':'1Gi'}}}}}}]}}}}",
                                     name, cpu));
  }
  void Wait(const char* name, const char* message) {
    fixture.Merge("pods", name,
                  fmt::format("{{'status':{{'conditions':[{{'type':'PodScheduled','status':'False',"
                              "'reason':'Unschedulable','message':'{}'}}]}}}}",
                              message),
                  "status");
  }

  apiserver::registry::ApiFixture fixture;
};

TEST_F(UpSummary, CountsPodsByState) {
  ASSERT_TRUE(MakeNodes(fixture.api, 3));
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) Pod(name, "1");
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(fixture.Bind(name, "node-0001").has_value());
  fixture.Merge("pods", "a", "{'status':{'phase':'Running'}}", "status");
  fixture.Merge("pods", "b", "{'status':{'phase':'Succeeded'}}", "status");
  Wait("d", "too large");
  Wait("e", "too large");
  const ClusterCounts counts = CountCluster(*fixture.store);
  EXPECT_EQ(counts.nodes, 3U);
  EXPECT_EQ(counts.pods, 6U);
  EXPECT_EQ(counts.pending, 3U);
  EXPECT_EQ(counts.bound, 2U);
  EXPECT_EQ(counts.running, 1U);
  EXPECT_EQ(counts.finished, 1U);
  const PendingPods pending = GroupPendingPods(*fixture.store);
  ASSERT_EQ(pending.groups.size(), 1U);
  EXPECT_EQ(pending.groups[0].message, "too large");
  EXPECT_EQ(pending.groups[0].pods, 2U);
  EXPECT_EQ(pending.groups[0].example.name, "d");
  EXPECT_EQ(pending.undecided, 1U);
}

TEST_F(UpSummary, AddsUpZones) {
  ASSERT_TRUE(MakeNodes(fixture.api, 4));  // 16 and 8 in the first zone, 16 in each of the others.
  Pod("a", "6");
  Pod("b", "8");
  Pod("c", "1");
  ASSERT_TRUE(fixture.Bind("a", "node-0001").has_value());
  ASSERT_TRUE(fixture.Bind("b", "node-0002").has_value());
  const auto zones = ZoneUsage(*fixture.store);
  ASSERT_EQ(zones.size(), 3U);
  EXPECT_EQ(zones[0].zone, "zone-a");
  EXPECT_EQ(zones[0].nodes, 2U);
  EXPECT_EQ(zones[0].pods, 1U);
  EXPECT_EQ(zones[0].milli_cpu, 6'000);
  EXPECT_EQ(zones[0].milli_cpu_capacity, 24'000);
  EXPECT_EQ(zones[1].milli_cpu, 8'000);
  EXPECT_EQ(zones[2].milli_cpu, 0);

  DemoResult result;
  result.counts = CountCluster(*fixture.store);
  result.pending.groups = {
      {"0/4 nodes are available: 4 too small. preemption: none.", 7, {"x", "y"}}};
  result.zones = zones;
  result.scheduling.binds = 2;
  result.took = Duration::Millis(500);
  const std::string text = SummaryText(result);
  EXPECT_THAT(text, HasSubstr("scheduled  2 pods in 500.0 ms, 4 pods/s\n"));
  EXPECT_THAT(text, HasSubstr("       7  0/4 nodes are available: 4 too small.\n"));
  EXPECT_THAT(text, HasSubstr("  zone    nodes  pods  cpu  memory\n"));
  EXPECT_THAT(text, HasSubstr("  zone-a      2     1  25%      1%\n"));
  EXPECT_THAT(NextSteps(result, "export KUBECONFIG=k"),
              HasSubstr("  kubectl describe pod -n x y\n"));
}

TEST(UpWorkload, RequestsTenThousandPodsAndIsValid) {
  apiserver::registry::ApiFixture fixture;
  const auto pods = CreateDemoWorkloads(fixture.api);
  ASSERT_TRUE(pods.has_value()) << pods.error().message;
  EXPECT_EQ(*pods, 10'000U);
  EXPECT_TRUE(CreateDemoWorkloads(fixture.api).has_value());  // After a restart.
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
