#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kSet = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";

TEST(GarbageCollector, InTheForegroundDependentsGoFirst) {
  Scenario story({.stop_delay = Duration::Seconds(5)});
  story.AddNodes(1);
  story.Apply(kSet);
  story.Delete("replicasets.apps", "web", {.propagation_policy = "Foreground"});
  story.Run();
  EXPECT_EQ(story.ShowPods(), "2 web-* Running!");
  EXPECT_THAT(story.Names(ReplicaSets()), ElementsAre("web"));
  story.AdvanceSeconds(5);
  EXPECT_EQ(story.ShowPods(), "");
  EXPECT_THAT(story.Names(ReplicaSets()), IsEmpty());
}

TEST(GarbageCollector, OrphansAreLetLoose) {
  Scenario story;
  story.AddNodes(1);
  story.Apply(kSet);
  story.Delete("replicasets.apps", "web", {.propagation_policy = "Orphan"});
  story.Run();
  EXPECT_THAT(story.Names(ReplicaSets()), IsEmpty());
  EXPECT_EQ(story.ShowPods(), "2 web-* Running");
  // And a new set takes them in.
  story.Apply(kSet);
  EXPECT_EQ(story.ShowPods(), "2 web-* Running");
  EXPECT_EQ(story.Counts("replicasets.apps", "web"),
            "availableReplicas=2 fullyLabeledReplicas=2 readyReplicas=2 replicas=2");
}

TEST(GarbageCollector, AnObjectOfNobodyGoes) {
  Scenario story;
  story.Make("configmaps",
             "{'metadata':{'name':'c','ownerReferences':[{'apiVersion':'v1','kind':'Pod',"
             "'name':'gone','uid':'u'}]}}");
  story.Make("configmaps",
             "{'metadata':{'name':'d','ownerReferences':[{'apiVersion':'example.com/v1',"
             "'kind':'Thing','name':'gone','uid':'u'}]}}");
  story.Run();
  EXPECT_THAT(story.Names(api::scheme::KindOf("configmaps")), ElementsAre("d"));
}

TEST(GarbageCollector, OneOwnerIsEnoughToStay) {
  Scenario story;
  const Json owner = story.Make("configmaps", "{'metadata':{'name':'owner'}}");
  const std::string uid(StringAt(ObjectAt(AsObject(owner), "metadata"), "uid"));
  story.Make("configmaps",
             fmt::format("{{'metadata':{{'name':'c','ownerReferences':[{{'apiVersion':'v1',"
                         "'kind':'Pod','name':'gone','uid':'u'}},{{'apiVersion':'v1',"
                         "'kind':'ConfigMap','name':'owner','uid':'{}'}}]}}}}",
                         uid));
  story.Run();
  EXPECT_HOLDS(story.Get("configmaps", "c"),
               "{'metadata':{'ownerReferences':[{'kind':'ConfigMap'}]}}");
  story.Delete("configmaps", "owner");
  story.Run();
  EXPECT_THAT(story.Names(api::scheme::KindOf("configmaps")), IsEmpty());
}

TEST(Namespaces, GoWithAllThatIsInThem) {
  Scenario story({.leases = false, .stop_delay = Duration::Seconds(5)});
  story.AddNodes(1);
  story.Make("namespaces", "{'metadata':{'name':'team'}}");
  story.Make("configmaps", "{'metadata':{'name':'c'}}", "team");
  story.Make("pods", apiserver::registry::kPodA, "team");
  story.Run();
  EXPECT_EQ(story.ShowPods("team"), "1 a Running");
  story.Delete("namespaces", "team");
  story.Run();
  EXPECT_EQ(story.ShowPods("team"), "1 a Running!");
  EXPECT_HOLDS(story.Get("namespaces", "team"), "{'status':{'phase':'Terminating'}}");
  story.AdvanceSeconds(5);
  EXPECT_TRUE(story.Get("namespaces", "team").is_null());
}

TEST(Namespaces, AnEmptyOneGoesAtOnce) {
  Scenario story;
  story.Make("namespaces", "{'metadata':{'name':'team'}}");
  story.Delete("namespaces", "team");
  story.Run();
  EXPECT_TRUE(story.Get("namespaces", "team").is_null());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
