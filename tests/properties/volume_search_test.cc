// The search for the best node decides as evaluating every node does for pods with volumes: bound
// ones in zones and on single hosts, claims that wait for a node, disks that clash and limits of
// drivers, while all of these change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth {
namespace BERTH_TEST_FILE {

using scheduler::model::NodeRow;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kDriver = "csi.example.com";
// The start of ids of disks that no CSI driver knows.
constexpr const char* kUntranslatable = "aws://zone/disk-";

class ClusterWithVolumes {
 public:
  ClusterWithVolumes(uint64_t seed, size_t nodes)
      : random_(seed),
        profile_(Require(scheduler::framework::Profile::Build(
            DefaultProfile(), scheduler::plugins::InTreeRegistry()))),
        results_(*profile_, cluster_, nullptr) {
    for (const char* name : {"csi", "local", "zonal", "limited"}) PutClass(name);
    api::CsiDriver driver;
    driver.metadata.name = "capacity.example.com";
    driver.storage_capacity = true;
    Put(driver);
    for (size_t i = 0; i < nodes; ++i) PutNode(i);
    for (size_t i = 0; i < nodes; ++i) PutVolume(fmt::format("free-{}", i), /*free=*/true);
  }

  // Decides about a new pod in both ways, reserves its volumes, then changes something.
  void Step() {
    const api::Pod pod = NewPod();
    const scheduler::model::PodId id = cluster_.PutPod(std::make_shared<const api::Pod>(pod));
    const NodeRow chosen = Compare(cluster_.pod(id));
    if (chosen.valid()) {
      api::Pod placed = pod;
      placed.spec.node_name = cluster_.nodes().name(chosen);
      start_ = cluster_.nodes().order().rank()[chosen.index()] + 1;
      running_.push_back(placed);
      cluster_.PutPod(std::make_shared<const api::Pod>(std::move(placed)));
    } else if (Chance(20)) {
      cluster_.NominateByName(id, AnyNode());
    } else {
      cluster_.Remove<api::Pod>({pod.metadata.namespace_, pod.metadata.name});
    }
    Change();
  }

  size_t decided() const { return decided_; }
  size_t searched() const { return searched_; }
  size_t evaluated() const { return evaluated_; }
  size_t reserved() const { return reserved_; }

 private:
  size_t Below(size_t bound) { return random_.Below(bound); }
  bool Chance(uint32_t percent) { return random_.Chance(percent); }
  template <typename T>
  void Put(T object) {
    cluster_.Put(std::make_shared<const T>(std::move(object)));
  }
  std::string AnyNode() { return fmt::format("node-{}", Below(nodes_)); }
  std::string AnyClass() { return std::vector{"csi", "local", "zonal", "limited"}[Below(4)]; }
  std::string AnyZone() { return fmt::format("zone-{}", Below(5)); }

  void PutNode(size_t i) {
    nodes_ = std::max(nodes_, i + 1);
    MakeNode node(fmt::format("node-{}", i));
    node.Cpu(std::to_string(2 << Below(3))).Memory("16Gi");
    node.Label(kHostname, Chance(95) ? node.object.metadata.name : "shared-host");
    if (!Chance(5))
      node.Label(Chance(90) ? kZone : "failure-domain.beta.kubernetes.io/zone", AnyZone());
    if (Chance(50)) node.Label("topology.ebs.csi.aws.com/zone", AnyZone());
    if (Chance(10)) node.Taint("dedicated", "team", "NoSchedule");
    cluster_.Put(node);
    if (Chance(80)) PutCsiNode(node.object.metadata.name);
  }

  void PutCsiNode(const std::string& name) {
    api::CsiNode node;
    node.metadata.name = name;
    if (Chance(60)) {
      node.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] =
          "kubernetes.io/gce-pd,kubernetes.io/aws-ebs";
    }
    node.drivers.push_back({.name = kDriver});
    if (Chance(80)) node.drivers[0].allocatable_count = static_cast<int32_t>(Below(4));
    node.drivers.push_back({.name = "ebs.csi.aws.com", .allocatable_count = 2});
    Put(node);
  }

  void PutClass(const std::string& name) {
    api::StorageClass storage_class;
    storage_class.metadata.name = name;
    storage_class.provisioner = kDriver;
    storage_class.volume_binding_mode = "WaitForFirstConsumer";
    if (name == "local") storage_class.provisioner = "kubernetes.io/no-provisioner";
    if (name == "zonal") storage_class.allowed_topologies = {{{{kZone, {AnyZone(), AnyZone()}}}}};
    if (name == "limited") storage_class.provisioner = "capacity.example.com";
    Put(storage_class);
  }

