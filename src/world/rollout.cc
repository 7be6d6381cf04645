#include "world/rollout.h"

#include <algorithm>
#include <cmath>

namespace berth::world {

namespace {

int64_t TotalReplicas(const SetSizes& sizes) {
  int64_t total = sizes.new_set.replicas;
  for (const SetSize& set : sizes.old_sets) total += set.replicas;
  return total;
}

bool ResizeNewSet(const RolloutLimits& limits, SetSizes& sizes) {
  SetSize& set = sizes.new_set;
  if (set.replicas == limits.replicas) return false;
  if (set.replicas > limits.replicas) {
    set.replicas = limits.replicas;
    return true;
  }
  const int64_t room = limits.replicas + limits.max_surge - TotalReplicas(sizes);
  if (room <= 0) return false;
  set.replicas += std::min(room, limits.replicas - set.replicas);
  return true;
}

void ShrinkOldSets(const RolloutLimits& limits, SetSizes& sizes) {
  const int64_t min_available = limits.replicas - limits.max_unavailable;
  const int64_t new_unavailable = sizes.new_set.replicas - sizes.new_set.available;
  int64_t spare = TotalReplicas(sizes) - min_available - new_unavailable;
  if (spare <= 0) return;
  // Pods that do not serve go first: nobody misses them.
  for (SetSize& set : sizes.old_sets) {
    const int64_t unhealthy = std::max<int64_t>(0, set.replicas - set.available);
    const int64_t fewer = std::min(spare, unhealthy);
    set.replicas -= fewer;
    spare -= fewer;
  }
  int64_t available = sizes.new_set.available;
  for (const SetSize& set : sizes.old_sets) available += set.available;
  int64_t excess = available - min_available;
  for (SetSize& set : sizes.old_sets) {
    const int64_t fewer = std::clamp<int64_t>(excess, 0, set.replicas);
    set.replicas -= fewer;
    excess -= fewer;
  }
}

// How much the set's size should change for its share.
int64_t Fraction(const RolloutLimits& limits, const SetSize& set) {
  if (limits.replicas == 0) return -set.replicas;
  const int64_t most = limits.replicas + limits.max_surge;
  const int64_t before = set.annotated_max > 0 ? set.annotated_max : most;
  const double share =
      static_cast<double>(set.replicas) * static_cast<double>(most) / static_cast<double>(before);
  return static_cast<int64_t>(std::llround(share)) - set.replicas;
}

}  // namespace

void RollForward(const RolloutLimits& limits, SetSizes& sizes) {
  if (!ResizeNewSet(limits, sizes)) ShrinkOldSets(limits, sizes);
}

void ShareOut(const RolloutLimits& limits, SetSizes& sizes) {
  std::vector<SetSize*> sets = {&sizes.new_set};
  for (SetSize& set : sizes.old_sets) sets.push_back(&set);
  std::erase_if(sets, [](const SetSize* set) { return set->replicas == 0; });
  if (sets.size() <= 1) {
    (sets.empty() ? sizes.new_set : *sets.front()).replicas = limits.replicas;
    return;
  }
  // The largest first, the newest among equals.
  std::ranges::stable_sort(
      sets, [](const SetSize* a, const SetSize* b) { return a->replicas > b->replicas; });
  const int64_t allowed = limits.replicas > 0 ? limits.replicas + limits.max_surge : 0;
  int64_t left = allowed - TotalReplicas(sizes);
  const bool grows = left > 0;
  for (SetSize* set : sets) {
    const int64_t wanted = Fraction(limits, *set);
    const int64_t change =
        grows ? std::clamp<int64_t>(wanted, 0, left) : std::clamp<int64_t>(wanted, left, 0);
    set->replicas += change;
    left -= change;
  }
  // What rounding left over.
  sets.front()->replicas = std::max<int64_t>(0, sets.front()->replicas + left);
}

}  // namespace berth::world
