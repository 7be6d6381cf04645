// A model after any sequence of changes equals one that is built from the resulting state: the
// objects, the assumed pods and the nominations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_counters.h"
#include "testing/cluster_dump.h"
#include "testing/small_cluster.h"

namespace berth {
namespace BERTH_TEST_FILE {

// The resulting state, in plain tables.
struct ExpectedState {
  struct Pod {
    api::Ref<api::Pod> object;      // As the API last reported it.
    api::Ref<api::Pod> decided_as;  // What was assumed; null unless assumed.
    std::string assumed_on;
    std::string nominated_to;
    uint64_t nomination = 0;  // Increases with each.
  };
  std::map<std::string, api::Ref<api::Node>> nodes;
  std::map<api::ObjectKey, Pod> pods;
  std::map<std::string, api::Object> others;  // By kind and key.
};

// A model with a few pod counters.
class CountedModel {
 public:
  CountedModel() {
    SymbolHolder symbols(cluster.mutable_symbols());
    for (const char* key : kTopologyKeys) keys_.push_back(cluster.UseTopologyKey(key));
    api::PodAffinityTerm everywhere, nearby;
    everywhere.label_selector.emplace();
    everywhere.namespace_selector.emplace();
    nearby.label_selector.emplace().match_labels["app"] = "web";
    nearby.namespace_selector.emplace().match_labels["team"] = "x";
    for (const auto& term : {everywhere, nearby}) {
      for (bool terminating : {false, true}) {
        const scheduler::model::PodQuery query{
            {scheduler::model::PodMatcher(term, "default", symbols)}, false, terminating};
        counters_.push_back(cluster.CountPods(query, keys_));
      }
    }
  }

  std::string Everything() const {
    std::string text = Dump(cluster);
    for (size_t i = 0; i < counters_.size(); ++i) {
      for (uint32_t row = 0; row < cluster.nodes().rows(); ++row) {
        if (const int32_t count = counters_[i]->per_node()[row]; count != 0) {
          lines_.insert(fmt::format("counter {}: {} on {}", i, count,
                                    cluster.nodes().name(scheduler::model::NodeRow{row})));
        }
      }
      for (const auto& key : keys_) DomainCounts(i, *key);
    }
    for (const std::string& line : std::exchange(lines_, {})) text += line + "\n";
    return text;
  }

  scheduler::model::Cluster cluster;

 private:
  void DomainCounts(size_t counter, const scheduler::model::Topology::Key& key) const {
    counters_[counter]->PerDomain(key).ForEach([&](size_t domain, int32_t count) {
      if (count == 0) return;
      lines_.insert(fmt::format("counter {}: {} in {}={}", counter, count,
                                cluster.symbols().Text(key.label()),
                                cluster.symbols().Text(key.domains()[domain].value)));
    });
  }

  std::vector<scheduler::model::Topology::KeyRef> keys_;
  std::vector<std::shared_ptr<const scheduler::model::PodCounter>> counters_;
  mutable std::set<std::string> lines_;
};

class ChangingModel {
 public:
  explicit ChangingModel(uint64_t seed) : random_(seed) {}

  void Step() {
    switch (random_.Below(16)) {
      case 0:
      case 1:
      case 2:
        return PutNode();
      case 3:
        return RemoveNode();
      case 4:
      case 5:
      case 6:
      case 7:
        return PutPod();
      case 8:
        return UpdatePod();
      case 9:
        return RemovePod();
      case 10:
      case 11:
        return Assume();
      case 12:
        return Forget();
      case 13:
        return Nominate();
      case 14:
        return PutOther();
      case 15:
        return RemoveOther();
    }
  }

  std::string Changed() const { return model_.Everything(); }

  // Dumps a new model that gets the resulting state in random order.
  std::string Rebuilt() {
    CountedModel fresh;
    std::vector<api::Object> objects;
    for (const auto& [name, node] : expected_.nodes) objects.push_back(node);
    for (const auto& [key, pod] : expected_.pods) {
      objects.push_back(pod.decided_as != nullptr ? pod.decided_as : pod.object);
    }
    for (const auto& [key, object] : expected_.others) objects.push_back(object);
    ShuffleAll(random_, objects);
    for (const api::Object& object : objects) fresh.cluster.Put(object);

    std::map<uint64_t, std::pair<scheduler::model::PodId, std::string>> nominations;
    for (const auto& [key, pod] : expected_.pods) {
      const scheduler::model::PodId id = fresh.cluster.pods().Find(key.namespace_, key.name);
      if (pod.decided_as != nullptr) AssumeOn(fresh.cluster, id, pod);
      if (!pod.nominated_to.empty()) nominations[pod.nomination] = {id, pod.nominated_to};
    }
    for (const auto& [order, nomination] : nominations) {
      fresh.cluster.NominateByName(nomination.first, nomination.second);
    }
    return fresh.Everything();
  }