  void PutCapacity() {
    api::CsiStorageCapacity capacity;
    capacity.metadata.namespace_ = "default";
    capacity.metadata.name = fmt::format("capacity-{}", Below(4));
    capacity.storage_class_name = "limited";
    capacity.capacity = Amount(Chance(50) ? "1Gi" : "20Gi");
    capacity.node_topology.emplace().match_labels[kZone] = AnyZone();
    Put(capacity);
  }

  api::NodeSelector AnyAffinity() {
    switch (Below(8)) {
      case 0:
        return {{{{{kHostname, "In", {AnyNode()}}}, {}}}};
      case 1:
        return {{{{{kHostname, "In", {AnyNode(), AnyNode(), "shared-host"}}}, {}}}};
      case 2:
        return {{{{{kZone, "In", {AnyZone()}}, {kHostname, "NotIn", {AnyNode()}}}, {}}}};
      case 3:
        return {{{{{kZone, "In", {AnyZone()}}}, {}}, {{{kHostname, "In", {AnyNode()}}}, {}}}};
      case 4:
        return {{{{{kZone, "Exists", {}}}, {}}}};
      default:
        return {{{{{kZone, "In", {AnyZone()}}}, {}}}};
    }
  }

  void PutVolume(const std::string& name, bool free) {
    api::PersistentVolume volume;
    volume.metadata.name = name;
    volume.metadata.uid = "uid-of-" + name;
    const auto size = static_cast<int64_t>((Below(10) << 30) + ++created_);
    volume.capacity["storage"] = api::Quantity::FromValue(size, api::Quantity::Format::kBinarySI);
    volume.access_modes = {"ReadWriteOnce"};
    volume.storage_class_name = free && Chance(60) ? "local" : AnyClass();
    volume.phase = free ? "Available" : "Bound";
    volume.source = api::CsiPersistentVolumeSource{kDriver, "handle-" + name};
    if (Chance(15)) {
      const char* prefix = Chance(95) ? "vol-" : kUntranslatable;
      volume.source = api::AwsElasticBlockStoreSource{prefix + name, false};
    }
    if (!Chance(20)) volume.node_affinity = AnyAffinity();
    if (Chance(20)) volume.metadata.labels[kZone] = AnyZone();
    if (Chance(5)) volume.metadata.labels[kZone] = AnyZone() + "__" + AnyZone();
    if (Chance(5)) volume.metadata.labels["failure-domain.beta.kubernetes.io/zone"] = AnyZone();
    Put(volume);
  }

  // Adds a claim that is bound, or waits for a node.
  void AddClaim(MakePod& pod) {
    const std::string name = fmt::format("claim-{}", ++created_);
    api::PersistentVolumeClaim claim;
    claim.metadata.namespace_ = "default";
    claim.metadata.name = name;
    claim.metadata.uid = "uid-of-" + name;
    claim.access_modes = {Chance(95) ? "ReadWriteOnce" : "ReadWriteOncePod"};
    claim.requests["storage"] = Amount(Chance(50) ? "1Gi" : "5Gi");
    claim.storage_class_name = AnyClass();
    if (Chance(60)) {
      PutVolume("of-" + name, /*free=*/false);
      claim.volume_name = Chance(98) ? "of-" + name : "missing";
      claim.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
    } else if (Chance(10)) {
      claim.metadata.annotations["volume.kubernetes.io/selected-node"] = AnyNode();
    }
    Put(claim);
    claims_.push_back(name);
    pod.Mounts(name);
  }

  api::Pod NewPod() {
    MakePod pod(fmt::format("pod-{}", ++created_));
    pod.Request("cpu", fmt::format("{}m", 50 + Below(200)));
    pod.Priority(static_cast<int32_t>(Below(2)));
    if (Chance(10)) pod.Spread(1, kZone, "app", "web").Label("app", "web");
    if (Chance(20)) pod.Tolerates("dedicated", "team", "NoSchedule");
    if (Chance(10) && !claims_.empty()) {
      pod.Mounts(claims_[Below(claims_.size())]);
    } else {
      AddClaim(pod);
      if (Chance(20)) AddClaim(pod);
    }
    if (Chance(10)) {
      pod.object.spec.volumes.push_back(
          {"disk", api::GcePersistentDiskSource{fmt::format("disk-{}", Below(2)), Chance(20)}});
    }
    return pod;
  }

