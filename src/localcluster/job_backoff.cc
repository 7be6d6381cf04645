#include "localcluster/job_backoff.h"

#include <algorithm>

namespace berth::localcluster {
namespace {

constexpr Duration kFirstJobBackoff = Duration::Seconds(10);
constexpr Duration kLongestJobBackoff = Duration::Seconds(600);
// After this many failures the backoff has its full length.
constexpr size_t kFailuresThatCount = 7;

}  // namespace

void JobBackoff::Succeeded(Instant at) { last_success_ = std::max(last_success_.value_or(at), at); }

void JobBackoff::Failed(Instant at) {
  failures_.insert(std::ranges::upper_bound(failures_, at), at);
  if (failures_.size() > kFailuresThatCount) failures_.erase(failures_.begin());
}

std::optional<Instant> JobBackoff::due() const {
  const auto first =
      last_success_ ? std::ranges::upper_bound(failures_, *last_success_) : failures_.begin();
  if (first == failures_.end()) return std::nullopt;
  Duration backoff = kFirstJobBackoff;
  for (auto failure = first + 1; failure != failures_.end(); ++failure) backoff *= 2;
  return failures_.back() + std::min(backoff, kLongestJobBackoff);
}

void JobBackoffs::Failed(const PodRecord& pod, int64_t index) {
  job.Failed(pod.ended);
  if (index >= 0) indexes[index].Failed(pod.ended);
}

std::optional<Instant> JobBackoffs::IndexDue(int64_t index) const {
  const auto found = indexes.find(index);
  return found == indexes.end() ? std::nullopt : found->second.due();
}

}  // namespace berth::localcluster
