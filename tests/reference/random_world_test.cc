// The generator of random worlds: repeatable, and such that every rule gets a word in.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scheduler/reference/evaluate.h"
#include "testing/random_cluster.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);

std::vector<api::ObjectKey> KeysOf(const std::vector<api::Object>& objects) {
  std::vector<api::ObjectKey> keys;
  for (const api::Object& object : objects) keys.push_back(api::KeyOf(object));
  return keys;
}

void Apply(const RandomChange& change, scheduler::reference::Snapshot& world) {
  if (change.removed) {
    world.Remove(change.object);
  } else {
    world.Put(change.object);
  }
}

TEST(RandomWorld, RepeatsWithItsSeed) {
  ClusterGenerator one(7);
  ClusterGenerator other(7);
  scheduler::reference::Snapshot world = one.Snapshot(5);
  EXPECT_EQ(KeysOf(ObjectsOf(world)), KeysOf(ObjectsOf(other.Snapshot(5))));
  for (int i = 0; i < 50; ++i) {
    const RandomChange change = one.Change(world);
    const RandomChange same = other.Change(world);
    EXPECT_EQ(api::KeyOf(change.object), api::KeyOf(same.object));
    EXPECT_EQ(change.removed, same.removed);
    Apply(change, world);
  }
}

TEST(RandomWorld, ObjectsMakeTheSameWorld) {
  ClusterGenerator generator(8);
  const scheduler::reference::Snapshot world = generator.Snapshot(6);
  scheduler::reference::Snapshot copy;
  for (const api::Object& object : ObjectsOf(world)) copy.Put(object);
  EXPECT_EQ(KeysOf(ObjectsOf(copy)), KeysOf(ObjectsOf(world)));
  EXPECT_EQ(copy.nodes, world.nodes);
  EXPECT_EQ(copy.volumes, world.volumes);
}

// What the twin said about many pods, by plugin.
struct Word {
  std::set<std::string> rejected;  // A node, or the pod in PreFilter.
  std::set<std::string> scored;    // Some node above zero.
  int fits = 0;
  int does_not_fit = 0;
  int candidates = 0;
  int pdb_violations = 0;
};

void Note(const scheduler::reference::Evaluation& answer, Word& word) {
  word.rejected.insert(answer.pre_filter.plugin());
  for (const auto& [name, at] : answer.nodes) {
    word.rejected.insert(at.verdict.plugin());
    for (const auto& [plugin, score] : at.scores) {
      if (score > 0) word.scored.insert(plugin);
    }
  }
  ++(answer.best_nodes.empty() ? word.does_not_fit : word.fits);
  if (!answer.preemption) return;
  for (const auto& [node, candidate] : answer.preemption->candidates) {
    ++word.candidates;
    word.pdb_violations += candidate.pdb_violations;
  }
}

TEST(RandomWorld, LetsEveryRuleSpeak) {
  Word word;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ClusterGenerator generator(seed);
    scheduler::reference::Snapshot world = generator.Snapshot(8);
    for (int i = 0; i < 30; ++i) {
      Apply(generator.Change(world), world);
      Note(scheduler::reference::Evaluate(world, *generator.WaitingPod(world), {}, kNow), word);
    }
  }
  word.rejected.erase("");
  EXPECT_EQ(word.rejected,
            (std::set<std::string>{"InterPodAffinity", "NodeAffinity", "NodeDeclaredFeatures",
                                   "NodePorts", "NodeResourcesFit", "NodeUnschedulable",
                                   "NodeVolumeLimits", "PodTopologySpread", "TaintToleration",
                                   "VolumeBinding", "VolumeRestrictions", "VolumeZone"}));
  EXPECT_EQ(word.scored,
            (std::set<std::string>{"ImageLocality", "InterPodAffinity", "NodeAffinity",
                                   "NodeResourcesBalancedAllocation", "NodeResourcesFit",
                                   "PodTopologySpread", "TaintToleration"}));
  EXPECT_GT(word.fits, 50);
  EXPECT_GT(word.does_not_fit, 50);
  EXPECT_GT(word.candidates, 20);
  EXPECT_GT(word.pdb_violations, 0);
  RecordProperty("fits", word.fits);
  RecordProperty("does_not_fit", word.does_not_fit);
  RecordProperty("candidates", word.candidates);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
