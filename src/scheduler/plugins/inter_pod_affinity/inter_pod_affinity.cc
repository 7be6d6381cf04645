#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <utility>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"
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

// The counts of one topology key that exclude (or are required of) a domain.
struct DomainCounts {
  DomainCounts(const model::Topology::Key& topology_key, const model::IndexedCounts& per_domain)
      : key(topology_key),
        domain_of(key.domain_of()),
        domains(key.domains().size()),
        counts(per_domain) {}

  const model::Topology::Key& key;
  const std::vector<model::DomainId>& domain_of;
  size_t domains;
  const model::IndexedCounts& counts;  // By domain.

  int32_t Near(size_t row) const {
    const model::DomainId domain = domain_of[row];
    return domain.valid() ? counts[domain.index()] : 0;
  }
};

// The required rules for one pod, read from the current counters.
class Rules {
 public:
  Rules(const framework::Cycle& cycle, const OwnTerms& own) : own_(own) {
    bool any_match = false;
    for (const model::Topology::KeyRef& key : own.affinity_keys) {
      wanted_.emplace_back(*key, own.affinity_counter->PerDomain(*key));
      any_match |= wanted_.back().counts.AnyPositive();
    }
    first_of_its_kind_ = !own.affinity_keys.empty() && !any_match && MatchesItself(cycle);
    for (const OwnTerms::Term& term : own.anti_affinity) {
      shunned_.emplace_back(*term.key, term.counter->PerDomain(*term.key));
    }
    const model::AffinityTerms& terms = cycle.cluster().affinity_terms();
    for (uint32_t i : terms.Matching(cycle.pod().labels)) {
      const model::AffinityTerms::Term& term = terms.term(i);
      if (term.kind != model::AffinityTerms::Kind::kRequiredAnti || term.in_domains == 0) continue;
      unwelcome_.emplace_back(*term.key, term.carriers);
    }
  }

  bool any() const { return !wanted_.empty() || !shunned_.empty() || !unwelcome_.empty(); }

  // Leaves the nodes that pass. Each domain is evaluated once.
  void Filter(model::NodeMask& nodes) const {
    for (const DomainCounts& wanted : wanted_) {
      framework::DomainTable keep(wanted.domains, first_of_its_kind_);
      keep.none() = 0;
      wanted.counts.ForEach([&](size_t domain, int32_t count) {
        if (domain < wanted.domains) keep[domain] |= count > 0;
      });
      framework::KeepDomains(nodes, wanted.domain_of, keep);
    }
    for (const auto* forbidden : {&shunned_, &unwelcome_}) {
      for (const DomainCounts& shun : *forbidden) {
        framework::DomainTable keep(shun.domains, 1);
        shun.counts.ForEach([&](size_t domain, int32_t count) {
          if (domain < shun.domains) keep[domain] = count <= 0;
        });
        framework::KeepDomains(nodes, shun.domain_of, keep);
      }
    }
  }

  // The same as rules for a search, for the plugin of this slot.
  void Describe(const framework::Cycle& cycle, size_t slot, framework::SearchRules& rules) const {
    for (const DomainCounts& wanted : wanted_) {
      if (const model::DomainId only = OnlyLargeDomain(wanted); only.valid()) {
        const SymbolTable& symbols = cycle.cluster().symbols();
        const Symbol value = wanted.key.domains()[only.index()].value;
        model::KeyWriter(rules.key).PutAll(slot, symbols.Text(wanted.key.label()),
                                           symbols.Text(value));
        rules.only_domains.push_back({wanted.domain_of, only});
        continue;
      }
      const int32_t lowest = first_of_its_kind_ ? INT32_MIN : 1;
      rules.row_rules.push_back(framework::RowRule::CountIn(wanted.domain_of, wanted.counts, lowest,
                                                            INT32_MAX, /*none_passes=*/false));
    }
    for (const auto* forbidden : {&shunned_, &unwelcome_}) {
      for (const DomainCounts& shun : *forbidden) {
        rules.row_rules.push_back(framework::RowRule::CountIn(shun.domain_of, shun.counts,
                                                              INT32_MIN, 0, /*none_passes=*/true));
      }
    }
  }

  // Reports whether `counts` are the same in all domains of `key` whose nodes may pass.
  bool MakeEqual(const model::Topology::Key& key, const model::IndexedCounts& counts) const {
    const auto wanted = std::ranges::find(wanted_, &key, [](const auto& w) { return &w.key; });
    if (wanted == wanted_.end() || first_of_its_kind_) return false;
    std::optional<int32_t> common;
    bool equal = true;
    ForEachWanted(*wanted, [&](model::DomainId domain) {
      const int32_t count = counts[domain.index()];
      equal &= common.value_or(count) == count;
      common = count;
    });
    return equal;
  }

