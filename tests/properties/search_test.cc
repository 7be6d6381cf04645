// The search for the best node (scheduler/framework/node_search.h) decides as evaluating every node
// does: in random clusters with many equal nodes, for pods of many classes, while pods and nodes
// come, change and go.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"
#include "testing/require.h"

namespace berth {
namespace BERTH_TEST_FILE {

using scheduler::model::NodeRow;

api::PodAffinityTerm TermFor(const std::string& group, const char* key) {
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"group", group}};
  term.topology_key = key;
  return term;
}

api::Affinity& AffinityOf(MakePod& pod) {
  auto& affinity = pod.object.spec.affinity;
  return affinity ? *affinity : affinity.emplace();
}

// With so many groups few nodes have pods of one of them.
constexpr size_t kSoftGroups = 40;
std::string GroupName(size_t i) { return fmt::format("group-{}", i); }

// Reports whether scores of the pod depend on where nodes are, without those of default
// constraints.
bool HasSoftRules(const api::Pod& pod) {
  const auto prefers = [](const std::optional<api::PodAffinity>& affinity) {
    return affinity && !affinity->preferred.empty();
  };
  const auto is_soft = [](const auto& c) { return c.when_unsatisfiable == "ScheduleAnyway"; };
  const auto& affinity = pod.spec.affinity;
  return std::ranges::any_of(pod.spec.topology_spread_constraints, is_soft) ||
         (affinity && (prefers(affinity->pod_affinity) || prefers(affinity->pod_anti_affinity)));
}

class SearchedCluster {
 public:
  // If `soft`, many pods have scores by domain.
  SearchedCluster(uint64_t seed, size_t nodes, bool soft = false)
      : random_(seed),
        varied_(random_.Chance(50)),
        soft_(soft),
        without_zone_(soft && seed % 3 != 0 ? 0 : 5),
        profile_(Require(scheduler::framework::Profile::Build(
            ProfileFor(seed), scheduler::plugins::InTreeRegistry()))),
        results_(*profile_, cluster_, nullptr) {
    for (size_t i = 0; i < nodes; ++i) PutNode(i);
    if (soft) PutServices();
  }

