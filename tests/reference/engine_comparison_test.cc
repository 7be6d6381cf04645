// Compares the engine with the reference implementation on random clusters: after each change both
// decide where a pending pod should go, and must agree in every respect. Pods are assumed, bound,
// forgotten, nominated and evicted along the way, so that the engine's caches are exercised.
//
// BERTH_REFERENCE_DECISIONS sets the number of decisions (10,000); BERTH_REFERENCE_SEED repeats one
// cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/engine/explain.h"
#include "scheduler/engine/paranoid_check.h"
#include "scheduler/engine/reference_comparison.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/snapshot.h"
#include "testing/engine_harness.h"
#include "testing/random_cluster.h"
#include "testing/random_features.h"
#include "testing/require.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);
constexpr size_t kMostWaiting = 10;
constexpr uint64_t kShards = 4;

// Counts what was decided, to check that nothing is left out.
struct Coverage {
  size_t decisions = 0;
  size_t placed = 0;
  size_t on_nominated_node = 0;
  size_t searched = 0;
  size_t with_victims = 0;
  size_t with_budget_violations = 0;
  size_t errors = 0;
  // By features that are off by default.
  size_t scored_by_storage = 0;
  size_t without_driver = 0;
  std::map<std::string, size_t> fits_nowhere_by;  // By rejecting plugin.
};

void Note(const scheduler::reference::Evaluation& evaluation, Coverage& coverage) {
  ++coverage.decisions;
  coverage.placed += !evaluation.best_nodes.empty();
  coverage.on_nominated_node += evaluation.nominated_node_fits;
  coverage.errors += !evaluation.error.empty();
  for (const std::string& plugin : evaluation.unschedulable_plugins)
    ++coverage.fits_nowhere_by[plugin];
  const auto any_node = [&](auto&& is_so) { return std::ranges::any_of(evaluation.nodes, is_so); };
  coverage.scored_by_storage += any_node([](const auto& node) {
    const auto score = node.second.scores.find("VolumeBinding");
    return score != node.second.scores.end() && score->second > 0;
  });
  coverage.without_driver += any_node([](const auto& node) {
    return node.second.verdict.Message().ends_with("CSI driver is not installed on the node");
  });
  if (!evaluation.preemption) return;
  coverage.with_victims += !evaluation.preemption->candidates.empty();
  for (const auto& [node, candidate] : evaluation.preemption->candidates) {
    if (candidate.pdb_violations == 0) continue;
    ++coverage.with_budget_violations;
    break;
  }
}

// Most clusters use kube-scheduler's defaults, others different arguments.
scheduler::framework::ProfileConfig ProfileFor(uint64_t seed) {
  scheduler::framework::ProfileConfig config = DefaultProfile();
  if (seed % 5 == 1) {
    scheduler::framework::NodeResourcesFitArgs fit;
    fit.scoring_strategy.type = "MostAllocated";
    fit.scoring_strategy.resources = {{"cpu", 3}, {"memory", 1}, {"example.com/gpu", 5}};
    fit.ignored_resource_groups = {"unknown.example.com"};
    config.args["NodeResourcesFit"] = fit;
    config.args["InterPodAffinity"] = scheduler::framework::InterPodAffinityArgs{40, true};
  }
  if (seed % 5 == 2) {
    scheduler::framework::NodeResourcesFitArgs fit;
    fit.scoring_strategy.type = "RequestedToCapacityRatio";
    fit.scoring_strategy.shape = {{{0, 0}, {60, 10}, {100, 3}}};
    config.args["NodeResourcesFit"] = fit;
    scheduler::framework::PodTopologySpreadArgs spread;
    spread.defaulting_type = "List";
    api::TopologySpreadConstraint constraint;
    constraint.max_skew = 1;
    constraint.topology_key = "topology.kubernetes.io/zone";
    constraint.when_unsatisfiable = "DoNotSchedule";
    constraint.match_label_keys = {"version"};  // Not read in a default constraint.
    spread.default_constraints = {constraint};
    config.args["PodTopologySpread"] = spread;
  }
  // Read if the feature StorageCapacityScoring is on.
  if (seed % 5 == 3) {
    scheduler::framework::VolumeBindingArgs volumes;
    volumes.shape = {{{0, 0}, {50, 10}, {100, 4}}};
    config.args["VolumeBinding"] = volumes;
  }
  return config;
}

