// QueueEntry is what the queue knows of a pod. The queue owns the entries of the pods that wait in
// it; the entry of a pod that is being tried is with whoever tries it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "framework/plugin.h"
#include "framework/profile.h"
#include "framework/queued_pod.h"

namespace berth {

// The plugins that keep a pod from being scheduled.
struct Rejectors {
  // Stands for all extenders.
  static constexpr PluginMask kExtender = PluginMask{1} << 63;
  // Stands for whoever says no in nobody's name: no event pleases him.
  static constexpr PluginMask kNobody = PluginMask{1} << 62;

  PluginMask unschedulable = 0;
  PluginMask pending = 0;  // Those that wait for something outside: then the pod need not back off.

  PluginMask all() const { return unschedulable | pending; }
  bool empty() const { return all() == 0; }
  friend auto operator<=>(const Rejectors&, const Rejectors&) = default;
};

struct QueueEntry {
  enum class Place : uint8_t {
    kNowhere,       // Being tried, or new.
    kActive,        // Ready to be tried.
    kBackoff,       // Rejected; waits out its backoff, but is tried early if nothing else is ready.
    kErrorBackoff,  // Failed with an error; always waits out its backoff.
    kParked,        // Rejected or gated; waits for something to happen.
  };

  QueuedPod order;
  std::string uid;
  size_t profile = 0;  // Which of the queue's profiles serves the pod.

  std::optional<Instant> first_ready;  // When it could first be tried.
  uint32_t attempts = 0;
  uint32_t rejections = 0;     // Attempts that some plugin rejected.
  uint32_t errors_in_row = 0;  // Attempts since then that failed with an error.
  Rejectors rejectors = {};
  const PreEnqueuePlugin* gate = nullptr;  // The plugin that keeps the pod out.
  std::optional<Instant> backoff_end = {};
  Instant flushed = {};  // When it was last woken because it had been parked for too long.

  Place place = Place::kNowhere;
};

}  // namespace berth