  // Decides about a new pod in both ways, then changes something.
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
    } else if (random_.Chance(50) && names_.size() > 0) {
      cluster_.NominateByName(id, names_[random_.Below(names_.size())]);
    } else {
      cluster_.Remove<api::Pod>({pod.metadata.namespace_, pod.metadata.name});
    }
    Change();
  }

  size_t decided() const { return decided_; }
  size_t searched() const { return searched_; }
  size_t scanned() const { return scanned_; }
  size_t rated_by_domain() const { return rated_by_domain_; }

 private:
  static scheduler::framework::ProfileConfig ProfileFor(uint64_t seed) {
    scheduler::framework::ProfileConfig config = DefaultProfile();
    if (seed % 4 != 1) return config;
    scheduler::framework::NodeResourcesFitArgs fit;
    fit.scoring_strategy.type = "MostAllocated";
    fit.scoring_strategy.resources = {{"cpu", 3}, {"memory", 1}};
    config.args["NodeResourcesFit"] = fit;
    return config;
  }

  size_t Below(size_t bound) { return random_.Below(bound); }

  void PutNode(size_t i) {
    MakeNode node(fmt::format("node-{}", i));
    node.Cpu(std::to_string(2 << Below(3))).Memory("16Gi").Pods(random_.Chance(10) ? "3" : "110");
    if (varied_) node.Memory(fmt::format("{}Ki", 16'000'000 + Below(100'000)));
    if (random_.Chance(2)) node.Memory("0");
    if (random_.Chance(1)) node.Cpu("0");
    node.Label("kubernetes.io/hostname", node.object.metadata.name);
    if (!random_.Chance(without_zone_)) node.Zone(fmt::format("zone-{}", Below(4)));
    if (random_.Chance(40)) node.Label("disk", random_.Chance(50) ? "ssd" : "hdd");
    if (random_.Chance(10)) node.Taint("dedicated", "team", "NoSchedule");
    if (random_.Chance(10)) node.Taint("slow", "", "PreferNoSchedule");
    if (random_.Chance(5)) node.Cordoned();
    if (random_.Chance(15)) node.Offer("example.com/gpu", "2");
    if (random_.Chance(20)) node.Image("app:large", int64_t{900} << 20);
    if (names_.size() <= i) names_.resize(i + 1);
    names_[i] = node.object.metadata.name;
    cluster_.Put(node);
  }

  // Default constraints spread the pods of every other group.
  void PutServices() {
    for (size_t i = 0; i < kSoftGroups; i += 2) {
      const std::string group = GroupName(i);
      api::Service service;
      service.metadata = {.name = group, .namespace_ = "default"};
      service.selector = api::StringMap{{"group", group}};
      cluster_.Put(std::make_shared<const api::Service>(std::move(service)));
    }
  }

  void AddSoftRules(MakePod& pod, const std::string& group) {
    const auto key = [&] {
      return random_.Chance(50) ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname";
    };
    for (size_t i = Below(3); i > 0; --i) {
      auto& constraint = pod.object.spec.topology_spread_constraints.emplace_back();
      constraint.max_skew = static_cast<int32_t>(1 + Below(3));
      constraint.topology_key = key();
      constraint.when_unsatisfiable = "ScheduleAnyway";
      constraint.label_selector.emplace().match_labels = {{"group", group}};
    }
    if (random_.Chance(60)) return;
    api::Affinity& affinity = AffinityOf(pod);
    auto& terms = random_.Chance(50) ? affinity.pod_affinity : affinity.pod_anti_affinity;
    if (!terms) terms.emplace();
    for (size_t i = 1 + Below(2); i > 0; --i)
      terms->preferred.push_back({static_cast<int32_t>(1 + Below(100)), TermFor(group, key())});
  }

  api::Pod NewPod() {
    const std::string group = GroupName(Below(soft_ ? kSoftGroups : 4));
    MakePod pod(fmt::format("pod-{}", ++created_));
    pod.Label("group", group);
    const size_t kinds = varied_ ? 1'000 : 3;
    if (!random_.Chance(10)) pod.Request("cpu", fmt::format("{}m", 50 + Below(kinds)));
    if (!random_.Chance(10)) pod.Request("memory", fmt::format("{}Mi", 100 + 7 * Below(kinds)));
    if (random_.Chance(5)) pod.Request("ephemeral-storage", "1Gi");
    if (random_.Chance(8)) pod.Request("example.com/gpu", std::to_string(1 + Below(2)));
    if (random_.Chance(20)) pod.Image("app:large");
    if (random_.Chance(5)) pod.HostPort(static_cast<int32_t>(8'000 + Below(2)));
    if (random_.Chance(20)) pod.NodeSelector("disk", random_.Chance(50) ? "ssd" : "hdd");
    if (random_.Chance(20)) pod.Tolerates("dedicated", "team", "NoSchedule");
    if (random_.Chance(20)) pod.Tolerates("slow", "", "PreferNoSchedule");
    pod.Priority(static_cast<int32_t>(Below(2)));
    if (soft_) AddSoftRules(pod, group);
    switch (Below(8)) {
      case 0: {
        auto& constraint = pod.object.spec.topology_spread_constraints.emplace_back();
        constraint.max_skew = static_cast<int32_t>(1 + Below(2));
        constraint.topology_key =
            random_.Chance(70) ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname";
        constraint.when_unsatisfiable = "DoNotSchedule";
        constraint.label_selector.emplace().match_labels = {{"group", group}};
        break;
      }
      case 1:
        AffinityOf(pod).pod_anti_affinity.emplace().required = {
            TermFor(group, "kubernetes.io/hostname")};
        break;
      case 2: {
        // Most groups are everywhere, but some are in one place.
        const bool close = random_.Chance(80);
        const std::string wanted = close ? fmt::format("close-{}", Below(6)) : group;
        pod.Label("group", wanted);
        if (!close && random_.Chance(80)) break;
        AffinityOf(pod).pod_affinity.emplace().required = {TermFor(
            wanted, random_.Chance(90) ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname")};
        break;
      }
      case 3: {
        auto& preferred = AffinityOf(pod).node_affinity.emplace().preferred;
        preferred.emplace_back().weight = static_cast<int32_t>(1 + Below(3));
        preferred[0].preference.match_expressions = {{"disk", "In", {"ssd"}}};
        break;
      }
      default:
        break;
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
    EXPECT_TRUE(scan.Filter().ok());
    if (random_.Chance(20)) CompareCached(pod, *results, scan);
    if (scan.feasible().None()) {
      EXPECT_FALSE(found.valid()) << cluster_.nodes().name(found);
      return {};
    }
    EXPECT_TRUE(scan.Score().ok());
    ++decided_;
    searched_ += attempt.searched();
    rated_by_domain_ += soft_ && attempt.searched() && HasSoftRules(*pod.object);
    scanned_ += found.valid() && !attempt.searched();
    if (found.valid()) {
      EXPECT_EQ(found, scan.Best()) << pod.key().ToString();
    }
    return scan.Best();
  }

  // Expects the cached results of the pod's class to be those of `fresh`, which has filtered.
  void CompareCached(const scheduler::model::PodRecord& pod,
                     scheduler::framework::ClassResults& results,
                     scheduler::framework::Attempt& fresh) {
    scheduler::framework::Attempt cached(cluster_, *profile_, results, pod);
    cached.StartAt(fresh.start());
    EXPECT_TRUE(cached.PreFilter().ok());
    EXPECT_TRUE(cached.Filter().ok());
    EXPECT_TRUE(cached.feasible() == fresh.feasible()) << pod.key().ToString();
    fresh.candidates().ForEach([&](size_t row) {
      const NodeRow node{static_cast<uint32_t>(row)};
      EXPECT_EQ(fresh.feasible().Test(row), fresh.FilterNode(node).ok())
          << cluster_.nodes().name(node);
    });
    if (fresh.feasible().None()) {
      EXPECT_EQ(cached.Diagnose({}).Message(), fresh.Diagnose({}).Message());
      return;
    }
    EXPECT_TRUE(cached.Score().ok());
    EXPECT_TRUE(fresh.Score().ok());
    EXPECT_EQ(cached.Best(), fresh.Best());
  }

  void Change() {
    const size_t kind = Below(100);
    if (kind < 25 && !running_.empty()) {
      const size_t i = Below(running_.size());
      cluster_.Remove<api::Pod>({running_[i].metadata.namespace_, running_[i].metadata.name});
      running_[i] = running_.back();
      running_.pop_back();
    } else if (kind < 35) {
      PutNode(Below(names_.size()));  // Replaced, or back again.
    } else if (kind < 37) {
      PutNode(names_.size());
    } else if (kind < 39) {
      cluster_.Remove<api::Node>({"", names_[Below(names_.size())]});
    } else if (kind < 45 && !running_.empty()) {
      // In order, so that rows change that no search has seen.
      running_.push_back(NewPod());
      running_.back().spec.node_name = names_[Below(names_.size())];
      cluster_.PutPod(std::make_shared<const api::Pod>(running_.back()));
    }
  }

  Random random_;
  const bool varied_;  // Sizes of nodes and requests of pods are many, not few.
  const bool soft_;
  const uint32_t without_zone_;  // How many nodes of a hundred are in no zone.
  const std::unique_ptr<scheduler::framework::Profile> profile_;
  scheduler::model::Cluster cluster_;
  scheduler::framework::ClassResultsCache results_;
  std::vector<std::string> names_;  // Of all nodes, present or not.
  std::vector<api::Pod> running_;
  size_t start_ = 0;
  size_t created_ = 0, decided_ = 0, searched_ = 0, scanned_ = 0, rated_by_domain_ = 0;
};

TEST(SearchProperty, ChoosesTheNodeThatEvaluatingAllNodesChooses) {
  size_t decided = 0, searched = 0, scanned = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SearchedCluster cluster(seed, 5 + seed * seed % 300);
    for (int step = 0; step < 250; ++step) {
      cluster.Step();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    decided += cluster.decided();
    searched += cluster.searched();
    scanned += cluster.scanned();
  }
  // Others are of classes that were asked for again and again.
  EXPECT_GT(searched, decided / 4) << decided;
  EXPECT_GT(scanned, decided / 20) << decided;
  EXPECT_GT(searched + scanned, decided * 9 / 10) << decided;
}

// There are enough nodes for rating domains to cost less than rating each node.
TEST(SearchProperty, RatesDomainsAsEvaluatingAllNodesDoes) {
  size_t decided = 0, rated = 0;
  for (uint64_t seed = 101; seed <= 140; ++seed) {
    SearchedCluster cluster(seed, 700 + seed % 5 * 100, /*soft=*/true);
    for (int step = 0; step < 250; ++step) {
      cluster.Step();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << step;
    }
    decided += cluster.decided();
    rated += cluster.rated_by_domain();
  }
  EXPECT_GT(rated, decided / 4) << decided;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
