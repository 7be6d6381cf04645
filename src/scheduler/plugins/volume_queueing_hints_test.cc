// Which events the pods wait for that the volume plugins rejected.
#include "scheduler/plugins/queueing_hint_testing.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

constexpr const char* kEphemeral = "ephemeral: {volumeClaimTemplate: {spec: {}}}";
constexpr const char* kEbs = "awsElasticBlockStore: {volumeID: vol-1}";

std::string ClaimElsewhere(std::string_view name) {
  return fmt::format(
      "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {}, namespace: far}}}}",
      name);
}

std::string StorageObject(std::string_view kind, std::string_view fields,
                          std::string_view annotations = "") {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: {}, metadata: {{name: x, annotations: {{{}}}}}, {}}}",
      kind, annotations, fields);
}

std::string Driver(std::string_view spec) {
  return StorageObject("CSIDriver", fmt::format("spec: {{{}}}", spec));
}

std::string Capacity(std::string_view fields) {
  return fmt::format(
      "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: x, namespace: "
      "default}}, storageClassName: slow, {}}}",
      fields);
}

std::string Drivers(std::string_view drivers) {
  return StorageObject("CSINode", fmt::format("spec: {{drivers: [{}]}}", drivers));
}

TEST(VolumeBindingHints, Claims) {
  CheckHints(
      *MakePlugin("VolumeBinding"),
      {
          {"ItsClaimComes", PodWithClaims("waits", {"c"}), "", ClaimYaml("c"), "Queue"},
          {"ItsClaimChanges", PodWithClaims("waits", {"c"}), ClaimYaml("c"), ClaimYaml("c"),
           "Queue"},
          {"AnotherClaim", PodWithClaims("waits", {"c"}), "", ClaimYaml("d"), "Skip"},
          {"AClaimElsewhere", PodWithClaims("waits", {"c"}), "", ClaimElsewhere("c"), "Skip"},
          {"AClaimMadeForIt", PodWithVolume("waits", kEphemeral), "", ClaimYaml("waits-v"),
           "Queue"},
          {"AClaimMadeForAnother", PodWithVolume("waits", kEphemeral), "", ClaimYaml("other-v"),
           "Skip"},
      });
}

TEST(VolumeBindingHints, Classes) {
  const std::string pod = PodWithClaims("waits", {"c"});
  const std::string topology =
      "provisioner: p, allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a]}]}]";
  CheckHints(*MakePlugin("VolumeBinding"),
             {
                 {"AClassComes", pod, "", ClassYaml("slow"), "Queue"},
                 {"ItsTopologiesChange", pod, ClassYaml("slow", "provisioner: p"),
                  ClassYaml("slow", topology), "Queue"},
                 {"SomethingElseChanges", pod, ClassYaml("slow", "provisioner: p"),
                  ClassYaml("slow", "provisioner: q"), "Skip"},
             });
}

TEST(VolumeBindingHints, CsiObjects) {
  const std::string pod = PodWithVolume("waits", "csi: {driver: x}");
  const std::string migrated =
      "storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs";
  CheckHints(
      *MakePlugin("VolumeBinding"),
      {
          {"ACsiNodeComes", pod, "", StorageObject("CSINode", "spec: {}"), "Queue"},
          {"APluginIsMigrated", pod, StorageObject("CSINode", "spec: {}"),
           StorageObject("CSINode", "spec: {}", migrated), "Queue"},
          {"AnotherAnnotation", pod, StorageObject("CSINode", "spec: {}"),
           StorageObject("CSINode", "spec: {}", "a: b"), "Skip"},
          {"CapacityIsTrackedNoMore", pod, Driver("storageCapacity: true"),
           Driver("storageCapacity: false"), "Queue"},
          {"OrNothingIsSaidOfIt", pod, Driver("storageCapacity: true"), Driver(""), "Queue"},
          {"CapacityIsTracked", pod, Driver("storageCapacity: false"),
           Driver("storageCapacity: true"), "Skip"},
          {"CapacityWasNotTracked", pod, Driver(""), Driver("storageCapacity: false"), "Skip"},
          {"OfAnotherDriver", PodWithVolume("waits", "csi: {driver: z}"),
           Driver("storageCapacity: true"), Driver(""), "Skip"},
          {"CapacityComes", pod, "", Capacity(""), "Queue"},
          {"CapacityGrows", pod, Capacity("capacity: 1Gi"), Capacity("capacity: 2Gi"), "Queue"},
          {"CapacityShrinks", pod, Capacity("capacity: 2Gi"), Capacity("capacity: 1Gi"), "Skip"},
          {"CapacityIsKnown", pod, Capacity(""), Capacity("capacity: 1Gi"), "Queue"},
          {"CapacityIsKnownNoMore", pod, Capacity("capacity: 1Gi"), Capacity(""), "Skip"},
          {"TheLargestVolumeCounts", pod, Capacity("capacity: 9Gi, maximumVolumeSize: 2Gi"),
           Capacity("capacity: 10Gi, maximumVolumeSize: 1Gi"), "Skip"},
      });
}

