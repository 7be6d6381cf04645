// Reservations is a Reserve, Permit and PostBind plugin of the simulation: it records which pods
// the engine has reserved nodes for, and randomly rejects and delays pods.
//
// Its records are independent of the engine's own state, so that invariants can compare the two.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/random.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"
#include "scheduler/model/features.h"

namespace berth::simulation {

// The plugin's settings and records, which outlive the engine.
struct ReservationBook {
  explicit ReservationBook(uint64_t seed) : random(seed) {}

  // --- settings ---

  Random random;
  bool calm = false;            // Accept every pod.
  bool skip_unreserve = false;  // PlantedBug::kSkippedUnreserve
  // Called with each pod's uid and the node that is reserved for it.
  std::function<void(const std::string& uid, const std::string& node)> on_reserve = {};
  // How many events were delivered that requeue every pod which this plugin rejected.
  uint64_t requeue_all_events = 0;

  // --- records, by uid ---

  std::map<std::string, std::string> reserved = {};  // The node; neither bound nor unreserved.
  std::map<std::string, std::string> bound = {};     // The node.
  std::map<std::string, uint64_t> tried = {};        // `requeue_all_events` at the last Reserve.
  // Pods that were unreserved, with their entry of `tried`.
  std::map<std::string, uint64_t> rejected = {};
  std::string last_rejected = {};
  std::string mistake = {};  // A call that must not happen.
};

inline constexpr std::string_view kReservations = "SimulatedReservations";

// Returns the in-tree plugins and this one, which writes to `book`. It must outlive all engines
// made from the registry.
scheduler::framework::Registry RegistryWith(ReservationBook& book);
// Returns kube-scheduler's default profile with the plugin.
scheduler::framework::ProfileConfig ProfileWithReservations(
    const scheduler::model::Features& features = {});

}  // namespace berth::simulation