  // Returns the choice of evaluating every node, and expects that of a search to be the same.
  NodeRow Compare(const scheduler::model::PodRecord& pod) {
    const auto results = results_.For(pod);
    scheduler::framework::Attempt attempt(cluster_, *profile_, *results, pod);
    scheduler::framework::ClassResults fresh(*profile_, cluster_, cluster_.class_of(pod));
    scheduler::framework::Attempt scan(cluster_, *profile_, fresh, pod);
    const size_t start = start_ % std::max<size_t>(cluster_.nodes().present_count(), 1);
    attempt.StartAt(start);
    scan.StartAt(start);
    const bool may_fit = scan.PreFilter().ok();
    EXPECT_EQ(attempt.PreFilter().ok(), may_fit);
    if (!may_fit) return {};
    const NodeRow found = attempt.Search();
    if (!scan.Filter().ok() || scan.feasible().None()) {
      EXPECT_FALSE(found.valid()) << cluster_.nodes().name(found);
      // What the search has left behind does not change how the failure is explained.
      EXPECT_EQ(attempt.Filter(), scan.Filter());
      if (scan.Filter().ok()) {
        EXPECT_EQ(attempt.Diagnose({}).Message(), scan.Diagnose({}).Message());
      }
      return {};
    }
    EXPECT_TRUE(scan.Score().ok());
    ++decided_;
    searched_ += attempt.searched();
    evaluated_ += found.valid() && !attempt.searched();
    if (!found.valid()) return scan.Best();
    EXPECT_EQ(found, scan.Best()) << pod.key().ToString();
    if (!attempt.searched()) {
      EXPECT_EQ(attempt.feasible(), scan.feasible());
      EXPECT_EQ(attempt.candidates(), scan.candidates());
    }
    for (const scheduler::framework::ReservePlugin* plugin : profile_->reserve())
      EXPECT_TRUE(plugin->Reserve(attempt.cycle(), found).ok());
    ++reserved_;
    return found;
  }

  // A pod whose volumes cannot be counted makes each attempt fail for which its node passes.
  void ToggleUncountablePod() {
    if (std::exchange(has_uncountable_, !has_uncountable_)) {
      cluster_.Remove<api::Pod>({"default", "uncountable"});
      return;
    }
    MakePod pod("uncountable");
    pod.On(AnyNode()).object.spec.volumes.push_back(
        {"disk", api::AwsElasticBlockStoreSource{kUntranslatable, false}});
    cluster_.PutPod(pod);
  }

  void Change() {
    if (has_uncountable_ || Chance(5)) ToggleUncountablePod();
    const size_t kind = Below(100);
    if (kind < 20 && !running_.empty()) {
      const size_t i = Below(running_.size());
      cluster_.Remove<api::Pod>({"default", running_[i].metadata.name});
      running_[i] = running_.back();
      running_.pop_back();
    } else if (kind < 30) {
      PutNode(Below(nodes_));
    } else if (kind < 32) {
      cluster_.Remove<api::Node>({"", AnyNode()});
    } else if (kind < 40) {
      PutCsiNode(AnyNode());
    } else if (kind < 42) {
      cluster_.Remove<api::CsiNode>({"", AnyNode()});
    } else if (kind < 50) {
      PutVolume(fmt::format("free-{}", Below(nodes_)), /*free=*/true);
    } else if (kind < 55 && !claims_.empty()) {
      PutVolume("of-" + claims_[Below(claims_.size())], /*free=*/false);
    } else if (kind < 58) {
      PutClass("zonal");
    } else if (kind < 62) {
      PutCapacity();
    }
  }

  Random random_;
  const std::unique_ptr<scheduler::framework::Profile> profile_;
  scheduler::model::Cluster cluster_;
  scheduler::framework::ClassResultsCache results_;
  size_t nodes_ = 0;  // Present or not.
  bool has_uncountable_ = false;
  std::vector<std::string> claims_;
  std::vector<api::Pod> running_;
  size_t start_ = 0;
  size_t created_ = 0, decided_ = 0, searched_ = 0, evaluated_ = 0, reserved_ = 0;
};

TEST(VolumeSearchProperty, ChoosesTheNodeThatEvaluatingAllNodesChooses) {
  size_t decided = 0, searched = 0, evaluated = 0, reserved = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    ClusterWithVolumes cluster(seed, 5 + seed * seed % 300);
    for (int step = 0; step < 200; ++step) {
      cluster.Step();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    decided += cluster.decided();
    searched += cluster.searched();
    evaluated += cluster.evaluated();
    reserved += cluster.reserved();
  }
  EXPECT_GT(searched, decided / 3) << decided;
  EXPECT_GT(evaluated, decided / 10) << decided;
  EXPECT_GT(reserved, decided * 3 / 4) << decided;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
