#include "inspect/queue_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/object.h"
#include "api/timestamp.h"
#include "explain/workload.h"
#include "inspect/documents.h"

namespace berth::inspect {
namespace {

using Place = Mirror::QueueState::Place;

const api::PodCondition* PodScheduled(const api::Pod& pod) {
  const auto found =
      std::ranges::find(pod.status.conditions, "PodScheduled", &api::PodCondition::type);
  return found == pod.status.conditions.end() ? nullptr : &*found;
}

std::string GroupOf(const scheduler::model::Cluster& cluster, const api::Pod& pod) {
  const explain::Workload workload = explain::WorkloadOf(cluster, pod);
  if (workload.name.kind == "Pod") return workload.name.key.ToString();
  return fmt::format("{} {}", workload.name.kind, workload.name.key.ToString());
}

std::optional<QueueName> QueueOf(const Mirror::QueueState& state, const api::Pod& pod,
                                 bool watches_only) {
  if (!state.known) return std::nullopt;
  if (state.permit) return QueueName::kWaiting;
  if (state.gate) return QueueName::kGated;
  if (watches_only) {
    const api::PodCondition* condition = PodScheduled(pod);
    const bool rejected = condition != nullptr && condition->status == "False";
    return rejected ? QueueName::kUnschedulable : QueueName::kActive;
  }
  switch (state.place) {
    case Place::kActive:
      return QueueName::kActive;
    case Place::kBackoff:
    case Place::kErrorBackoff:
      return QueueName::kBackoff;
    case Place::kUnschedulable:
      return QueueName::kUnschedulable;
    case Place::kNowhere:
      return QueueName::kInFlight;
  }
  return std::nullopt;
}

}  // namespace

std::optional<QueueName> ParseQueueName(std::string_view name) {
  const auto found = std::ranges::find(kQueueNames, name);
  if (found == kQueueNames.end()) return std::nullopt;
  return static_cast<QueueName>(found - kQueueNames.begin());
}

Instant PodRow::since() const { return pod->metadata.creation_timestamp.value_or(Instant{}); }

std::string_view PodRow::message() const {
  const api::PodCondition* condition = PodScheduled(*pod);
  return condition == nullptr ? std::string_view() : condition->message;
}

const PodRow* QueueSnapshot::Find(const api::ObjectKey& key) const {
  const auto key_of = [](const PodRow& row) {
    return api::ObjectKey{row.pod->metadata.namespace_, row.pod->metadata.name};
  };
  const auto found = std::ranges::lower_bound(rows, key, {}, key_of);
  return found == rows.end() || key_of(*found) != key ? nullptr : &*found;
}

QueueSnapshot TakeQueueSnapshot(const Mirror& mirror, const QueueSnapshotOptions& options) {
  std::vector<const Mirror::Pending*> pods;
  pods.reserve(mirror.pending().size());
  for (const auto& [key, pod] : mirror.pending()) pods.push_back(&pod);
  const std::vector<Mirror::QueueState> states = mirror.ReadQueue(pods);
  QueueSnapshot snapshot;
  snapshot.taken = options.now;
  snapshot.rows.reserve(pods.size());
  for (size_t i = 0; i < pods.size(); ++i) {
    const Mirror::QueueState& state = states[i];
    PodRow row;
    row.pod = pods[i]->pod;
    row.queue = QueueOf(state, *row.pod, options.watches_only);
    row.profile = state.profile;
    row.plugins = state.rejectors.all();
    row.attempts = state.attempts;
    if (row.queue == QueueName::kBackoff && state.backoff_end) {
      row.next_attempt = options.now + (*state.backoff_end - options.engine_now);
    }
    row.node = pods[i]->assumed_node;
    row.nominated_node = pods[i]->nominated_node;
    row.group = GroupOf(mirror.engine().cluster(), *row.pod);
    if (state.permit) row.permit = *state.permit;
    if (row.queue) ++snapshot.counts[static_cast<size_t>(*row.queue)];
    snapshot.rows.push_back(std::move(row));
  }
  return snapshot;
}

PodRow RowOfPlacedPod(const Mirror& mirror, const api::Ref<api::Pod>& pod) {
  PodRow row;
  row.pod = pod;
  row.node = pod->spec.node_name;
  row.group = GroupOf(mirror.engine().cluster(), *pod);
  return row;
}

api::JsonObject RowJson(const PodRow& row, const ProfileTable& profiles) {
  api::JsonObject json = PodNameJson(row.pod->metadata);
  json.emplace("uid", row.pod->metadata.uid);
  if (row.queue) json.emplace("queue", ToString(*row.queue));
  json.emplace("priority", row.pod->priority());
  json.emplace("since", api::FormatMicroTime(row.since()));
  json.emplace("attempts", row.attempts);
  std::vector<std::string> plugins = profiles.Plugins(row.profile, row.plugins);
  plugins.insert(plugins.end(), row.permit.begin(), row.permit.end());
  json.emplace("plugins", TextsJson(plugins));
  if (row.node.empty()) AddText(json, "message", row.message());
  AddText(json, "nominatedNode", row.nominated_node);
  AddText(json, "node", row.node);
  json.emplace("group", row.group);
  if (row.next_attempt) json.emplace("nextAttempt", api::FormatMicroTime(*row.next_attempt));
  return json;
}

std::vector<std::string> WaitsFor(const PodRow& row, const ProfileTable& profiles) {
  if (!row.queue) return {};
  switch (*row.queue) {
    case QueueName::kActive:
      return {"its turn"};
    case QueueName::kBackoff:
      return {"the end of its backoff"};
    case QueueName::kInFlight:
      return {"the end of the attempt"};
    case QueueName::kWaiting: {
      std::vector<std::string> plugins;
      for (const std::string& plugin : row.permit) plugins.push_back("permission of " + plugin);
      return plugins;
    }
    case QueueName::kGated: {
      std::vector<std::string> gates;
      for (const std::string& gate : row.pod->spec.scheduling_gates) {
        gates.push_back("removal of the scheduling gate " + gate);
      }
      return gates.empty() ? profiles.Events(row.profile, row.plugins) : gates;
    }
    case QueueName::kUnschedulable:
      return profiles.Events(row.profile, row.plugins);
  }
  return {};
}

api::JsonObject CountsJson(const QueueCounts& counts) {
  api::JsonObject json;
  for (size_t i = 0; i < kQueues; ++i) json.emplace(kQueueNames[i], counts[i]);
  return json;
}

}  // namespace berth::inspect
