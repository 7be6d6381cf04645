#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

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
  TestCluster cluster({.stop_delay = Duration::Seconds(5)});
  cluster.AddNodes(1);
  cluster.Apply(kSet);
  cluster.Delete("replicasets.apps", "web", {.propagation_policy = "Foreground"});
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods(), "2 web-* Running!");
  EXPECT_THAT(cluster.Names(ReplicaSets()), ElementsAre("web"));
  cluster.AdvanceSeconds(5);
  EXPECT_EQ(cluster.ShowPods(), "");
  EXPECT_THAT(cluster.Names(ReplicaSets()), IsEmpty());
}

TEST(GarbageCollector, ForegroundDeletionSparesDependentsOfOthers) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kSet);
  const std::string keeper = cluster.Make("configmaps", "{'metadata':{'name':'keeper'}}")
                                 .at("metadata")
                                 .at("uid")
                                 .as_string()
                                 .c_str();
  const std::string pod = cluster.Names(Pods()).front();
  const auto added = cluster.api.Patch(
      Pods(), {"default", pod}, "", apiserver::patch::PatchType::kStrategic,
      apiserver::registry::Doc(fmt::format("{{'metadata':{{'ownerReferences':[{{'apiVersion':'v1',"
                                           "'kind':'ConfigMap','name':'keeper','uid':'{}'}}]}}}}",
                                           keeper)));
  ASSERT_EQ(apiserver::registry::ErrorOf(added), "ok");
  cluster.Delete("replicasets.apps", "web", {.propagation_policy = "Foreground"});
  cluster.AdvanceSeconds(60);
  EXPECT_THAT(cluster.Names(ReplicaSets()), IsEmpty());
  EXPECT_THAT(cluster.Names(Pods()), ElementsAre(pod));
  EXPECT_HOLDS(cluster.Get("pods", pod),
               "{'metadata':{'deletionTimestamp':null,'ownerReferences':[{'name':'keeper'}]}}");
}

TEST(GarbageCollector, ACircleOfOwnersIsDeleted) {
  TestCluster cluster;
  std::map<std::string, std::string> uids;
  for (const std::string name : {"a", "b", "c"}) {
    uids[name] = cluster.Make("configmaps", fmt::format("{{'metadata':{{'name':'{}'}}}}", name))
                     .at("metadata")
                     .at("uid")
                     .as_string()
                     .c_str();
  }
  const auto own = [&](const std::string& owner, const std::string& dependent) {
    cluster.Merge("configmaps", dependent,
                  fmt::format("{{'metadata':{{'ownerReferences':[{{'apiVersion':'v1','kind':"
                              "'ConfigMap','name':'{}','uid':'{}','blockOwnerDeletion':true}}]}}}}",
                              owner, uids[owner]));
  };
  own("a", "b");
  own("b", "c");
  own("c", "a");
  cluster.Run();
  cluster.Delete("configmaps", "a", {.propagation_policy = "Foreground"});
  cluster.AdvanceSeconds(60);
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps")),
              Not(testing::AnyOf(Contains("a"), Contains("b"), Contains("c"))));
}

TEST(GarbageCollector, OrphansAreReleased) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kSet);
  cluster.Delete("replicasets.apps", "web", {.propagation_policy = "Orphan"});
  cluster.Run();
  EXPECT_THAT(cluster.Names(ReplicaSets()), IsEmpty());
  EXPECT_EQ(cluster.ShowPods(), "2 web-* Running");
  // A new set adopts them.
  cluster.Apply(kSet);
  EXPECT_EQ(cluster.ShowPods(), "2 web-* Running");
  EXPECT_EQ(cluster.Counts("replicasets.apps", "web"),
            "availableReplicas=2 fullyLabeledReplicas=2 readyReplicas=2 replicas=2");
}

TEST(GarbageCollector, DeletesAnObjectWhoseOwnersAreGone) {
  TestCluster cluster;
  cluster.Make("configmaps",
               "{'metadata':{'name':'c','ownerReferences':[{'apiVersion':'v1','kind':'Pod',"
               "'name':'gone','uid':'u'}]}}");
  cluster.Make("configmaps",
               "{'metadata':{'name':'d','ownerReferences':[{'apiVersion':'example.com/v1',"
               "'kind':'Thing','name':'gone','uid':'u'}]}}");
  cluster.Run();
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps")),
              ElementsAre("d", "kube-root-ca.crt"));
}

TEST(GarbageCollector, RetainsAnObjectThatHasOneOwnerLeft) {
  TestCluster cluster;
  const Json owner = cluster.Make("configmaps", "{'metadata':{'name':'owner'}}");
  const std::string uid(StringAt(ObjectAt(AsObject(owner), "metadata"), "uid"));
  cluster.Make("configmaps",
               fmt::format("{{'metadata':{{'name':'c','ownerReferences':[{{'apiVersion':'v1',"
                           "'kind':'Pod','name':'gone','uid':'u'}},{{'apiVersion':'v1',"
                           "'kind':'ConfigMap','name':'owner','uid':'{}'}}]}}}}",
                           uid));
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("configmaps", "c"),
               "{'metadata':{'ownerReferences':[{'kind':'ConfigMap'}]}}");
  cluster.Delete("configmaps", "owner");
  cluster.Run();
  EXPECT_TRUE(cluster.Get("configmaps", "c").is_null());
}

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
)";

