#include "localcluster/local_cluster.h"

#include "apiserver/store/store_testing.h"
#include "base/time.h"
#include "localcluster/local_cluster_testing.h"
#include "testing/await.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using api::Json;
using ::testing::IsEmpty;

TEST(LocalCluster, SurvivesALargeRolloutOnTwoHundredNodes) {
  TestCluster cluster({.leases = false, .start_delay = Duration::Seconds(2)});
  cluster.AddNodes(200, "32");
  const auto deployment = [](int replicas, std::string_view image) {
    return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: "{}", resources: {{requests: {{cpu: 100m}}}}}}]}}
)",
                       replicas, image);
  };
  cluster.Apply(deployment(2000, "x:1"));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "2000 web-#-* Running");
  cluster.Apply(deployment(1500, "x:1"));
  cluster.AdvanceSeconds(10);
  EXPECT_EQ(cluster.ShowPods(), "1500 web-#-* Running");
  cluster.Apply(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 10%, selector: {matchLabels: {app: web}}}
)");
  cluster.Apply(deployment(1500, "x:2"));
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "1500 web-#-* Running");
  EXPECT_EQ(cluster.Counts("deployments.apps", "web"),
            "availableReplicas=1500 readyReplicas=1500 replicas=1500 updatedReplicas=1500");

  // Drain a tenth of the nodes, as kubectl does.
  for (int i = 0; i < 20; ++i) {
    cluster.Merge("nodes", fmt::format("node-{}", i), "{'spec':{'unschedulable':true}}");
  }
  cluster.Run();
  size_t left = 1;
  for (int round = 0; round < 20 && left > 0; ++round) {
    left = 0;
    for (const auto& pod : cluster.store->List(Pods().collection, {}).objects) {
      const Json document = apiserver::store::Parse(*pod);
      const std::string_view node = StringAt(ObjectAt(AsObject(document), "spec"), "nodeName");
      if (node.size() > 7 || (node.size() == 7 && node[5] > '1')) continue;
      ++left;
      (void)cluster.api.Evict(pod->key, {});
    }
    cluster.AdvanceSeconds(5);
  }
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(cluster.ShowPods(), "1500 web-#-* Running");

  cluster.Delete("deployments.apps", "web", {.propagation_policy = "Background"});
  cluster.Delete("poddisruptionbudgets.policy", "web");
  for (const std::string& node : cluster.Names(Nodes())) cluster.Delete("nodes", node);
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

TEST(LocalCluster, ListsAgainWhenItHasFallenBehind) {
  apiserver::registry::ApiFixture fixture;
  fixture.store = std::move(*apiserver::store::Store::Open(
      {.collections = api::scheme::CollectionNames(), .history = 10}, nullptr));
  apiserver::registry::Api api(*fixture.store, fixture.clock, 1);
  LocalCluster cluster(api, fixture.clock, {.leases = false});
  const auto make = [&](std::string_view name) {
    return api.Create(
        Nodes(), "", apiserver::registry::Doc(fmt::format("{{'metadata':{{'name':'{}'}}}}", name)));
  };
  ASSERT_TRUE(make("a"));
  cluster.RunUntilIdle();
  ASSERT_TRUE(api.Delete(Nodes(), {"", "a"}));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(make(fmt::format("n{}", i)));
  cluster.RunUntilIdle();
  EXPECT_THAT(cluster.Sizes(), ::testing::Contains("nodes=100"));
  const Json last = apiserver::store::Parse(*fixture.store->Get(Nodes().collection, {"", "n99"}));
  EXPECT_TRUE(IsTrue(ObjectAt(AsObject(last), "status"), "Ready"));
}

TEST(LocalCluster, WaitsUntilItSeesItsOwnWrites) {
  const auto notes = std::make_shared<apiserver::store::ManualJournal::Notes>();
  const std::unique_ptr<apiserver::store::Store> slow = std::move(
      *apiserver::store::Store::Open({.collections = api::scheme::CollectionNames()},
                                     std::make_unique<apiserver::store::ManualJournal>(notes)));
  SimClock clock(Instant::FromUnixSeconds(1767225600));
  apiserver::registry::Api api(*slow, clock, 1);
  LocalCluster cluster(api, clock, {.leases = false});
  ASSERT_TRUE(
      api.Create(ReplicaSets(), "default",
                 apiserver::registry::Doc("{'metadata':{'name':'web'},'spec':{'replicas':3,"
                                          "'selector':{'matchLabels':{'a':'b'}},'template':{"
                                          "'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{"
                                          "'name':'c','image':'i'}]}}}}")));
  // Make one write at a time visible while the set keeps changing.
  for (apiserver::store::Version visible = 1; visible < slow->version(); ++visible) {
    notes->durable(visible);
    cluster.RunUntilIdle();
    EXPECT_LE(slow->Count(Pods().collection), 3u);
    if (visible > 40) continue;
    ASSERT_TRUE(api.Modify(ReplicaSets(), {"default", "web"}, [&](Json& set) {
      JsonObject& metadata = EnsureObject(set.get_object(), "metadata");
      SetInt(EnsureObject(metadata, "annotations"), "touched", static_cast<int64_t>(visible));
      return true;
    }));
  }
  notes->durable(slow->version());
  cluster.RunUntilIdle();
  EXPECT_EQ(slow->Count(Pods().collection), 3u);
}

TEST(LocalCluster, RunsOnItsOwnThread) {
  apiserver::registry::ApiFixture fixture;
  std::mutex mutex;
  std::condition_variable ready;
  bool is_ready = false;
  // The store wakes this watch when the node's status is written.
  auto cursor = fixture.store->Watch(Nodes().collection, fixture.store->version(), [&] {
    const std::lock_guard lock(mutex);
    is_ready = true;
    ready.notify_all();
  });
  const auto cluster = LocalCluster::Start(fixture.api, fixture.clock, {.leases = false});
  fixture.Make("nodes", "{'metadata':{'name':'n'}}");
  for (;;) {
    std::vector<apiserver::store::Event> events;
    ASSERT_TRUE(cursor->Read(100, events));
    const Json node = fixture.Get("nodes", "n");
    if (IsTrue(ObjectAt(AsObject(node), "status"), "Ready")) break;
    if (!events.empty()) continue;
    std::unique_lock lock(mutex);
    ASSERT_TRUE(Await(ready, lock, [&] { return is_ready; }));
    is_ready = false;
  }
}

TEST(ScaledClock, RunsAtTheGivenSpeed) {
  SimClock real(Instant::FromUnixSeconds(100));
  const ScaledClock fast(real, 10);
  EXPECT_EQ(fast.Now(), Instant::FromUnixSeconds(100));
  real.Advance(Duration::Seconds(3));
  EXPECT_EQ(fast.Now(), Instant::FromUnixSeconds(130));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
