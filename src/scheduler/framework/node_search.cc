#include "scheduler/framework/node_search.h"

#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::framework {

std::optional<model::NodeRow> NodeSearch::Best(const Cycle& cycle, const SearchRules& rules,
                                               uint32_t start,
                                               const UsageIndex::Evaluate& evaluate) {
  NodeSelection* const selection = SelectionFor(cycle, rules);
  if (selection == nullptr) return std::nullopt;
  std::vector<NodeSelection::Group>& groups = selection->groups();
  // The static scores of a group are the same for all of its nodes, so that the best of each is
  // found without them. They are normalized over the groups in which the pod fits somewhere.
  std::vector<UsageIndex::Found> found(groups.size());
  std::vector<size_t> fitting;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].nodes.size() > 0)
      found[i] = groups[i].nodes.Best(rules.bound, rules.row_rules, start, evaluate);
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

std::optional<std::vector<int64_t>> NodeSearch::StaticTotals(
    const Cycle& cycle, const SearchRules& rules, const std::vector<NodeSelection::Group>& groups,
    const std::vector<size_t>& of) {
  std::vector<int64_t> totals(groups.size());
  std::vector<int64_t>& scores = buffers_.scores;
  examples_.Resize(cycle.nodes().rows());
  scores.resize(cycle.nodes().rows());
  for (const size_t i : of) examples_.Set(groups[i].nodes.any().index());
  bool valid = true;
  for (size_t s = 0; s < rules.static_scorers.size(); ++s) {
    const auto& [plugin, weight] = rules.static_scorers[s];
    for (const size_t i : of) scores[groups[i].nodes.any().index()] = groups[i].scores[s];
    if (plugin->normalizes()) plugin->Normalize(cycle, examples_, scores);
    for (const size_t i : of) {
      const int64_t score = scores[groups[i].nodes.any().index()];
      valid &= score >= 0 && score <= ScorePlugin::kMaxScore;
      if (valid) totals[i] += score * weight;
    }
  }
  for (const size_t i : of) examples_.Clear(groups[i].nodes.any().index());
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
  auto& entry = cached_[rules.key];
  if (entry == nullptr) entry = std::make_unique<Cached>();
  Cached& cached = *entry;
  cached.last_used = ++uses_;
  const bool usable = cached.nodes.Refresh(cycle, rules);
  bytes_ -= cached.bytes;
  cached.bytes = cached.nodes.bytes();
  bytes_ += cached.bytes;
  if (bytes_ > kMaxBytes + cycle.nodes().rows() * kMaxBytesPerNode && cached_.size() > 1)
    DropOldest();
  return usable ? &cached.nodes : nullptr;
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
