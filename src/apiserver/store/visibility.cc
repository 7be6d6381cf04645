#include "apiserver/store/visibility.h"

#include <algorithm>
#include <utility>

namespace berth::apiserver::store {

void PendingWakeups::Arm(const std::shared_ptr<Wakeup>& wake) {
  if (wake->armed) return;
  wake->armed = true;
  wake->slot = armed_.size();
  armed_.push_back(wake);
}

void PendingWakeups::Disarm(Wakeup& wake) {
  if (!wake.armed) return;
  wake.armed = false;
  if (wake.slot + 1 != armed_.size()) {
    armed_[wake.slot] = std::move(armed_.back());
    armed_[wake.slot]->slot = wake.slot;
  }
  armed_.pop_back();
}

void PendingWakeups::TakeAll(std::vector<std::shared_ptr<Wakeup>>& out) {
  for (std::shared_ptr<Wakeup>& wake : armed_) {
    wake->armed = false;
    out.push_back(std::move(wake));
  }
  armed_.clear();
}

std::vector<uint32_t> Visibility::Advance(Version version) {
  visible_ = std::max(visible_, version);
  std::vector<uint32_t> collections;
  while (!expected_.empty() && expected_.front().first <= version) {
    collections.push_back(expected_.front().second);
    expected_.pop_front();
  }
  return collections;
}

std::vector<Visibility::Done> Visibility::TakeDue() {
  std::vector<Done> due;
  const auto end = waiting_.upper_bound(visible_);
  for (auto at = waiting_.begin(); at != end; ++at) due.push_back(std::move(at->second));
  waiting_.erase(waiting_.begin(), end);
  return due;
}

std::vector<Visibility::Done> Visibility::Fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  expected_.clear();
  std::vector<Done> all;
  for (auto& [version, done] : waiting_) all.push_back(std::move(done));
  waiting_.clear();
  return all;
}

bool Visibility::Wait(Version version, Done& done) {
  if (version <= visible_ || failure_) return false;
  waiting_.emplace(version, std::move(done));
  return true;
}

}  // namespace berth::apiserver::store