// Half of the clusters have the default feature gates, the others random ones.
scheduler::model::Features FeaturesFor(uint64_t seed) {
  if (seed / kShards % 2 == 0) return {};
  Random random(~seed);
  return RandomFeatures(random);
}

// Removes empty entries.
using PodsByNode = std::map<std::string, std::map<api::ObjectKey, api::Ref<api::Pod>>, std::less<>>;
PodsByNode Occupied(PodsByNode pods) {
  std::erase_if(pods, [](const auto& entry) { return entry.second.empty(); });
  return pods;
}

bool SamePods(const PodsByNode& a, const PodsByNode& b) {
  return std::ranges::equal(Occupied(a), Occupied(b), [](const auto& x, const auto& y) {
    return x.first == y.first &&
           std::ranges::equal(x.second, y.second, [](const auto& p, const auto& q) {
             return p.first == q.first && (p.second == q.second || *p.second == *q.second);
           });
  });
}

// A cluster as the engine's model and as plain objects.
class ComparedCluster {
 public:
  ComparedCluster(uint64_t seed, Coverage& coverage)
      : generator_(seed),
        random_(~seed),
        coverage_(coverage),
        features_(FeaturesFor(seed)),
        config_(ProfileFor(seed)),
        rules_(scheduler::reference::ReferenceProfileOf(config_, features_)),
        profile_(
            *scheduler::framework::Profile::Build(config_, scheduler::plugins::InTreeRegistry())),
        results_(*profile_, cluster_, nullptr) {
    std::vector<api::Object> objects = ObjectsOf(generator_.Snapshot(3 + random_.Below(10)));
    for (size_t i = objects.size(); i > 1; --i)
      std::swap(objects[i - 1], objects[random_.Below(i)]);
    for (const api::Object& object : objects) Put(object);
  }

  // Applies a change, then decides about a pod. Returns the mismatches.
  scheduler::engine::ReferenceMismatches Step() {
    Change();
    ExpectSameObjects();
    const api::Ref<api::Pod> pod = PodToTry();
    return pod == nullptr ? scheduler::engine::ReferenceMismatches{} : Decide(pod);
  }

 private:
  using Waiting = std::map<api::ObjectKey, api::Ref<api::Pod>>;

  // A pod that the engine has placed and the API has not shown on its node yet.
  struct Assumed {
    std::unique_ptr<const scheduler::model::PodRecord> pod;
    std::shared_ptr<scheduler::framework::ClassResults> results;
    std::unique_ptr<scheduler::framework::Attempt> attempt;
    scheduler::model::NodeRow node;
  };

  // --- changes ---

  void Change() {
    const uint64_t kind = random_.Below(100);
    if (kind < 15 && !assumed_.empty()) return EndAssumption();
    if (kind < 25 && !waiting_.empty()) return ChangeWaiting();
    if (PlacedPods() > 6 * snapshot_.nodes.size()) return RemoveOnePlaced();
    const RandomChange change = generator_.Change(snapshot_);
    if (change.removed) {
      Remove(change.object);
    } else {
      Put(change.object);
    }
  }

  size_t PlacedPods() const {
    size_t count = 0;
    for (const auto& [node, pods] : snapshot_.placed) count += pods.size();
    return count;
  }

  void RemoveOnePlaced() {
    size_t i = random_.Below(PlacedPods());
    for (const auto& [node, pods] : snapshot_.placed) {
      if (i < pods.size()) return Remove(std::next(pods.begin(), static_cast<int64_t>(i))->second);
      i -= pods.size();
    }
  }

  void Put(const api::Object& object) {
    snapshot_.Put(object);
    const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
    if (pod == nullptr) {
      cluster_.Put(object);
      return;
    }
    const scheduler::model::PodId id = cluster_.PutPod(*pod);
    const std::string& nominated = (*pod)->status.nominated_node_name;
    if (!id.valid() || cluster_.pod(id).state != scheduler::model::PodState::kPending) return;
    cluster_.NominateByName(id, nominated);
  }

  void Remove(const api::Object& object) {
    snapshot_.Remove(object);
    std::visit([&]<typename T>(const api::Ref<T>&) { cluster_.Remove<T>(api::KeyOf(object)); },
               object);
  }

