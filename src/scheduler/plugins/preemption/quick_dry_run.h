// QuickDryRun tries out preemption on one node by the sums of what its pods request, without
// removing a pod from the model.
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

class QuickDryRun {
 public:
  // Both must outlive this object, and nothing else may change the cluster meanwhile. The attempt
  // has filtered all nodes.
  QuickDryRun(framework::Attempt& attempt, PotentialVictims& potential);

  // Reports whether Rate may know the rating of this node. Only then the rating that another pod of
  // the class got holds for this one: pods on other nodes may have made a filter take part since.
  bool MayRate(model::NodeRow node) const { return sums_suffice_ && !attempt_.IsSpecial(node); }

  // Reports whether there is nobody to evict on the node, so that preemption cannot help there.
  bool HasNoVictims(model::NodeRow node, Instant now) {
    return potential_.On(attempt_.cluster(), view_, node, now).has_none;
  }

  // Looks at `count` nodes from nodes[first] on, around the end, together, so that FindVictims
  // costs little for them. They were rejected with the verdicts of `diagnosis`.
  void Prepare(std::span<const model::NodeRow> nodes, size_t first, size_t count,
               const framework::Diagnosis& diagnosis, Instant now);

  // Returns the pods of `node`, which was rejected with this verdict, if SelectVictimsOnNode would
  // find victims among them. Null if only that knows: evicting pods may not help there, or a filter
  // sees more of pods than sums. Valid until the potential victims are refreshed.
  const PotentialVictims::List* FindVictims(model::NodeRow node, const framework::Verdict& verdict,
                                            Instant now) {
    if (found_.Test(node.index())) return &potential_.Known(node);
    return LookForVictims(node, verdict, now);
  }
  // Returns the rating of the victims that SelectVictimsOnNode would find on `node`, where
  // FindVictims has found them: for this pod, or for another of its class since the node changed.
  // Absent if it would not find them now, because the clock was set back.
  std::optional<QuickRating> Rate(model::NodeRow node, Instant now);

 private:
  using Victim = PotentialVictims::Victim;
  using Rivals = framework::PriorityView::Rivals;

  // Null if there are none.
  const Rivals* RivalsOn(model::NodeRow node) const {
    return view_.contested().Test(node.index()) ? &view_.rivals(node) : nullptr;
  }
  const PotentialVictims::List* LookForVictims(model::NodeRow node,
                                               const framework::Verdict& verdict, Instant now);
  bool FitsByEviction(model::NodeRow node, const PotentialVictims::List& list) const;
  // Reprieves victims, which are all removed, as long as the pod fits. evicted_ are the others.
  void Reprieve(std::span<const Victim> victims, model::NodeRow node);
  bool PassesBySums(model::NodeRow node) const;
  void LookAtRejector(const std::string& plugin);
  bool PassesWithoutPods(model::NodeRow node) const;

  framework::Attempt& attempt_;
  PotentialVictims& potential_;
  const framework::PriorityView& view_;
  const bool sums_suffice_;
  const framework::Conditions by_sums_;
  model::NodeMask found_;                     // The nodes where the last Prepare found victims.
  std::optional<std::string> last_rejector_;  // The filter that rejected the last node.
  bool rejector_sees_sums_ = false;
  // Of the filters that see no pods, what those after it require: those before it have let the node
  // pass.
  framework::Conditions after_rejector_;
  std::vector<const Victim*> evicted_;
};

}  // namespace berth::scheduler::plugins
