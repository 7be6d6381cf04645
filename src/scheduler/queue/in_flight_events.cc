#include "scheduler/queue/in_flight_events.h"

#include "base/check.h"

namespace berth::scheduler::queue {

void InFlightEvents::Begin(const std::string& uid) {
  const bool is_new = marks_.emplace(uid, items_.insert(items_.end(), std::nullopt)).second;
  CHECK(is_new);
  Count(framework::EventLabel::kPodPopped, +1);
}

void InFlightEvents::Done(const std::string& uid) {
  const auto mark = marks_.find(uid);
  if (mark == marks_.end()) return;
  items_.erase(mark->second);
  marks_.erase(mark);
  Count(framework::EventLabel::kPodPopped, -1);
  while (!items_.empty() && items_.front().has_value()) {
    Count(*items_.front(), -1);
    items_.pop_front();
    --events_;
  }
}

void InFlightEvents::Note(const framework::ClusterEvent& event) {
  if (empty()) return;
  items_.emplace_back(event);
  Count(event, +1);
  if (++events_ > kMaxEvents) ForgetOldest();
}

void InFlightEvents::ForgetOldest() {
  size_t left = events_ / 2;
  for (auto item = items_.begin(); left > 0;) {
    if (!item->has_value()) {
      ++item;
    } else if (--left > 0) {
      Count(**item, -1);
      item = items_.erase(item);
      --events_;
    } else {
      Count(**item, -1);
      *item = framework::ClusterEvent{.type = framework::kEverything};
      Count(**item, +1);
    }
  }
}

}  // namespace berth::scheduler::queue