  // An assumed pod is observed on its node, or its binding fails.
  void EndAssumption() {
    const size_t i = random_.Below(assumed_.size());
    Assumed entry = std::move(assumed_[i]);
    assumed_.erase(assumed_.begin() + static_cast<ptrdiff_t>(i));
    const scheduler::model::PodRecord& pod = *entry.pod;
    const bool still_assumed = cluster_.pods().Contains(pod.id) &&
                               cluster_.pod(pod.id).uid() == pod.uid() &&
                               cluster_.pod(pod.id).state == scheduler::model::PodState::kAssumed;
    if (still_assumed && random_.Chance(60)) {
      api::Pod bound = *pod.object;
      bound.spec.node_name = cluster_.nodes().name(entry.node);
      bound.status.start_time = kNow + Duration::Seconds(static_cast<int64_t>(++started_));
      Put(std::make_shared<const api::Pod>(std::move(bound)));
    } else if (still_assumed) {
      for (const scheduler::framework::ReservePlugin* plugin : profile_->reserve())
        plugin->Unreserve(entry.attempt->cycle(), entry.node);
      cluster_.Forget(pod.id);
      waiting_[pod.key()] = cluster_.pod(pod.id).object;
      Put(cluster_.pod(pod.id).object);
    }
    cluster_.ReleaseRow(entry.node);
    cluster_.Release(pod);
  }

  // A pending pod changes its labels, has its nomination written, or is deleted.
  void ChangeWaiting() {
    auto entry = std::next(waiting_.begin(), static_cast<int64_t>(random_.Below(waiting_.size())));
    if (random_.Chance(40)) {
      Remove(entry->second);
      waiting_.erase(entry);
      return;
    }
    if (random_.Chance(30)) {
      api::Pod pod = *entry->second;
      pod.metadata.labels = generator_.WaitingPod(snapshot_)->metadata.labels;
      entry->second = std::make_shared<const api::Pod>(std::move(pod));
    }
    WriteNomination(entry);
  }

  // Writes the pod's nomination to the API.
  void WriteNomination(Waiting::iterator entry) {
    api::Pod pod = *entry->second;
    const scheduler::model::PodId id =
        cluster_.pods().Find(entry->first.namespace_, entry->first.name);
    const Symbol nominated = cluster_.nominations().NodeOf(id);
    pod.status.nominated_node_name = nominated.valid() ? cluster_.symbols().Text(nominated) : "";
    entry->second = std::make_shared<const api::Pod>(std::move(pod));
    Put(entry->second);
    if (nominated.valid()) nominated_ = entry->first;
  }

  // --- decisions ---

  // Returns a new pod, a replica of a pending one, or a pending one.
  api::Ref<api::Pod> PodToTry() {
    const auto nominated = waiting_.find(nominated_);
    if (nominated != waiting_.end() && random_.Chance(20)) return nominated->second;
    if (!waiting_.empty() && (waiting_.size() >= kMostWaiting || random_.Chance(50)))
      return OneThatWaits();
    api::Ref<api::Pod> pod = generator_.WaitingPod(snapshot_);
    if (!waiting_.empty() && random_.Chance(35)) {
      api::Pod replica = *OneThatWaits();
      replica.metadata.name = pod->metadata.name;
      replica.metadata.uid = pod->metadata.uid;
      pod = std::make_shared<const api::Pod>(std::move(replica));
    }
    waiting_[{pod->metadata.namespace_, pod->metadata.name}] = pod;
    Put(pod);
    return pod;
  }

  api::Ref<api::Pod> OneThatWaits() {
    return std::next(waiting_.begin(), static_cast<int64_t>(random_.Below(waiting_.size())))
        ->second;
  }

