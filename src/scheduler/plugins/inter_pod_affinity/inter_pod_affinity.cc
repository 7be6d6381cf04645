#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::plugins {
namespace {

using Counter = std::shared_ptr<const model::PodCounter>;

// The terms of a class of pods, each with the counter of the pods that it selects.
struct OwnTerms final : framework::ClassState {
  explicit OwnTerms(SymbolTable& table) : symbols(table) {}

  struct Term {
    model::Topology::KeyRef key;
    Counter counter;
    int64_t weight = 0;  // Of preferred terms; negative for anti-affinity.
  };
  SymbolHolder symbols;
  // A pod counts for required affinity only if it matches all terms, so they share one counter.
  std::vector<model::Topology::KeyRef> affinity_keys;
  std::vector<model::PodMatcher> affinity_matchers;
  Counter affinity_counter;
  std::vector<Term> anti_affinity;
  std::vector<Term> preferred;
};

bool MatchesItself(const framework::Cycle& cycle, const OwnTerms& own) {
  const model::PodLabels& pod = cycle.cluster().pod_labels().Get(cycle.pod().labels);
  const model::LabelSpan namespace_labels = cycle.cluster().namespaces().LabelsOf(pod.namespace_);
  return std::ranges::all_of(own.affinity_matchers, [&](const model::PodMatcher& matcher) {
    return matcher.MatchesForIncoming(pod.namespace_, namespace_labels, pod.labels,
                                      cycle.cluster().symbols());
  });
}

// Every term's domain must have a matching pod; the first pod of a group that selects itself may be
// placed anywhere that has the topology.
void AddWanted(const framework::Cycle& cycle, const OwnTerms& own,
               framework::Conditions& conditions) {
  constexpr framework::Rejection kLacksWanted{framework::Code::kUnschedulableAndUnresolvable,
                                              "node(s) didn't match pod affinity rules"};
  if (own.affinity_keys.empty()) return;
  const bool any_match = std::ranges::any_of(own.affinity_keys, [&](const auto& key) {
    return own.affinity_counter->PerDomain(*key).AnyPositive();
  });
  const bool first_of_its_kind = !any_match && MatchesItself(cycle, own);
  for (const model::Topology::KeyRef& key : own.affinity_keys) {
    framework::DomainCount wanted(key, &own.affinity_counter->PerDomain(*key));
    if (!first_of_its_kind) wanted.lowest = 1;
    wanted.rejection = kLacksWanted;
    wanted.missing = kLacksWanted;
    conditions.push_back(wanted);
  }
}

// No pod may be in the domain; a node in none passes.
void AddShunned(const model::Topology::KeyRef& key, const model::IndexedCounts& counts,
                std::string_view reason, framework::Conditions& conditions) {
  framework::DomainCount shunned(key, &counts);
  shunned.highest = 0;
  shunned.rejection = {framework::Code::kUnschedulable, reason};
  conditions.push_back(shunned);
}

// The required rules for one pod: its own terms, and those of the pods that are there.
framework::Conditions RequiredBy(const framework::Cycle& cycle, const OwnTerms& own) {
  framework::Conditions conditions;
  AddWanted(cycle, own, conditions);
  for (const OwnTerms::Term& term : own.anti_affinity) {
    AddShunned(term.key, term.counter->PerDomain(*term.key),
               "node(s) didn't match pod anti-affinity rules", conditions);
  }
  const model::AffinityTerms& terms = cycle.cluster().affinity_terms();
  for (uint32_t i : terms.Matching(cycle.pod().labels)) {
    const model::AffinityTerms::Term& term = terms.term(i);
    if (term.kind != model::AffinityTerms::Kind::kRequiredAnti || term.in_domains == 0) continue;
    AddShunned(term.key, term.carriers, "node(s) didn't satisfy existing pods anti-affinity rules",
               conditions);
  }
  return conditions;
}

// Reports whether `counts` are the same in all domains of `key` whose nodes may pass.
bool MakeEqual(const framework::Conditions& required, const model::Topology::KeyRef& key,
               const model::IndexedCounts& counts) {
  const auto wanted = std::ranges::find_if(required, [&](const framework::Condition& condition) {
    const auto& rule = std::get<framework::DomainCount>(condition);
    return rule.lowest > 0 && *rule.key == key;
  });
  if (wanted == required.end()) return false;
  const auto& rule = std::get<framework::DomainCount>(*wanted);
  std::optional<int32_t> common;
  bool equal = true;
  std::get<const model::IndexedCounts*>(rule.counts)->ForEach([&](size_t domain, int32_t count) {
    if (domain >= key->domains().size() || !rule.Allows(count)) return;
    equal &= common.value_or(counts[domain]) == counts[domain];
    common = counts[domain];
  });
  return equal;
}

// The lowest and the highest score, to which the others are scaled.
class ScoreRange {
 public:
  ScoreRange() = default;
  ScoreRange(int64_t lowest, int64_t highest) : lowest_(lowest), highest_(highest) {}

