#include "localcluster/work_queue.h"

#include <algorithm>

namespace berth::localcluster {

namespace {

constexpr Duration kFirstWait = Duration::Millis(100);
constexpr int kMaxDoublings = 10;

}  // namespace

void WorkQueue::Add(const ObjectName& key) {
  if (queued_.insert(key).second) ready_.push_back(key);
}

void WorkQueue::AddAt(const ObjectName& key, Instant at) {
  const auto [found, added] = timer_of_.try_emplace(key, at);
  if (!added) {
    if (found->second <= at) return;
    timers_.erase({found->second, key});
    found->second = at;
  }
  timers_.emplace(at, key);
}

void WorkQueue::AddAfterFailure(const ObjectName& key, Instant now) {
  const int doublings = std::min(failures_[key]++, kMaxDoublings);
  AddAt(key, now + kFirstWait * (1 << doublings));
}

void WorkQueue::Forget(const ObjectName& key) {
  failures_.erase(key);
  const auto found = timer_of_.find(key);
  if (found == timer_of_.end()) return;
  timers_.erase({found->second, key});
  timer_of_.erase(found);
}

void WorkQueue::Hold(const ObjectName& key, apiserver::store::Version version) {
  apiserver::store::Version& until = held_[key];
  until = std::max(until, version);
}

std::optional<ObjectName> WorkQueue::Pop(Instant now, apiserver::store::Version seen) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    ObjectName key = timers_.begin()->second;
    timers_.erase(timers_.begin());
    timer_of_.erase(key);
    Add(key);
  }
  while (!blocked_.empty() && blocked_.begin()->first <= seen) {
    ready_.push_back(std::move(blocked_.begin()->second));
    blocked_.erase(blocked_.begin());
  }
  while (!ready_.empty()) {
    ObjectName key = std::move(ready_.front());
    ready_.pop_front();
    const auto held = held_.find(key);
    if (held != held_.end() && held->second > seen) {
      blocked_.emplace(held->second, std::move(key));
      continue;
    }
    if (held != held_.end()) held_.erase(held);
    queued_.erase(key);
    return key;
  }
  std::erase_if(held_, [&](const auto& held) { return held.second <= seen; });
  return std::nullopt;
}

std::optional<Instant> WorkQueue::NextDue() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first;
}

}  // namespace berth::localcluster
