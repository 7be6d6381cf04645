// ChangeFinder returns the changes that may remove what keeps a pod from running, with the changes
// made so far. Whether they do is decided by deciding again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/change.h"
#include "explain/changed_cluster.h"
#include "explain/obstacle.h"
#include "scheduler/engine/pod_fit.h"

namespace berth::explain {

class ChangeFinder {
 public:
  // `changed` must outlive this.
  explicit ChangeFinder(ChangedCluster& changed) : changed_(changed) {}

  // Returns changes for a pod that the PreFilter of `plugin` rejects.
  std::vector<Change> ForPreFilter(const std::string& plugin);

  // Returns the changes that may remove the first obstacle of the node, which some change of every
  // fix does. `left` is the number of changes that may be made.
  std::vector<Change> ForNode(const scheduler::engine::NodeFit& fit, size_t left);

  // Reports whether no change was left out so far.
  bool complete() const { return complete_; }

 private:
  std::vector<Change> MovesOfClaimUsers();
  std::vector<Change> SpreadChanges(const std::string& node);
  enum class Others { kHard, kSoft };
  bool SkewFits(const std::string& node, size_t number, int32_t max_skew, Others others);
  std::vector<Change> Moves(const Obstacle& obstacle, size_t left);

  ChangedCluster& changed_;
  bool complete_ = true;
};

// Reports whether the plugin is among those that reject the node.
bool IsRejectedBy(const scheduler::engine::NodeFit& fit, std::string_view plugin);

}  // namespace berth::explain
