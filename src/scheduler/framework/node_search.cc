#include "scheduler/framework/node_search.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {
namespace {

// A part of a group, and the highest score that the pod can get there.
struct PromisingPart {
  int32_t highest;
  UsageIndex* nodes;
};

// Returns the parts of a group whose domains pass the rules and in which the pod may fit; the most
// promising one first.
std::vector<PromisingPart> PromisingParts(NodeSelection::Group& group,
                                          std::span<const DomainCount> of_domains,
                                          const ScoreBound& pod) {
  std::vector<PromisingPart> promising;
  for (size_t i = 0; i < group.parts.size(); ++i) {
    UsageIndex& part = group.parts[i];
    const model::DomainId domain = NodeSelection::Group::DomainOf(i);
    const bool passes = part.size() > 0 && std::ranges::all_of(of_domains, [&](const auto& rule) {
                          return rule.Passes(domain);
                        });
    if (!passes) continue;
    const int32_t highest = group.parts.size() == 1 ? INT32_MAX : part.HighestScore(pod);
    if (highest >= 0) promising.push_back({highest, &part});
  }
  std::ranges::stable_sort(promising, std::ranges::greater(), &PromisingPart::highest);
  return promising;
}

}  // namespace

std::optional<model::NodeRow> NodeSearch::Best(const Cycle& cycle, const SearchRules& rules,
                                               uint32_t start,
                                               const UsageIndex::Evaluate& evaluate) {
  const Query query{cycle, rules, start, evaluate};
  size_t unlimited = SIZE_MAX;
  if (!rules.division) {
    NodeSelection* const nodes = SelectionFor(cycle, rules);
    return nodes == nullptr ? std::nullopt : BestOf(*nodes, query, unlimited);
  }
  // In so many chunks the winner is found, unless row conditions exclude nearly all of the nodes
  // that are used least. Then they will for the next pods, too.
  constexpr size_t kFewChunks = 24;
  constexpr uint32_t kDividedSearches = 64;
  const std::string divided_key = rules.key + rules.division->key;
  const auto divided = cached_.find(divided_key);
  uint32_t searches = divided == cached_.end() ? 0 : divided->second->searches;
  if (searches == 0) {
    NodeSelection* const nodes = SelectionFor(cycle, rules);
    if (nodes == nullptr) return std::nullopt;
    size_t most_chunks = kFewChunks;
    const auto best = BestOf(*nodes, query, most_chunks);
    if (most_chunks > 0) return best;
    searches = kDividedSearches;
  }
  Cached* const cached = Refresh(divided_key, cycle, rules, /*divided=*/true);
  if (cached == nullptr) return std::nullopt;
  cached->searches = searches - 1;
  return BestOf(cached->nodes, query, unlimited);
}

std::optional<model::NodeRow> NodeSearch::BestOf(NodeSelection& nodes, const Query& query,
                                                 size_t& most_chunks) {
  const auto& [cycle, rules, start, evaluate] = query;
  std::vector<NodeSelection::Group>& groups = nodes.groups();
  std::vector<DomainCount> of_domains;
  std::vector<RowCondition> of_rows;
  for (const RowCondition& condition : rules.row_conditions) {
    const DomainCount* const of_parts = nodes.divided() ? rules.AboutDivision(condition) : nullptr;
    if (of_parts != nullptr) {
      of_domains.push_back(*of_parts);
    } else {
      of_rows.push_back(condition);
    }
  }
  // The static scores of a group are the same for all of its nodes, so that the best of each is
  // found without them. They are normalized over the groups in which the pod fits somewhere.
  std::vector<UsageIndex::Found> found(groups.size());
  std::vector<size_t> fitting;
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::vector<PromisingPart> parts = PromisingParts(groups[i], of_domains, rules.bound);
    for (size_t p = 0; p < parts.size() && parts[p].highest >= found[i].score; ++p) {
      const bool can_only_be_equal = parts[p].highest == found[i].score;
      if (can_only_be_equal && found[i].distance < kNodesPerPart * (parts.size() - p)) {
        found[i] = NearestEqual(nodes, i, query, found[i]);
        break;
      }
      found[i] = parts[p].nodes->Best(rules.bound, of_rows, start, evaluate, found[i], most_chunks);
      if (most_chunks == 0) return std::nullopt;
    }
    if (found[i].score >= 0) fitting.push_back(i);
  }
  if (fitting.empty()) return model::NodeRow{};
  if (fitting.size() == 1) return found[fitting[0]].row;
  const auto totals = StaticTotals(cycle, rules, groups, fitting);
  if (!totals) return std::nullopt;
  for (const size_t i : fitting) found[i].score += static_cast<int32_t>((*totals)[i]);
  UsageIndex::Found best;
  for (const size_t i : fitting) {
    if (best.LosesTo(found[i].score, found[i].distance)) best = found[i];
  }
  return best.row;
}

