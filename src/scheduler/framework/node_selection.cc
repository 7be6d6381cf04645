#include "scheduler/framework/node_selection.h"

#include <algorithm>
#include <utility>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

bool NodeSelection::AreScoresOutdated(const Cycle& cycle, const SearchRules& rules) {
  epochs_.resize(rules.static_scorers.size());
  bool outdated = false;
  for (size_t i = 0; i < epochs_.size(); ++i) {
    const uint64_t epoch = rules.static_scorers[i].plugin->score_epoch(cycle.cluster());
    outdated |= epoch != std::exchange(epochs_[i], epoch);
  }
  return outdated;
}

bool NodeSelection::Refresh(const Cycle& cycle, const SearchRules& rules) {
  const model::NodeTable& nodes = cycle.nodes();
  const model::RowChanges& statics = nodes.static_changes();
  const model::RowChanges& changes = nodes.changes();
  group_of_.resize(nodes.rows(), kNowhere);
  key_of_.resize(nodes.rows());
  rows_.Resize(nodes.rows());

  bool from_scratch =
      AreScoresOutdated(cycle, rules) || !started_ || !statics.Covers(static_position_);
  if (!from_scratch && !usable_) {
    if (static_position_ == statics.now()) return false;
    from_scratch = true;
  }
  const bool same_order = order_version_ == nodes.order().version();
  // Loading sorts all, which costs as much as moving a part of them.
  const bool load = from_scratch || !same_order || !changes.Covers(position_) ||
                    changes.now() - position_ > selected_ / 4 + 16;
  started_ = true;
  usable_ = false;  // Until it is complete.
  const uint64_t evaluated_to = std::exchange(static_position_, statics.now());
  if (from_scratch) {
    groups_.clear();
    std::ranges::fill(group_of_, kNowhere);
    rows_.ClearAll();
    selected_ = 0;
    if (!Evaluate(cycle, rules, nodes.present())) return false;
  } else if (evaluated_to != statics.now()) {
    model::NodeMask changed(nodes.rows());
    for (model::NodeRow row : statics.Since(evaluated_to)) {
      if (!load) Remove(nodes, row);
      if (std::exchange(group_of_[row.index()], kNowhere) != kNowhere) --selected_;
      rows_.Clear(row.index());
      changed.Set(row.index());
    }
    changed &= nodes.present();
    if (!Evaluate(cycle, rules, changed)) return false;
    if (!load) {
      changed.ForEach(
          [&](size_t row) { Insert(nodes, model::NodeRow{static_cast<uint32_t>(row)}); });
    }
  }
  if (load) {
    Load(nodes);
  } else {
    for (model::NodeRow row : changes.Since(position_)) {
      Remove(nodes, row);
      Insert(nodes, row);
    }
  }
  position_ = changes.now();
  order_version_ = nodes.order().version();
  usable_ = true;
  return true;
}

bool NodeSelection::Evaluate(const Cycle& cycle, const SearchRules& rules, model::NodeMask rows) {
  for (const FilterPlugin* filter : rules.static_filters) {
    if (!filter->Filter(cycle, rows).ok()) return false;
  }
  std::vector<std::vector<int64_t>> columns;
  for (const SearchRules::Scorer& scorer : rules.static_scorers) {
    columns.emplace_back(rows.size());
    if (!scorer.plugin->Score(cycle, rows, columns.back()).ok()) return false;
  }
  rows_ |= rows;
  std::vector<int64_t> scores(columns.size());
  bool few = true;
  rows.ForEach([&](size_t row) {
    for (size_t i = 0; i < columns.size(); ++i) scores[i] = columns[i][row];
    group_of_[row] = GroupWith(scores);
    few &= group_of_[row] != kNowhere;
    ++selected_;
  });
  return few;
}

// Returns kNowhere if there are too many groups.
uint32_t NodeSelection::GroupWith(const std::vector<int64_t>& scores) {
  const auto found = std::ranges::find(groups_, scores, &Group::scores);
  const auto i = static_cast<uint32_t>(found - groups_.begin());
  if (found != groups_.end()) return i;
  if (groups_.size() >= kMaxGroups) return kNowhere;
  groups_.push_back({scores, {}});
  return i;
}

void NodeSelection::Load(const model::NodeTable& nodes) {
  const std::vector<uint32_t>& rank = nodes.order().rank();
  std::vector<std::vector<UsageIndex::Entry>> entries(groups_.size());
  for (uint32_t row = 0; row < group_of_.size(); ++row) {
    if (group_of_[row] == kNowhere) continue;
    const NodeUsage usage = UsageOf(nodes.columns(), row);
    key_of_[row] = UsageIndex::KeyOf(usage);
    entries[group_of_[row]].push_back({model::NodeRow{row}, rank[row], usage});
  }
  for (size_t i = 0; i < groups_.size(); ++i) groups_[i].nodes.Load(entries[i]);
}

void NodeSelection::Insert(const model::NodeTable& nodes, model::NodeRow row) {
  const uint32_t group = group_of_[row.index()];
  if (group == kNowhere) return;
  const NodeUsage usage = UsageOf(nodes.columns(), row.index());
  key_of_[row.index()] = UsageIndex::KeyOf(usage);
  groups_[group].nodes.Insert({row, nodes.order().rank()[row.index()], usage});
}

void NodeSelection::Remove(const model::NodeTable& nodes, model::NodeRow row) {
  const uint32_t group = group_of_[row.index()];
  if (group == kNowhere) return;
  groups_[group].nodes.Remove(key_of_[row.index()], {row, nodes.order().rank()[row.index()], {}});
}

size_t NodeSelection::bytes() const {
  size_t bytes = sizeof(*this) + group_of_.capacity() * sizeof(group_of_[0]) +
                 key_of_.capacity() * sizeof(key_of_[0]);
  for (const Group& group : groups_) bytes += group.nodes.bytes();
  return bytes;
}

}  // namespace berth::scheduler::framework