  scheduler::engine::ReferenceMismatches Decide(const api::Ref<api::Pod>& object) {
    const scheduler::model::PodId id =
        cluster_.pods().Find(object->metadata.namespace_, object->metadata.name);
    Require(id.valid(), "the pod is not in the model");
    auto pod = std::make_unique<const scheduler::model::PodRecord>(cluster_.Retain(id));
    auto results = results_.For(*pod);
    // An explanation evaluates every node: with results of its own, the decision may search.
    scheduler::framework::ClassResults own(*profile_, cluster_, cluster_.class_of(*pod));
    scheduler::framework::Attempt explained(cluster_, *profile_,
                                            coverage_.decisions % 2 == 0 ? own : *results, *pod);
    const scheduler::engine::Explanation fast =
        scheduler::engine::ExplainAttempt(explained, kNow, random_);
    auto attempt =
        std::make_unique<scheduler::framework::Attempt>(cluster_, *profile_, *results, *pod);
    Task<scheduler::engine::CycleOutcome> search = scheduler::engine::FindNode(
        *attempt, {.now = kNow, .random = random_, .next_start = next_start_});
    search.Start();
    const scheduler::engine::CycleOutcome& outcome = search.result();
    coverage_.searched += attempt->searched();

    const scheduler::reference::Snapshot seen = scheduler::engine::SnapshotOf(cluster_);
    snapshot_.assumed_claims = seen.assumed_claims;
    snapshot_.assumed_volumes = seen.assumed_volumes;
    const scheduler::reference::Evaluation slow =
        scheduler::reference::Evaluate(snapshot_, *object, rules_, kNow);
    Note(slow, coverage_);

    scheduler::engine::ReferenceMismatches differences;
    if (outcome.kind != scheduler::engine::CycleOutcome::Kind::kNoNodes)
      differences = scheduler::engine::CompareWithReference(fast, slow);
    auto order = scheduler::reference::NodeOrder(snapshot_);
    std::ranges::rotate(order, order.begin() + static_cast<ptrdiff_t>(attempt->start()));
    std::ranges::move(
        scheduler::engine::CompareDecision(scheduler::engine::ToNamedDecision(cluster_, outcome),
                                           slow, order, rules_),
        std::back_inserter(differences));
    if (outcome.kind == scheduler::engine::CycleOutcome::Kind::kNode && random_.Chance(60)) {
      Assume({std::move(pod), std::move(results), std::move(attempt), outcome.node});
      return differences;
    }
    if (!outcome.post_filter.victims.empty() && random_.Chance(60)) Nominate(*pod, outcome);
    cluster_.Release(*pod);
    return differences;
  }

  void Assume(Assumed entry) {
    const scheduler::model::PodRecord& pod = *entry.pod;
    cluster_.HoldRow(entry.node);
    cluster_.Assume(pod.id, entry.node);
    for (const scheduler::framework::ReservePlugin* plugin : profile_->reserve())
      EXPECT_TRUE(plugin->Reserve(entry.attempt->cycle(), entry.node).ok());
    api::Pod placed = *pod.object;
    placed.spec.node_name = cluster_.nodes().name(entry.node);
    snapshot_.Put(std::make_shared<const api::Pod>(std::move(placed)));
    waiting_.erase(pod.key());
    assumed_.push_back(std::move(entry));
  }

  // Nominates the pod; its victims are deleted at once or terminate.
  void Nominate(const scheduler::model::PodRecord& pod,
                const scheduler::engine::CycleOutcome& outcome) {
    const Symbol node = outcome.post_filter.nomination.node;
    cluster_.Nominate(pod.id, node);
    for (auto& [name, pods] : snapshot_.nominated) pods.erase(pod.key());
    snapshot_.nominated[cluster_.symbols().Text(node)][pod.key()] = pod.object;
    if (random_.Chance(50)) WriteNomination(waiting_.find(pod.key()));
    for (scheduler::model::PodId id : outcome.post_filter.victims) {
      if (cluster_.pod(id).state == scheduler::model::PodState::kAssumed) continue;
      const api::Ref<api::Pod> victim = cluster_.pod(id).object;
      if (random_.Chance(50)) {
        Remove(victim);
        continue;
      }
      api::Pod terminating = *victim;
      terminating.metadata.deletion_timestamp = kNow;
      api::PodCondition condition;
      condition.type = "DisruptionTarget";
      condition.status = "True";
      condition.reason = "PreemptionByScheduler";
      terminating.status.conditions.push_back(std::move(condition));
      Put(std::make_shared<const api::Pod>(std::move(terminating)));
    }
  }

  // Checks that paranoid mode derives the right snapshot from the model.
  void ExpectSameObjects() {
    const scheduler::reference::Snapshot seen = scheduler::engine::SnapshotOf(cluster_);
    EXPECT_EQ(seen.nodes, snapshot_.nodes);
    EXPECT_TRUE(SamePods(seen.placed, snapshot_.placed));
    EXPECT_TRUE(SamePods(seen.nominated, snapshot_.nominated));
    EXPECT_EQ(seen.claims, snapshot_.claims);
    EXPECT_EQ(seen.volumes, snapshot_.volumes);
    EXPECT_EQ(seen.storage_classes, snapshot_.storage_classes);
    EXPECT_EQ(seen.csi_nodes, snapshot_.csi_nodes);
    EXPECT_EQ(seen.csi_drivers, snapshot_.csi_drivers);
    EXPECT_EQ(seen.csi_capacities, snapshot_.csi_capacities);
    EXPECT_EQ(seen.attachments, snapshot_.attachments);
    EXPECT_EQ(seen.namespaces, snapshot_.namespaces);
    EXPECT_EQ(seen.services, snapshot_.services);
    EXPECT_EQ(seen.replication_controllers, snapshot_.replication_controllers);
    EXPECT_EQ(seen.replica_sets, snapshot_.replica_sets);
    EXPECT_EQ(seen.stateful_sets, snapshot_.stateful_sets);
    EXPECT_EQ(seen.budgets, snapshot_.budgets);
  }

