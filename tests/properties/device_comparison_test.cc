// Compares the engine with the reference implementation on random clusters with devices: after each
// change both decide where a pending pod should go and which devices it gets, and must agree in
// every respect. Devices are reserved and released along the way, so that the engine's caches are
// exercised.
//
// BERTH_DEVICE_DECISIONS sets the number of decisions (5,000); BERTH_DEVICE_SEED repeats one
// cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "scheduler/engine/explain.h"
#include "scheduler/engine/reference_comparison.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/snapshot.h"
#include "testing/engine_harness.h"
#include "testing/random_cluster.h"
#include "testing/random_devices.h"
#include "testing/random_features.h"
#include "testing/require.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);
constexpr size_t kMostWaiting = 5;

struct Coverage {
  size_t decisions = 0;
  size_t placed = 0;
  size_t devices = 0;
  size_t shares = 0;
  size_t reserved = 0;
  size_t errors = 0;
  size_t scored = 0;
  std::map<std::string, size_t> reasons;
};

void Note(const scheduler::reference::Evaluation& evaluation, Coverage& coverage) {
  ++coverage.decisions;
  coverage.placed += !evaluation.best_nodes.empty();
  coverage.errors += !evaluation.error.empty();
  for (const auto& [name, node] : evaluation.nodes) {
    if (node.verdict.rejected() && node.verdict.plugin() == "DynamicResources")
      ++coverage.reasons[node.verdict.Message()];
    const auto score = node.scores.find("DynamicResources");
    coverage.scored += score != node.scores.end() && score->second > 0;
    for (const auto& allocation : node.allocations) {
      for (const auto& result : allocation.allocation.results) {
        ++coverage.devices;
        coverage.shares += result.share_id.has_value();
      }
    }
  }
}

// Scores of extended resources count in half of the clusters.
scheduler::framework::ProfileConfig ProfileFor(uint64_t seed) {
  scheduler::framework::ProfileConfig config = DefaultProfile();
  if (seed % 2 == 0) return config;
  scheduler::framework::NodeResourcesFitArgs fit;
  fit.scoring_strategy.resources = {{"cpu", 1}, {"example.com/gpu", 3}};
  config.args["NodeResourcesFit"] = fit;
  scheduler::framework::NodeResourcesBalancedAllocationArgs balanced;
  balanced.resources = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}};
  config.args["NodeResourcesBalancedAllocation"] = balanced;
  return config;
}

scheduler::model::Features FeaturesFor(uint64_t seed) {
  if (seed % 3 != 0) return {};
  Random random(~seed);
  return RandomFeatures(random);
}

class ComparedDevices {
 public:
  ComparedDevices(uint64_t seed, Coverage& coverage)
      : generator_(seed),
        random_(~seed),
        coverage_(coverage),
        features_(FeaturesFor(seed)),
        config_(ProfileFor(seed)),
        rules_(scheduler::reference::ReferenceProfileOf(config_, features_)),
        profile_(
            *scheduler::framework::Profile::Build(config_, scheduler::plugins::InTreeRegistry())),
        results_(*profile_, cluster_, nullptr) {
    const scheduler::reference::Snapshot generated = generator_.Snapshot();
    std::vector<api::Object> objects = ObjectsOf(generated);
    for (size_t i = objects.size(); i > 1; --i)
      std::swap(objects[i - 1], objects[random_.Below(i)]);
    for (const api::Object& object : objects) {
      const auto* claim = std::get_if<api::Ref<api::ResourceClaim>>(&object);
      if (claim != nullptr && (*claim)->status.allocation && random_.Chance(25)) {
        PutAssumed(*claim);
      } else {
        Put(object);
      }
    }
    for (const auto& [uid, claim] : generated.devices.in_flight)
      cluster_.mutable_devices().AddInFlight(claim);
    const scheduler::reference::Snapshot seen = scheduler::engine::SnapshotOf(cluster_);
    EXPECT_EQ(seen.devices.in_flight, generated.devices.in_flight);
  }

