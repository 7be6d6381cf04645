#include "scheduler/framework/node_selection.h"

#include <algorithm>
#include <utility>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

model::NodeRow NodeSelection::Group::any() const {
  const auto found =
      std::ranges::find_if(parts, [](const UsageIndex& nodes) { return nodes.size() > 0; });
  return found == parts.end() ? model::NodeRow{} : found->any();
}

void NodeSelection::Places::Reset(size_t rows, size_t selected) {
  // An entry of the map takes as much as several of the column.
  is_dense_ = selected >= rows / 16;
  dense_.clear();
  sparse_.clear();
  if (is_dense_) {
    dense_.resize(rows);
  } else {
    dense_.shrink_to_fit();
    sparse_.reserve(selected);
  }
}

void NodeSelection::Places::Resize(size_t rows) {
  if (is_dense_) dense_.resize(rows);
}

size_t NodeSelection::Places::bytes() const {
  constexpr size_t kPerEntry = sizeof(std::pair<size_t, Place>) + 3 * sizeof(void*);
  return dense_.capacity() * sizeof(Place) + sparse_.size() * kPerEntry;
}

bool NodeSelection::AreScoresOutdated(const Cycle& cycle, const SearchRules& rules) {
  epochs_.resize(rules.static_scorers.size());
  bool outdated = false;
  for (size_t i = 0; i < epochs_.size(); ++i) {
    const uint64_t epoch = rules.static_scorers[i].plugin->score_epoch(cycle.cluster());
    outdated |= epoch != std::exchange(epochs_[i], epoch);
  }
  return outdated;
}