 private:
  using PodEntry = std::pair<const api::ObjectKey, ExpectedState::Pod>;

  // A node that was deleted meanwhile exists only while the pod is assumed.
  void AssumeOn(scheduler::model::Cluster& cluster, scheduler::model::PodId id,
                const ExpectedState::Pod& pod) {
    const bool gone = !expected_.nodes.contains(pod.assumed_on);
    if (gone) cluster.Put(MakeNode(pod.assumed_on));
    cluster.Assume(id, cluster.nodes().Find(cluster.symbols().Find(pod.assumed_on)));
    if (gone) cluster.Remove<api::Node>({"", pod.assumed_on});
    cluster.PutPod(pod.object);
  }

  std::string NodeName() { return fmt::format("n{}", random_.Below(6)); }

  void PutNode() {
    const std::string name = NodeName();
    api::Node node = SmallNode(random_, name);
    if (auto known = expected_.nodes.find(name);
        known != expected_.nodes.end() && random_.Chance(40)) {
      node = *known->second;  // Most updates change little.
      node.metadata.labels["zone"] = Pick(random_, {"a", "b", "c"});
    }
    expected_.nodes[name] = std::make_shared<const api::Node>(node);
    model_.cluster.Put(expected_.nodes[name]);
  }

  void RemoveNode() {
    const std::string name = NodeName();
    EXPECT_EQ(model_.cluster.Remove<api::Node>({"", name}), expected_.nodes.erase(name) > 0);
  }

  // Puts a pod whose name may be that of the same pod or of another one.
  void PutPod() {
    api::Pod pod = SmallPod(random_, fmt::format("p{}", random_.Below(10)));
    if (random_.Chance(20)) pod.metadata.namespace_ = "other";
    pod.metadata.uid = fmt::format("{}", random_.Below(3));
    if (random_.Chance(50)) pod.spec.node_name = NodeName();
    Report(pod);
  }

  // Updates a pod.
  void UpdatePod() {
    PodEntry* entry = AnyPod([](const ExpectedState::Pod&) { return true; });
    if (entry == nullptr) return;
    api::Pod pod = *entry->second.object;
    if (random_.Chance(30)) pod.metadata.labels["app"] = Pick(random_, {"web", "db"});
    if (random_.Chance(30)) pod.metadata.deletion_timestamp = Instant::FromUnixSeconds(1);
    if (random_.Chance(20)) pod = MakePod(pod).Holds("cpu", Pick(random_, {"1", "3"}));
    if (random_.Chance(10)) pod.status.phase = Pick(random_, {"Succeeded", "Failed"});
    if (!entry->second.assumed_on.empty() && random_.Chance(50)) {
      pod.spec.node_name = random_.Chance(80) ? entry->second.assumed_on : NodeName();
    }
    Report(pod);
  }

  void Report(api::Pod pod) {
    pod.metadata.resource_version = fmt::format("{}", ++version_);
    const api::ObjectKey key{pod.metadata.namespace_, pod.metadata.name};
    auto object = std::make_shared<const api::Pod>(pod);
    model_.cluster.Put(object);
    auto known = expected_.pods.find(key);
    if (known != expected_.pods.end() &&
        (pod.finished() || known->second.object->metadata.uid != pod.metadata.uid)) {
      expected_.pods.erase(known);
    }
    if (pod.finished()) return;
    ExpectedState::Pod& entry = expected_.pods[key];
    entry.object = object;
    if (pod.spec.node_name.empty()) return;
    entry = {object, nullptr, "", "", 0};
  }

  void RemovePod() {
    PodEntry* entry = AnyPod([](const ExpectedState::Pod&) { return true; });
    if (entry == nullptr) return;
    const api::ObjectKey key = entry->first;
    EXPECT_TRUE(model_.cluster.Remove<api::Pod>(key));
    expected_.pods.erase(key);
  }

  void Assume() {
    PodEntry* entry = AnyPod(IsPending);
    const std::string node = NodeName();
    if (entry == nullptr || !expected_.nodes.contains(node)) return;
    model_.cluster.Assume(Id(*entry),
                          model_.cluster.nodes().Find(model_.cluster.symbols().Find(node)));
    entry->second = {entry->second.object, entry->second.object, node, "", 0};
  }

  void Forget() {
    PodEntry* entry =
        AnyPod([](const ExpectedState::Pod& pod) { return pod.decided_as != nullptr; });
    if (entry == nullptr) return;
    model_.cluster.Forget(Id(*entry));
    entry->second = {entry->second.object, nullptr, "", "", 0};
  }

