#include "queue/in_flight.h"

#include "base/check.h"

namespace berth {

void InFlight::Begin(const std::string& uid) {
  const bool is_new = marks_.emplace(uid, items_.insert(items_.end(), std::nullopt)).second;
  CHECK(is_new);
  Count(EventLabel::kPodPopped, +1);
}

void InFlight::Done(const std::string& uid) {
  const auto mark = marks_.find(uid);
  if (mark == marks_.end()) return;
  items_.erase(mark->second);
  marks_.erase(mark);
  Count(EventLabel::kPodPopped, -1);
  while (!items_.empty() && items_.front().has_value()) {
    Count(*items_.front(), -1);
    items_.pop_front();
    --events_;
  }
}

void InFlight::Note(const ClusterEvent& event) {
  if (empty()) return;
  items_.emplace_back(event);
  Count(event, +1);
  if (++events_ > kMaxEvents) ForgetOldest();
}

void InFlight::ForgetOldest() {
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
      *item = ClusterEvent{.type = kEverything};
      Count(**item, +1);
    }
  }
}

}  // namespace berth
