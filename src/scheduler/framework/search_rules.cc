#include "scheduler/framework/search_rules.h"

#include <algorithm>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/key_writer.h"

namespace berth::scheduler::framework {
namespace {

// Reports whether dividing nodes may cost less than looking at them one by one: there are few
// domains, with many nodes each.
bool IsWorthDividing(const model::Topology::Key& key) {
  constexpr size_t kMaxDomains = 1024;
  constexpr size_t kManyNodes = 64;
  return key.domains().size() < kMaxDomains &&
         key.node_count() >= kManyNodes * key.domains().size();
}

// Returns the only domain where pods are that the condition requires. Invalid if there are more, or
// if it has so few nodes that there may be too many like it to select the nodes of each.
model::DomainId OnlyLargeDomain(const DomainCount& rule) {
  constexpr size_t kMaxSelections = 256;
  const auto* counts = std::get_if<const model::IndexedCounts*>(&rule.counts);
  if (counts == nullptr || rule.lowest <= 0 || !rule.missing) return {};
  const model::Topology::Key& key = **rule.key;
  model::DomainId only;
  size_t found = 0;
  (*counts)->ForEach([&](size_t domain, int32_t count) {
    if (domain >= key.domains().size() || !rule.Allows(count)) return;
    only = model::DomainId{static_cast<uint32_t>(domain)};
    ++found;
  });
  if (found != 1) return {};
  const bool is_large = key.domains()[only.index()].nodes * kMaxSelections >= key.node_count();
  return is_large ? only : model::DomainId{};
}

bool IsBounded(const Condition& condition) {
  const auto* amount = std::get_if<Amount>(&condition);
  return amount != nullptr && (amount->of == Amount::Of::kPods || amount->of == Amount::Of::kCpu ||
                               amount->of == Amount::Of::kMemory);
}

// Adds the conditions of one filter to the rules of a search. Each call returns false if every node
// must be evaluated.
class FilterAdder {
 public:
  FilterAdder(const Cycle& cycle, const FilterPlugin& filter, SearchRules& rules)
      : cycle_(cycle), filter_(filter), rules_(rules) {}

  bool AddAll() {
    const Conditions conditions = filter_.Require(cycle_);
    const bool is_bounded = rules_.bound.cpu_limit != ScoreBound::kAnyUsage;
    bounds_ = !is_bounded && std::ranges::any_of(conditions, [](const Condition& condition) {
      const auto* amount = std::get_if<Amount>(&condition);
      return amount != nullptr && amount->of == Amount::Of::kPods;
    });
    for (const Condition& condition : conditions) {
      if (!std::visit([&](const auto& rule) { return Add(rule); }, condition)) return false;
      ++added_;
    }
    if (is_static_) rules_.static_filters |= MaskOf(filter_);
    rules_.bound.decides_fit = rules_.bound.cpu_limit != ScoreBound::kAnyUsage &&
                               std::ranges::all_of(rules_.conditions, IsBounded);
    return true;
  }

 private:
  bool Add(const Amount& amount) {
    is_static_ = false;
    if (amount.allocatable == nullptr) return amount.passes_if_unlisted;  // Or it fits nowhere.
    if (!bounds_ || amount.of == Amount::Of::kScalar) {
      rules_.row_conditions.emplace_back(amount);
      return true;
    }
    Bound(amount);
    rules_.conditions.emplace_back(amount);
    return true;
  }

  void Bound(const Amount& amount) {
    ScoreBound& bound = rules_.bound;
    const auto request = static_cast<float>(amount.request);
    if (amount.of == Amount::Of::kPods && bound.cpu_limit == ScoreBound::kAnyUsage)
      bound.cpu_limit = ScoreBound::kAnyButNoneFits;
    if (amount.of == Amount::Of::kCpu) {
      bound.cpu = request;
      bound.cpu_limit = ScoreBound::kAll;
    }
    if (amount.of == Amount::Of::kMemory) {
      bound.memory = request;
      bound.memory_limit = ScoreBound::kAll;
    }
  }

  bool Add(const DomainCount& rule) {
    const SymbolTable& symbols = cycle_.cluster().symbols();
    if (const model::DomainId only = OnlyLargeDomain(rule); only.valid()) {
      const model::Topology::Key& key = **rule.key;
      const Symbol value = key.domains()[only.index()].value;
      model::KeyWriter(rules_.key)
          .PutAll(filter_.slot(), symbols.Text(key.label()), symbols.Text(value));
      rules_.only_domains.push_back({rule.domain_of, only});
      return true;
    }
    is_static_ = false;
    rules_.row_conditions.emplace_back(rule);
    if (rule.follows_lowest) rules_.DivideBy(*rule.key, symbols);
    return true;
  }