  void Add(int64_t score) {
    lowest_ = std::min(lowest_, score);
    highest_ = std::max(highest_, score);
  }
  int64_t Normalized(int64_t score) const {
    if (highest_ == lowest_) return 0;
    // Divided before it is multiplied: the last digit depends on it.
    return static_cast<int64_t>(
        100.0 * (static_cast<double>(score - lowest_) / static_cast<double>(highest_ - lowest_)));
  }

 private:
  int64_t lowest_ = INT64_MAX;
  int64_t highest_ = INT64_MIN;
};

// The scores of nodes for the pods around them: `factor` for each pod that is counted in the
// domain.
struct Preferences final : framework::CycleState {
  struct Preference {
    model::Topology::KeyRef key;
    const model::IndexedCounts* counts;  // By domain.
    int64_t weight;
  };
  std::vector<Preference> all;
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<Preferences>(*this);
  }

  void Add(model::Topology::KeyRef key, const model::IndexedCounts& counts, int64_t weight) {
    all.push_back({std::move(key), &counts, weight});
  }
};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> InterPodAffinity::Make(
    const framework::InterPodAffinityArgs& args) {
  return std::unique_ptr<framework::Plugin>(new InterPodAffinity(args));
}

std::unique_ptr<framework::ClassState> InterPodAffinity::Compile(
    model::Cluster& cluster, const model::PodClass& pod_class) const {
  auto state = std::make_unique<OwnTerms>(cluster.mutable_symbols());
  if (!pod_class.has_pod_affinity) return state;
  const std::string& namespace_ = pod_class.example.metadata.namespace_;
  auto matcher = [&](const api::PodAffinityTerm& term) {
    return model::PodMatcher(term, namespace_, state->symbols);
  };
  auto key_of = [&](const api::PodAffinityTerm& term) {
    return cluster.UseTopologyKey(term.topology_key);
  };
  auto count = [&](const api::PodAffinityTerm& term, int64_t weight) {
    const model::Topology::KeyRef key = key_of(term);
    const model::PodQuery query{{matcher(term)}, /*incoming=*/true, /*count_terminating=*/true};
    return OwnTerms::Term{key, cluster.CountPods(query, std::span(&key, 1)), weight};
  };

  const api::Affinity& affinity = *pod_class.spec().affinity;
  if (affinity.pod_affinity) {
    for (const auto& term : affinity.pod_affinity->required) {
      state->affinity_keys.push_back(key_of(term));
      state->affinity_matchers.push_back(matcher(term));
    }
    for (const auto& term : affinity.pod_affinity->preferred) {
      state->preferred.push_back(count(term.term, term.limited_weight()));
    }
  }
  if (affinity.pod_anti_affinity) {
    for (const auto& term : affinity.pod_anti_affinity->required) {
      state->anti_affinity.push_back(count(term, 0));
    }
    for (const auto& term : affinity.pod_anti_affinity->preferred) {
      state->preferred.push_back(count(term.term, -int64_t{term.limited_weight()}));
    }
  }
  if (!state->affinity_keys.empty()) {
    const model::PodQuery all{state->affinity_matchers, /*incoming=*/true,
                              /*count_terminating=*/true};
    state->affinity_counter = cluster.CountPods(all, state->affinity_keys);
  }
  return state;
}

framework::PreFilterResult InterPodAffinity::PreFilter(framework::Cycle& cycle) const {
  if (Require(cycle).empty()) return {framework::Verdict::Skip(), {}};
  return {};
}