  ~ComparedDevices() {
    while (!reserved_.empty()) Release();
  }
  ComparedDevices(const ComparedDevices&) = delete;
  ComparedDevices& operator=(const ComparedDevices&) = delete;

  // Applies a change, then decides about a pod. Returns the mismatches.
  scheduler::engine::ReferenceMismatches Step() {
    if (!reserved_.empty() && random_.Chance(25)) {
      Release();
    } else if (random_.Chance(70)) {
      const RandomChange change = generator_.Change(snapshot_);
      change.removed ? Remove(change.object) : Put(change.object);
    }
    return Decide(PodToTry());
  }

 private:
  // A pod for which devices are reserved.
  struct Reserved {
    std::unique_ptr<const scheduler::model::PodRecord> pod;
    std::shared_ptr<scheduler::framework::ClassResults> results;
    std::unique_ptr<scheduler::framework::Attempt> attempt;
    scheduler::model::NodeRow node;
  };

  void Put(const api::Object& object) {
    snapshot_.Put(object);
    if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object)) {
      cluster_.PutPod(*pod);
    } else {
      cluster_.Put(object);
    }
  }

  // The scheduler has written the allocation, and the API has not shown it yet.
  void PutAssumed(const api::Ref<api::ResourceClaim>& claim) {
    api::ResourceClaim shown = *claim;
    shown.metadata.resource_version = "0";
    shown.status = {};
    cluster_.Put(std::make_shared<const api::ResourceClaim>(std::move(shown)));
    EXPECT_TRUE(cluster_.mutable_devices().Assume(claim).has_value());
    snapshot_.Put(claim);
  }

  void Remove(const api::Object& object) {
    snapshot_.Remove(object);
    std::visit([&]<typename T>(const api::Ref<T>&) { cluster_.Remove<T>(api::KeyOf(object)); },
               object);
  }

  // Returns a new pod, one with the same claims as another, or one that was tried before.
  api::Ref<api::Pod> PodToTry() {
    const auto any = [&] { return waiting_[random_.Below(waiting_.size())]; };
    if (waiting_.size() >= kMostWaiting || (!waiting_.empty() && random_.Chance(60))) return any();
    api::Ref<api::Pod> pod = generator_.WaitingPod(snapshot_);
    if (!waiting_.empty() && random_.Chance(30)) {
      api::Pod replica = *any();
      replica.metadata.name = pod->metadata.name;
      replica.metadata.uid = pod->metadata.uid;
      pod = std::make_shared<const api::Pod>(std::move(replica));
    }
    waiting_.push_back(pod);
    cluster_.PutPod(pod);
    return pod;
  }

  scheduler::engine::ReferenceMismatches Decide(const api::Ref<api::Pod>& object) {
    const scheduler::model::PodId id =
        cluster_.pods().Find(object->metadata.namespace_, object->metadata.name);
    Require(id.valid(), "the pod is not in the model");
    auto pod = std::make_unique<const scheduler::model::PodRecord>(cluster_.Retain(id));
    auto results = results_.For(*pod);
    auto attempt =
        std::make_unique<scheduler::framework::Attempt>(cluster_, *profile_, *results, *pod);
    const scheduler::engine::Explanation fast =
        scheduler::engine::ExplainAttempt(*attempt, kNow, random_);
    const scheduler::reference::Snapshot seen = scheduler::engine::SnapshotOf(cluster_);
    EXPECT_EQ(seen.resource_claims, snapshot_.resource_claims);
    EXPECT_EQ(seen.resource_slices, snapshot_.resource_slices);
    EXPECT_EQ(seen.device_classes, snapshot_.device_classes);
    snapshot_.devices = seen.devices;
    const scheduler::reference::Evaluation slow =
        scheduler::reference::Evaluate(snapshot_, *object, rules_, kNow);
    EXPECT_FALSE(slow.gave_up);
    Note(slow, coverage_);
    auto differences = scheduler::engine::CompareWithReference(fast, slow);
    if (!slow.best_nodes.empty() && differences.empty() && random_.Chance(40)) {
      Reserve(std::move(pod), std::move(results), std::move(attempt), slow.best_nodes[0]);
      return differences;
    }
    attempt.reset();
    cluster_.Release(*pod);
    return differences;
  }

  const scheduler::framework::ReservePlugin& DynamicResources() const {
    const auto found = std::ranges::find_if(profile_->reserve(), [](const auto* plugin) {
      return plugin->name() == "DynamicResources";
    });
    Require(found != profile_->reserve().end(), "DynamicResources reserves nothing");
    return **found;
  }

  void Reserve(std::unique_ptr<const scheduler::model::PodRecord> pod,
               std::shared_ptr<scheduler::framework::ClassResults> results,
               std::unique_ptr<scheduler::framework::Attempt> attempt, const std::string& name) {
    const scheduler::model::NodeRow node = cluster_.nodes().Find(cluster_.symbols().Find(name));
    cluster_.HoldRow(node);
    EXPECT_TRUE(DynamicResources().Reserve(attempt->cycle(), node).ok());
    ++coverage_.reserved;
    reserved_.push_back({std::move(pod), std::move(results), std::move(attempt), node});
  }

  void Release() {
    const size_t i = random_.Below(reserved_.size());
    Reserved entry = std::move(reserved_[i]);
    reserved_.erase(reserved_.begin() + static_cast<ptrdiff_t>(i));
    DynamicResources().Unreserve(entry.attempt->cycle(), entry.node);
    entry.attempt.reset();
    cluster_.ReleaseRow(entry.node);
    cluster_.Release(*entry.pod);
  }

  DeviceClusterGenerator generator_;
  Random random_;
  Coverage& coverage_;
  const scheduler::model::Features features_;
  const scheduler::framework::ProfileConfig config_;
  const scheduler::reference::ReferenceProfile rules_;
  const std::unique_ptr<scheduler::framework::Profile> profile_;
  scheduler::model::Cluster cluster_{features_};
  scheduler::framework::ClassResultsCache results_;
  scheduler::reference::Snapshot snapshot_;
  std::vector<api::Ref<api::Pod>> waiting_;
  std::vector<Reserved> reserved_;
};

