#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

constexpr std::string_view kSet = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";

std::string Budget(std::string_view rule) {
  return fmt::format(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: b}}
spec: {{{}, selector: {{matchLabels: {{app: web}}}}}}
)",
                     rule);
}

struct BudgetCase {
  const char* name;
  const char* rule;
  const char* want;
};

class Budgets : public ::testing::TestWithParam<BudgetCase> {};
TEST_P(Budgets, Count) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(kSet);
  cluster.Apply(Budget(GetParam().rule));
  EXPECT_EQ(cluster.Counts("poddisruptionbudgets.policy", "b"), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Disruption, Budgets,
    ::testing::Values(
        BudgetCase{"MinAvailable", "minAvailable: 3",
                   "currentHealthy=4 desiredHealthy=3 disruptionsAllowed=1 expectedPods=4"},
        BudgetCase{"MinAvailablePercent", "minAvailable: 60%",
                   "currentHealthy=4 desiredHealthy=3 disruptionsAllowed=1 expectedPods=4"},
        BudgetCase{"MaxUnavailable", "maxUnavailable: 1",
                   "currentHealthy=4 desiredHealthy=3 disruptionsAllowed=1 expectedPods=4"},
        BudgetCase{"MaxUnavailablePercentRoundsUp", "maxUnavailable: 30%",
                   "currentHealthy=4 desiredHealthy=2 disruptionsAllowed=2 expectedPods=4"},
        BudgetCase{"None", "maxUnavailable: 0",
                   "currentHealthy=4 desiredHealthy=4 disruptionsAllowed=0 expectedPods=4"}),
    [](const auto& each) { return each.param.name; });

TEST(Disruption, EvictionsSpendTheBudgetUntilPodsComeBack) {
  TestCluster cluster({.start_delay = Duration::Seconds(10)});
  cluster.AddNodes(2);
  cluster.Apply(kSet);
  cluster.Apply(Budget("maxUnavailable: 1"));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.Conditions("poddisruptionbudgets.policy", "b"),
            "DisruptionAllowed=True(SufficientPods)");
  const auto pods = cluster.Names(Pods());
  EXPECT_EQ(apiserver::registry::ErrorOf(cluster.api.Evict({"default", pods[0]}, {})), "ok");
  EXPECT_EQ(cluster.api.Evict({"default", pods[1]}, {}).error().code, 429);
  cluster.Run();
  EXPECT_EQ(cluster.Counts("poddisruptionbudgets.policy", "b"),
            "currentHealthy=3 desiredHealthy=3 disruptionsAllowed=0 expectedPods=4");
  EXPECT_EQ(cluster.Conditions("poddisruptionbudgets.policy", "b"),
            "DisruptionAllowed=False(InsufficientPods)");
  EXPECT_EQ(cluster.api.Evict({"default", pods[1]}, {}).error().code, 429);
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(apiserver::registry::ErrorOf(cluster.api.Evict({"default", pods[1]}, {})), "ok");
}

TEST(Disruption, FollowsTheSizeOfTheWorkload) {
  TestCluster cluster;
  cluster.AddNodes(2);
  cluster.Apply(kSet);
  cluster.Apply(Budget("maxUnavailable: 50%"));
  cluster.Merge("replicasets.apps", "web", "{'spec':{'replicas':10}}");
  cluster.Run();
  EXPECT_EQ(cluster.Counts("poddisruptionbudgets.policy", "b"),
            "currentHealthy=10 desiredHealthy=5 disruptionsAllowed=5 expectedPods=10");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
