// How a NodeSearch finds the best node if scores depend on where nodes are: it rates domains, few
// nodes of each, and the nodes that are not rated as the others of their domain.
#include <algorithm>
#include <utility>

#include "scheduler/framework/node_search.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {
namespace {

// Reports whether the rules exclude whole domains only, and usage decides on which nodes a pod
// fits, so that feasible nodes can be counted.
bool CanCountByDomain(const SearchRules& rules) {
  return rules.bound.decides_fit &&
         std::ranges::all_of(rules.row_conditions, [&](const RowCondition& condition) {
           return rules.AboutDivision(condition) != nullptr;
         });
}

template <typename T>
void SortUnique(std::vector<T>& values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

class DomainSearch {
 public:
  using NodeEvaluation = NodeSearch::NodeEvaluation;

  DomainSearch(const SearchRules& rules, NodeSelection& selection, const NodeEvaluation& node)
      : rules_(rules), selection_(selection), node_(node) {}

  // Finds the feasible nodes. Returns false if that is not possible.
  bool Filter() {
    if (!FindExceptions()) return false;
    CountParts();
    RemoveExceptions();
    std::erase_if(parts_, [](const Part& part) { return part.feasible == 0; });
    return true;
  }

  // The groups of the selection that have feasible nodes.
  std::vector<size_t> FittingGroups() const {
    std::vector<size_t> groups;
    for (const Part& part : parts_) groups.push_back(part.group);
    for (const Exception& exception : exceptions_) groups.push_back(exception.group);
    SortUnique(groups);
    return groups;
  }

  // Gives the nodes of each group its static scores, by group, and all nodes those by domain.
  void AddScores(const std::vector<int64_t>& of_groups) {
    for (Part& part : parts_) part.given = of_groups[part.group];
    for (Exception& exception : exceptions_) exception.given = of_groups[exception.group];
    const DomainScore::Feasible feasible = CountFeasible();
    for (const auto& [score, weight] : rules_.domain_scores) {
      score->SetFeasible(feasible);
      AddScore(*score, weight);
    }
  }

  // Returns the best node; AddScores comes first.
  model::NodeRow Best(const model::NodeOrder& order, uint32_t start) {
    const std::vector<uint32_t>& rank = order.rank();
    UsageIndex::Found best;
    for (Part& part : parts_) part.highest = part.given + part.nodes->HighestScore(rules_.bound);
    std::ranges::sort(parts_, std::ranges::greater(), &Part::highest);
    for (size_t p = 0; p < parts_.size() && parts_[p].highest >= best.score; ++p) {
      const bool can_only_be_equal = parts_[p].highest == best.score;
      if (can_only_be_equal && best.distance < NodeSearch::kNodesPerPart * (parts_.size() - p)) {
        best = NearestEqual(order.rows(), start, best);
        break;
      }
      best = BetterIn(parts_[p], start, best);
    }
    const int32_t highest = HighestByUsage();
    for (const Exception& exception : exceptions_) {
      const uint32_t distance = rank[exception.row.index()] - start;
      const auto given = static_cast<int32_t>(exception.given);
      if (!best.LosesTo(given + highest, distance)) continue;
      const int32_t score = given + node_.score(exception.row);
      if (best.LosesTo(score, distance)) best = {score, distance, exception.row};
    }
    return best.row;
  }

 private:
  // The nodes of a group that are in one domain and no exceptions.
  struct Part {
    size_t group = 0;
    UsageIndex* nodes = nullptr;
    model::DomainId domain = {};
    size_t feasible = 0;
    int64_t given = 0;    // The scores that all of them get.
    int64_t highest = 0;  // What one of them can get in all, at best.
  };
  // A feasible node that is rated on its own.
  struct Exception {
    model::NodeRow row;
    size_t group = 0;
    int64_t given = 0;
  };

  bool Passes(model::DomainId domain) const {
    return std::ranges::all_of(rules_.row_conditions, [&](const RowCondition& condition) {
      return rules_.AboutDivision(condition)->Passes(domain);
    });
  }

  void CountParts() {
    std::vector<NodeSelection::Group>& groups = selection_.groups();
    places_.resize(groups.size());
    for (size_t g = 0; g < groups.size(); ++g) {
      places_[g].assign(groups[g].parts.size(), SIZE_MAX);
      for (size_t p = 0; p < groups[g].parts.size(); ++p) {
        UsageIndex& nodes = groups[g].parts[p];
        const model::DomainId domain = NodeSelection::Group::DomainOf(p);
        if (nodes.size() == 0 || !Passes(domain)) continue;
        places_[g][p] = parts_.size();
        parts_.push_back({.group = g,
                          .nodes = &nodes,
                          .domain = domain,
                          .feasible = nodes.CountFitting(rules_.bound, node_.fits)});
      }
    }
  }

  bool FindExceptions() {
    excepted_.assign(node_.lost.begin(), node_.lost.end());
    const bool known = std::ranges::all_of(rules_.domain_scores, [&](const auto& by_domain) {
      return by_domain.score->AppendExceptions(excepted_);
    });
    SortUnique(excepted_);
    return known;
  }

  // Those that are feasible are no longer counted in their parts.
  void RemoveExceptions() {
    for (const model::NodeRow row : excepted_) {
      if (!selection_.rows().Test(row.index())) continue;
      const size_t group = selection_.group_index(row.index());
      const size_t part = places_[group][selection_.part_index(row.index())];
      if (part == SIZE_MAX || !node_.fits(row)) continue;
      --parts_[part].feasible;
      if (std::ranges::count(node_.lost, row) == 0)
        exceptions_.push_back({.row = row, .group = group});
    }
  }

  DomainScore::Feasible CountFeasible() const {
    DomainScore::Feasible feasible{.nodes = exceptions_.size()};
    std::vector<model::DomainId> domains;
    for (const Part& part : parts_) {
      feasible.nodes += part.feasible;
      domains.push_back(part.domain);
    }
    if (rules_.division) {
      const std::vector<model::DomainId>& domain_of = rules_.division->domains->domain_of();
      for (const Exception& exception : exceptions_)
        domains.push_back(domain_of[exception.row.index()]);
    }
    SortUnique(domains);
    feasible.domains = domains.size();
    return feasible;
  }

  void AddScore(const DomainScore& score, int32_t weight) {
    std::vector<int64_t> ratings;
    for (const Part& part : parts_) ratings.push_back(score.OfDomain(part.domain));
    for (const Exception& exception : exceptions_) ratings.push_back(score.OfNode(exception.row));
    const auto [lowest, highest] = std::ranges::minmax(ratings);
    auto rating = ratings.begin();
    for (Part& part : parts_) part.given += weight * score.Normalized(*rating++, lowest, highest);
    for (Exception& exception : exceptions_)
      exception.given += weight * score.Normalized(*rating++, lowest, highest);
  }

  // Returns the best node of the part, or `best` if that is better.
  UsageIndex::Found BetterIn(const Part& part, uint32_t start, const UsageIndex::Found& best) {
    const auto evaluate = [&](model::NodeRow row) -> int32_t {
      const bool excluded = std::ranges::binary_search(excepted_, row) || !node_.fits(row);
      return excluded ? -1 : node_.score(row);
    };
    const auto given = static_cast<int32_t>(part.given);
    UsageIndex::Found other = best;
    if (best.row.valid()) other.score -= given;
    size_t unlimited = SIZE_MAX;
    UsageIndex::Found found = part.nodes->Best(rules_.bound, {}, start, evaluate, other, unlimited);
    if (found.row == other.row) return best;
    found.score += given;
    return found;
  }

  // Returns the first node from the start on that scores as `best`.
  UsageIndex::Found NearestEqual(const std::vector<model::NodeRow>& order, uint32_t start,
                                 const UsageIndex::Found& best) {
    for (std::vector<size_t>& places : places_) std::ranges::fill(places, SIZE_MAX);
    for (size_t i = 0; i < parts_.size(); ++i)
      places_[parts_[i].group][NodeSelection::Group::PartOf(parts_[i].domain)] = i;
    const int32_t highest = HighestByUsage();
    for (uint32_t distance = 0; distance < best.distance; ++distance) {
      const model::NodeRow row = order[start + distance];
      if (!selection_.rows().Test(row.index())) continue;
      const size_t part =
          places_[selection_.group_index(row.index())][selection_.part_index(row.index())];
      if (part == SIZE_MAX || parts_[part].given + highest < best.score) continue;
      if (std::ranges::binary_search(excepted_, row) || !node_.fits(row)) continue;
      if (parts_[part].given + node_.score(row) == best.score) return {best.score, distance, row};
    }
    return best;
  }

  int32_t HighestByUsage() const {
    constexpr auto kMax = static_cast<int32_t>(ScorePlugin::kMaxScore);
    const ScoreBound& bound = rules_.bound;
    return (bound.allocation_weight + bound.balance_weight) * kMax + bound.others;
  }

  const SearchRules& rules_;
  NodeSelection& selection_;
  const NodeEvaluation& node_;
  std::vector<Part> parts_;
  std::vector<std::vector<size_t>> places_;  // In parts_, by group and part; SIZE_MAX: none.
  std::vector<model::NodeRow> excepted_;     // Nodes that are in no part, sorted.
  std::vector<Exception> exceptions_;
};

}  // namespace

std::optional<model::NodeRow> NodeSearch::BestByDomain(const Cycle& cycle, const SearchRules& rules,
                                                       uint32_t start, const NodeEvaluation& node) {
  if (!CanCountByDomain(rules)) return std::nullopt;
  const std::string key = rules.division ? rules.key + rules.division->key : rules.key;
  Cached* const cached = Refresh(key, cycle, rules, rules.division.has_value());
  if (cached == nullptr) return std::nullopt;
  DomainSearch search(rules, cached->nodes, node);
  if (!search.Filter()) return std::nullopt;
  const std::vector<size_t> fitting = search.FittingGroups();
  if (fitting.empty()) return model::NodeRow{};
  const auto of_groups = StaticTotals(cycle, rules, cached->nodes.groups(), fitting);
  if (!of_groups) return std::nullopt;
  search.AddScores(*of_groups);
  return search.Best(cycle.nodes().order(), start);
}

}  // namespace berth::scheduler::framework
