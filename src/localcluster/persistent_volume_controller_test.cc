#include "localcluster/persistent_volume_controller.h"

#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string Volume(std::string_view name, std::string_view size, std::string_view more = "") {
  return fmt::format(R"(
apiVersion: v1
kind: PersistentVolume
metadata: {{name: {}}}
spec:
  capacity: {{storage: {}}}
  accessModes: [ReadWriteOnce]
  storageClassName: disk
  hostPath: {{path: /x}}
  {}
)",
                     name, size, more);
}

std::string Claim(std::string_view size, std::string_view metadata = "name: c",
                  std::string_view more = "accessModes: [ReadWriteOnce]") {
  return fmt::format(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{{}}}
spec:
  storageClassName: disk
  resources: {{requests: {{storage: {}}}}}
  {}
)",
                     metadata, size, more);
}

std::string Class(std::string_view provisioner, std::string_view mode) {
  return fmt::format(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: disk}}
provisioner: {}
volumeBindingMode: {}
)",
                     provisioner, mode);
}

std::string PhaseOf(const TestCluster& cluster, std::string_view kind, std::string_view name) {
  const Json document = cluster.Get(kind, name);
  return std::string(StringAt(ObjectAt(AsObject(document), "status"), "phase"));
}

TEST(PersistentVolumeController, BindsTheSmallestVolumeThatFits) {
  TestCluster cluster;
  cluster.Apply(Volume("small", "1Gi") + "---" + Volume("large", "10Gi") + "---" +
                Volume("medium", "5Gi") + "---" + Volume("other", "7Gi"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumes", "small"), "Available");
  cluster.Apply(Claim("2Gi"));
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "c"),
               "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes',"
               "'pv.kubernetes.io/bound-by-controller':'yes'}},'spec':{'volumeName':'medium'},"
               "'status':{'phase':'Bound','capacity':{'storage':'5Gi'},"
               "'accessModes':['ReadWriteOnce']}}");
  EXPECT_HOLDS(cluster.Get("persistentvolumes", "medium"),
               "{'spec':{'claimRef':{'name':'c','namespace':'default'}},"
               "'status':{'phase':'Bound'}}");
}

TEST(PersistentVolumeController, AClaimWaitsForAVolume) {
  TestCluster cluster;
  cluster.Apply(Claim("2Gi"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Pending");
  cluster.Apply(Volume("v", "5Gi"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Bound");
}

TEST(PersistentVolumeController, AVolumeMustHaveTheModesOfTheClaim) {
  TestCluster cluster;
  cluster.Apply(Volume("v", "5Gi"));
  cluster.Apply(Claim("2Gi", "name: c", "accessModes: [ReadWriteMany]"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Pending");
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumes", "v"), "Available");
}

TEST(PersistentVolumeController, AVolumeForAnotherClaimIsNotTaken) {
  TestCluster cluster;
  cluster.Apply(Volume("v", "5Gi", "claimRef: {namespace: default, name: other}") + "---" +
                Volume("w", "9Gi"));
  cluster.Apply(Claim("2Gi"));
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "c"), "{'spec':{'volumeName':'w'}}");
  cluster.Apply(Claim("2Gi", "name: other"));
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "other"),
               "{'spec':{'volumeName':'v'},'status':{'phase':'Bound'}}");
}

TEST(PersistentVolumeController, AClaimMayNameItsVolume) {
  TestCluster cluster;
  cluster.Apply(Volume("small", "5Gi") + "---" + Volume("large", "9Gi"));
  cluster.Apply(Claim("2Gi", "name: c", "accessModes: [ReadWriteOnce]\n  volumeName: large"));
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "c"),
               "{'metadata':{'annotations':{'pv.kubernetes.io/bound-by-controller':null}},"
               "'spec':{'volumeName':'large'},'status':{'phase':'Bound'}}");
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumes", "small"), "Available");
}

TEST(PersistentVolumeController, AClaimWithoutItsVolumeIsLost) {
  TestCluster cluster;
  cluster.Apply(Volume("v", "5Gi"));
  cluster.Apply(Claim("2Gi"));
  cluster.Delete("persistentvolumes", "v");
  cluster.Merge("persistentvolumes", "v", "{'metadata':{'finalizers':null}}");
  cluster.Run();
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Lost");
}

TEST(PersistentVolumeController, SaysWhyAClaimIsPending) {
  TestCluster cluster;
  cluster.Apply(Claim("2Gi"));
  EXPECT_THAT(cluster.EventsOf("c"),
              ElementsAre(StartsWith("Warning ProvisioningFailed storageclass.storage.k8s.io "
                                     "\"disk\" not found")));
  cluster.Make("persistentvolumeclaims",
               "{'metadata':{'name':'d'},'spec':{'storageClassName':'','accessModes':["
               "'ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}");
  cluster.Run();
  EXPECT_THAT(cluster.EventsOf("d"),
              ElementsAre(StartsWith("Normal FailedBinding no persistent volumes available for "
                                     "this claim and no storage class is set")));
}

TEST(PersistentVolumeController, ReclaimsVolumesByTheirPolicy) {
  TestCluster cluster;
  cluster.Apply(Volume("retained", "1Gi") + "---" +
                Volume("dropped", "5Gi", "persistentVolumeReclaimPolicy: Delete"));
  cluster.Apply(Claim("1Gi") + "---" + Claim("5Gi", "name: d"));
  cluster.Delete("persistentvolumeclaims", "c");
  cluster.Delete("persistentvolumeclaims", "d");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Volumes()), ElementsAre("retained"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumes", "retained"), "Released");
}

