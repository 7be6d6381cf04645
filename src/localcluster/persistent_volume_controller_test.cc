#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

std::string Claim(std::string_view size, std::string_view metadata = "name: c") {
  return fmt::format(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{{}}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: disk
  resources: {{requests: {{storage: {}}}}}
)",
                     metadata, size);
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

std::string PhaseOf(const Scenario& story, std::string_view kind, std::string_view name) {
  const Json document = story.Get(kind, name);
  return std::string(StringAt(ObjectAt(AsObject(document), "status"), "phase"));
}

TEST(PersistentVolumeController, AClaimGetsTheSmallestVolumeThatFits) {
  Scenario story;
  story.Apply(Volume("small", "1Gi") + "---" + Volume("large", "10Gi") + "---" +
              Volume("medium", "5Gi"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumes", "small"), "Available");
  story.Apply(Claim("2Gi"));
  EXPECT_HOLDS(story.Get("persistentvolumeclaims", "c"),
               "{'metadata':{'annotations':{'pv.kubernetes.io/bind-completed':'yes',"
               "'pv.kubernetes.io/bound-by-controller':'yes'}},'spec':{'volumeName':'medium'},"
               "'status':{'phase':'Bound','capacity':{'storage':'5Gi'},"
               "'accessModes':['ReadWriteOnce']}}");
  EXPECT_HOLDS(story.Get("persistentvolumes", "medium"),
               "{'spec':{'claimRef':{'name':'c','namespace':'default'}},"
               "'status':{'phase':'Bound'}}");
}

TEST(PersistentVolumeController, AClaimWaitsForAVolume) {
  Scenario story;
  story.Apply(Claim("2Gi"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Pending");
  story.Apply(Volume("v", "5Gi"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Bound");
}

TEST(PersistentVolumeController, AVolumeOutlivesItsClaimOrNot) {
  Scenario story;
  story.Apply(Volume("kept", "1Gi") + "---" +
              Volume("dropped", "5Gi", "persistentVolumeReclaimPolicy: Delete"));
  story.Apply(Claim("1Gi") + "---" + Claim("5Gi", "name: d"));
  story.Delete("persistentvolumeclaims", "c");
  story.Delete("persistentvolumeclaims", "d");
  story.Run();
  EXPECT_THAT(story.Names(Volumes()), ElementsAre("kept"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumes", "kept"), "Released");
}

TEST(PersistentVolumeController, ProvisionsAtOnce) {
  Scenario story;
  story.Apply(Class("csi.example.com", "Immediate"));
  story.Apply(Claim("3Gi"));
  ASSERT_EQ(story.Names(Volumes()).size(), 1u);
  EXPECT_HOLDS(story.Get("persistentvolumes", story.Names(Volumes()).front()),
               "{'spec':{'capacity':{'storage':'3Gi'},'csi':{'driver':'csi.example.com'},"
               "'persistentVolumeReclaimPolicy':'Delete','nodeAffinity':null},"
               "'status':{'phase':'Bound'}}");
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Bound");
  story.Delete("persistentvolumeclaims", "c");
  story.Run();
  EXPECT_THAT(story.Names(Volumes()), IsEmpty());
}

TEST(PersistentVolumeController, WaitsForTheNodeOfTheFirstConsumer) {
  Scenario story;
  story.AddNodes(1);
  story.Merge("nodes", "node-0", "{'metadata':{'labels':{'topology.kubernetes.io/zone':'z1'}}}");
  story.Apply(Class("csi.example.com", "WaitForFirstConsumer"));
  story.Apply(Volume("v", "5Gi"));
  story.Apply(Claim("3Gi"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Pending");
  story.Merge("persistentvolumeclaims", "c",
              "{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'node-0'}}}");
  story.Run();
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Bound");
  const std::string made = story.Names(Volumes()).front();
  EXPECT_HOLDS(story.Get("persistentvolumes", made),
               "{'spec':{'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{"
               "'key':'topology.kubernetes.io/zone','values':['z1']}]}]}}}}");
}

TEST(PersistentVolumeController, FinishesWhatTheSchedulerReserved) {
  Scenario story;
  story.Apply(Class("kubernetes.io/no-provisioner", "WaitForFirstConsumer"));
  story.Apply(Volume("v", "5Gi"));
  story.Apply(Claim("3Gi"));
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Pending");
  const Json claim = story.Get("persistentvolumeclaims", "c");
  const std::string uid(StringAt(ObjectAt(AsObject(claim), "metadata"), "uid"));
  story.Merge("persistentvolumes", "v",
              fmt::format("{{'spec':{{'claimRef':{{'kind':'PersistentVolumeClaim','namespace':"
                          "'default','name':'c','uid':'{}'}}}}}}",
                          uid));
  story.Run();
  EXPECT_EQ(PhaseOf(story, "persistentvolumeclaims", "c"), "Bound");
  EXPECT_EQ(PhaseOf(story, "persistentvolumes", "v"), "Bound");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
