// The counters of pods and of affinity terms that plugins read equal a direct count over all pods
// after any sequence of changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_counters.h"
#include "testing/random_cluster.h"
#include "testing/random_objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr const char* kKeys[] = {"kubernetes.io/hostname", "topology.kubernetes.io/zone",
                                 "topology.kubernetes.io/region", "rack"};

// Counts by name; zero counts are left out.
using Counts = std::map<std::string, int64_t>;

void AddTo(Counts& counts, const std::string& name, int64_t count) {
  if ((counts[name] += count) == 0) counts.erase(name);
}

// --- matching whole objects ---

bool Selects(const std::optional<api::LabelSelector>& selector, const api::StringMap& labels) {
  const auto compiled = api::Selector::FromLabelSelector(selector);
  return compiled && compiled->Matches(labels);
}

const std::string* Find(const api::StringMap& labels, const std::string& key) {
  const auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

// Reports whether a term of a pod in namespace `owner` matches `pod`. With `incoming`, a namespace
// selector that matches empty labels matches every namespace.
bool Matches(const api::PodAffinityTerm& term, const std::string& owner, bool incoming,
             const scheduler::reference::Snapshot& snapshot, const api::Pod& pod) {
  const std::string& namespace_ = pod.metadata.namespace_;
  bool in_namespace = scheduler::reference::Contains(term.namespaces, namespace_);
  if (term.namespaces.empty() && !term.namespace_selector) in_namespace = namespace_ == owner;
  if (term.namespace_selector) {
    const auto* known = scheduler::reference::Find(snapshot.namespaces, namespace_);
    in_namespace |= Selects(term.namespace_selector,
                            known == nullptr ? api::StringMap{} : known->metadata.labels);
    if (incoming) in_namespace |= Selects(term.namespace_selector, {});
  }
  return in_namespace && Selects(term.label_selector, pod.metadata.labels);
}

// --- the counters ---

struct Query {
  const char* name;
  api::PodAffinityTerm term;
  bool incoming = false;
  bool count_terminating = true;
  std::optional<api::PodAffinityTerm> and_term = std::nullopt;  // Which must match, too.
};

std::vector<Query> Queries() {
  api::PodAffinityTerm all, web, not_web, by_team, without_team, unlisted, nothing;
  all.label_selector.emplace();
  all.namespace_selector.emplace();
  web.label_selector.emplace().match_labels["app"] = "web";
  not_web.label_selector.emplace().match_expressions = {{"app", "NotIn", {"web"}}};
  by_team.label_selector.emplace();
  by_team.namespace_selector.emplace().match_labels["team"] = "red";
  without_team.label_selector.emplace();
  without_team.namespace_selector.emplace().match_expressions = {{"team", "DoesNotExist", {}}};
  unlisted.label_selector.emplace();
  unlisted.namespaces = {"unlisted", "team-b"};
  nothing.namespace_selector.emplace();
  return {{"all", all},
          {"all but terminating", all, false, false},
          {"web", web},
          {"web but terminating", web, true, false},
          {"not web", not_web},
          {"by team", by_team},
          {"by team, incoming", by_team, true},
          {"without team", without_team},
          {"without team, incoming", without_team, true},
          {"unlisted", unlisted},
          {"nothing", nothing}};
}

std::vector<std::string> Versions(uint64_t count) {
  std::vector<std::string> versions;
  for (uint64_t i = 0; i < count; ++i) versions.push_back(fmt::format("v{}", i));
  return versions;
}

api::PodAffinityTerm RandomTerm(Random& random) {
  api::PodAffinityTerm term;
  if (random.Chance(95)) term.label_selector = generate::RandomPodSelector(random);
  if (term.label_selector && random.Chance(30)) {
    // As matchLabelKeys adds it, or a choice of few or many.
    const uint64_t values = random.Chance(50) ? 1 : random.Chance(50) ? 3 : 40;
    term.label_selector->match_expressions.push_back({"version", "In", Versions(values)});
  }
  while (random.Chance(20)) term.namespaces.push_back(generate::RandomNamespace(random));
  if (random.Chance(20)) term.namespace_selector = generate::RandomNamespaceSelector(random);
  return term;
}

using Carrier = std::tuple<int, int32_t, std::string>;  // Kind, weight and topology key.

std::string Text(const Carrier& carrier, const std::string& domain) {
  return fmt::format("kind {} weight {} {}={}", std::get<0>(carrier), std::get<1>(carrier),
                     std::get<2>(carrier), domain);
}

class CountedCluster {
 public:
  explicit CountedCluster(uint64_t seed) : generator_(seed), random_(~seed), queries_(Queries()) {
    for (const char* key : kKeys) keys_.push_back(cluster_.UseTopologyKey(key));
    for (const Query& query : queries_) counters_.push_back(Count(query));
    for (const api::Object& object : ObjectsOf(generator_.Snapshot(6))) Put(object);
  }

  void Step() {
    const uint64_t kind = random_.Below(100);
    if (kind < 12) return Put(generator_.WaitingPod(snapshot_));
    if (kind < 24) return Assume();
    if (kind < 30) return Forget();
    if (kind < 40) return CountForAWhile();
    const RandomChange change = generator_.Change(snapshot_);
    if (!change.removed) return Put(change.object);
    snapshot_.Remove(change.object);
    std::visit(
        [&]<typename T>(const api::Ref<T>&) { cluster_.Remove<T>(api::KeyOf(change.object)); },
        change.object);
  }

  void Check() {
    for (size_t i = 0; i < queries_.size(); ++i) {
      SCOPED_TRACE(queries_[i].name);
      EXPECT_EQ(Cached(*counters_[i]), Counted(queries_[i]));
    }
    for (const auto& [query, counter] : passing_) EXPECT_EQ(Cached(*counter), Counted(query));
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      SCOPED_TRACE(pod.key().ToString());
      EXPECT_EQ(CachedCarriers(pod), CountedCarriers(pod));
    });
  }

 private:
  void Put(const api::Object& object) {
    snapshot_.Put(object);
    cluster_.Put(object);
  }

  // Assumes a pending pod on a random node; Forget undoes it.
  void Assume() {
    const scheduler::model::PodId id = OneIn(scheduler::model::PodState::kPending);
    if (!id.valid() || cluster_.nodes().present_count() == 0) return;
    const std::vector<scheduler::model::NodeRow>& rows = cluster_.nodes().order().rows();
    cluster_.Assume(id, rows[random_.Below(rows.size())]);
  }
  void Forget() {
    if (const scheduler::model::PodId id = OneIn(scheduler::model::PodState::kAssumed); id.valid())
      cluster_.Forget(id);
  }

  scheduler::model::PodId OneIn(scheduler::model::PodState state) {
    std::vector<scheduler::model::PodId> found;
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      if (pod.state == state) found.push_back(pod.id);
    });
    return found.empty() ? scheduler::model::PodId{} : found[random_.Below(found.size())];
  }

  // Adds a counter that is released later, with many others: then counters are renumbered.
  void CountForAWhile() {
    if (passing_.size() > 40) std::erase_if(passing_, [&](auto&) { return random_.Chance(80); });
    Query query{"passing", RandomTerm(random_), random_.Chance(50), random_.Chance(50)};
    if (random_.Chance(20)) query.and_term = RandomTerm(random_);
    auto counter = Count(query);
    passing_.emplace_back(std::move(query), std::move(counter));
  }

  std::shared_ptr<const scheduler::model::PodCounter> Count(const Query& query) {
    SymbolHolder symbols(cluster_.mutable_symbols());
    scheduler::model::PodQuery pod_query{
        {scheduler::model::PodMatcher(query.term, "default", symbols)},
        query.incoming,
        query.count_terminating};
    if (query.and_term) pod_query.all_of.emplace_back(*query.and_term, "default", symbols);
    return cluster_.CountPods(pod_query, keys_);
  }

  // --- the counters' values ---

  Counts Cached(const scheduler::model::PodCounter& counter) const {
    Counts counts;
    counter.per_node().ForEach([&](size_t row, int32_t count) {
      if (count == 0) return;
      const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
      AddTo(counts, "on " + cluster_.nodes().name(node), count);
    });
    for (const auto& key : keys_) AddDomains(*key, counter.PerDomain(*key), "", counts);
    return counts;
  }

  Counts CachedCarriers(const scheduler::model::PodRecord& pod) const {
    Counts counts;
    const scheduler::model::AffinityTerms& terms = cluster_.affinity_terms();
    for (uint32_t i : terms.Matching(pod.labels)) {
      const scheduler::model::AffinityTerms::Term& term = terms.term(i);
      int64_t sum = 0;
      term.carriers.ForEach([&](size_t, int32_t carriers) { sum += carriers; });
      EXPECT_EQ(sum, term.in_domains);
      AddDomains(*term.key, term.carriers,
                 fmt::format("kind {} weight {} ", static_cast<int>(term.kind), term.weight),
                 counts);
    }
    return counts;
  }

  void AddDomains(const scheduler::model::Topology::Key& key,
                  const scheduler::model::IndexedCounts& per_domain, const std::string& prefix,
                  Counts& counts) const {
    per_domain.ForEach([&](size_t domain, int32_t count) {
      if (count == 0) return;
      AddTo(counts,
            fmt::format("{}{}={}", prefix, cluster_.symbols().Text(key.label()),
                        cluster_.symbols().Text(key.domains()[domain].value)),
            count);
    });
  }

  // --- the direct count ---

  template <typename Visit>
  void ForEachPlaced(Visit&& visit) const {
    cluster_.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      if (pod.state == scheduler::model::PodState::kPending) return;
      const std::string& name = cluster_.nodes().name(pod.node);
      visit(*pod.object, name, scheduler::reference::Find(snapshot_.nodes, name));
    });
  }

  Counts Counted(const Query& query) const {
    Counts counts;
    ForEachPlaced([&](const api::Pod& pod, const std::string& name, const api::Node* node) {
      const auto matches = [&](const api::PodAffinityTerm& term) {
        return Matches(term, "default", query.incoming, snapshot_, pod);
      };
      if (!matches(query.term) || (query.and_term && !matches(*query.and_term))) return;
      if (pod.metadata.deletion_timestamp && !query.count_terminating) return;
      AddTo(counts, "on " + name, 1);
      for (const char* key : kKeys) {
        const std::string* value = node == nullptr ? nullptr : Find(node->metadata.labels, key);
        if (value != nullptr) AddTo(counts, fmt::format("{}={}", key, *value), 1);
      }
    });
    return counts;
  }

  // Counts the terms of placed pods that match `pod`, by domain.
  Counts CountedCarriers(const scheduler::model::PodRecord& pod) const {
    Counts counts;
    ForEachPlaced([&](const api::Pod& carrier, const std::string&, const api::Node* node) {
      if (node == nullptr || !carrier.spec.affinity) return;
      const auto add = [&](scheduler::model::AffinityTerms::Kind kind, int32_t weight,
                           const api::PodAffinityTerm& term) {
        const std::string* value = Find(node->metadata.labels, term.topology_key);
        if (value == nullptr) return;
        if (!Matches(term, carrier.metadata.namespace_, false, snapshot_, *pod.object)) return;
        AddTo(counts, Text({static_cast<int>(kind), weight, term.topology_key}, *value), 1);
      };
      using enum scheduler::model::AffinityTerms::Kind;
      if (const auto& near = carrier.spec.affinity->pod_affinity) {
        for (const auto& term : near->required) add(kRequired, 0, term);
        for (const auto& term : near->preferred) add(kPreferred, term.weight, term.term);
      }
      if (const auto& far = carrier.spec.affinity->pod_anti_affinity) {
        for (const auto& term : far->required) add(kRequiredAnti, 0, term);
        for (const auto& term : far->preferred) add(kPreferredAnti, term.weight, term.term);
      }
    });
    return counts;
  }

  ClusterGenerator generator_;
  Random random_;
  const std::vector<Query> queries_;
  scheduler::model::Cluster cluster_;
  scheduler::reference::Snapshot snapshot_;  // For its nodes and namespaces.
  std::vector<scheduler::model::Topology::KeyRef> keys_;
  std::vector<std::shared_ptr<const scheduler::model::PodCounter>>
      counters_;  // Held from the start.
  std::vector<std::pair<Query, std::shared_ptr<const scheduler::model::PodCounter>>> passing_;
};

TEST(CountersProperty, EqualADirectCountAfterAnyChanges) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CountedCluster cluster(seed);
    for (int step = 0; step < 200; ++step) {
      cluster.Step();
      if (step % 10 == 9) cluster.Check();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

// Terms are dropped and ids reused only after many changes.
TEST(CountersProperty, EqualADirectCountAfterManyChanges) {
  for (uint64_t seed = 1001; seed <= 1003; ++seed) {
    CountedCluster cluster(seed);
    for (int step = 0; step < 3000; ++step) {
      cluster.Step();
      if (step % 250 == 249) cluster.Check();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