TEST(VolumeZoneHints, EachKind) {
  const std::string pod = PodWithClaims("waits", {"c"});
  auto volume = [](std::string_view labels) { return VolumeYaml("v", {.labels = labels}); };
  CheckHints(*MakePlugin("VolumeZone"),
             {
                 {"AClassThatWaits", pod, "", ClassYaml("slow"), "Queue"},
                 {"AClassThatDoesNot", pod, "",
                  ClassYaml("slow", "provisioner: p, volumeBindingMode: Immediate"), "Skip"},
                 {"AClassThatDoesNotSay", pod, "", ClassYaml("slow", "provisioner: p"), "Skip"},
                 {"ItsClaim", pod, "", ClaimYaml("c"), "Queue"},
                 {"AnotherClaim", pod, ClaimYaml("d"), ClaimYaml("d"), "Skip"},
                 {"ClaimsOfEphemeralVolumesHaveNoZones", PodWithVolume("waits", kEphemeral), "",
                  ClaimYaml("waits-v"), "Skip"},
                 {"AVolumeComes", pod, "", volume(""), "Queue"},
                 {"AVolumeMoves", pod, volume("topology.kubernetes.io/zone: a"),
                  volume("topology.kubernetes.io/zone: b"), "Queue"},
                 {"ZonesInAnotherOrder", pod, volume("topology.kubernetes.io/zone: a__b"),
                  volume("topology.kubernetes.io/zone: b__a"), "Skip"},
                 {"ZonesThatCannotBeRead", pod, volume(""),
                  volume("topology.kubernetes.io/zone: a__"), "Skip"},
                 {"AnotherLabel", pod, volume("topology.kubernetes.io/zone: a"),
                  volume("topology.kubernetes.io/zone: a, x: z"), "Skip"},
             });
}

TEST(VolumeRestrictionsHints, EachKind) {
  const std::string claim = PodWithClaims("waits", {"c"});
  const std::string disk = PodWithVolume("waits", "gcePersistentDisk: {pdName: d}");
  const std::string elsewhere =
      "{apiVersion: v1, kind: Pod, metadata: {name: other, namespace: far, uid: u}, spec: "
      "{volumes: "
      "[{name: v, persistentVolumeClaim: {claimName: c}}], nodeName: a}}";
  CheckHints(
      *MakePlugin("VolumeRestrictions"),
      {
          {"APodWithItsClaimGoes", claim, PodWithClaims("other", {"d", "c"}), "", "Queue"},
          {"APodWithAnotherClaimGoes", claim, PodWithClaims("other", {"d"}), "", "Skip"},
          {"APodOfAnotherNamespaceGoes", claim, elsewhere, "", "Skip"},
          {"APodWithItsDiskGoes", disk, PodWithVolume("other", "gcePersistentDisk: {pdName: d}"),
           "", "Queue"},
          {"APodWithAnotherDiskGoes", disk,
           PodWithVolume("other", "gcePersistentDisk: {pdName: e}"), "", "Skip"},
          {"ItsClaimComes", claim, "", ClaimYaml("c"), "Queue"},
          {"AnotherClaimComes", claim, "", ClaimYaml("d"), "Skip"},
          {"AClaimElsewhere", claim, "", ClaimElsewhere("c"), "Skip"},
          {"AClaimMadeForIt", PodWithVolume("waits", kEphemeral), "", ClaimYaml("waits-v"), "Skip"},
      });
}

TEST(NodeVolumeLimitsHints, EachKind) {
  const std::string claim = PodWithClaims("waits", {"c"});
  const std::string ebs = PodWithVolume("waits", kEbs);
  auto attachment = [](std::string_view attacher) {
    return StorageObject("VolumeAttachment",
                         fmt::format("spec: {{attacher: {}, nodeName: a, source: "
                                     "{{persistentVolumeName: v}}}}",
                                     attacher));
  };
  auto limit = [](int count) {
    return Drivers(fmt::format("{{name: d, nodeID: a, allocatable: {{count: {}}}}}", count));
  };
  CheckHints(
      *MakePlugin("NodeVolumeLimits"),
      {
          {"ALimitGrows", claim, limit(1), limit(2), "Queue"},
          {"ALimitShrinks", claim, limit(2), limit(1), "Skip"},
          {"ADriverComes", claim, Drivers(""), limit(1), "Queue"},
          {"ADriverComesThatAttachesNothing", claim, Drivers(""), limit(0), "Skip"},
          {"ALimitIsLifted", claim, limit(1), Drivers("{name: d, nodeID: a}"), "Skip"},
          {"ItsClaimComes", claim, "", ClaimYaml("c"), "Queue"},
          {"AClaimMadeForIt", PodWithVolume("waits", kEphemeral), "", ClaimYaml("waits-v"),
           "Queue"},
          {"AnotherClaimComes", claim, "", ClaimYaml("d"), "Skip"},
          {"APodWithAClaimGoes", claim, PodWithClaims("other", {"d"}, OnNode("a")), "", "Queue"},
          {"APodWithAnEphemeralVolumeGoes", claim, PodWithVolume("other", kEphemeral, OnNode("a")),
           "", "Queue"},
          {"APodWithAMigratedDiskGoes", claim, PodWithVolume("other", kEbs, OnNode("a")), "",
           "Queue"},
          {"APodWithAnEmptyDirGoes", claim, PodWithVolume("other", "emptyDir: {}", OnNode("a")), "",
           "Skip"},
          {"APodOnNoNodeGoes", claim, PodWithClaims("other", {"d"}), "", "Skip"},
          {"APodWithClaimsWaitsForAnyDriver", claim, attachment("any"), "", "Queue"},
          {"AMigratedDiskWaitsForItsDriver", ebs, attachment("ebs.csi.aws.com"), "", "Queue"},
          {"AMigratedDiskWaitsForNoOther", ebs, attachment("any"), "", "Skip"},
          {"EphemeralVolumesDoNotWait", PodWithVolume("waits", kEphemeral), attachment("any"), "",
           "Skip"},
      });
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
