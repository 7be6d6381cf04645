#include "scheduler/framework/post_filter.h"

#include <algorithm>

#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {

Instant StartOf(const model::PodRecord& pod, Instant now) {
  return pod.object->status.start_time.value_or(now);
}

Instant EarliestStart(const model::Cluster& cluster, const Victims& victims, Instant now) {
  const model::PodRecord& first = cluster.pod(victims.pods.front());
  Instant earliest = StartOf(first, now);
  for (model::PodId id : victims.pods) {
    const model::PodRecord& pod = cluster.pod(id);
    if (pod.object->priority() != first.object->priority()) continue;
    earliest = std::min(earliest, StartOf(pod, now));
  }
  return earliest;
}

VictimRating::VictimRating(const model::Cluster& cluster, const Victims& victims, Instant now) {
  // Counted from the lowest priority, so that a victim never makes the sum smaller.
  constexpr int64_t kLowestPriority = -(int64_t{1} << 31);
  int64_t sum = 0;
  for (model::PodId id : victims.pods) sum += cluster.pod(id).object->priority() - kLowestPriority;
  by_criterion_ = {victims.budget_violations, cluster.pod(victims.pods.front()).object->priority(),
                   sum, static_cast<int64_t>(victims.pods.size()),
                   -EarliestStart(cluster, victims, now).nanos};
}

VictimRating VictimRating::StartingAt(Instant now) const {
  VictimRating moved = *this;
  moved.by_criterion_[static_cast<size_t>(VictimCriterion::kStartTime)] = -now.nanos;
  return moved;
}

VictimCriterion VictimRating::DifferenceTo(const VictimRating& other) const {
  const auto [own, others] = std::ranges::mismatch(by_criterion_, other.by_criterion_);
  return static_cast<VictimCriterion>(own - by_criterion_.begin());
}

}  // namespace berth::scheduler::framework
