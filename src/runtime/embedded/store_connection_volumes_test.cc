// Writes of volumes and claims: they preserve the fields that the engine does not decode.
#include <gmock/gmock.h>

#include "runtime/embedded/store_connection_testing.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

class DriverVolumes : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster.Node("n1");
    cluster.Create("storageclasses.storage.k8s.io",
                   "{'metadata':{'name':'local'},'provisioner':'kubernetes.io/no-provisioner',"
                   "'volumeBindingMode':'WaitForFirstConsumer'}");
    cluster.Create("storageclasses.storage.k8s.io",
                   "{'metadata':{'name':'made'},'provisioner':'example.com/maker',"
                   "'volumeBindingMode':'WaitForFirstConsumer'}");
  }
  void Volume(std::string_view name) {
    cluster.Create(
        "persistentvolumes",
        fmt::format("{{'metadata':{{'name':'{}','annotations':{{'note':'kept'}}}},'spec':{{"
                    "'capacity':{{'storage':'10Gi'}},'accessModes':['ReadWriteOnce'],"
                    "'storageClassName':'local','mountOptions':['noatime'],"
                    "'persistentVolumeReclaimPolicy':'Retain','local':{{'path':'/disk'}},"
                    "'nodeAffinity':{{'required':{{'nodeSelectorTerms':[{{'matchExpressions':[{{"
                    "'key':'kubernetes.io/hostname','operator':'In','values':['n1']}}]}}]}}}}}}}}",
                    name));
  }
  void Claim(std::string_view name, std::string_view storage_class) {
    cluster.Create("persistentvolumeclaims",
                   fmt::format("{{'metadata':{{'name':'{}','annotations':{{'note':'kept'}}}},"
                               "'spec':{{'accessModes':['ReadWriteOnce'],'storageClassName':'{}',"
                               "'dataSource':{{'apiGroup':'snapshot.storage.k8s.io',"
                               "'kind':'VolumeSnapshot','name':'before'}},"
                               "'resources':{{'requests':{{'storage':'5Gi'}}}}}}}}",
                               name, storage_class));
  }
  void PodWith(std::string_view claim) {
    cluster.Pod("db", "1",
                fmt::format(",'volumes':[{{'name':'v','persistentVolumeClaim':{{"
                            "'claimName':'{}'}}}}]",
                            claim));
  }
  // Acts as the volume controller after the scheduler's write.
  void BindClaim(std::string_view claim, std::string_view volume) {
    cluster.Merge("persistentvolumeclaims", claim,
                  fmt::format("{{'metadata':{{'annotations':{{'pv.kubernetes.io/bind-completed':"
                              "'yes'}}}},'spec':{{'volumeName':'{}'}}}}",
                              volume));
    cluster.Merge("persistentvolumeclaims", claim, "{'status':{'phase':'Bound'}}", "status");
  }

  EmbeddedCluster cluster;
};

TEST_F(DriverVolumes, AVolumeIsBoundToItsClaimAndKeepsTheRest) {
  Volume("disk");
  cluster.Merge("persistentvolumes", "disk", "{'status':{'phase':'Available'}}", "status");
  Claim("data", "local");
  PodWith("data");
  cluster.Run();
  const Json volume = cluster.Get("persistentvolumes", "disk");
  EXPECT_HOLDS(volume,
               "{'metadata':{'annotations':{'note':'kept',"
               "'pv.kubernetes.io/bound-by-controller':'yes'}},'spec':{"
               "'capacity':{'storage':'10Gi'},'mountOptions':['noatime'],"
               "'persistentVolumeReclaimPolicy':'Retain','local':{'path':'/disk'},"
               "'claimRef':{'kind':'PersistentVolumeClaim','apiVersion':'v1',"
               "'namespace':'default','name':'data'}}}");
  EXPECT_EQ(cluster.NodeOf("db"), "");
  BindClaim("data", "disk");
  cluster.Run(Duration::Seconds(10));
  EXPECT_EQ(cluster.NodeOf("db"), "n1");
}

TEST_F(DriverVolumes, AClaimGetsItsNodeAndKeepsTheRest) {
  Claim("data", "made");
  PodWith("data");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get("persistentvolumeclaims", "data"),
               "{'metadata':{'annotations':{'note':'kept',"
               "'volume.kubernetes.io/selected-node':'n1'}},'spec':{"
               "'dataSource':{'apiGroup':'snapshot.storage.k8s.io','kind':'VolumeSnapshot',"
               "'name':'before'},'resources':{'requests':{'storage':'5Gi'}}}}");
  EXPECT_EQ(cluster.NodeOf("db"), "");
}

TEST_F(DriverVolumes, AWriteToAnOlderVersionIsAConflict) {
  Volume("disk");
  StoreWriter writer(cluster.api);
  api::PersistentVolume seen;
  seen.metadata.name = "disk";
  seen.metadata.resource_version = "1";
  const scheduler::framework::WriteResult result = writer.Execute(
      scheduler::framework::UpdatePersistentVolume{std::make_shared<api::PersistentVolume>(seen)});
  EXPECT_EQ(result.kind, scheduler::framework::WriteResult::Kind::kConflict);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
