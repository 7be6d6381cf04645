// Inspector answers the requests of the API /berth/v1: a function from a request to a response, and
// the events that clients follow. docs/http-api.md describes both.
//
// It works on a mirror of the engine's model (mirror.h), which it keeps while somebody asks.
// Functions may be called on any thread but the engine's; requests are answered one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/json/json.h"
#include "base/result.h"
#include "base/time.h"
#include "inspect/change_log.h"
#include "inspect/ledger_documents.h"
#include "inspect/mirror.h"
#include "inspect/node_documents.h"
#include "inspect/pod_documents.h"
#include "inspect/profile_table.h"
#include "inspect/queue_documents.h"
#include "inspect/queue_snapshot.h"
#include "inspect/request.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/registry.h"

namespace berth::inspect {

struct InspectorOptions {
  std::string version;  // Of the program.
  std::string server;   // "scheduler", "up" or "dashboard".
  scheduler::engine::EngineOptions engine;
  const scheduler::framework::Registry* registry = nullptr;  // Must outlive the inspector.
  Mirror::Visit visit;
  // Counts the binds so far.
  std::function<uint64_t()> binds = [] { return uint64_t{0}; };
  // Must outlive the inspector: the date, and the clock of the engine's queue.
  const Clock* wall_clock = nullptr;
  const Clock* engine_clock = nullptr;
  // See QueueSnapshotOptions: may change while the inspector lives.
  std::function<bool()> watches_only = [] { return false; };
  History history = {};
};

class Inspector {
 public:
  // A snapshot of the queue is as old as this at most: less than the time between two events. The
  // mirror is dropped if nobody asks for so long.
  static constexpr Duration kSnapshotAge = Duration::Millis(900);
  static constexpr Duration kIdleTime = Duration::Seconds(300);

  // `log` must be the tap of the engine's driver, and outlive the inspector. Fails if a profile
  // cannot be built.
  static Result<std::unique_ptr<Inspector>> Make(InspectorOptions options, ChangeLog& log);

  // Answers a GET.
  Response Handle(const Request& request);

  // --- events ---

  // What a client has seen of the events that are differences.
  struct Position {
    uint64_t generation = 0;  // Of the map of nodes; 0 for a new client.
    uint64_t row_changes = 0;
  };
  // Returns the event `nodes` with the rows that changed since `position`, which advances; nothing
  // if none did.
  std::optional<api::JsonObject> NodeDelta(Position& position);
  // Returns the event `queue`.
  std::optional<api::JsonObject> QueueEvent();
  const History& history() const { return options_.history; }
  const Clock& wall_clock() const { return *options_.wall_clock; }
  uint64_t sequence() const { return log_.sequence(); }

  // Drops the mirror if nobody has asked for a while. To be called now and then.
  void DropIfIdle();

 private:
  Inspector(InspectorOptions options, ChangeLog& log, ProfileTable profiles);

  // Brings the mirror and the queue's snapshot up to date; with `mutex_` held.
  Status Refresh();
  Response Route(const Request& request);
  Response Pod(const Request& request);
  Response Cluster() const;
  Response Node(const std::string& name) const;
  api::JsonArray RejectionsOf(const std::string& node) const;

  const InspectorOptions options_;
  ChangeLog& log_;
  const ProfileTable profiles_;
  std::mutex mutex_;  // Guards the members below.
  Mirror mirror_;
  NodeList nodes_;
  PodDocuments pods_{mirror_, profiles_};
  GroupSentences sentences_{mirror_, profiles_};
  QueueSnapshot queue_;
  QueueFlow flow_;
  Instant last_request_;
  bool idle_ = true;  // The mirror is dropped.
};

}  // namespace berth::inspect
