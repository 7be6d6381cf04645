// EventLabel is the name under which metrics know what brought a pod somewhere: a type of cluster
// event, or one of a few causes that are no events.
//
// As cheap as its number, which is dense, so that whoever counts by label can use an array.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "framework/cluster_event.h"

namespace berth {

class EventLabel {
 public:
  enum Cause : uint8_t {
    kScheduleAttemptFailure,
    kBackoffComplete,
    kPopFromBackoffQ,
    kForceActivate,
    kUnschedulableTimeout,
    kPodPopped,
  };
  // All indexes are below it.
  static constexpr size_t kCount = 256;

  constexpr EventLabel(Cause cause) : index_(static_cast<uint8_t>(kCauses + cause)) {}
  constexpr EventLabel(EventType type)
      : index_(static_cast<uint8_t>(static_cast<uint8_t>(type.resource) * kActions +
                                    PlaceOf(type.actions))) {}
  // The event's own label counts before its type.
  explicit EventLabel(const ClusterEvent& event);

  constexpr size_t index() const { return index_; }
  // "NodeAdd", "BackoffComplete"
  std::string Text() const;

  friend constexpr bool operator==(EventLabel, EventLabel) = default;

 private:
  static constexpr uint8_t kActions = 16;
  static constexpr uint8_t kUpdatePlace = 13, kAllPlace = 14;
  static constexpr uint8_t kCauses = (static_cast<uint8_t>(Resource::kAny) + 1) * kActions;
  static_assert(kCauses + kPodPopped < kCount);

  // Events are about one action, about some update, or about anything.
  static constexpr uint8_t PlaceOf(Actions actions) {
    if (actions == kUpdate) return kUpdatePlace;
    if (actions == kAllActions) return kAllPlace;
    return static_cast<uint8_t>(std::countr_zero(actions) % kActions);
  }

  uint8_t index_;
};

}  // namespace berth