UsageIndex::Found NodeSearch::NearestEqual(const NodeSelection& nodes, size_t group,
                                           const Query& query, const UsageIndex::Found& found) {
  const std::vector<model::NodeRow>& order = query.cycle.nodes().order().rows();
  for (uint32_t distance = 0; distance < found.distance; ++distance) {
    const model::NodeRow row = order[query.start + distance];
    if (!nodes.rows().Test(row.index()) || nodes.group_index(row.index()) != group) continue;
    const bool passes = std::ranges::all_of(
        query.rules.row_conditions,
        [&](const RowCondition& condition) { return Passes(condition, row.index()); });
    if (passes && query.evaluate(row) == found.score) return {found.score, distance, row};
  }
  return found;
}

std::optional<std::vector<int64_t>> NodeSearch::StaticTotals(
    const Cycle& cycle, const SearchRules& rules, const std::vector<NodeSelection::Group>& groups,
    const std::vector<size_t>& of) {
  std::vector<int64_t> totals(groups.size());
  std::vector<int64_t>& scores = buffers_.scores;
  examples_.Resize(cycle.nodes().rows());
  scores.resize(cycle.nodes().rows());
  for (const size_t i : of) examples_.Set(groups[i].any().index());
  bool valid = true;
  for (size_t s = 0; s < rules.static_scorers.size(); ++s) {
    const auto& [plugin, weight] = rules.static_scorers[s];
    for (const size_t i : of) scores[groups[i].any().index()] = groups[i].scores[s];
    if (plugin->scale() != Scale::kNone) plugin->Normalize(cycle, examples_, scores);
    for (const size_t i : of) {
      const int64_t score = scores[groups[i].any().index()];
      valid &= score >= 0 && score <= ScorePlugin::kMaxScore;
      if (valid) totals[i] += score * weight;
    }
  }
  for (const size_t i : of) examples_.Clear(groups[i].any().index());
  if (!valid) return std::nullopt;
  return totals;
}

void NodeSearch::BoundAll(const model::NodeTable& nodes, const ScoreBound& pod) {
  usages_.Refresh(nodes);
  for (auto* buffer : {&buffers_.bounds, &buffers_.totals, &buffers_.scratch})
    buffer->resize(nodes.rows());
  buffers_.scores.resize(nodes.rows());
  BoundScores(pod, usages_.ranges(), buffers_.bounds);
}

NodeSelection* NodeSearch::SelectionFor(const Cycle& cycle, const SearchRules& rules) {
  Cached* const cached = Refresh(rules.key, cycle, rules, /*divided=*/false);
  return cached == nullptr ? nullptr : &cached->nodes;
}

NodeSearch::Cached* NodeSearch::Refresh(const std::string& key, const Cycle& cycle,
                                        const SearchRules& rules, bool divided) {
  auto& entry = cached_[key];
  if (entry == nullptr) entry = std::make_unique<Cached>();
  Cached& cached = *entry;
  cached.last_used = ++uses_;
  const bool usable = cached.nodes.Refresh(cycle, rules, divided);
  // Counting the bytes looks at every part; they change slowly.
  constexpr uint64_t kUsesPerCount = 64;
  if (cached.uses++ % kUsesPerCount == 0) {
    bytes_ -= cached.bytes;
    cached.bytes = cached.nodes.bytes();
    bytes_ += cached.bytes;
  }
  if (bytes_ > kMaxBytes + cycle.nodes().rows() * kMaxBytesPerNode && cached_.size() > 1)
    DropOldest();
  return usable ? &cached : nullptr;
}

// Drops the half that was used least recently, so that this work is spread over many calls.
void NodeSearch::DropOldest() {
  std::vector<uint64_t> uses;
  for (const auto& [key, cached] : cached_) uses.push_back(cached->last_used);
  const auto middle = uses.begin() + static_cast<ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, middle);
  std::erase_if(cached_, [&](const auto& entry) {
    const bool drop = entry.second->last_used < *middle;
    if (drop) bytes_ -= entry.second->bytes;
    return drop;
  });
}

void NodeSearch::Clear() {
  cached_.clear();
  bytes_ = 0;
  usages_ = {};
  buffers_ = {};
  examples_ = {};
}

}  // namespace berth::scheduler::framework
