#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Deployment(int replicas, std::string_view image, std::string_view more = "") {
  return fmt::format(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, annotations: {{team: a}}}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  {}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: c, image: "{}"}}]}}
)",
                     replicas, more, image);
}

// "<revision>:<replicas>" of each ReplicaSet, from the oldest revision on.
std::string Sets(const Scenario& story) {
  std::map<int64_t, std::string> sets;
  for (const std::string& name : story.Names(ReplicaSets())) {
    const Json set = story.Get("replicasets.apps", name);
    const JsonObject* metadata = ObjectAt(AsObject(set), "metadata");
    const int64_t revision = *api::ParseInt(
        StringAt(ObjectAt(metadata, "annotations"), "deployment.kubernetes.io/revision"));
    sets[revision] =
        fmt::format("{}:{}", revision, *IntAt(ObjectAt(AsObject(set), "spec"), "replicas"));
  }
  std::string text;
  for (const auto& [revision, shown] : sets) text += (text.empty() ? "" : " ") + shown;
  return text;
}

constexpr std::string_view kDone =
    "Available=True(MinimumReplicasAvailable) Progressing=True(NewReplicaSetAvailable)";

TEST(Deployment, RunsItsPods) {
  Scenario story;
  story.AddNodes(2);
  story.Apply(Deployment(3, "nginx:1"));
  EXPECT_EQ(story.ShowPods(), "3 web-#-* Running");
  EXPECT_EQ(story.Counts("deployments.apps", "web"),
            "availableReplicas=3 readyReplicas=3 replicas=3 updatedReplicas=3");
  EXPECT_EQ(story.Conditions("deployments.apps", "web"), kDone);
  const Json deployment = story.Get("deployments.apps", "web");
  const JsonObject* metadata = ObjectAt(AsObject(deployment), "metadata");
  EXPECT_EQ(IntAt(metadata, "generation"),
            IntAt(ObjectAt(AsObject(deployment), "status"), "observedGeneration"));
  const Json set = story.Get("replicasets.apps", story.Names(ReplicaSets()).front());
  EXPECT_HOLDS(set,
               "{'metadata':{'annotations':{'team':'a','deployment.kubernetes.io/revision':'1',"
               "'deployment.kubernetes.io/desired-replicas':'3',"
               "'deployment.kubernetes.io/max-replicas':'4'},"
               "'ownerReferences':[{'kind':'Deployment','name':'web','controller':true}]}}");
}

TEST(Deployment, NothingIsWrittenWhenNothingChanges) {
  Scenario story({.leases = false});
  story.AddNodes(2);
  story.Apply(Deployment(3, "nginx:1"));
  const apiserver::store::Version before = story.store->version();
  story.AdvanceSeconds(3600);
  EXPECT_EQ(story.store->version(), before);
}

