#include "testing/random_objects.h"

#include "testing/object_builders.h"

namespace berth::generate {

api::StringMap RandomPodLabels(Random& random) {
  api::StringMap labels;
  if (random.Chance(85)) labels["app"] = OneOf(random, {"web", "db", "cache"});
  if (random.Chance(50)) labels["tier"] = OneOf(random, {"front", "back"});
  if (random.Chance(30)) labels["version"] = OneOf(random, {"v1", "v2", "v3"});
  return labels;
}

api::StringMap RandomNamespaceLabels(Random& random) {
  api::StringMap labels;
  if (random.Chance(60)) labels["env"] = OneOf(random, {"prod", "test"});
  if (random.Chance(40)) labels["team"] = OneOf(random, {"red", "blue"});
  return labels;
}

namespace {

api::LabelSelectorRequirement RandomRequirement(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return {"app", "In", AtLeastOne(random, {"web", "db", "cache"})};
    case 1:
      return {"tier", "NotIn", {OneOf(random, {"front", "back"})}};
    case 2:
      return {"version", "Exists", {}};
    default:
      return {OneOf(random, {"tier", "version"}), "DoesNotExist", {}};
  }
}

}  // namespace

api::LabelSelector RandomPodSelector(Random& random) {
  api::LabelSelector selector;
  if (random.Chance(8)) return selector;
  if (random.Chance(65)) selector.match_labels["app"] = OneOf(random, {"web", "db", "cache"});
  if (random.Chance(20)) selector.match_labels["tier"] = OneOf(random, {"front", "back"});
  if (selector.match_labels.empty() || random.Chance(20)) {
    selector.match_expressions.push_back(RandomRequirement(random));
  }
  return selector;
}

api::LabelSelector RandomNamespaceSelector(Random& random) {
  api::LabelSelector selector;
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      selector.match_labels["env"] = OneOf(random, {"prod", "test"});
      break;
    case 2:
      selector.match_expressions.push_back({"team", "Exists", {}});
      break;
    case 3:
      selector.match_expressions.push_back({"env", "NotIn", {"prod"}});
      break;
    default:
      selector.match_expressions.push_back({"team", "DoesNotExist", {}});
  }
  return selector;
}

namespace {

void RelabelNode(Random& random, api::Node& node) {
  api::StringMap& labels = node.metadata.labels;
  labels.clear();
  if (random.Chance(95)) labels["kubernetes.io/hostname"] = node.metadata.name;
  if (random.Chance(90)) labels["topology.kubernetes.io/zone"] = RandomZone(random);
  if (random.Chance(20)) labels["failure-domain.beta.kubernetes.io/zone"] = RandomZone(random);
  if (random.Chance(50)) labels["topology.kubernetes.io/region"] = OneOf(random, {"r1", "r2"});
  if (random.Chance(30)) labels["topology.ebs.csi.aws.com/zone"] = RandomZone(random);
  if (random.Chance(60)) labels["disk"] = OneOf(random, {"ssd", "hdd"});
  if (random.Chance(50)) labels["rack"] = OneOf(random, {"1", "2", "3", "4", ""});
  if (random.Chance(40)) labels["generation"] = OneOf(random, {"1", "5", "9", "old"});
}

void Retaint(Random& random, api::Node& node) {
  node.spec.taints.clear();
  while (random.Chance(15)) {
    node.spec.taints.push_back({OneOf(random, {"dedicated", "spot"}),
                                OneOf(random, {"", "x", "y", "3", "7"}),
                                OneOf(random, {"NoSchedule", "NoExecute", "PreferNoSchedule"})});
  }
}

void Resize(Random& random, api::Node& node) {
  api::ResourceList& offer = node.status.allocatable;
  offer.clear();
  offer["cpu"] = Amount(OneOf(random, {"1", "4", "8", "16"}));
  offer["memory"] = Amount(OneOf(random, {"2Gi", "8Gi", "16Gi", "32Gi"}));
  if (random.Chance(95)) offer["pods"] = Amount(OneOf(random, {"4", "6", "110", "110"}));
  if (random.Chance(85)) offer["ephemeral-storage"] = Amount(OneOf(random, {"1Gi", "20Gi"}));
  if (random.Chance(60)) offer["example.com/gpu"] = Amount(OneOf(random, {"0", "1", "4"}));
  if (random.Chance(50)) offer["hugepages-2Mi"] = Amount("64Mi");
  node.status.capacity = offer;
}

void PullImages(Random& random, api::Node& node) {
  node.status.images.clear();
  for (const char* name : {"web:latest", "db:1", "cache:2", "reg:5000/tool:latest"}) {
    if (!random.Chance(40)) continue;
    const std::string other = std::string(name) + "@sha256:0123";
    const auto megabytes = static_cast<int64_t>(OneOf(random, {20, 90, 300, 800, 2000}));
    node.status.images.push_back({{other, name}, megabytes << 20});
  }
}

void Declare(Random& random, api::Node& node) {
  node.status.declared_features =
      Some(random, {"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"});
}

}  // namespace