  ClusterGenerator generator_;
  Random random_;
  size_t next_start_ = 0;
  Coverage& coverage_;
  const scheduler::model::Features features_;
  const scheduler::framework::ProfileConfig config_;
  const scheduler::reference::ReferenceProfile rules_;
  const std::unique_ptr<scheduler::framework::Profile> profile_;
  scheduler::model::Cluster cluster_{features_};
  scheduler::framework::ClassResultsCache results_;
  scheduler::reference::Snapshot snapshot_;
  Waiting waiting_;
  api::ObjectKey nominated_;  // The last pod that was nominated.
  std::vector<Assumed> assumed_;
  uint64_t started_ = 0;
};

uint64_t NumberFrom(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// Most clusters run briefly; a few run long, so that caches must be evicted in time.
uint64_t StepsOf(uint64_t seed) { return seed % 7 == 6 ? 500 : 80; }

// Runs one cluster; returns false at a mismatch.
bool RunCluster(uint64_t seed, Coverage& coverage) {
  ComparedCluster compared(seed, coverage);
  for (uint64_t step = 0; step < StepsOf(seed); ++step) {
    const scheduler::engine::ReferenceMismatches differences = compared.Step();
    for (const scheduler::engine::ReferenceMismatch& difference : differences)
      ADD_FAILURE() << difference.Text();
    if (!testing::Test::HasFailure()) continue;
    ADD_FAILURE() << fmt::format(
        "seed {}, step {}; reproduce with: BERTH_REFERENCE_SEED={} "
        "build/release/tests/reference_tests "
        "--gtest_filter='*EngineComparison*/0'",
        seed, step, seed);
    return false;
  }
  return true;
}

class EngineComparison : public testing::TestWithParam<uint64_t> {};

TEST_P(EngineComparison, EngineMatchesTheReference) {
  Coverage coverage;
  if (const uint64_t seed = NumberFrom("BERTH_REFERENCE_SEED", UINT64_MAX); seed != UINT64_MAX) {
    RunCluster(seed, coverage);
    return;
  }
  const size_t wanted = NumberFrom("BERTH_REFERENCE_DECISIONS", 10'000) / kShards;
  for (uint64_t seed = GetParam(); coverage.decisions < wanted; seed += kShards) {
    if (!RunCluster(seed, coverage)) return;
  }
  // At least one decision in `one_in`; what is rarer may be missing in a short run.
  const auto is_common = [&](size_t count, size_t one_in) {
    return count * one_in >= wanted || one_in > wanted;
  };
  EXPECT_TRUE(is_common(coverage.placed, 8)) << coverage.placed;
  EXPECT_TRUE(is_common(coverage.with_victims, 60)) << coverage.with_victims;
  EXPECT_TRUE(is_common(coverage.with_budget_violations, 500)) << coverage.with_budget_violations;
  EXPECT_TRUE(is_common(coverage.on_nominated_node, 500)) << coverage.on_nominated_node;
  EXPECT_TRUE(is_common(coverage.searched, 100)) << coverage.searched;
  EXPECT_TRUE(is_common(coverage.scored_by_storage, 5000)) << coverage.scored_by_storage;
  EXPECT_TRUE(is_common(coverage.without_driver, 1250)) << coverage.without_driver;
  for (const char* plugin :
       {"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
        "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
        "PodTopologySpread", "InterPodAffinity", "NodeDeclaredFeatures"}) {
    EXPECT_TRUE(is_common(coverage.fits_nowhere_by[plugin], 500))
        << plugin << " rejected pods " << coverage.fits_nowhere_by[plugin] << " times";
  }
  fmt::print("{} decisions: {} placed, {} with victims, {} errors\n", coverage.decisions,
             coverage.placed, coverage.with_victims, coverage.errors);
}

INSTANTIATE_TEST_SUITE_P(Shards, EngineComparison, testing::Range(uint64_t{0}, kShards));

}  // namespace BERTH_TEST_FILE
}  // namespace berth
