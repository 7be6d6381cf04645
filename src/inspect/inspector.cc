#include "inspect/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/timestamp.h"
#include "base/text.h"
#include "inspect/documents.h"
#include "scheduler/model/cluster.h"

namespace berth::inspect {
namespace {

using api::JsonObject;
using scheduler::model::NodeRow;

constexpr size_t kMaxNodesOfMap = 20'000;
// More changed rows than this are sent as a whole map again.
constexpr size_t kMaxChangedRows = 20'000;
// Changes of rows that new clients get: more than happen while they read the map.
constexpr uint64_t kRecentChanges = 4'096;

Response NotFound() { return Failure(404, "the server could not find the requested resource"); }

}  // namespace

Result<std::unique_ptr<Inspector>> Inspector::Make(InspectorOptions options, ChangeLog& log) {
  auto profiles = ProfileTable::Make(options.engine, *options.registry);
  if (!profiles) return std::unexpected(profiles.error());
  return std::unique_ptr<Inspector>(new Inspector(std::move(options), log, *std::move(profiles)));
}

Inspector::Inspector(InspectorOptions options, ChangeLog& log, ProfileTable profiles)
    : options_(std::move(options)),
      log_(log),
      profiles_(std::move(profiles)),
      mirror_({options_.engine, options_.registry, options_.visit}, log) {}

Status Inspector::Refresh() {
  const Instant now = options_.wall_clock->Now();
  last_request_ = now;
  if (Status synced = mirror_.Sync(now); !synced) return synced;
  nodes_.Refresh(mirror_);
  const Duration age = now - queue_.taken;
  if (!idle_ && age >= Duration{} && age < kSnapshotAge) return {};
  idle_ = false;
  queue_ = TakeQueueSnapshot(mirror_, {.now = now,
                                       .engine_now = options_.engine_clock->Now(),
                                       .watches_only = options_.watches_only()});
  flow_.Add(mirror_, queue_, options_.binds());
  return {};
}

void Inspector::DropIfIdle() {
  const std::lock_guard lock(mutex_);
  if (idle_ || options_.wall_clock->Now() - last_request_ < kIdleTime) return;
  mirror_.Drop();
  queue_ = {};
  flow_ = {};
  idle_ = true;
}

Response Inspector::Handle(const Request& request) {
  if (request.path.empty()) return NotFound();
  // These need no model.
  if (request.path.size() == 1 && request.path[0] == "attempts") {
    return AttemptListResponse(options_.history, request);
  }
  if (request.path.size() == 1 && request.path[0] == "activity") {
    return ActivityResponse(options_.history, request, options_.wall_clock->Now());
  }
  const std::lock_guard lock(mutex_);
  if (Status refreshed = Refresh(); !refreshed) return Failure(503, refreshed.error().message);
  return Route(request);
}

Response Inspector::Route(const Request& request) {
  const std::string& resource = request.path[0];
  const size_t depth = request.path.size();
  if (resource == "pods" && depth > 1) return Pod(request);
  if (resource == "nodes" && depth == 2) return Node(request.path[1]);
  if (depth != 1) return NotFound();
  if (resource == "cluster") return Cluster();
  if (resource == "nodes") {
    const auto page = ReadPage(request, kMaxNodesOfMap, nodes_.generation());
    if (!page) return page.error();
    JsonObject map = NodeMapJson(mirror_, nodes_, *page);
    map.emplace("sequence", log_.sequence());
    return Document(map);
  }
  if (resource == "pods") return PodListResponse(mirror_, queue_, profiles_, request);
  if (resource == "queue") {
    sentences_.Begin(last_request_);
    return Document(QueueJson(queue_, flow_, profiles_, sentences_));
  }
  if (resource == "search") return SearchResponse(mirror_, queue_, nodes_, request);
  return NotFound();
}

Response Inspector::Pod(const Request& request) {
  const auto& path = request.path;
  if (path.size() < 3) return NotFound();
  const api::ObjectKey key{path[1], path[2]};
  const Instant now = options_.wall_clock->Now();
  if (path.size() == 3) return pods_.Explain(key, queue_.Find(key), now);
  if (path.size() == 4 && path[3] == "fixes") return pods_.Fixes(key, now);
  if (path.size() == 4 && path[3] == "matrix") return pods_.Matrix(key, nodes_, request, now);
  if (path.size() == 6 && path[3] == "fixes" && path[5] == "try") {
    return pods_.Try(key, path[4], request.Get("revision"), now);
  }
  return NotFound();
}

Response Inspector::Cluster() const {
  const scheduler::model::Cluster& cluster = mirror_.engine().cluster();
  JsonObject json = StartDocument("Cluster");
  json.emplace("version", options_.version);
  json.emplace("server", options_.server);
  json.emplace("schedulers", TextsJson(profiles_.scheduler_names()));
  json.emplace("time", api::FormatMicroTime(options_.wall_clock->Now()));
  json.emplace("sequence", log_.sequence());
  json.emplace("counts", JsonObject{{"nodes", nodes_.rows().size()},
                                    {"pods", cluster.pods().size()},
                                    {"pending", mirror_.pending().size()}});
  AddNodeFacts(mirror_, nodes_, json);
  json.emplace(
      "features",
      JsonObject{{"ledger", options_.history.ledger != nullptr}, {"whatIf", true}, {"live", true}});
  return Document(json);
}

Response Inspector::Node(const std::string& name) const {
  const scheduler::model::Cluster& cluster = mirror_.engine().cluster();
  const int64_t place = nodes_.PlaceOf(cluster.nodes().Find(cluster.symbols().Find(name)));
  if (place < 0) return Failure(404, fmt::format("nodes \"{}\" not found", Shorten(name)));
  JsonObject json = NodeJson(mirror_, nodes_, static_cast<size_t>(place));
  json.emplace("rejections", RejectionsOf(name));
  return Document(json);
}

// The ledger knows nodes by where the engine has them.
api::JsonArray Inspector::RejectionsOf(const std::string& node) const {
  const ledger::NodeRejections* rejections = options_.history.rejections;
  std::optional<ledger::NodePlace> place;
  if (rejections != nullptr) {
    options_.visit([&](const scheduler::engine::Engine& engine) {
      const scheduler::model::Cluster& cluster = engine.cluster();
      const NodeRow row = cluster.nodes().Find(cluster.symbols().Find(node));
      if (!row.valid()) return;
      place = {static_cast<uint32_t>(row.index()), cluster.nodes().info(row).serial};
    });
  }
  return place ? RejectionsJson(rejections->Of(*place)) : api::JsonArray();
}

// --- events ---

std::optional<JsonObject> Inspector::NodeDelta(Position& position) {
  const std::lock_guard lock(mutex_);
  if (!Refresh()) return std::nullopt;
  const auto& changes = mirror_.engine().cluster().nodes().changes();
  const bool reset = position.generation != 0 && (position.generation != nodes_.generation() ||
                                                  !changes.Covers(position.row_changes));
  uint64_t since = position.row_changes;
  if (position.generation == 0) {
    // The client may have read the map a moment ago.
    since = changes.now() - std::min<uint64_t>(changes.now(), kRecentChanges);
    if (!changes.Covers(since)) since = changes.now();
  }
  std::vector<NodeRow> rows;
  if (!reset) {
    std::set<uint32_t> changed;
    for (const NodeRow row : changes.Since(since)) {
      changed.insert(static_cast<uint32_t>(row.index()));
    }
    for (const uint32_t row : changed) rows.push_back(NodeRow{row});
  }
  position = {nodes_.generation(), changes.now()};
  if (reset || rows.size() > kMaxChangedRows) {
    JsonObject json = NodeDeltaJson(mirror_, nodes_, {});
    json.emplace("reset", true);
    return json;
  }
  if (rows.empty()) return std::nullopt;
  return NodeDeltaJson(mirror_, nodes_, rows);
}

std::optional<JsonObject> Inspector::QueueEvent() {
  const std::lock_guard lock(mutex_);
  if (!Refresh()) return std::nullopt;
  JsonObject json;
  flow_.AddTo(json);
  return json;
}

}  // namespace berth::inspect
