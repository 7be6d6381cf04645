#include "scheduler/model/storage_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/model/cluster.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

// --- objects ---

class MakeVolume : public Builder<api::PersistentVolume> {
 public:
  explicit MakeVolume(std::string name) {
    object.metadata.name = std::move(name);
    object.metadata.resource_version = "7";
    object.storage_class_name = "slow";
  }
  MakeVolume& Csi(std::string handle, std::string driver = "csi.test") {
    object.source = api::CsiPersistentVolumeSource{std::move(driver), std::move(handle)};
    return *this;
  }
  MakeVolume& Class(std::string name) {
    object.storage_class_name = std::move(name);
    return *this;
  }
  MakeVolume& Version(std::string version) {
    object.metadata.resource_version = std::move(version);
    return *this;
  }
};

class MakeClaim : public Builder<api::PersistentVolumeClaim> {
 public:
  explicit MakeClaim(std::string name) {
    object.metadata.name = std::move(name);
    object.metadata.namespace_ = "default";
    object.storage_class_name = "slow";
  }
  MakeClaim& Bound(std::string volume) {
    object.volume_name = std::move(volume);
    return *this;
  }
};

api::Ref<api::StorageClass> MakeClass(const std::string& name, std::string provisioner) {
  api::StorageClass object;
  object.metadata.name = name;
  object.provisioner = std::move(provisioner);
  return std::make_shared<const api::StorageClass>(std::move(object));
}

api::Ref<api::CsiNode> MakeCsiNode(const std::string& name, std::optional<int32_t> count) {
  api::CsiNode object;
  object.metadata.name = name;
  object.drivers = {{"csi.test", name, {}, count}};
  return std::make_shared<const api::CsiNode>(std::move(object));
}

api::Ref<api::VolumeAttachment> MakeAttachment(const std::string& name, const std::string& node,
                                               const std::string& volume) {
  api::VolumeAttachment object;
  object.metadata.name = name;
  object.attacher = "csi.test";
  object.node_name = node;
  object.persistent_volume_name = volume;
  return std::make_shared<const api::VolumeAttachment>(std::move(object));
}

// What is attached where, in words.
std::string Attached(const Cluster& cluster, const std::string& node) {
  const Symbol symbol = cluster.symbols().Find(node);
  const auto* found = symbol.valid() ? cluster.storage().attached().Find(symbol) : nullptr;
  if (found == nullptr) return "no limits";
  std::string text;
  for (const auto& [driver, limit] : found->limits) {
    const auto count = found->counts.find(driver);
    text +=
        fmt::format("{} {}/{}", driver, count == found->counts.end() ? 0 : count->second, limit);
  }
  for (const CsiVolume& volume : found->used) text += " " + volume.handle;
  return text + found->error;
}

// --- AssumeCache ---

TEST(AssumeCache, LastUntilTheApiShowsSomethingNewer) {
  struct Case {
    const char* seen;
    bool stays;
  };
  for (const Case& c :
       {Case{"6", true}, Case{"7", true}, Case{"8", false}, Case{"10", false}, Case{"", false}}) {
    AssumeCache<api::PersistentVolume> assumed;
    assumed.Assume(MakeVolume("pv"));
    assumed.Seen(MakeVolume("pv").Version(c.seen));
    EXPECT_EQ(assumed.Find({"", "pv"}) != nullptr, c.stays) << c.seen;
  }
}

TEST(AssumeCache, AreForgottenWhenReverted) {
  AssumeCache<api::PersistentVolume> assumed;
  assumed.Assume(MakeVolume("pv"));
  assumed.Revert({"", "other"});
  EXPECT_FALSE(assumed.empty());
  assumed.Revert({"", "pv"});
  EXPECT_TRUE(assumed.empty());
}

// --- StorageCatalog ---

std::string VolumesOf(const Cluster& cluster, const std::string& storage_class) {
  std::string names;
  for (const auto* volume :
       cluster.storage().catalog().VolumesFor(storage_class, {"default", "claim"})) {
    names += volume->object->metadata.name + " ";
  }
  return names;
}

TEST(StorageCatalog, ListsVolumesByClassAndName) {
  Cluster cluster;
  cluster.Put(MakeVolume("b").ref());
  cluster.Put(MakeVolume("a").ref());
  cluster.Put(MakeVolume("c").Class("fast").ref());
  EXPECT_EQ(VolumesOf(cluster, "slow"), "a b ");
  cluster.Put(MakeVolume("a").Class("fast").ref());
  EXPECT_EQ(VolumesOf(cluster, "slow"), "b ");
  EXPECT_EQ(VolumesOf(cluster, "fast"), "a c ");
  cluster.Remove<api::PersistentVolume>({"", "a"});
  EXPECT_EQ(VolumesOf(cluster, "fast"), "c ");
  EXPECT_EQ(VolumesOf(cluster, "none"), "");
}

