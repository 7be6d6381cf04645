// QueueSnapshot is where each pod without a node is, at one time: what the API says about the
// queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/object_fwd.h"
#include "base/time.h"
#include "inspect/mirror.h"
#include "inspect/profile_table.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::inspect {

enum class QueueName : uint8_t {
  kActive,
  kBackoff,
  kUnschedulable,
  kGated,
  kInFlight,  // Is being tried or bound.
  kWaiting,   // Waits at Permit.
};
inline constexpr size_t kQueues = 6;
inline constexpr std::array<std::string_view, kQueues> kQueueNames = {
    "active", "backoff", "unschedulable", "gated", "inFlight", "waiting"};
inline std::string_view ToString(QueueName queue) {
  return kQueueNames[static_cast<size_t>(queue)];
}
std::optional<QueueName> ParseQueueName(std::string_view name);

using QueueCounts = std::array<uint64_t, kQueues>;

// A row of PodList.
struct PodRow {
  api::Ref<api::Pod> pod;
  std::optional<QueueName> queue;  // Absent if the pod is that of another scheduler, or has a node.
  size_t profile = 0;
  scheduler::framework::PluginMask plugins = 0;  // That rejected, gate or delay it.
  uint32_t attempts = 0;
  std::optional<Instant> next_attempt;  // The end of its backoff; a date.
  std::string node;                     // Its own, or the one it is being bound to.
  std::string nominated_node;
  std::string group;                // "Deployment shop/web", or "shop/web-1".
  std::vector<std::string> permit;  // If it waits: the plugins that delay it.

  Instant since() const;
  // What its scheduler says about it: the message of the condition PodScheduled.
  std::string_view message() const;
};

struct QueueSnapshot {
  Instant taken;             // A date.
  std::vector<PodRow> rows;  // By namespace and name.
  QueueCounts counts = {};

  // Returns null if there is none.
  const PodRow* Find(const api::ObjectKey& key) const;
};

struct QueueSnapshotOptions {
  Instant now;         // The date.
  Instant engine_now;  // By the engine's clock.
  // The engine only watches: another scheduler has the queue, and the conditions of the pods tell
  // what it found.
  bool watches_only = false;
};

QueueSnapshot TakeQueueSnapshot(const Mirror& mirror, const QueueSnapshotOptions& options);

// Returns the row of a pod with a node.
PodRow RowOfPlacedPod(const Mirror& mirror, const api::Ref<api::Pod>& pod);

// An item of PodList.
api::JsonObject RowJson(const PodRow& row, const ProfileTable& profiles);
// What the pod waits for: events, or in words what else.
std::vector<std::string> WaitsFor(const PodRow& row, const ProfileTable& profiles);
api::JsonObject CountsJson(const QueueCounts& counts);

}  // namespace berth::inspect