  void Nominate() {
    PodEntry* entry = AnyPod(IsPending);
    if (entry == nullptr) return;
    const std::string node = random_.Chance(80) ? NodeName() : "";
    // A pod that is nominated to the same node again stays in its place.
    if (entry->second.nominated_to != node) entry->second.nomination = ++version_;
    entry->second.nominated_to = node;
    model_.cluster.NominateByName(Id(*entry), node);
  }

  void PutOther() {
    auto put = [&]<typename T>(T object, const std::string& name, const std::string& namespace_) {
      object.metadata.name = name;
      object.metadata.namespace_ = namespace_;
      object.metadata.resource_version = fmt::format("{}", ++version_);
      if (random_.Chance(50)) object.metadata.labels["team"] = Pick(random_, {"x", "y"});
      const api::Ref<T> ref = std::make_shared<const T>(object);
      expected_.others.insert_or_assign(OtherKey(ref), ref);
      model_.cluster.Put(ref);
    };
    switch (random_.Below(9)) {
      case 0:
        return put(api::Namespace{}, "default", "");
      case 1:
        return put(api::Namespace{}, "other", "");
      case 2:
        return put(api::Service{}, "web", "default");
      case 3:
      case 4:
        return put(Claim(), Pick(random_, {"data", "logs"}), Pick(random_, {"default", "other"}));
      case 5:
        return put(Volume(), Pick(random_, {"v0", "v1"}), "");
      case 6:
      case 7:
        return put(Limits(), NodeName(), "");
      case 8:
        return put(Attachment(), Pick(random_, {"a0", "a1"}), "");
    }
  }

  api::PersistentVolumeClaim Claim() {
    api::PersistentVolumeClaim claim;
    if (random_.Chance(80)) claim.volume_name = Pick(random_, {"v0", "v1"});
    return claim;
  }
  api::PersistentVolume Volume() {
    api::PersistentVolume volume;
    const std::string driver = Pick(random_, {"fast.example.com", "slow.example.com"});
    volume.source = api::CsiPersistentVolumeSource{driver, Pick(random_, {"h0", "h1"})};
    return volume;
  }
  api::CsiNode Limits() {
    api::CsiNode node;
    for (const char* driver : {"fast.example.com", "slow.example.com"}) {
      if (random_.Chance(30)) continue;
      node.drivers.push_back({.name = driver, .node_id = "id"});
      node.drivers.back().allocatable_count = static_cast<int32_t>(random_.Below(3));
    }
    return node;
  }
  api::VolumeAttachment Attachment() {
    api::VolumeAttachment attachment;
    attachment.attacher = Pick(random_, {"fast.example.com", "slow.example.com"});
    attachment.node_name = NodeName();
    attachment.persistent_volume_name = Pick(random_, {"v0", "v1"});
    return attachment;
  }

  void RemoveOther() {
    if (expected_.others.empty()) return;
    auto entry = expected_.others.begin();
    std::advance(entry, random_.Below(expected_.others.size()));
    std::visit(
        [&]<typename T>(const api::Ref<T>&) {
          EXPECT_TRUE(model_.cluster.Remove<T>(api::KeyOf(entry->second)));
        },
        entry->second);
    expected_.others.erase(entry);
  }

  static bool IsPending(const ExpectedState::Pod& pod) {
    return pod.decided_as == nullptr && pod.object->spec.node_name.empty();
  }

  static std::string OtherKey(const api::Object& object) {
    return fmt::format("{} {}", api::KindOf(object).kind, api::KeyOf(object).ToString());
  }

  // Returns a random pod for which `wanted` is true, or null.
  template <typename Wanted>
  PodEntry* AnyPod(Wanted&& wanted) {
    std::vector<PodEntry*> found;
    for (PodEntry& entry : expected_.pods) {
      if (wanted(entry.second)) found.push_back(&entry);
    }
    return found.empty() ? nullptr : found[random_.Below(found.size())];
  }

  scheduler::model::PodId Id(const PodEntry& entry) const {
    return model_.cluster.pods().Find(entry.first.namespace_, entry.first.name);
  }

  Random random_;
  CountedModel model_;
  ExpectedState expected_;
  uint64_t version_ = 0;
};

TEST(ClusterProperty, EqualsAModelBuiltFromTheResultingState) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    ChangingModel model(seed);
    for (int step = 0; step < 200; ++step) {
      model.Step();
      if (step % 10 != 9) continue;
      ASSERT_EQ(model.Changed(), model.Rebuilt()) << "seed " << seed << ", step " << step;
    }
  }
}

// The tables reuse ids and evict entries only after many changes.
TEST(ClusterProperty, EqualsARebuiltModelAfterManyChanges) {
  for (uint64_t seed = 1001; seed <= 1005; ++seed) {
    ChangingModel model(seed);
    for (int step = 0; step < 8000; ++step) {
      model.Step();
      if (step % 500 != 499) continue;
      ASSERT_EQ(model.Changed(), model.Rebuilt()) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