TEST(StorageCatalog, ListsVolumesThatAreFreeOrReservedForTheClaim) {
  Cluster cluster;
  const auto put = [&](const char* name, const char* claim, const char* storage_class = "slow") {
    api::PersistentVolume volume = MakeVolume(name).Class(storage_class);
    if (claim[0] != '\0') volume.claim_ref = {.namespace_ = "default", .name = claim};
    cluster.Put(std::make_shared<const api::PersistentVolume>(volume));
  };
  put("d", "");
  put("c", "claim");
  put("b", "other");
  put("a", "claim");
  put("e", "claim", "fast");
  EXPECT_EQ(VolumesOf(cluster, "slow"), "a c d ");
  EXPECT_EQ(VolumesOf(cluster, "fast"), "e ");
  put("c", "other");
  put("b", "");
  EXPECT_EQ(VolumesOf(cluster, "slow"), "a b d ");
  cluster.Remove<api::PersistentVolume>({"", "a"});
  cluster.Remove<api::PersistentVolume>({"", "c"});
  EXPECT_EQ(VolumesOf(cluster, "slow"), "b d ");
}

// An old version may arrive after a later one was assumed, which is for another claim.
TEST(StorageCatalog, ListsAssumedVolumesAsFree) {
  Cluster cluster;
  api::PersistentVolume volume = MakeVolume("a");
  volume.metadata.resource_version = "7";
  volume.claim_ref = {.namespace_ = "default", .name = "claim"};
  cluster.mutable_storage().Assume(std::make_shared<const api::PersistentVolume>(volume));
  volume.metadata.resource_version = "6";
  volume.claim_ref->name = "other";
  cluster.Put(std::make_shared<const api::PersistentVolume>(volume));
  EXPECT_EQ(VolumesOf(cluster, "slow"), "a ");
}

TEST(StorageCatalog, ListsCapacitiesByClass) {
  Cluster cluster;
  api::CsiStorageCapacity capacity;
  capacity.metadata.name = "cap";
  capacity.metadata.namespace_ = "default";
  capacity.storage_class_name = "slow";
  cluster.Put(std::make_shared<const api::CsiStorageCapacity>(capacity));
  EXPECT_EQ(cluster.storage().catalog().CapacitiesOf("slow").size(), 1u);
  capacity.storage_class_name = "fast";
  cluster.Put(std::make_shared<const api::CsiStorageCapacity>(capacity));
  EXPECT_EQ(cluster.storage().catalog().CapacitiesOf("slow").size(), 0u);
  EXPECT_EQ(cluster.storage().catalog().CapacitiesOf("fast").size(), 1u);
  cluster.Remove<api::CsiStorageCapacity>({"default", "cap"});
  EXPECT_EQ(cluster.storage().catalog().CapacitiesOf("fast").size(), 0u);
}

// --- AttachedVolumes ---

TEST(AttachedVolumes, FollowWhatTheyRestOn) {
  Cluster cluster;
  cluster.Put(MakeNode("n").ref());
  EXPECT_EQ(Attached(cluster, "n"), "no limits");
  cluster.Put(MakeCsiNode("n", 5));
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 0/5");
  cluster.Put(MakePod("p").Mounts("data").On("n").ref());
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 0/5");
  cluster.Put(MakeClaim("data").Bound("pv").ref());
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 0/5");
  cluster.Put(MakeClass("slow", "csi.test"));
  EXPECT_EQ(Attached(cluster, "n"),
            "csi.test 1/5 \x01"
            "default/data");
  cluster.Put(MakeVolume("pv").Csi("h").ref());
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 1/5 h");
  cluster.Put(MakeAttachment("va", "n", "pv"));
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 1/5 h");
  cluster.Remove<api::Pod>({"default", "p"});
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 1/5");
  cluster.Remove<api::PersistentVolume>({"", "pv"});
  EXPECT_EQ(Attached(cluster, "n"), "csi.test 0/5");
  cluster.Put(MakeCsiNode("n", std::nullopt));
  EXPECT_EQ(Attached(cluster, "n"), "no limits");
}

