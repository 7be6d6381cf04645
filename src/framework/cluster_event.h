// ClusterEvent is a change that may make waiting pods schedulable: what happened to which kind of
// object, and how the object looked before and after.
//
// Plugins say which types of events may help the pods that they reject (Plugin::Interests); the
// queue wakes those pods when such an event comes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/object.h"

namespace berth {

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
  kAny,
};

// A set of things that can happen to an object. The values are kube-scheduler's: they are compared
// as numbers.
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

  // Everything may have happened: any plugin's interest covers it.
  bool wildcard() const { return resource == Resource::kAny && actions == kAllActions; }
  // Whether someone interested in events of this type wants to hear of `event`.
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
  // Absent if the object was added, or deleted, respectively.
  std::optional<api::Object> before = {};
  std::optional<api::Object> after = {};
  std::string_view label = {};  // Instead of the type's, if not empty; of static storage.

  std::string Label() const { return label.empty() ? type.Label() : std::string(label); }

  // The object before, or after, if there is one and it is a T; else nullptr.
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

// What a plugin wants to hear of.
struct Interest {
  EventType type;
  bool conditional = true;  // Plugin::MayHelp decides; else each such event may help.

  friend bool operator==(const Interest&, const Interest&) = default;
};

}  // namespace berth
