#include "framework/event_label.h"

#include <array>
#include <string_view>

namespace berth {
namespace {

constexpr std::array<std::string_view, 6> kCauseNames = {
    "ScheduleAttemptFailure", "BackoffComplete",      "PopFromBackoffQ",
    "ForceActivate",          "UnschedulableTimeout", "PodPopped"};

}  // namespace

EventLabel::EventLabel(const ClusterEvent& event) : EventLabel(event.type) {
  if (event.label.empty()) return;
  for (uint8_t cause = 0; cause < kCauseNames.size(); ++cause) {
    if (event.label == kCauseNames[cause]) *this = EventLabel(static_cast<Cause>(cause));
  }
}

std::string EventLabel::Text() const {
  if (index_ >= kCauses) return std::string(kCauseNames[index_ - kCauses]);
  const uint8_t place = index_ % kActions;
  const Actions actions = place == kUpdatePlace ? kUpdate
                          : place == kAllPlace  ? kAllActions
                                                : static_cast<Actions>(1 << place);
  return EventType{static_cast<Resource>(index_ / kActions), actions}.Label();
}

}  // namespace berth