uint64_t NumberFrom(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// Runs one cluster; returns false at a mismatch.
bool RunCluster(uint64_t seed, Coverage& coverage) {
  ComparedDevices compared(seed, coverage);
  for (int step = 0; step < 30; ++step) {
    for (const scheduler::engine::ReferenceMismatch& difference : compared.Step())
      ADD_FAILURE() << difference.Text();
    if (!testing::Test::HasFailure()) continue;
    ADD_FAILURE() << fmt::format(
        "seed {}, step {}; reproduce with: BERTH_DEVICE_SEED={} "
        "build/release/tests/properties_tests --gtest_filter='DeviceComparison*'",
        seed, step, seed);
    return false;
  }
  return true;
}

TEST(DeviceComparison, EngineMatchesTheReference) {
  Coverage coverage;
  if (const uint64_t seed = NumberFrom("BERTH_DEVICE_SEED", 0); seed != 0) {
    RunCluster(seed, coverage);
    return;
  }
  const size_t wanted = NumberFrom("BERTH_DEVICE_DECISIONS", 5'000);
  for (uint64_t seed = 1; coverage.decisions < wanted; ++seed) {
    if (!RunCluster(seed, coverage)) return;
  }
  // At least one in a hundred decisions.
  for (const size_t count : {coverage.placed, coverage.devices, coverage.shares, coverage.reserved,
                             coverage.errors, coverage.scored}) {
    EXPECT_GE(count * 100, wanted);
  }
  for (const char* reason :
       {"cannot allocate all claims", "resourceclaim not available on the node",
        "invalid resource pools were encountered"}) {
    EXPECT_GE(coverage.reasons[reason] * 100, wanted) << reason;
  }
  fmt::print("{} decisions: {} placed, {} devices, {} reservations, {} errors\n",
             coverage.decisions, coverage.placed, coverage.devices, coverage.reserved,
             coverage.errors);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