TEST(GarbageCollector, CustomResourcesOwnAndAreOwned) {
  TestCluster cluster;
  const auto before = cluster.local_cluster.Sizes();
  cluster.Apply(kDefinition);
  cluster.Apply("{apiVersion: example.com/v1, kind: Thing, metadata: {name: owner}}");
  const auto things = cluster.api.kinds()->Find("example.com", "v1", "things");
  ASSERT_NE(things, nullptr);
  const std::string uid = cluster.store->Get(things->collection, {"default", "owner"})->uid;
  const std::string owned = fmt::format(
      "metadata: {{name: owned, ownerReferences: [{{apiVersion: example.com/v1, kind: Thing, name: "
      "owner, uid: {}}}]}}",
      uid);
  cluster.Apply("apiVersion: v1\nkind: ConfigMap\n" + owned);
  cluster.Apply("apiVersion: example.com/v1\nkind: Thing\n" + owned);
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps")), Contains("owned"));
  EXPECT_THAT(cluster.Names(*things), ElementsAre("owned", "owner"));
  ASSERT_TRUE(cluster.api.Delete(*things, {"default", "owner"}, {}));
  cluster.Run();
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps")), Not(Contains("owned")));
  EXPECT_THAT(cluster.Names(*things), IsEmpty());
  // Nothing is left of a definition that goes.
  cluster.Apply("{apiVersion: example.com/v1, kind: Thing, metadata: {name: last}}");
  cluster.Apply("apiVersion: example.com/v1\nkind: Thing\n" + owned);
  cluster.Delete("customresourcedefinitions.apiextensions.k8s.io", "things.example.com");
  cluster.Run();
  EXPECT_EQ(cluster.api.kinds()->Find("example.com", "v1", "things"), nullptr);
  EXPECT_EQ(cluster.local_cluster.Sizes(), before);
}

TEST(Namespaces, AreDeletedWithTheirContent) {
  TestCluster cluster({.leases = false, .stop_delay = Duration::Seconds(5)});
  cluster.AddNodes(1);
  cluster.Make("namespaces", "{'metadata':{'name':'team'}}");
  cluster.Make("configmaps", "{'metadata':{'name':'c'}}", "team");
  cluster.Make("pods", apiserver::registry::kPodA, "team");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods("team"), "1 a Running");
  cluster.Delete("namespaces", "team");
  cluster.Run();
  EXPECT_EQ(cluster.ShowPods("team"), "1 a Running!");
  EXPECT_HOLDS(cluster.Get("namespaces", "team"), "{'status':{'phase':'Terminating'}}");
  cluster.AdvanceSeconds(5);
  EXPECT_TRUE(cluster.Get("namespaces", "team").is_null());
}

TEST(Namespaces, PodsGoFirst) {
  TestCluster cluster({.leases = false});
  cluster.AddNodes(1);
  cluster.Make("namespaces", "{'metadata':{'name':'team'}}");
  cluster.Make("configmaps", "{'metadata':{'name':'c'}}", "team");
  cluster.Make("pods",
               "{'metadata':{'name':'a','finalizers':['x/y']},'spec':{'containers':[{'name':'c',"
               "'image':'i'}]}}",
               "team");
  cluster.Run();
  cluster.Delete("namespaces", "team");
  cluster.AdvanceSeconds(30);
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps"), "team"), Contains("c"));
  EXPECT_EQ(cluster.Conditions("namespaces", "team"),
            "NamespaceContentRemaining=True(SomeResourcesRemain) "
            "NamespaceDeletionContentFailure=False(ContentDeleted) "
            "NamespaceDeletionDiscoveryFailure=False(ResourcesDiscovered) "
            "NamespaceDeletionGroupVersionParsingFailure=False(ParsedGroupVersions) "
            "NamespaceFinalizersRemaining=True(SomeFinalizersRemain)");
  const Json team = cluster.Get("namespaces", "team");
  const auto message = [&](std::string_view type) {
    return StringAt(ConditionOf(ObjectAt(AsObject(team), "status"), type), "message");
  };
  EXPECT_EQ(message("NamespaceContentRemaining"),
            "Some resources are remaining: pods. has 1 resource instances");
  EXPECT_EQ(message("NamespaceFinalizersRemaining"),
            "Some content in the namespace has finalizers remaining: x/y in 1 resource instances");
  ASSERT_TRUE(cluster.api.Patch(Pods(), {"team", "a"}, "", apiserver::patch::PatchType::kMerge,
                                apiserver::registry::Doc("{'metadata':{'finalizers':null}}")));
  cluster.AdvanceSeconds(30);
  EXPECT_TRUE(cluster.Get("namespaces", "team").is_null());
  EXPECT_THAT(cluster.Names(api::scheme::KindOf("configmaps"), "team"), IsEmpty());
}

TEST(Namespaces, AnEmptyOneIsDeletedAtOnce) {
  TestCluster cluster;
  cluster.Make("namespaces", "{'metadata':{'name':'team'}}");
  cluster.Delete("namespaces", "team");
  cluster.Run();
  EXPECT_TRUE(cluster.Get("namespaces", "team").is_null());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
