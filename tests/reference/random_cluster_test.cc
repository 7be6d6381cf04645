// ClusterGenerator is repeatable, and its clusters exercise every rule.
#include "testing/random_cluster.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scheduler/reference/evaluate.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);

std::vector<api::ObjectKey> KeysOf(const std::vector<api::Object>& objects) {
  std::vector<api::ObjectKey> keys;
  for (const api::Object& object : objects) keys.push_back(api::KeyOf(object));
  return keys;
}

void Apply(const RandomChange& change, scheduler::reference::Snapshot& cluster) {
  if (change.removed) {
    cluster.Remove(change.object);
  } else {
    cluster.Put(change.object);
  }
}

TEST(RandomCluster, RepeatsWithItsSeed) {
  ClusterGenerator one(7);
  ClusterGenerator other(7);
  scheduler::reference::Snapshot cluster = one.Snapshot(5);
  EXPECT_EQ(KeysOf(ObjectsOf(cluster)), KeysOf(ObjectsOf(other.Snapshot(5))));
  for (int i = 0; i < 50; ++i) {
    const RandomChange change = one.Change(cluster);
    const RandomChange same = other.Change(cluster);
    EXPECT_EQ(api::KeyOf(change.object), api::KeyOf(same.object));
    EXPECT_EQ(change.removed, same.removed);
    Apply(change, cluster);
  }
}

TEST(RandomCluster, ObjectsGiveTheSameCluster) {
  ClusterGenerator generator(8);
  const scheduler::reference::Snapshot cluster = generator.Snapshot(6);
  scheduler::reference::Snapshot copy;
  for (const api::Object& object : ObjectsOf(cluster)) copy.Put(object);
  EXPECT_EQ(KeysOf(ObjectsOf(copy)), KeysOf(ObjectsOf(cluster)));
  EXPECT_EQ(copy.nodes, cluster.nodes);
  EXPECT_EQ(copy.volumes, cluster.volumes);
}

// What the reference implementation decided about many pods.
struct Coverage {
  std::set<std::string> rejected;  // Plugins that rejected a node, or the pod in PreFilter.
  std::set<std::string> scored;    // Plugins with a score above zero.
  int fits = 0;
  int does_not_fit = 0;
  int candidates = 0;
  int pdb_violations = 0;
};

void Record(const scheduler::reference::Evaluation& evaluation, Coverage& coverage) {
  coverage.rejected.insert(evaluation.pre_filter.plugin());
  for (const auto& [name, node_evaluation] : evaluation.nodes) {
    coverage.rejected.insert(node_evaluation.verdict.plugin());
    for (const auto& [plugin, score] : node_evaluation.scores) {
      if (score > 0) coverage.scored.insert(plugin);
    }
  }
  ++(evaluation.best_nodes.empty() ? coverage.does_not_fit : coverage.fits);
  if (!evaluation.preemption) return;
  for (const auto& [node, candidate] : evaluation.preemption->candidates) {
    ++coverage.candidates;
    coverage.pdb_violations += candidate.pdb_violations;
  }
}

TEST(RandomCluster, ExercisesEveryRule) {
  Coverage coverage;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    ClusterGenerator generator(seed);
    scheduler::reference::Snapshot cluster = generator.Snapshot(8);
    for (int i = 0; i < 30; ++i) {
      Apply(generator.Change(cluster), cluster);
      Record(scheduler::reference::Evaluate(cluster, *generator.WaitingPod(cluster), {}, kNow),
             coverage);
    }
  }
  coverage.rejected.erase("");
  EXPECT_EQ(coverage.rejected,
            (std::set<std::string>{"InterPodAffinity", "NodeAffinity", "NodeDeclaredFeatures",
                                   "NodePorts", "NodeResourcesFit", "NodeUnschedulable",
                                   "NodeVolumeLimits", "PodTopologySpread", "TaintToleration",
                                   "VolumeBinding", "VolumeRestrictions", "VolumeZone"}));
  EXPECT_EQ(coverage.scored,
            (std::set<std::string>{"ImageLocality", "InterPodAffinity", "NodeAffinity",
                                   "NodeResourcesBalancedAllocation", "NodeResourcesFit",
                                   "PodTopologySpread", "TaintToleration"}));
  EXPECT_GT(coverage.fits, 50);
  EXPECT_GT(coverage.does_not_fit, 50);
  EXPECT_GT(coverage.candidates, 20);
  EXPECT_GT(coverage.pdb_violations, 0);
  RecordProperty("fits", coverage.fits);
  RecordProperty("does_not_fit", coverage.does_not_fit);
  RecordProperty("candidates", coverage.candidates);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
