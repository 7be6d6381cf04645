// ClusterEvent is a change that may make pods schedulable: what happened to which kind of object,
// and the object before and after.
//
// Plugins register the types of events that may make the pods schedulable that they reject
// (Plugin::EventsToRegister); the queue requeues those pods upon such an event.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_fwd.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::framework {

enum class Resource : uint8_t {
  kPod,  // Registered for; covers the next two.
  kAssignedPod,
  kUnschedulablePod,
  kNode,
  kPersistentVolume,
  kPersistentVolumeClaim,
  kCsiNode,
  kCsiDriver,
  kVolumeAttachment,
  kCsiStorageCapacity,
  kStorageClass,
  kResourceClaim,
  kResourceSlice,
  kDeviceClass,
  kPodGroup,
  kAny,
};

// A set of actions on an object. The values are kube-scheduler's: they are compared as numbers.
using Actions = uint16_t;

inline constexpr Actions kAdd = 1 << 0;
inline constexpr Actions kDelete = 1 << 1;
inline constexpr Actions kUpdateNodeAllocatable = 1 << 2;
inline constexpr Actions kUpdateNodeLabel = 1 << 3;
inline constexpr Actions kUpdateNodeTaint = 1 << 4;
inline constexpr Actions kUpdateNodeCondition = 1 << 5;
inline constexpr Actions kUpdateNodeAnnotation = 1 << 6;
inline constexpr Actions kUpdateNodeDeclaredFeature = 1 << 7;
inline constexpr Actions kUpdatePodLabel = 1 << 8;
inline constexpr Actions kUpdatePodScaleDown = 1 << 9;
inline constexpr Actions kUpdatePodToleration = 1 << 10;
inline constexpr Actions kUpdatePodSchedulingGatesEliminated = 1 << 11;
inline constexpr Actions kUpdatePodGeneratedResourceClaim = 1 << 12;
inline constexpr Actions kAllActions = (1 << 13) - 1;
inline constexpr Actions kUpdate = kAllActions & ~(kAdd | kDelete);

struct EventType {
  Resource resource = Resource::kAny;
  Actions actions = 0;

  // Anything may have happened: every registration covers it.
  bool wildcard() const { return resource == Resource::kAny && actions == kAllActions; }
  // Reports whether a registration for this type covers `event`.
  bool Covers(EventType event) const;
  // As in logs and metrics: "NodeAdd", "storage.k8s.io/CSINodeUpdate".
  std::string Label() const;

  friend bool operator==(EventType, EventType) = default;
};

inline constexpr EventType kEverything{Resource::kAny, kAllActions};

// "storage.k8s.io/CSINode"
std::string_view ToString(Resource resource);

struct ClusterEvent {
  EventType type;
  // Absent if the object was added or deleted, respectively.
  std::optional<api::Object> before = {};
  std::optional<api::Object> after = {};
  std::string_view label = {};  // Replaces the type's label, if not empty; of static storage.

  std::string Label() const { return label.empty() ? type.Label() : std::string(label); }

  // Return the object before, or after, if there is one and it is a T; otherwise null.
  template <typename T>
  const T* BeforeAs() const {
    return As<T>(before);
  }
  template <typename T>
  const T* AfterAs() const {
    return As<T>(after);
  }

 private:
  template <typename T>
  static const T* As(const std::optional<api::Object>& object) {
    if (!object) return nullptr;
    const auto* ref = std::get_if<api::Ref<T>>(&*object);
    return ref == nullptr ? nullptr : ref->get();
  }
};

// A registration of a plugin.
struct ClusterEventWithHint {
  EventType type;
  bool conditional = true;  // Plugin::QueueingHint decides; otherwise each such event requeues.

  friend bool operator==(const ClusterEventWithHint&, const ClusterEventWithHint&) = default;
};

// Returns kube-scheduler's name of an action, such as "UpdateNodeTaint"; empty if `action` is not
// exactly one action.
std::string_view NameOf(Actions action);
// Returns the action of that name; 0 if there is none.
Actions ParseAction(std::string_view name);

// Returns one event for each kind of change of a pod, in kube-scheduler's order; an unspecific
// Update if there is none. They are about an assigned pod if the pod is on a node now, otherwise
// about an unschedulable one.
std::vector<EventType> PodSchedulingPropertiesChange(const api::Pod& before, const api::Pod& after,
                                                     const model::Features& features = {});

// Returns one event for each kind of change of a node, in kube-scheduler's order; none if no change
// concerns scheduling. A node that is uncordoned and loses a taint gives two of the same type.
std::vector<EventType> NodeSchedulingPropertiesChange(const api::Node& before,
                                                      const api::Node& after,
                                                      const model::Features& features = {});

// EventLabel is the metrics label of what moved a pod in the queue: a type of cluster event, or one
// of a few causes that are not events.
//
// A dense number, so that counters by label can be an array.
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
  static constexpr size_t kCount = 272;

  constexpr explicit(false) EventLabel(Cause cause)
      : index_(static_cast<uint16_t>(kCauses + cause)) {}
  constexpr explicit(false) EventLabel(EventType type)
      : index_(static_cast<uint16_t>(static_cast<uint16_t>(type.resource) * kActions +
                                     PlaceOf(type.actions))) {}
  // The event's own label takes precedence over its type.
  explicit EventLabel(const ClusterEvent& event);

  constexpr size_t index() const { return index_; }
  // "NodeAdd", "BackoffComplete"
  std::string Text() const;

  friend constexpr bool operator==(EventLabel, EventLabel) = default;

 private:
  static constexpr uint8_t kActions = 16;
  static constexpr uint8_t kUpdatePlace = 13, kAllPlace = 14;
  static constexpr uint16_t kCauses = (static_cast<uint16_t>(Resource::kAny) + 1) * kActions;
  static_assert(kCauses + kPodPopped < kCount);

  // Events are about one action, an unspecific update, or anything.
  static constexpr uint8_t PlaceOf(Actions actions) {
    if (actions == kUpdate) return kUpdatePlace;
    if (actions == kAllActions) return kAllPlace;
    return static_cast<uint8_t>(std::countr_zero(actions) % kActions);
  }

  uint16_t index_;
};

}  // namespace berth::scheduler::framework
