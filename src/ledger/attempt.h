// Attempt is what the ledger stores about one attempt to schedule a pod.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace berth::ledger {

enum class Outcome : uint8_t {
  kAssumed,  // A node was chosen; the binding has not ended yet.
  kWaiting,  // A node was chosen; a Permit plugin delays the binding, which has not ended yet.
  kBound,    // The pod was bound.
  kUnschedulable,  // The pod fits nowhere.
  kNominated,      // The pod fits nowhere yet: preemption makes room for it on a node.
  kError,          // The attempt, or its binding, failed.
};
inline constexpr size_t kOutcomes = 6;
// "assumed", "waiting", "bound", "unschedulable", "nominated", "error"
std::string_view ToString(Outcome outcome);

// How long the phases of an attempt took; zero if it did not reach them, or if nothing measures it.
// Those of the binding are stored in microseconds, up to 71 minutes.
struct Phases {
  Duration pre_filter = {}, filter = {}, post_filter = {}, score = {}, reserve = {};
  Duration permit = {}, pre_bind = {}, bind = {};  // Of the binding; known when it has ended.
  friend bool operator==(const Phases&, const Phases&) = default;
};

// The text of a record is a std::string in what the ledger returns, and a std::string_view in what
// it is given: the engine's thread copies nothing.

// Nodes that one plugin rejected for one reason. If a plugin rejects a node for several reasons,
// the node counts for each.
template <typename Text>
struct BasicNodeGroup {
  Text plugin, reason;
  uint32_t nodes = 0;
  friend bool operator==(const BasicNodeGroup&, const BasicNodeGroup&) = default;
};

// A feasible node and the weighted sum of its scores.
template <typename Text>
struct BasicCandidate {
  Text node;
  int64_t score = 0;
  friend bool operator==(const BasicCandidate&, const BasicCandidate&) = default;
};

template <typename Text>
struct BasicPodName {
  Text namespace_, name;
  friend bool operator==(const BasicPodName&, const BasicPodName&) = default;
};

// What moved the pod to the active queue.
template <typename Text>
struct BasicWake {
  Text event;   // As in metrics: "NodeAdd", "UnschedulableTimeout".
  Text object;  // "Node/a-1", "Pod/shop/web-1"; empty if the event is about none, or about the pod.
  Instant time;  // By the wall clock.
  friend bool operator==(const BasicWake&, const BasicWake&) = default;
};

using NodeGroup = BasicNodeGroup<std::string>;
using Candidate = BasicCandidate<std::string>;
using PodName = BasicPodName<std::string>;
using Wake = BasicWake<std::string>;

// Limits of one record. What exceeds them is cut off: texts come from users.
inline constexpr size_t kMaxNameBytes = 253;      // Kubernetes allows no longer names.
inline constexpr size_t kMaxReasonBytes = 512;    // Of a reason, an event or its object.
inline constexpr size_t kMaxMessageBytes = 4096;  // Four times as long as in an Event.
inline constexpr size_t kMaxNodeGroups = 64;
inline constexpr size_t kMaxPlugins = 64;
inline constexpr size_t kMaxCandidates = 8;
inline constexpr size_t kMaxVictims = 64;

struct Attempt {
  uint64_t sequence = 0;  // From 1, in the order in which the attempts decided.
  Instant time;           // Of the decision, by the wall clock.
  std::string scheduler_name;
  std::string namespace_, name, uid;
  uint32_t number = 0;  // Of this attempt, among those of the pod; from 1.

  Outcome outcome = Outcome::kAssumed;
  std::string node;                   // The chosen or nominated one.
  std::string message;                // Of a failure, as in the pod's condition.
  std::vector<std::string> plugins;   // Those that rejected the pod, sorted.
  std::vector<NodeGroup> groups;      // Of a failure, most nodes first.
  std::vector<Candidate> candidates;  // The best ones, the chosen one first.
  std::vector<PodName> victims;       // Of preemption; the first kMaxVictims of `victim_count`.
  uint32_t victim_count = 0;
  uint32_t evaluated = 0, feasible = 0;  // Numbers of nodes; 0 if a search counted none.
  Phases phases;

  Wake woken_by;
  // What the pod waited for until then: the plugins that had rejected or gated it, sorted.
  std::vector<std::string> waited_for;
  Duration waited;  // Since it was added or had last been tried.

  friend bool operator==(const Attempt&, const Attempt&) = default;
};

// Why an attempt failed, shared by all attempts that fail for the same reasons.
struct FailureView {
  std::string_view message;
  std::span<const std::string_view> plugins;
  std::span<const BasicNodeGroup<std::string_view>> groups;
};

// AttemptView is an Attempt in memory of the caller. The ledger numbers it.
struct AttemptView {
  Instant time;
  std::string_view scheduler_name;
  std::string_view namespace_, name, uid;
  uint32_t number = 0;
  Outcome outcome = Outcome::kAssumed;
  std::string_view node;
  FailureView failure;
  // Not 0 if an equal `failure` has the same number, and no other failure has it: its texts are
  // then compared once, not for each attempt.
  uint64_t failure_id = 0;
  std::span<const BasicCandidate<std::string_view>> candidates;
  std::span<const BasicPodName<std::string_view>> victims;
  uint32_t evaluated = 0, feasible = 0;
  Phases phases;
  BasicWake<std::string_view> woken_by;
  std::span<const std::string_view> waited_for;
  uint64_t waited_for_id = 0;  // As failure_id, of `waited_for`.
  Duration waited;
};

// AttemptCopyView is an attempt that failed as the one before, of an equal pod: all else is as
// there. Copies of a pod that fits nowhere fail by the thousand.
struct AttemptCopyView {
  Instant time;
  std::string_view namespace_, name, uid;
  uint32_t number = 0;
  Phases phases;
  Instant woken;  // The time of `woken_by`.
  Duration waited;
};

}  // namespace berth::ledger
