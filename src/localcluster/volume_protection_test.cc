#include "localcluster/volume_protection.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::IsEmpty;

constexpr std::string_view kClaim = R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: berth.dev/fake
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  storageClassName: fast
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
)";
constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: c, image: nginx}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
)";

TEST(VolumeProtection, ClaimOfARunningPodStays) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Apply(kClaim);
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "data"),
               "{'metadata':{'finalizers':['kubernetes.io/pvc-protection']},"
               "'status':{'phase':'Bound'}}");
  cluster.Apply(kPod);
  cluster.Delete("persistentvolumeclaims", "data");
  cluster.Run();
  EXPECT_EQ(cluster.Names(Claims()).size(), 1u);
  cluster.Delete("pods", "web");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Claims()), IsEmpty());
  // The volume was provisioned for the claim and goes with it.
  EXPECT_THAT(cluster.Names(Volumes()), IsEmpty());
}

TEST(VolumeProtection, EndedAndPendingPodsDoNotCount) {
  TestCluster cluster;
  cluster.schedules_pods = false;
  cluster.AddNodes(1);
  cluster.Apply(kClaim);
  cluster.Apply(kPod);
  cluster.Delete("persistentvolumeclaims", "data");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Claims()), IsEmpty());
}

TEST(VolumeProtection, BoundVolumeStays) {
  TestCluster cluster;
  cluster.Apply(kClaim);
  const std::string volume = cluster.Names(Volumes()).front();
  cluster.Delete("persistentvolumes", volume);
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("persistentvolumes", volume),
               "{'metadata':{'finalizers':['kubernetes.io/pv-protection']}}");
  cluster.Delete("persistentvolumeclaims", "data");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Volumes()), IsEmpty());
}

TEST(VolumeProtection, NamespaceWithClaimsIsDeleted) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Make("namespaces", "{'metadata':{'name':'shop'}}");
  const auto in_shop = [](std::string_view yaml) {
    std::string text(yaml);
    for (const std::string_view name : {"{name: data}", "{name: web}"}) {
      if (const size_t at = text.find(name); at != text.npos) {
        text.insert(at + name.size() - 1, ", namespace: shop");
      }
    }
    return text;
  };
  cluster.Apply(in_shop(kClaim));
  cluster.Apply(in_shop(kPod));
  cluster.Delete("namespaces", "shop");
  cluster.AdvanceSeconds(60);
  EXPECT_TRUE(cluster.Get("namespaces", "shop").is_null());
  EXPECT_THAT(cluster.Names(Volumes()), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
