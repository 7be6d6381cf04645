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

VictimRating::VictimRating(const Values& values)
    : by_criterion_{values.budget_violations, values.highest_priority, values.priority_sum,
                    static_cast<int64_t>(values.victims), -values.earliest_start.nanos} {}

VictimRating::VictimRating(const model::Cluster& cluster, const Victims& victims, Instant now)
    : VictimRating([&] {
        Values values{.budget_violations = victims.budget_violations,
                      .highest_priority = cluster.pod(victims.pods.front()).object->priority(),
                      .victims = victims.pods.size(),
                      .earliest_start = EarliestStart(cluster, victims, now)};
        for (model::PodId id : victims.pods)
          values.priority_sum += CountedPriority(cluster.pod(id).object->priority());
        return values;
      }()) {}

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