  bool Add(const Rows& rule) {
    is_static_ = false;
    if (rule.set != nullptr) {
      rules_.row_conditions.emplace_back(rule);
    } else if (!rules_.only_rows) {
      rules_.only_rows.emplace(rule.few.begin(), rule.few.end());
    }
    return true;
  }

  bool Add(const NodeClass& rule) {
    const size_t before = rules_.key.size();
    model::KeyWriter(rules_.key).PutAll(filter_.slot(), 'f', added_);
    if (rule.is->AppendKey(cycle_, rules_.key)) {
      rules_.static_conditions.push_back(rule.is);
      return true;
    }
    rules_.key.resize(before);
    is_static_ = false;
    if (rule.rejection) rules_.conditions.emplace_back(rule);
    return true;
  }

  bool Add(const Opaque& rule) {
    if (rule.evaluates_all) return false;
    if (rule.only_explains) return true;
    is_static_ = false;
    rules_.conditions.emplace_back(rule);
    return true;
  }

  const Cycle& cycle_;
  const FilterPlugin& filter_;
  SearchRules& rules_;
  bool bounds_ = false;    // Its amounts are those of the bound.
  bool is_static_ = true;  // As far as it is added.
  size_t added_ = 0;
};

// Adds the rating of one scorer to the rules of a search.
class ScorerAdder {
 public:
  ScorerAdder(const Cycle& cycle, const Profile::Scorer& scorer, SearchRules& rules)
      : cycle_(cycle), scorer_(scorer), rules_(rules) {}

  Described operator()(const Unrated&) {
    return scorer_.plugin->DescribeScore(cycle_, weight(), rules_);
  }
  Described operator()(const NoScores&) { return Described::kSkip; }
  Described operator()(const EqualScores&) { return Described::kYes; }
  Described operator()(const StaticScore& score) {
    model::KeyWriter(rules_.key).PutAll(scorer_.plugin->slot(), 's');
    score.value->AppendValueKey(cycle_, rules_.key);
    rules_.static_scorers.push_back(scorer_);
    return Described::kYes;
  }
  Described operator()(const UsageScore& score) {
    if (score.curve == UsageScore::Curve::kBroken) return Described::kNo;
    ScoreBound& bound = rules_.bound;
    for (const ScoredResource& resource : score.resources) {
      const auto request = static_cast<float>(resource.request);
      const auto share = static_cast<float>(resource.weight);
      if (resource.kind == ScoredResource::Kind::kCpu && bound.cpu_weight == 0) {
        bound.nonzero_cpu = request;
        bound.cpu_weight = share;
      } else if (resource.kind == ScoredResource::Kind::kMemory && bound.memory_weight == 0) {
        bound.nonzero_memory = request;
        bound.memory_weight = share;
      } else {
        return Described::kNo;
      }
    }
    bound.prefers_used = score.curve == UsageScore::Curve::kMost;
    bound.allocation_weight = weight();
    rules_.scorers.push_back(scorer_);
    return Described::kYes;
  }
  Described operator()(const BalanceScore& score) {
    using enum ScoredResource::Kind;
    const bool usual = score.resources.size() == 2 && score.resources[0].kind == kCpu &&
                       score.resources[1].kind == kMemory;
    if (!usual || rules_.bound.balance_weight != 0) return Described::kNo;
    rules_.bound.balanced_cpu = static_cast<float>(score.resources[0].request);
    rules_.bound.balanced_memory = static_cast<float>(score.resources[1].request);
    rules_.bound.balance_weight = weight();
    rules_.scorers.push_back(scorer_);
    return Described::kYes;
  }

 private:
  int32_t weight() const { return static_cast<int32_t>(scorer_.weight); }

  const Cycle& cycle_;
  const Profile::Scorer& scorer_;
  SearchRules& rules_;
};

}  // namespace

bool SearchRules::AddFilter(const Cycle& cycle, const FilterPlugin& filter) {
  return FilterAdder(cycle, filter, *this).AddAll();
}

Described SearchRules::AddScorer(const Cycle& cycle, const Scorer& scorer) {
  return std::visit(ScorerAdder(cycle, scorer, *this), scorer.plugin->Rate(cycle));
}

bool SearchRules::DivideBy(const model::Topology::KeyRef& topology_key,
                           const SymbolTable& symbols) {
  if (division) return division->domains == topology_key;
  if (!IsWorthDividing(*topology_key)) return false;
  division.emplace().domains = topology_key;
  // Other parts of such keys begin with the slot of a plugin.
  constexpr size_t kNoSlot = SIZE_MAX;
  model::KeyWriter(division->key).PutAll(kNoSlot, symbols.Text(topology_key->label()));
  return true;
}

const DomainCount* SearchRules::AboutDivision(const RowCondition& condition) const {
  const auto* rule = std::get_if<DomainCount>(&condition);
  return rule != nullptr && division && *rule->key == division->domains ? rule : nullptr;
}

}  // namespace berth::scheduler::framework
