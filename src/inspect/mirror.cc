#include "inspect/mirror.h"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/object.h"
#include "base/overloaded.h"
#include "observability/scheduling/resource_metrics.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::inspect {
namespace {

using scheduler::engine::Engine;
using scheduler::model::Cluster;
using scheduler::model::NodeRow;
using scheduler::model::PodId;
using scheduler::model::PodRecord;
using scheduler::model::PodState;

constexpr const char* kNotRunning = "the scheduler does not run";

// Appends up to `limit` objects of kind T that come after `last`, which becomes the last of them.
// Returns false if there are no more.
template <typename T>
bool ReadKind(const Cluster& cluster, size_t limit, std::optional<api::ObjectKey>& last,
              std::vector<api::Object>& out) {
  const auto& all = cluster.objects<T>().all();
  auto next = last ? all.upper_bound(*last) : all.begin();
  for (; next != all.end() && limit > 0; ++next, --limit) {
    out.emplace_back(next->second);
    last = next->first;
  }
  return next != all.end();
}

// What a node is, apart from what events of the map show.
bool SameOnMap(const api::Node& a, const api::Node& b) {
  return a.metadata.labels == b.metadata.labels && a.spec.taints == b.spec.taints &&
         a.status.allocatable == b.status.allocatable;
}

}  // namespace

// A pod as the first engine has it.
struct Mirror::LivePod {
  PodId id;  // Invalid if it does not exist.
  api::Ref<api::Pod> object;
  std::string assumed_node;
  std::string nominated_node;
};

Mirror::Mirror(Options options, ChangeLog& log) : options_(std::move(options)), log_(log) {}

Mirror::~Mirror() { log_.Close(); }

void Mirror::Drop() {
  log_.Close();
  engine_.reset();
  pending_.clear();
  assumed_.clear();
}

Status Mirror::Sync(Instant now) {
  auto changes = engine_ == nullptr ? std::nullopt : log_.Take();
  if (!changes) return Fill(now);
  for (const api::ObjectChange& change : changes->objects) Apply(change, now);
  // Bind results name no pod: those that were assumed are read again.
  for (const auto& [key, pod] : pending_) {
    if (!pod.assumed_node.empty()) changes->pods.push_back(key);
  }
  return UpdatePods(std::move(changes->pods), now);
}

Status Mirror::Fill(Instant now) {
  Drop();
  scheduler::engine::EngineOptions options = options_.engine;
  options.explain = options.paranoid = false;
  // They would be called for every question.
  options.extenders.clear();
  options.measurements = nullptr;
  options.attempts = nullptr;
  options.workers = nullptr;
  auto engine = Engine::Make(options, *options_.registry);
  if (!engine) return std::unexpected(engine.error());
  // Before the objects are read: a change meanwhile is then applied once more, which is harmless.
  log_.Open();
  std::vector<api::Object> objects;
  std::vector<api::ObjectKey> pods;
  if (Status read = ReadAll(objects, pods); !read) {
    log_.Close();
    return read;
  }
  engine_ = *std::move(engine);
  // Not one that another process had.
  generation_ =
      std::max(generation_ + 1, static_cast<uint64_t>(std::max<int64_t>(now.unix_seconds(), 0)));
  for (const api::Object& object : objects) {
    engine_->Handle(scheduler::engine::ObjectPut{object}, now);
  }
  Status updated = UpdatePods(std::move(pods), now);
  if (!updated) Drop();
  return updated;
}

Status Mirror::ReadAll(std::vector<api::Object>& objects, std::vector<api::ObjectKey>& pods) const {
  bool ran = true;
  size_t next_row = 0, rows = 0;
  do {
    ran = options_.visit([&](const Engine& engine) {
      const auto& nodes = engine.cluster().nodes();
      rows = nodes.rows();
      const size_t end = std::min(rows, next_row + kPerVisit);
      for (; next_row < end; ++next_row) {
        const auto& info = nodes.info(NodeRow{static_cast<uint32_t>(next_row)});
        if (info.object != nullptr) objects.emplace_back(info.object);
      }
    });
  } while (ran && next_row < rows);
  const auto read_kind = [&]<typename T>() {
    std::optional<api::ObjectKey> last;
    bool more = true;
    while (ran && more) {
      ran = options_.visit([&](const Engine& engine) {
        more = ReadKind<T>(engine.cluster(), kPerVisit, last, objects);
      });
    }
  };
  const auto read_kinds = [&]<typename... Ts>(std::type_identity<std::variant<Ts...>>) {
    const auto read = [&]<typename T>(std::type_identity<api::Ref<T>>) {
      if constexpr (!std::is_same_v<T, api::Pod> && !std::is_same_v<T, api::Node>) {
        read_kind.template operator()<T>();
      }
    };
    (read(std::type_identity<Ts>()), ...);
  };
  read_kinds(std::type_identity<api::Object>());
  std::vector<api::Ref<api::Pod>> refs;
  observability::scheduling::PodSlices slices;
  bool more = true;
  while (ran && more) {
    ran = options_.visit(
        [&](const Engine& engine) { more = slices.Read(engine.cluster(), kPerVisit, refs); });
  }
  if (!ran) return Fail(kNotRunning);
  pods.reserve(refs.size());
  for (const auto& pod : refs) pods.push_back({pod->metadata.namespace_, pod->metadata.name});
  return {};
}

