// PriorityView is what pods of one priority need to know about the other pods of a node: the
// rivals, which are nominated to it with at least the same priority, and what plugins add.
//
// All classes of that priority share it. It follows the log of changed rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/model/ids.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::model {
class Cluster;
class NodeTable;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

class Plugin;

// What a plugin stores for all pods of a priority.
class PriorityState {
 public:
  virtual ~PriorityState() = default;
};

class PriorityView {
 public:
  explicit PriorityView(int32_t priority) : priority_(priority) {}

  void Refresh(const model::Cluster& cluster);

  // The rows that rivals are nominated to.
  const model::NodeMask& contested() const { return contested_; }
  struct Rivals {
    model::ResourceVector requests;  // Their sum.
    int64_t pods = 0;
    bool are_small = false;  // Their requests can be added to the sums of the row and subtracted.
  };
  // Those of a contested row.
  const Rivals& rivals(model::NodeRow row) const { return *rivals_[row.index()]; }

  // The sums of all rows, with their rivals but for those in uncounted(): for TrySwapSums.
  model::PodSums& sums_with_rivals() { return sums_; }
  // The contested rows whose rivals request scalar resources or are not small.
  const model::NodeMask& uncounted() const { return uncounted_; }

  // What `plugin` stores; made of the priority when first asked for.
  template <typename State>
  State& state(const Plugin& plugin) {
    std::unique_ptr<PriorityState>& state = states_[&plugin];
    if (state == nullptr) state = std::make_unique<State>(priority_);
    return static_cast<State&>(*state);
  }

 private:
  void Look(const model::Cluster& cluster, model::NodeRow row);
  void CopySums(const model::NodeTable& nodes, model::NodeRow row);
  void CopyAllSums(const model::NodeTable& nodes);

  const int32_t priority_;
  bool started_ = false;
  uint64_t position_ = 0;  // In the log of changed rows.
  model::NodeMask contested_, uncounted_;
  model::PodSums sums_;
  std::vector<std::unique_ptr<const Rivals>> rivals_;  // By row; null for those not contested.
  std::map<const Plugin*, std::unique_ptr<PriorityState>> states_;
};

// PriorityViews holds the views of the priorities used last.
class PriorityViews {
 public:
  // Returns the view of `priority`, up to date. It remains valid for the caller when it is dropped.
  std::shared_ptr<PriorityView> For(const model::Cluster& cluster, int32_t priority);
  void Clear() { views_.clear(); }

 private:
  // A view has a few words per node, and pods that wait for room have few priorities.
  static constexpr size_t kMaxViews = 4;

  struct Used {
    std::shared_ptr<PriorityView> view;
    uint64_t last = 0;
  };
  std::map<int32_t, Used> views_;
  uint64_t uses_ = 0;
};

}  // namespace berth::scheduler::framework
