// How the driver writes volumes and claims: nothing that the engine does not know is lost.
#include <gmock/gmock.h>

#include "runtime/embedded/store_connection_testing.h"
#include "scheduler/model/cluster.h"

namespace berth::runtime::embedded {
namespace BERTH_TEST_FILE {

class DriverVolumes : public ::testing::Test {
 protected:
  void SetUp() override {
    world.Node("n1");
    world.Create("storageclasses.storage.k8s.io",
                 "{'metadata':{'name':'local'},'provisioner':'kubernetes.io/no-provisioner',"
                 "'volumeBindingMode':'WaitForFirstConsumer'}");
    world.Create("storageclasses.storage.k8s.io",
                 "{'metadata':{'name':'made'},'provisioner':'example.com/maker',"
                 "'volumeBindingMode':'WaitForFirstConsumer'}");
  }
  void Volume(std::string_view name) {
    world.Create(
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
    world.Create("persistentvolumeclaims",
                 fmt::format("{{'metadata':{{'name':'{}','annotations':{{'note':'kept'}}}},"
                             "'spec':{{'accessModes':['ReadWriteOnce'],'storageClassName':'{}',"
                             "'dataSource':{{'apiGroup':'snapshot.storage.k8s.io',"
                             "'kind':'VolumeSnapshot','name':'before'}},"
                             "'resources':{{'requests':{{'storage':'5Gi'}}}}}}}}",
                             name, storage_class));
  }
  void PodWith(std::string_view claim) {
    world.Pod("db", "1",
              fmt::format(",'volumes':[{{'name':'v','persistentVolumeClaim':{{"
                          "'claimName':'{}'}}}}]",
                          claim));
  }
  // What the volume controller does when it sees what the scheduler wrote.
  void BindClaim(std::string_view claim, std::string_view volume) {
    world.Merge("persistentvolumeclaims", claim,
                fmt::format("{{'metadata':{{'annotations':{{'pv.kubernetes.io/bind-completed':"
                            "'yes'}}}},'spec':{{'volumeName':'{}'}}}}",
                            volume));
    world.Merge("persistentvolumeclaims", claim, "{'status':{'phase':'Bound'}}", "status");
  }

  EmbeddedCluster world;
};

TEST_F(DriverVolumes, AVolumeIsBoundToItsClaimAndKeepsTheRest) {
  Volume("disk");
  world.Merge("persistentvolumes", "disk", "{'status':{'phase':'Available'}}", "status");
  Claim("data", "local");
  PodWith("data");
  world.Run();
  const Json volume = world.Get("persistentvolumes", "disk");
  EXPECT_HOLDS(volume,
               "{'metadata':{'annotations':{'note':'kept',"
               "'pv.kubernetes.io/bound-by-controller':'yes'}},'spec':{"
               "'capacity':{'storage':'10Gi'},'mountOptions':['noatime'],"
               "'persistentVolumeReclaimPolicy':'Retain','local':{'path':'/disk'},"
               "'claimRef':{'kind':'PersistentVolumeClaim','apiVersion':'v1',"
               "'namespace':'default','name':'data'}}}");
  EXPECT_EQ(world.NodeOf("db"), "");
  BindClaim("data", "disk");
  world.Run(Duration::Seconds(10));
  EXPECT_EQ(world.NodeOf("db"), "n1");
}

TEST_F(DriverVolumes, AClaimIsToldItsNodeAndKeepsTheRest) {
  Claim("data", "made");
  PodWith("data");
  world.Run();
  EXPECT_HOLDS(world.Get("persistentvolumeclaims", "data"),
               "{'metadata':{'annotations':{'note':'kept',"
               "'volume.kubernetes.io/selected-node':'n1'}},'spec':{"
               "'dataSource':{'apiGroup':'snapshot.storage.k8s.io','kind':'VolumeSnapshot',"
               "'name':'before'},'resources':{'requests':{'storage':'5Gi'}}}}");
  EXPECT_EQ(world.NodeOf("db"), "");
}

TEST_F(DriverVolumes, AWriteToAnOlderVersionIsAConflict) {
  Volume("disk");
  StoreWriter writer(world.api);
  api::PersistentVolume seen;
  seen.metadata.name = "disk";
  seen.metadata.resource_version = "1";
  const scheduler::framework::WriteResult result = writer.Execute(
      scheduler::framework::UpdatePersistentVolume{std::make_shared<api::PersistentVolume>(seen)});
  EXPECT_EQ(result.kind, scheduler::framework::WriteResult::Kind::kConflict);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime::embedded