void Mirror::Apply(const api::ObjectChange& change, Instant now) {
  const auto on_node = [&](const api::Object& object, bool deleted) {
    const auto* node = std::get_if<api::Ref<api::Node>>(&object);
    if (node == nullptr) return;
    const Cluster& cluster = engine_->cluster();
    const NodeRow row = cluster.nodes().Find(cluster.symbols().Find((*node)->metadata.name));
    const auto before = row.valid() ? cluster.nodes().info(row).object : nullptr;
    if (deleted || before == nullptr || !SameOnMap(*before, **node)) ++generation_;
  };
  std::visit(Overloaded{[&](const api::ObjectPut& put) {
                          on_node(put.object, false);
                          engine_->Handle(put, now);
                        },
                        [&](const api::ObjectDeleted& deleted) {
                          on_node(deleted.object, true);
                          engine_->Handle(deleted, now);
                        }},
             change);
}

// The state of each pod is read from the first engine: what it assumes is no event.
Status Mirror::UpdatePods(std::vector<api::ObjectKey> keys, Instant now) {
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  std::vector<LivePod> live;
  for (size_t first = 0; first < keys.size(); first += kPerVisit) {
    const auto slice = std::span(keys).subspan(first, std::min(kPerVisit, keys.size() - first));
    live.assign(slice.size(), {});
    const bool ran = options_.visit([&](const Engine& engine) {
      const Cluster& cluster = engine.cluster();
      for (size_t i = 0; i < slice.size(); ++i) {
        const PodId id = cluster.pods().Find(slice[i].namespace_, slice[i].name);
        if (!id.valid()) continue;
        const PodRecord& record = cluster.pod(id);
        live[i].id = id;
        live[i].object = record.object;
        if (record.state == PodState::kAssumed) {
          live[i].assumed_node = cluster.nodes().name(record.node);
        } else if (const Symbol node = cluster.nominations().NodeOf(id); node.valid()) {
          live[i].nominated_node = cluster.symbols().Text(node);
        }
      }
    });
    if (!ran) return Fail(kNotRunning);
    for (size_t i = 0; i < slice.size(); ++i) Update(slice[i], live[i], now);
  }
  // What the mirror would write as a scheduler.
  engine_->TakeCommands();
  return {};
}

void Mirror::Update(const api::ObjectKey& key, const LivePod& live, Instant now) {
  Forget(key);
  const Cluster& cluster = engine_->cluster();
  const PodId id = cluster.pods().Find(key.namespace_, key.name);
  const api::Ref<api::Pod> before = id.valid() ? cluster.pod(id).object : nullptr;
  if (!live.id.valid()) {
    if (before != nullptr) engine_->Handle(scheduler::engine::ObjectDeleted{before}, now);
    return;
  }
  api::Ref<api::Pod> shown = live.object;
  const std::string& nominated = live.object->status.nominated_node_name;
  const bool pending = live.object->spec.node_name.empty();
  if (pending && (!live.assumed_node.empty() || live.nominated_node != nominated)) {
    auto copy = api::CopyToChange(*live.object);
    copy->spec.node_name = live.assumed_node;
    copy->status.nominated_node_name = live.nominated_node;
    shown = std::move(copy);
  }
  // In the API a pod never leaves its node.
  if (before != nullptr && before->spec.node_name != shown->spec.node_name &&
      !before->spec.node_name.empty()) {
    engine_->Handle(scheduler::engine::ObjectDeleted{before}, now);
  }
  engine_->Handle(scheduler::engine::ObjectPut{shown}, now);
  if (!pending) return;
  if (!live.assumed_node.empty()) ++assumed_[live.assumed_node];
  pending_.insert_or_assign(key,
                            Pending{live.id, live.object, live.assumed_node, live.nominated_node});
}

void Mirror::Forget(const api::ObjectKey& key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  if (const auto count = assumed_.find(found->second.assumed_node); count != assumed_.end()) {
    if (--count->second == 0) assumed_.erase(count);
  }
  pending_.erase(found);
}

std::vector<Mirror::QueueState> Mirror::ReadQueue(const std::vector<const Pending*>& pods) const {
  std::vector<QueueState> states(pods.size());
  for (size_t first = 0; first < pods.size(); first += kPerVisit) {
    const size_t end = std::min(pods.size(), first + kPerVisit);
    options_.visit([&](const Engine& engine) {
      const Cluster& cluster = engine.cluster();
      for (size_t i = first; i < end; ++i) {
        const Pending& pod = *pods[i];
        const std::string& uid = pod.pod->metadata.uid;
        if (!cluster.pods().Contains(pod.id) || cluster.pod(pod.id).uid() != uid) continue;
        QueueState& state = states[i];
        if (const auto* entry = engine.queue().Find(pod.id)) {
          state.known = true;
          state.place = entry->place;
          if (entry->gate != nullptr) state.gate = entry->gate->slot();
          state.profile = entry->profile;
          state.attempts = entry->attempts;
          state.rejectors = entry->rejectors;
          state.backoff_end = entry->backoff_end;
        } else if (cluster.pod(pod.id).state == PodState::kAssumed ||
                   engine.queue().InFlightNow(uid)) {
          state.known = true;
        }
        const auto& waiting = engine.waiting_pods().all();
        if (const auto found = waiting.find(uid); found != waiting.end()) {
          state.known = true;
          auto& plugins = state.permit.emplace();
          for (const auto& [plugin, timeout] : found->second.held_by) plugins.push_back(plugin);
        }
      }
    });
  }
  return states;
}

}  // namespace berth::inspect