framework::Conditions InterPodAffinity::Require(const framework::Cycle& cycle) const {
  return RequiredBy(cycle, cycle.compiled<OwnTerms>(*this));
}

namespace {

// Returns null if no term prefers or avoids any node.
std::unique_ptr<Preferences> PreferencesOf(const framework::Cycle& cycle, const OwnTerms& own,
                                           const framework::InterPodAffinityArgs& args) {
  if (args.ignore_preferred_terms_of_existing_pods && own.preferred.empty()) return nullptr;
  auto preferences = std::make_unique<Preferences>();
  for (const OwnTerms::Term& term : own.preferred) {
    const model::IndexedCounts& counts = term.counter->PerDomain(*term.key);
    if (counts.AnyPositive()) preferences->Add(term.key, counts, term.weight);
  }
  const model::AffinityTerms& terms = cycle.cluster().affinity_terms();
  for (uint32_t i : terms.Matching(cycle.pod().labels)) {
    const model::AffinityTerms::Term& term = terms.term(i);
    if (term.in_domains == 0 || term.kind == model::AffinityTerms::Kind::kRequiredAnti) continue;
    const int64_t weight =
        term.kind == model::AffinityTerms::Kind::kRequired    ? args.hard_pod_affinity_weight
        : term.kind == model::AffinityTerms::Kind::kPreferred ? term.weight
                                                              : -int64_t{term.weight};
    // A preference of no weight changes no score, but the plugin takes part because of it.
    const bool ignored = term.kind == model::AffinityTerms::Kind::kRequired && weight == 0;
    if (!ignored) preferences->Add(term.key, term.carriers, weight);
  }
  if (preferences->all.empty()) return nullptr;
  return preferences;
}

}  // namespace

framework::Verdict InterPodAffinity::PreScore(framework::Cycle& cycle,
                                              const model::NodeMask&) const {
  auto preferences = PreferencesOf(cycle, cycle.compiled<OwnTerms>(*this), args_);
  if (preferences == nullptr) return framework::Verdict::Skip();
  cycle.SetState(*this, std::move(preferences));
  return {};
}

namespace {

// Rates nodes by preferences for their host name and for one more topology key.
class PreferredDomains final : public framework::DomainScore {
 public:
  // Returns null if there are more keys; otherwise the second divides the nodes of `rules`.
  static std::unique_ptr<PreferredDomains> Make(const framework::Cycle& cycle,
                                                const Preferences& preferences,
                                                framework::SearchRules& rules) {
    auto made = std::make_unique<PreferredDomains>();
    for (const Preferences::Preference& preference : preferences.all) {
      if (preference.key->is_per_node()) {
        made->by_node_.push_back(preference);
        continue;
      }
      if (!rules.DivideBy(preference.key, cycle.cluster().symbols())) return nullptr;
      made->by_domain_.push_back(preference);
    }
    return made;
  }

  size_t exceptions() const override {
    size_t nodes = 0;
    for (const Preferences::Preference& preference : by_node_)
      nodes += preference.counts->not_zero();
    return nodes;
  }
  bool AppendExceptions(std::vector<model::NodeRow>& rows) const override {
    bool known = true;
    for (const Preferences::Preference& preference : by_node_) {
      const model::Topology::Key& key = *preference.key;
      preference.counts->ForEachNotZero([&](size_t i, int32_t) {
        if (i >= key.domains().size() || key.domains()[i].nodes == 0) return;
        rows.push_back(key.OnlyNodeOf(model::DomainId{static_cast<uint32_t>(i)}));
        known &= rows.back().valid();
      });
    }
    return known;
  }
  void SetFeasible(const Feasible&) override {}
  int64_t OfDomain(model::DomainId domain) const override {
    int64_t score = 0;
    for (const auto& [key, counts, weight] : by_domain_)
      score += domain.valid() ? weight * (*counts)[domain.index()] : 0;
    return score;
  }
  int64_t OfNode(model::NodeRow node) const override {
    int64_t score = 0;
    for (const auto* preferences : {&by_domain_, &by_node_}) {
      for (const auto& [key, counts, weight] : *preferences) {
        const model::DomainId domain = key->domain_of()[node.index()];
        score += domain.valid() ? weight * (*counts)[domain.index()] : 0;
      }
    }
    return score;
  }
  int64_t Normalized(int64_t score, int64_t lowest, int64_t highest) const override {
    return ScoreRange(lowest, highest).Normalized(score);
  }

