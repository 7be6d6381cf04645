// Fixtures for tests of the ledger: attempts, and their views.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/attempt.h"

namespace berth::ledger {

// ViewOf is the view of an attempt, which must outlive it.
class ViewOf {
 public:
  explicit ViewOf(const Attempt& attempt, uint64_t failure_id = 0)
      : plugins_(attempt.plugins.begin(), attempt.plugins.end()),
        waited_for_(attempt.waited_for.begin(), attempt.waited_for.end()) {
    for (const NodeGroup& group : attempt.groups)
      groups_.push_back({group.plugin, group.reason, group.nodes});
    for (const Candidate& candidate : attempt.candidates)
      candidates_.push_back({candidate.node, candidate.score});
    for (const PodName& victim : attempt.victims)
      victims_.push_back({victim.namespace_, victim.name});
    view_ = {.time = attempt.time,
             .scheduler_name = attempt.scheduler_name,
             .namespace_ = attempt.namespace_,
             .name = attempt.name,
             .uid = attempt.uid,
             .number = attempt.number,
             .outcome = attempt.outcome,
             .node = attempt.node,
             .failure = {attempt.message, plugins_, groups_},
             .failure_id = failure_id,
             .candidates = candidates_,
             .victims = victims_,
             .evaluated = attempt.evaluated,
             .feasible = attempt.feasible,
             .phases = attempt.phases,
             .woken_by = {attempt.woken_by.event, attempt.woken_by.object, attempt.woken_by.time},
             .waited_for = waited_for_,
             .waited_for_id = failure_id,
             .waited = attempt.waited};
  }
  ViewOf(const ViewOf&) = delete;
  ViewOf& operator=(const ViewOf&) = delete;

  const AttemptView& operator*() const { return view_; }

 private:
  std::vector<std::string_view> plugins_, waited_for_;
  std::vector<BasicNodeGroup<std::string_view>> groups_;
  std::vector<BasicCandidate<std::string_view>> candidates_;
  std::vector<BasicPodName<std::string_view>> victims_;
  AttemptView view_;
};

// The attempt of a pod that was placed, as copies of a template are.
inline Attempt PlacedAttempt(size_t i) {
  Attempt attempt;
  attempt.time =
      Instant::FromUnixSeconds(1'700'000'000) + Duration::Millis(static_cast<int64_t>(i));
  attempt.scheduler_name = "default-scheduler";
  attempt.namespace_ = "shop";
  attempt.name = "web-" + std::to_string(i);
  attempt.uid = "0f2c8c5e-1111-4222-8333-" + std::to_string(100'000'000'000 + i);
  attempt.number = 1;
  attempt.node = "node-" + std::to_string(i % 5000);
  attempt.candidates = {{attempt.node, 450}, {"node-17", 449}};
  attempt.evaluated = attempt.feasible = 5000;
  attempt.phases.filter = Duration{1200};
  attempt.phases.score = Duration{2100};
  attempt.woken_by = {"UnscheduledPodAdd", "", attempt.time - Duration::Millis(2)};
  attempt.waited = Duration::Millis(2);
  return attempt;
}

}  // namespace berth::ledger
