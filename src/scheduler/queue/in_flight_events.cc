#include "scheduler/queue/in_flight_events.h"

namespace berth::scheduler::queue {

bool InFlightEvents::Begin(const std::string& uid) {
  const auto mark = items_.insert(items_.end(), {uid, nullptr});
  if (!marks_.emplace(mark->uid, mark).second) {
    items_.erase(mark);
    return false;
  }
  Count(framework::EventLabel::kPodPopped, +1);
  return true;
}

void InFlightEvents::Done(const std::string& uid) {
  const auto found = marks_.find(uid);
  if (found == marks_.end()) return;
  const auto mark = found->second;
  marks_.erase(found);  // Before the uid goes, which is its key.
  items_.erase(mark);
  Count(framework::EventLabel::kPodPopped, -1);
  while (!items_.empty() && items_.front().event != nullptr) {
    Count(*items_.front().event, -1);
    items_.pop_front();
    --events_;
  }
}

void InFlightEvents::Note(const framework::ClusterEvent& event) {
  if (empty()) return;
  items_.push_back({"", std::make_unique<const framework::ClusterEvent>(event)});
  Count(event, +1);
  if (++events_ > kMaxEvents) ForgetOldest();
}

void InFlightEvents::ForgetOldest() {
  size_t left = events_ / 2;
  for (auto item = items_.begin(); left > 0;) {
    if (item->event == nullptr) {
      ++item;
    } else if (--left > 0) {
      Count(*item->event, -1);
      item = items_.erase(item);
      --events_;
    } else {
      Count(*item->event, -1);
      item->event = std::make_unique<const framework::ClusterEvent>(
          framework::ClusterEvent{.type = framework::kEverything});
      Count(*item->event, +1);
    }
  }
}

}  // namespace berth::scheduler::queue
