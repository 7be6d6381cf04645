// QuickDryRun rates preemption on one node by the sums of what its pods request, without removing a
// pod from the model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/plugins/preemption/potential_victims.h"

namespace berth::scheduler::plugins {

struct QuickRating {
  framework::VictimRating rating;
  // None of the victims of the highest priority has a start time: they count as starting now.
  bool no_start_time = false;

  framework::VictimRating At(Instant now) const {
    return no_start_time ? rating.StartingAt(now) : rating;
  }
};

class QuickDryRun {
 public:
  // Both must outlive this object, and nothing else may change the cluster meanwhile. The attempt
  // has filtered all nodes.
  QuickDryRun(framework::Attempt& attempt, PotentialVictims& potential);

  // Reports whether Rate may know the rating of this node. Only then the rating that another pod of
  // the class got holds for this one: pods on other nodes may have made a filter take part since.
  bool MayRate(model::NodeRow node) const { return sums_suffice_ && !attempt_.IsSpecial(node); }

  // Returns the rating of the victims that SelectVictimsOnNode would find on `node`, which was
  // rejected with this verdict. Absent if only that knows: evicting pods may not help there, or a
  // filter sees more of pods than sums.
  std::optional<QuickRating> Rate(model::NodeRow node, const framework::Verdict& verdict,
                                  Instant now);

 private:
  using Victim = PotentialVictims::Victim;

  // Reprieves victims, which are all removed, as long as the pod fits. evicted_ are the others.
  void Reprieve(std::span<const Victim> victims, model::NodeRow node);
  bool PassesBySums(model::NodeRow node) const;
  bool PassesWithoutPods(model::NodeRow node, const framework::Verdict& verdict);

  framework::Attempt& attempt_;
  PotentialVictims& potential_;
  const framework::PriorityView& view_;
  const bool sums_suffice_;
  const std::vector<const framework::FilterPlugin*> by_sums_;
  // Of the filters that see no pods, those after the one that rejected the last node: those before
  // it have let the node pass.
  std::optional<std::string> last_rejector_;
  std::vector<const framework::FilterPlugin*> after_rejector_;
  bool fits_without_victims_ = false;
  std::vector<const Victim*> evicted_;
};

}  // namespace berth::scheduler::plugins