TEST(Deployment, RollsOutWithinItsLimits) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(4);
  story.Apply(Deployment(8, "nginx:1"));
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.ShowPods(), "8 web-#-* Running");
  story.Apply(Deployment(8, "nginx:2"));
  // Two more than asked for, and six available.
  EXPECT_EQ(Sets(story), "1:6 2:4");
  EXPECT_EQ(story.ShowPods(), "4 web-#-* Pending, 6 web-#-* Running");
  EXPECT_EQ(story.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=True(ReplicaSetUpdated)");
  story.AdvanceSeconds(10);
  EXPECT_EQ(Sets(story), "1:2 2:8");
  story.AdvanceSeconds(10);
  EXPECT_EQ(Sets(story), "1:0 2:8");
  EXPECT_EQ(story.ShowPods(), "8 web-#-* Running");
  EXPECT_EQ(story.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, RecreateWaitsForTheLastOldPod) {
  Scenario story({.stop_delay = Duration::Seconds(10)});
  story.AddNodes(2);
  constexpr std::string_view kRecreate = "strategy: {type: Recreate}";
  story.Apply(Deployment(3, "nginx:1", kRecreate));
  story.Apply(Deployment(3, "nginx:2", kRecreate));
  EXPECT_EQ(story.ShowPods(), "3 web-#-* Running!");
  story.AdvanceSeconds(10);
  EXPECT_EQ(story.ShowPods(), "3 web-#-* Running");
  EXPECT_EQ(Sets(story), "1:0 2:3");
  EXPECT_EQ(story.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, GoingBackGivesAnOldSetANewRevision) {
  Scenario story;
  story.AddNodes(2);
  story.Apply(Deployment(2, "nginx:1"));
  story.Apply(Deployment(2, "nginx:2"));
  EXPECT_EQ(Sets(story), "1:0 2:2");
  story.Apply(Deployment(2, "nginx:1"));
  EXPECT_EQ(Sets(story), "2:0 3:2");
  EXPECT_HOLDS(story.Get("deployments.apps", "web"),
               "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'3'}}}");
}

TEST(Deployment, OldSetsAreKeptUpToTheLimit) {
  Scenario story;
  story.AddNodes(2);
  for (int i = 1; i <= 6; ++i) {
    story.Apply(Deployment(1, fmt::format("nginx:{}", i), "revisionHistoryLimit: 2"));
  }
  EXPECT_EQ(Sets(story), "4:0 5:0 6:1");
}

TEST(Deployment, ScalingDuringARolloutKeepsProportions) {
  Scenario story({.start_delay = Duration::Seconds(10)});
  story.AddNodes(4);
  story.Apply(Deployment(8, "nginx:1"));
  story.AdvanceSeconds(10);
  story.Apply(Deployment(8, "nginx:2"));
  EXPECT_EQ(Sets(story), "1:6 2:4");
  story.Merge("deployments.apps", "web", "{'spec':{'replicas':16}}");
  story.Run();
  EXPECT_EQ(Sets(story), "1:12 2:8");
  story.AdvanceSeconds(60);
  EXPECT_EQ(Sets(story), "1:0 2:16");
  EXPECT_EQ(story.Conditions("deployments.apps", "web"), kDone);
}

TEST(Deployment, APausedOneScalesButDoesNotRoll) {
  Scenario story;
  story.AddNodes(2);
  story.Apply(Deployment(2, "nginx:1"));
  story.Merge("deployments.apps", "web", "{'spec':{'paused':true}}");
  story.Apply(Deployment(4, "nginx:2", "paused: true"));
  EXPECT_EQ(Sets(story), "1:4");
  story.Merge("deployments.apps", "web", "{'spec':{'paused':false}}");
  story.Run();
  EXPECT_EQ(Sets(story), "1:0 2:4");
}

TEST(Deployment, ARolloutThatTakesTooLongIsSaidToHaveFailed) {
  Scenario story;
  story.AddNodes(1, "4", "3");
  story.Apply(Deployment(3, "nginx:1"));
  story.places_pods = false;
  story.Apply(Deployment(3, "nginx:2", "progressDeadlineSeconds: 60"));
  story.AdvanceSeconds(59);
  EXPECT_EQ(story.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=True(ReplicaSetUpdated)");
  story.AdvanceSeconds(1);
  EXPECT_EQ(story.Conditions("deployments.apps", "web"),
            "Available=True(MinimumReplicasAvailable) Progressing=False(ProgressDeadlineExceeded)");
}

TEST(Deployment, GoesWithAllThatIsIts) {
  Scenario story({.leases = false});
  story.AddNodes(2);
  story.Apply(Deployment(3, "nginx:1"));
  story.Apply(Deployment(3, "nginx:2"));
  story.Delete("deployments.apps", "web", {.propagation_policy = "Background"});
  story.Run();
  EXPECT_THAT(story.Names(ReplicaSets()), IsEmpty());
  EXPECT_EQ(story.ShowPods(), "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