TEST(PersistentVolumeController, ProvisionsAtOnce) {
  TestCluster cluster;
  cluster.Apply(Class("csi.example.com", "Immediate"));
  cluster.Apply(Claim("3Gi"));
  ASSERT_EQ(cluster.Names(Volumes()).size(), 1u);
  EXPECT_HOLDS(cluster.Get("persistentvolumes", cluster.Names(Volumes()).front()),
               "{'spec':{'capacity':{'storage':'3Gi'},'csi':{'driver':'csi.example.com'},"
               "'persistentVolumeReclaimPolicy':'Delete','nodeAffinity':null},"
               "'status':{'phase':'Bound'}}");
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "c"),
               "{'metadata':{'annotations':{"
               "'volume.kubernetes.io/storage-provisioner':'csi.example.com'}},"
               "'status':{'phase':'Bound'}}");
  EXPECT_THAT(cluster.EventsOf("c"),
              ElementsAre("Normal ProvisioningSucceeded Successfully provisioned volume " +
                          cluster.Names(Volumes()).front()));
  cluster.Delete("persistentvolumeclaims", "c");
  cluster.Run();
  EXPECT_THAT(cluster.Names(Volumes()), IsEmpty());
}

TEST(PersistentVolumeController, ProvisionsNothingWithoutAProvisioner) {
  TestCluster cluster;
  cluster.Apply(Class("kubernetes.io/no-provisioner", "Immediate"));
  cluster.Apply(Claim("3Gi"));
  EXPECT_THAT(cluster.Names(Volumes()), IsEmpty());
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Pending");
}

TEST(PersistentVolumeController, WaitsForTheNodeOfTheFirstConsumer) {
  TestCluster cluster;
  cluster.AddNodes(1);
  cluster.Merge("nodes", "node-0", "{'metadata':{'labels':{'topology.kubernetes.io/zone':'z1'}}}");
  cluster.Apply(Class("csi.example.com", "WaitForFirstConsumer"));
  cluster.Apply(Volume("v", "5Gi"));
  cluster.Apply(Claim("3Gi"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Pending");
  cluster.Merge("persistentvolumeclaims", "c",
                "{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'node-0'}}}");
  cluster.Run();
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Bound");
  const std::string made = cluster.Names(Volumes()).front();
  EXPECT_HOLDS(cluster.Get("persistentvolumes", made),
               "{'spec':{'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{"
               "'key':'topology.kubernetes.io/zone','values':['z1']}]}]}}}}");
}

TEST(PersistentVolumeController, CompletesTheSchedulersReservation) {
  TestCluster cluster;
  cluster.Apply(Class("kubernetes.io/no-provisioner", "WaitForFirstConsumer"));
  cluster.Apply(Volume("v", "5Gi"));
  cluster.Apply(Claim("3Gi"));
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Pending");
  const Json claim = cluster.Get("persistentvolumeclaims", "c");
  const std::string uid(StringAt(ObjectAt(AsObject(claim), "metadata"), "uid"));
  cluster.Merge("persistentvolumes", "v",
                fmt::format("{{'spec':{{'claimRef':{{'kind':'PersistentVolumeClaim','namespace':"
                            "'default','name':'c','uid':'{}'}}}}}}",
                            uid));
  cluster.Run();
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumeclaims", "c"), "Bound");
  EXPECT_EQ(PhaseOf(cluster, "persistentvolumes", "v"), "Bound");
}

TEST(DefaultStorageClass, IsCreatedUnlessThereIsOne) {
  TestCluster cluster;
  EnsureDefaultStorageClass(cluster.api);
  EXPECT_HOLDS(
      cluster.Get("storageclasses.storage.k8s.io", "standard"),
      "{'provisioner':'berth.dev/fake','volumeBindingMode':'WaitForFirstConsumer',"
      "'metadata':{'annotations':{'storageclass.kubernetes.io/is-default-class':'true'}}}");
  EnsureDefaultStorageClass(cluster.api);
  EXPECT_EQ(cluster.Names(StorageClasses()).size(), 1u);
  TestCluster other;
  other.Make("storageclasses.storage.k8s.io",
             "{'metadata':{'name':'own','annotations':{"
             "'storageclass.kubernetes.io/is-default-class':'true'}},'provisioner':'x.io/y'}");
  EnsureDefaultStorageClass(other.api);
  EXPECT_EQ(other.Names(StorageClasses()).size(), 1u);
}

TEST(DefaultStorageClass, IsGivenToEarlierClaims) {
  TestCluster cluster;
  for (const std::string_view claim : {"'name':'old'", "'name':'none'"}) {
    cluster.Make(
        "persistentvolumeclaims",
        fmt::format("{{'metadata':{{{}}},'spec':{{{}'accessModes':['ReadWriteOnce'],"
                    "'resources':{{'requests':{{'storage':'1Gi'}}}}}}}}",
                    claim, claim.find("none") != claim.npos ? "'storageClassName':''," : ""));
  }
  cluster.Run();
  EnsureDefaultStorageClass(cluster.api);
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "old"),
               "{'spec':{'storageClassName':'standard'},'status':{'phase':'Pending'}}");
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "none"), "{'spec':{'storageClassName':''}}");
  EXPECT_THAT(cluster.EventsOf("old"),
              ::testing::Contains("Normal WaitForFirstConsumer waiting for first consumer to be "
                                  "created before binding"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
