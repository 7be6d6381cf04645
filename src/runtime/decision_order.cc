#include "runtime/decision_order.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

namespace berth::runtime {

DecisionOrder::DecisionOrder(const ShadowTimeline& timeline, size_t most_reordered)
    : decision_(*timeline.held().front().decision) {
  std::vector<OtherDecision> seen;
  const auto add = [&](const Moment& moment) {
    if (!moment.decision) return;
    const ObservedDecision& decision = *moment.decision;
    if (&decision == &decision_) own_ = seen.size();
    if (!decision.ChangesCluster() && &decision != &decision_) return;
    seen.push_back({.decision = &decision,
                    .visible = decision.position < decision_.position,
                    .turn = seen.size()});
  };
  std::ranges::for_each(timeline.past(), add);
  std::ranges::for_each(timeline.held(), add);
  EstimateTurns(seen, most_reordered);

  for (OtherDecision& other : seen) {
    const ObservedDecision& decision = *other.decision;
    if (decision.before->metadata.uid == decision_.before->metadata.uid) continue;
    // Could be tried only after this decision was seen.
    if (decision.since > decision_.position) continue;
    // Seen before this pod could be tried: it is in the cluster, except a pod that is being bound.
    const bool seen_before = decision.position < decision_.since;
    if (seen_before && !decision.assumed) continue;
    other.made = seen_before ? OtherDecision::Made::kBefore : Classify(decision);
    others_.push_back(other);
  }
  for (const OtherDecision& other : others_) {
    if (other.made == OtherDecision::Made::kUnknown) unknown_.push_back(&other);
  }
  const auto place = [](const OtherDecision& other) {
    return std::tuple(other.turn, -int64_t{other.decision->priority()}, other.decision->created);
  };
  std::ranges::sort(unknown_, {}, [&](const OtherDecision* other) { return place(*other); });
  likely_ = static_cast<size_t>(std::ranges::count_if(
      unknown_, [&](const OtherDecision* other) { return place(*other) < place(seen[own_]); }));
}

// A decision was made before it was seen, and before any that was surely made later was seen.
void DecisionOrder::EstimateTurns(std::vector<OtherDecision>& seen, size_t most_reordered) {
  constexpr size_t kFewInFlight = 4;   // Always possible.
  constexpr size_t kNeighbours = 256;  // What was long ago says nothing about the load now.
  std::vector<OtherDecision*> first_attempts;
  for (OtherDecision& one : seen) {
    // A pod that had a scheduling gate was not tried in the order of creation.
    if (one.decision->first && !one.decision->unordered &&
        one.decision->since == one.decision->created)
      first_attempts.push_back(&one);
  }
  std::ranges::sort(first_attempts, std::greater<>(),
                    [](const OtherDecision* one) { return one->decision->created; });
  size_t furthest = 0;
  // The earliest turn of the pods created later that have at most this priority. Falls with it.
  std::map<int32_t, size_t> earliest;
  for (OtherDecision* one : first_attempts) {
    const size_t seen_at = one->turn;
    const int32_t priority = one->decision->priority();
    auto higher = earliest.upper_bound(priority);
    if (higher != earliest.begin()) one->turn = std::min(one->turn, std::prev(higher)->second);
    while (higher != earliest.end() && higher->second >= one->turn) higher = earliest.erase(higher);
    earliest[priority] = one->turn;
    if (one->turn < own_ + kNeighbours && own_ < seen_at + kNeighbours)
      furthest = std::max(furthest, seen_at - one->turn);
  }
  reach_ = std::min(std::max(2 * furthest, kFewInFlight), most_reordered);
  if (decision_.unordered) reach_ = most_reordered;
}

OtherDecision::Made DecisionOrder::Classify(const ObservedDecision& other) const {
  using Made = OtherDecision::Made;
  if (!decision_.first) return Made::kUnknown;
  if (decision_.unordered && other.unordered && decision_.priority() == other.priority())
    return Made::kUnknown;
  const bool goes_first =
      other.priority() > decision_.priority() ||
      (other.priority() == decision_.priority() && other.created < decision_.created);
  if (goes_first) return other.first ? Made::kBefore : Made::kUnknown;
  const uint64_t earliest = other.first ? other.since : other.created;
  return earliest > decision_.since ? Made::kAfter : Made::kUnknown;
}

}  // namespace berth::runtime