api::Node RandomNode(Random& random, const std::string& name) {
  api::Node node;
  node.metadata.name = name;
  node.metadata.uid = "uid-of-" + name;
  RelabelNode(random, node);
  Retaint(random, node);
  Resize(random, node);
  PullImages(random, node);
  Declare(random, node);
  node.spec.unschedulable = random.Chance(6);
  return node;
}

void Disturb(Random& random, api::Node& node) {
  switch (random.Below(6)) {
    case 0:
      return RelabelNode(random, node);
    case 1:
      return Retaint(random, node);
    case 2:
      return Resize(random, node);
    case 3:
      return PullImages(random, node);
    case 4:
      return Declare(random, node);
    default:
      node.spec.unschedulable = random.Chance(20);
  }
}

api::CsiNode RandomCsiNode(Random& random, const std::string& node) {
  api::CsiNode csi_node;
  csi_node.metadata.name = node;
  for (const char* driver : {"csi.example.com", "ebs.csi.aws.com"}) {
    api::CsiNodeDriver entry;
    entry.name = driver;
    entry.node_id = node;
    if (random.Chance(70)) entry.allocatable_count = OneOf(random, {0, 1, 2, 4});
    if (random.Chance(80)) csi_node.drivers.push_back(entry);
  }
  if (random.Chance(40)) {
    csi_node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] =
        OneOf(random, {"kubernetes.io/aws-ebs", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs"});
  }
  return csi_node;
}

namespace {

template <typename T>
api::Object ToObject(T object) {
  return std::make_shared<const T>(std::move(object));
}

// Two volumes never have the same capacity: which of them a claim gets would be anybody's guess.
api::Quantity Capacity(Random& random, uint64_t number) {
  const int64_t gibibytes = OneOf(random, {1, 5, 20});
  return api::Quantity::FromValue((gibibytes << 30) + (static_cast<int64_t>(number) << 10),
                                  api::Quantity::Format::kBinarySI);
}

std::string RandomVolumeName(Random& random) { return fmt::format("volume-{}", random.Below(8)); }

std::string RandomClass(Random& random) {
  return OneOf(random, {"csi", "csi", "csi", "local", "local", "ebs", "zonal", "immediate"});
}

api::PersistentVolumeSource RandomSource(Random& random, const std::string& name) {
  switch (random.Below(4)) {
    case 0:
      return api::AwsElasticBlockStoreSource{"vol-" + name, false};
    case 1:
      return api::OtherSource{};
    default:
      return api::CsiPersistentVolumeSource{OneOf(random, {"csi.example.com", "ebs.csi.aws.com"}),
                                            "handle-" + name};
  }
}

void LimitReach(Random& random, api::PersistentVolume& volume) {
  switch (random.Below(4)) {
    case 0:
      volume.node_affinity = {
          {{{{"topology.kubernetes.io/zone", "In", AtLeastOne(random, {"a", "b", "c"})}}, {}}}};
      break;
    case 1:
      volume.node_affinity = {{{{{"kubernetes.io/hostname", "In", {RandomNodeName(random)}}}, {}}}};
      break;
    case 2:
      volume.metadata.labels["topology.kubernetes.io/zone"] =
          OneOf(random, {"a", "b", "a__c", "b__", "c"});
      break;
    default:
      break;
  }
}

api::PersistentVolume RandomVolume(Random& random, std::string name, uint64_t number) {
  api::PersistentVolume volume;
  volume.metadata.name = std::move(name);
  volume.metadata.uid = "uid-of-" + volume.metadata.name;
  volume.capacity["storage"] = Capacity(random, number);
  volume.source = RandomSource(random, volume.metadata.name);
  volume.access_modes = AtLeastOne(random, {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod"});
  volume.storage_class_name = RandomClass(random);
  volume.volume_mode = random.Chance(90) ? "Filesystem" : "Block";
  volume.phase = random.Chance(70) ? "Available" : "Bound";
  LimitReach(random, volume);
  if (random.Chance(30)) {
    api::ObjectReference claim;
    claim.namespace_ = RandomNamespace(random);
    claim.name = RandomClaimName(random);
    volume.claim_ref = claim;
  }
  return volume;
}

// A claim that is bound, or waits for a pod, or should have been bound long since.
api::PersistentVolumeClaim RandomClaim(Random& random, std::string namespace_, std::string name) {
  api::PersistentVolumeClaim claim;
  api::ObjectMeta& meta = claim.metadata;
  meta.namespace_ = std::move(namespace_);
  meta.name = std::move(name);
  meta.uid = "uid-of-" + meta.namespace_ + "-" + meta.name;
  claim.access_modes = {random.Chance(75) ? "ReadWriteOnce" : "ReadWriteOncePod"};
  claim.requests["storage"] = Amount(OneOf(random, {"1Gi", "3Gi", "10Gi"}));
  claim.storage_class_name = RandomClass(random);
  claim.volume_mode = random.Chance(95) ? "Filesystem" : "Block";
  claim.phase = "Pending";
  if (random.Chance(50)) {
    claim.volume_name = RandomVolumeName(random);
    claim.phase = random.Chance(95) ? "Bound" : "Lost";
    if (random.Chance(95)) meta.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  } else if (random.Chance(10)) {
    meta.annotations["volume.kubernetes.io/selected-node"] = RandomNodeName(random);
  }
  if (random.Chance(4)) meta.deletion_timestamp = Instant::FromUnixSeconds(1'700'000'000);
  return claim;
}

api::StorageClass RandomStorageClass(Random& random, const std::string& name) {
  api::StorageClass storage_class;
  storage_class.metadata.name = name;
  storage_class.provisioner = "csi.example.com";
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  if (name == "immediate") storage_class.volume_binding_mode = "Immediate";
  if (name == "local") storage_class.provisioner = "kubernetes.io/no-provisioner";
  if (name == "ebs") storage_class.provisioner = "kubernetes.io/aws-ebs";
  if (name == "zonal") {
    storage_class.allowed_topologies = {
        {{{"topology.kubernetes.io/zone", AtLeastOne(random, {"a", "b", "c"})}}}};
  }
  return storage_class;
}

api::CsiDriver RandomDriver(Random& random) {
  api::CsiDriver driver;
  driver.metadata.name = "csi.example.com";
  if (random.Chance(80)) driver.storage_capacity = random.Chance(50);
  if (random.Chance(80)) driver.prevent_pod_scheduling_if_missing = random.Chance(80);
  return driver;
}

api::CsiStorageCapacity RandomCapacity(Random& random) {
  api::CsiStorageCapacity capacity;
  capacity.metadata.namespace_ = "default";
  capacity.metadata.name = fmt::format("capacity-{}", random.Below(4));
  capacity.storage_class_name = OneOf(random, {"csi", "zonal"});
  if (random.Chance(90)) capacity.capacity = Amount(OneOf(random, {"2Gi", "5Gi", "50Gi"}));
  if (random.Chance(20)) capacity.maximum_volume_size = Amount("4Gi");
  if (random.Chance(90)) {
    capacity.node_topology.emplace();
    capacity.node_topology->match_labels["topology.kubernetes.io/zone"] = RandomZone(random);
  }
  return capacity;
}

api::VolumeAttachment RandomAttachment(Random& random) {
  api::VolumeAttachment attachment;
  attachment.metadata.name = fmt::format("attachment-{}", random.Below(6));
  attachment.attacher = "csi.example.com";
  attachment.node_name = RandomNodeName(random);
  attachment.persistent_volume_name = RandomVolumeName(random);
  return attachment;
}

}  // namespace

api::Object RandomStorageObject(Random& random, uint64_t number) {
  switch (random.Below(10)) {
    case 0:
      return ToObject(RandomAttachment(random));
    case 1:
      return ToObject(RandomCapacity(random));
    case 2:
      return ToObject(RandomDriver(random));
    case 3:
      return ToObject(
          RandomStorageClass(random, OneOf(random, {"csi", "local", "immediate", "ebs", "zonal"})));
    case 4:
    case 5:
    case 6:
      return ToObject(RandomVolume(random, RandomVolumeName(random), number));
    default:
      return ToObject(RandomClaim(random, RandomNamespace(random), RandomClaimName(random)));
  }
}

std::vector<api::Object> RandomStorage(Random& random, uint64_t& number) {
  std::vector<api::Object> objects;
  for (const char* name : {"csi", "local", "immediate", "ebs", "zonal"}) {
    objects.push_back(ToObject(RandomStorageClass(random, name)));
  }
  objects.push_back(ToObject(RandomDriver(random)));
  for (int i = 0; i < 8; ++i) {
    objects.push_back(ToObject(RandomVolume(random, fmt::format("volume-{}", i), number++)));
  }
  for (const char* namespace_ : {"default", "team-a", "team-b"}) {
    for (int i = 0; i < 6; ++i) {
      objects.push_back(ToObject(RandomClaim(random, namespace_, fmt::format("claim-{}", i))));
    }
  }
  for (int i = 0; i < 4; ++i) {
    objects.push_back(ToObject(RandomCapacity(random)));
    objects.push_back(ToObject(RandomAttachment(random)));
  }
  return objects;
}

}  // namespace berth::generate