 private:
  std::vector<Preferences::Preference> by_domain_, by_node_;
};

}  // namespace

framework::Described InterPodAffinity::DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                                     framework::SearchRules& rules) const {
  const auto& own = cycle.compiled<OwnTerms>(*this);
  const auto preferences = PreferencesOf(cycle, own, args_);
  if (preferences == nullptr) return framework::Described::kSkip;
  // If all feasible nodes are in domains that are preferred alike, they all score 0.
  const framework::Conditions required = RequiredBy(cycle, own);
  const bool all_equal = std::ranges::all_of(preferences->all, [&](const auto& preference) {
    return MakeEqual(required, preference.key, *preference.counts);
  });
  if (all_equal) return framework::Described::kYes;
  if (auto by_domain = PreferredDomains::Make(cycle, *preferences, rules))
    rules.domain_scores.push_back({std::move(by_domain), weight});
  return framework::Described::kByFeasibleNodes;
}

framework::Verdict InterPodAffinity::Score(const framework::Cycle& cycle,
                                           const model::NodeMask& nodes,
                                           std::span<int64_t> out) const {
  bool first = true;
  for (const auto& preference : cycle.state<Preferences>(*this).all) {
    const std::vector<model::DomainId>& domain_of = preference.key->domain_of();
    auto given = [&](size_t row) {
      const model::DomainId domain = domain_of[row];
      return domain.valid() ? preference.weight * (*preference.counts)[domain.index()] : 0;
    };
    if (std::exchange(first, false)) {
      nodes.ForEach([&](size_t row) { out[row] = given(row); });
    } else {
      nodes.ForEach([&](size_t row) { out[row] += given(row); });
    }
  }
  return {};
}

bool InterPodAffinity::AddScores(const framework::Cycle& cycle, int32_t weight,
                                 std::span<int32_t> totals, std::span<int32_t> scratch) const {
  // What the preferences of each key give a domain, so that the nodes are passed over once for each
  // key, however many terms there are.
  struct Given {
    const model::Topology::Key* key;
    framework::DomainTable by_domain;
  };
  std::vector<Given> given;
  int64_t most = 0;  // The highest possible sum.
  for (const auto& [key, counts, factor] : cycle.state<Preferences>(*this).all) {
    most += std::abs(factor) * counts->Highest();
    if (most > INT32_MAX / 2) return false;
    auto known = std::ranges::find(given, key.get(), &Given::key);
    if (known == given.end())
      known = given.insert(known, {key.get(), framework::DomainTable(key->domains().size())});
    framework::AddCounts(*counts, static_cast<int32_t>(factor), known->by_domain);
  }
  framework::SetByDomain(given[0].key->domain_of(), given[0].by_domain, scratch);
  for (const auto& [key, by_domain] : std::span(given).subspan(1))
    framework::AddByDomain(key->domain_of(), by_domain, scratch);
  const framework::ValueRange range = framework::RangeOf(scratch, totals);
  if (range.lowest >= range.highest) return true;  // All equal: every node scores 0.
  constexpr int64_t kMaxDifferent = 4096;          // Beyond that the table does not pay.
  if (int64_t{range.highest} - range.lowest >= kMaxDifferent) return false;
  const ScoreRange scores(range.lowest, range.highest);
  std::vector<int32_t> by_sum;
  for (int64_t sum = range.lowest; sum <= range.highest; ++sum)
    by_sum.push_back(static_cast<int32_t>(scores.Normalized(sum)) * weight);
  framework::AddByValue(scratch, range.lowest, by_sum, totals);
  return true;
}

void InterPodAffinity::Normalize(const framework::Cycle&, const model::NodeMask& feasible,
                                 std::span<int64_t> scores) const {
  ScoreRange range;
  feasible.ForEach([&](size_t row) { range.Add(scores[row]); });
  feasible.ForEach([&](size_t row) { scores[row] = range.Normalized(scores[row]); });
}

}  // namespace berth::scheduler::plugins
