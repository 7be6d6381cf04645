#include "support/random_nodes.h"

#include "support/objects.h"
#include "support/random_choice.h"

namespace berth::generate {
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
    node.spec.taints.push_back({OneOf(random, {"dedicated", "spot"}), OneOf(random, {"", "x", "y"}),
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

}  // namespace berth::generate