bool NodeSelection::Refresh(const Cycle& cycle, const SearchRules& rules, bool divided) {
  if (divided) divided_by_ = rules.division->domains;
  const model::NodeTable& nodes = cycle.nodes();
  const model::RowChanges& statics = nodes.static_changes();
  const model::RowChanges& changes = nodes.changes();
  if (started_) places_.Resize(nodes.rows());
  rows_.Resize(nodes.rows());

  bool from_scratch =
      AreScoresOutdated(cycle, rules) || !started_ || !statics.Covers(static_position_);
  if (!from_scratch && !usable_) {
    if (static_position_ == statics.now()) return false;
    from_scratch = true;
  }
  const bool same_order = order_version_ == nodes.order().version();
  const bool load = from_scratch || !same_order || !changes.Covers(position_) ||
                    AreMany(changes.Since(position_));
  started_ = true;
  usable_ = false;  // Until it is complete.
  const uint64_t evaluated_to = std::exchange(static_position_, statics.now());
  if (from_scratch) {
    groups_.clear();
    rows_.ClearAll();
    selected_ = 0;
    if (!Evaluate(cycle, rules, nodes.present())) return false;
  } else if (evaluated_to != statics.now()) {
    model::NodeMask changed(nodes.rows());
    for (model::NodeRow row : statics.Since(evaluated_to)) {
      if (!load) Remove(nodes, row);
      Deselect(row);
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
    Follow(nodes, changes.Since(position_));
  }
  position_ = changes.now();
  order_version_ = nodes.order().version();
  usable_ = true;
  return true;
}

// Most selections have few of the rows that change. Those are found first: reading only bits, the
// processor waits for several of them at a time.
void NodeSelection::Follow(const model::NodeTable& nodes, std::span<const model::NodeRow> changed) {
  to_move_.resize(changed.size());
  size_t count = 0;
  for (const model::NodeRow row : changed) {
    to_move_[count] = row;
    count += rows_.Test(row.index()) ? 1 : 0;
  }
  for (const model::NodeRow row : std::span(to_move_).first(count)) {
    Remove(nodes, row);
    Insert(nodes, row);
  }
}

// Loading sorts all, which costs as much as moving a part of them.
bool NodeSelection::AreMany(std::span<const model::NodeRow> changed) const {
  const size_t many = selected_ / 4 + 16;
  if (changed.size() <= many) return false;
  const auto selected =
      std::ranges::count_if(changed, [&](model::NodeRow row) { return rows_.Test(row.index()); });
  return static_cast<size_t>(selected) > many;
}

void NodeSelection::Deselect(model::NodeRow row) {
  if (!rows_.Test(row.index())) return;
  rows_.Clear(row.index());
  places_.Erase(row.index());
  --selected_;
}

bool NodeSelection::Evaluate(const Cycle& cycle, const SearchRules& rules, model::NodeMask rows) {
  for (const auto& [domain_of, domain] : rules.only_domains)
    rows.KeepIf([&](size_t row) { return domain_of[row] == domain; });
  for (const NodePredicate* condition : rules.static_conditions) condition->Keep(cycle, rows);
  std::vector<std::vector<int64_t>> columns;
  for (const SearchRules::Scorer& scorer : rules.static_scorers) {
    columns.emplace_back(rows.size());
    if (!scorer.plugin->Score(cycle, rows, columns.back()).ok()) return false;
  }
  const size_t count = rows.Count();
  if (selected_ == 0) places_.Reset(rows.size(), count);
  selected_ += count;
  rows_ |= rows;
  std::vector<int64_t> scores(columns.size());
  bool few = true;
  rows.ForEach([&](size_t row) {
    for (size_t i = 0; i < columns.size(); ++i) scores[i] = columns[i][row];
    const uint16_t group = GroupWith(scores);
    few &= group != kNoGroup;
    if (!few) return;
    const model::DomainId domain = divided() ? divided_by_->domain_of()[row] : model::DomainId{};
    const size_t part = Group::PartOf(domain);
    std::vector<UsageIndex>& parts = groups_[group].parts;
    if (part >= parts.size()) parts.resize(part + 1);
    Place& place = places_[row];
    place.group = group;
    place.part = static_cast<uint16_t>(part);
  });
  return few;
}

// Returns kNoGroup if there are too many groups.
uint16_t NodeSelection::GroupWith(const std::vector<int64_t>& scores) {
  const auto found = std::ranges::find(groups_, scores, &Group::scores);
  const auto i = static_cast<uint16_t>(found - groups_.begin());
  if (found != groups_.end()) return i;
  if (groups_.size() >= kMaxGroups) return kNoGroup;
  groups_.push_back({scores, {}});
  return i;
}

void NodeSelection::Load(const model::NodeTable& nodes) {
  const std::vector<uint32_t>& rank = nodes.order().rank();
  std::vector<std::vector<std::vector<UsageIndex::Entry>>> entries;
  for (const Group& group : groups_) entries.emplace_back(group.parts.size());
  rows_.ForEach([&](size_t i) {
    const model::NodeRow row{static_cast<uint32_t>(i)};
    const NodeUsage usage = UsageOf(nodes.columns(), i);
    Place& place = places_[i];
    place.key = UsageIndex::KeyOf(usage);
    entries[place.group][place.part].push_back({row, rank[i], usage});
  });
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (size_t part = 0; part < entries[i].size(); ++part)
      groups_[i].parts[part].Load(entries[i][part]);
  }
}

void NodeSelection::Insert(const model::NodeTable& nodes, model::NodeRow row) {
  if (!rows_.Test(row.index())) return;
  const NodeUsage usage = UsageOf(nodes.columns(), row.index());
  Place& place = places_[row.index()];
  place.key = UsageIndex::KeyOf(usage);
  IndexAt(place).Insert({row, nodes.order().rank()[row.index()], usage});
}

void NodeSelection::Remove(const model::NodeTable& nodes, model::NodeRow row) {
  if (!rows_.Test(row.index())) return;
  const Place& place = places_.Of(row.index());
  IndexAt(place).Remove(place.key, {row, nodes.order().rank()[row.index()], {}});
}

size_t NodeSelection::bytes() const {
  size_t bytes = sizeof(*this) + places_.bytes() + rows_.size() / 8;
  for (const Group& group : groups_) {
    for (const UsageIndex& part : group.parts) bytes += part.bytes();
  }
  return bytes;
}

}  // namespace berth::scheduler::framework