TEST(AttachedVolumes, FindTheNodesThatAreFull) {
  Cluster cluster;
  for (const char* name : {"empty", "half", "full"}) {
    cluster.Put(MakeNode(name).ref());
    cluster.Put(MakeCsiNode(name, 2));
  }
  for (const char* name : {"x", "y"}) {
    cluster.Put(MakeVolume(name).Csi(name).ref());
    cluster.Put(MakeClaim(name).Bound(name).ref());
  }
  cluster.Put(MakePod("p").Mounts("x").On("half").ref());
  cluster.Put(MakePod("q").Mounts("x").Mounts("y").On("full").ref());
  auto full = [&](int64_t wanted) {
    std::string names;
    cluster.storage().attached().ForEachFull(
        "csi.test", wanted, [&](Symbol node) { names += cluster.symbols().Text(node) + " "; });
    return names;
  };
  EXPECT_EQ(full(1), "full ");
  EXPECT_EQ(full(2), "full half ");
  EXPECT_EQ(full(3), "full half empty ");
}

TEST(ClaimUsers, AreThePlacedPods) {
  Cluster cluster;
  cluster.Put(MakePod("pending").Mounts("data").ref());
  const auto users = [&]() { return cluster.storage().users().Of({"default", "data"}).size(); };
  EXPECT_EQ(users(), 0u);
  cluster.Put(MakePod("p").Mounts("data").On("n").ref());
  cluster.Put(MakePod("q").Mounts("data").On("m").ref());
  EXPECT_EQ(users(), 2u);
  cluster.Put(MakePod("p").Mounts("data").On("n").Phase("Succeeded").ref());
  EXPECT_EQ(users(), 1u);
  EXPECT_EQ(cluster.symbols().Text(cluster.storage().users().Of({"default", "data"})[0].node), "m");
}

// --- any history gives the same as a cluster built from scratch ---

class History {
 public:
  explicit History(uint64_t seed) : random_(seed) {}

  void Step() {
    const std::string name(1, static_cast<char>('a' + random_.Below(4)));
    const std::string other(1, static_cast<char>('a' + random_.Below(4)));
    switch (random_.Below(6)) {
      case 0:
        return Change<api::Pod>({"default", name}, MakePod(name).Mounts(other).On(other));
      case 1:
        return Change<api::PersistentVolumeClaim>(
            {"default", name}, MakeClaim(name).Bound(random_.Chance(30) ? "" : other));
      case 2:
        return Change<api::PersistentVolume>({"", name}, MakeVolume(name).Csi(other));
      case 3:
        return Change<api::StorageClass>(
            {"", "slow"}, MakeClass("slow", random_.Chance(50) ? "csi.test" : "csi.other"));
      case 4:
        return Change<api::CsiNode>({"", name},
                                    MakeCsiNode(name, static_cast<int32_t>(random_.Below(3))));
      default:
        return Change<api::VolumeAttachment>({"", name}, MakeAttachment(name, other, other));
    }
  }

  static std::string Describe(const Cluster& cluster) {
    std::string text;
    for (const char* node : {"a", "b", "c", "d"}) {
      text += fmt::format("{}: {}, users {}\n", node, Attached(cluster, node),
                          cluster.storage().users().Of({"default", node}).size());
    }
    for (int64_t wanted : {1, 2, 3}) {
      std::multiset<std::string> full;
      cluster.storage().attached().ForEachFull(
          "csi.test", wanted, [&](Symbol node) { full.insert(cluster.symbols().Text(node)); });
      text += fmt::format("no capacity for {}:", wanted);
      for (const std::string& node : full) text += " " + node;
    }
    return text;
  }

  std::string Lived() const { return Describe(lived_); }
  std::string Afresh() const {
    Cluster fresh;
    for (const auto& [key, object] : remains_) fresh.Put(object);
    return Describe(fresh);
  }

 private:
  template <typename T>
  void Change(const api::ObjectKey& key, const api::Ref<T>& object) {
    const std::string id = std::string(api::KindOf<T>().kind) + " " + key.ToString();
    if (random_.Chance(30)) {
      lived_.Remove<T>(key);
      remains_.erase(id);
    } else {
      lived_.Put(object);
      remains_.insert_or_assign(id, object);
    }
  }

  Random random_;
  Cluster lived_;
  std::map<std::string, api::Object> remains_;
};

TEST(Storage, EqualsOneBuiltAfresh) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    History history(seed);
    for (int step = 0; step < 60; ++step) {
      history.Step();
      ASSERT_EQ(history.Lived(), history.Afresh()) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