  // Which rule rejects a node.
  enum class Kind : uint32_t { kPasses, kLacksWanted, kHasShunned, kIsUnwelcome };
  Kind Judge(size_t row) const {
    if (!HasWanted(row)) return Kind::kLacksWanted;
    if (AnyNear(shunned_, row)) return Kind::kHasShunned;
    return AnyNear(unwelcome_, row) ? Kind::kIsUnwelcome : Kind::kPasses;
  }

 private:
  // Every term's domain must have a matching pod; the first pod of a group that selects itself may
  // be placed anywhere that has the topology.
  bool HasWanted(size_t row) const {
    bool all = true;
    for (const DomainCounts& wanted : wanted_) {
      if (!wanted.domain_of[row].valid()) return false;
      all &= wanted.Near(row) > 0;
    }
    return all || first_of_its_kind_;
  }

  static bool AnyNear(const std::vector<DomainCounts>& counts, size_t row) {
    return std::ranges::any_of(counts,
                               [&](const DomainCounts& domain) { return domain.Near(row) > 0; });
  }

  template <typename Visit>  // void(DomainId)
  static void ForEachWanted(const DomainCounts& wanted, Visit&& visit) {
    wanted.counts.ForEach([&](size_t domain, int32_t count) {
      if (domain < wanted.domains && count > 0)
        visit(model::DomainId{static_cast<uint32_t>(domain)});
    });
  }

  // Returns the only domain where the wanted pods are. Invalid if there are more, or if it has so
  // few nodes that there may be too many like it to select the nodes of each.
  model::DomainId OnlyLargeDomain(const DomainCounts& wanted) const {
    constexpr size_t kMaxSelections = 256;
    if (first_of_its_kind_) return {};
    model::DomainId only;
    size_t found = 0;
    ForEachWanted(wanted, [&](model::DomainId domain) {
      only = domain;
      ++found;
    });
    if (found != 1) return {};
    const size_t nodes = wanted.key.domains()[only.index()].nodes;
    return nodes * kMaxSelections >= wanted.key.node_count() ? only : model::DomainId{};
  }

  bool MatchesItself(const framework::Cycle& cycle) const {
    const model::PodLabels& pod = cycle.cluster().pod_labels().Get(cycle.pod().labels);
    const model::LabelSpan namespace_labels = cycle.cluster().namespaces().LabelsOf(pod.namespace_);
    return std::ranges::all_of(own_.affinity_matchers, [&](const model::PodMatcher& matcher) {
      return matcher.MatchesForIncoming(pod.namespace_, namespace_labels, pod.labels,
                                        cycle.cluster().symbols());
    });
  }

  const OwnTerms& own_;
  std::vector<DomainCounts> wanted_, shunned_, unwelcome_;
  bool first_of_its_kind_ = false;
};

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
  if (!Rules(cycle, cycle.compiled<OwnTerms>(*this)).any()) return {framework::Verdict::Skip(), {}};
  return {};
}

framework::Verdict InterPodAffinity::Filter(const framework::Cycle& cycle,
                                            model::NodeMask& nodes) const {
  const Rules rules(cycle, cycle.compiled<OwnTerms>(*this));
  rules.Filter(nodes);
  return {};
}

framework::Described InterPodAffinity::DescribeFilter(const framework::Cycle& cycle,
                                                      framework::SearchRules& rules) const {
  Rules(cycle, cycle.compiled<OwnTerms>(*this)).Describe(cycle, slot(), rules);
  return framework::Described::kYes;
}

framework::Verdict InterPodAffinity::Explain(const framework::Cycle& cycle,
                                             model::NodeRow node) const {
  const Rules rules(cycle, cycle.compiled<OwnTerms>(*this));
  switch (rules.Judge(node.index())) {
    case Rules::Kind::kLacksWanted:
      return {framework::Code::kUnschedulableAndUnresolvable,
              "node(s) didn't match pod affinity rules"};
    case Rules::Kind::kHasShunned:
      return {framework::Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules"};
    case Rules::Kind::kIsUnwelcome:
      return {framework::Code::kUnschedulable,
              "node(s) didn't satisfy existing pods anti-affinity rules"};
    case Rules::Kind::kPasses:
      break;
  }
  return {};
}

void InterPodAffinity::RejectionKinds(const framework::Cycle& cycle, size_t first, uint64_t rows,
                                      std::span<uint32_t, 64> kinds) const {
  const Rules rules(cycle, cycle.compiled<OwnTerms>(*this));
  for (; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(rows));
    kinds[i] = static_cast<uint32_t>(rules.Judge(first + i));
  }
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
  const Rules required(cycle, own);
  const bool all_equal = std::ranges::all_of(preferences->all, [&](const auto& preference) {
    return required.MakeEqual(*preference.key, *preference.counts);
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
