// Reservations is a Reserve, Permit and PostBind plugin of the simulation's own: it writes down
// which pods the engine has reserved room for, and, as its script says, turns pods away, holds them
// back and lets them go.
//
// What it wrote down is independent of the engine's own books, which makes it a witness.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/random.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"

namespace berth::simulation {

struct ReservationBook {
  explicit ReservationBook(uint64_t seed) : random(seed) {}

  // --- what the plugin does ---

  Random random;
  bool calm = false;            // Let everything pass.
  bool skip_unreserve = false;  // A planted bug.
  // Delivered of each pod, by uid, and the node that is reserved for it.
  std::function<void(const std::string& uid, const std::string& node)> on_reserve = {};
  // How often something was told that wakes every pod which this plugin turned away.
  uint64_t loud_events = 0;

  // --- what it saw; by uid ---

  std::map<std::string, std::string> reserved = {};  // The node; neither taken back nor bound yet.
  std::map<std::string, std::string> bound = {};     // The node.
  std::map<std::string, uint64_t> tried = {};        // `loud_events` when last reserved for.
  // Pods that were let down after they had been reserved for, and `loud_events` when they were.
  std::map<std::string, uint64_t> rejected = {};
  std::string last_rejected = {};
  std::string mistake = {};  // What should not have happened.
};

inline constexpr std::string_view kReservations = "SimulatedReservations";

// The in-tree plugins, and one with this book, which must outlive all engines made from it.
scheduler::framework::Registry RegistryWith(ReservationBook& book);
// kube-scheduler's default profile, and the plugin.
scheduler::framework::ProfileConfig ProfileWithReservations();

}  // namespace berth::simulation
