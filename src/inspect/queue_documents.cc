#include "inspect/queue_documents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/object.h"
#include "api/timestamp.h"
#include "base/text.h"
#include "inspect/documents.h"
#include "scheduler/model/cluster.h"

namespace berth::inspect {
namespace {

using api::JsonArray;
using api::JsonObject;

constexpr std::array<std::string_view, QueueFlow::kPlaces> kPlaceNames = {
    "active",  "backoff", "unschedulable", "gated",  "inFlight",
    "waiting", "new",     "bound",         "deleted"};
// Ages of pods, in seconds.
constexpr std::array<int64_t, 5> kAgeBounds = {1, 10, 60, 600, 3600};
// What a person reads; more groups would also make the page slow.
constexpr size_t kMaxGroups = 500;
constexpr size_t kMaxOldest = 50;
constexpr size_t kMaxPriorities = 100;
constexpr size_t kMaxListed = 5'000;

bool IsOlder(const PodRow* a, const PodRow* b) {
  return std::tuple(a->since(), a->pod->metadata.namespace_, a->pod->metadata.name) <
         std::tuple(b->since(), b->pod->metadata.namespace_, b->pod->metadata.name);
}

// What the pods of one row of a table have in common.
struct Tally {
  const PodRow* oldest = nullptr;
  size_t pods = 0;
  int32_t max_priority = INT32_MIN;

  void Add(const PodRow& row) {
    if (oldest == nullptr || IsOlder(&row, oldest)) oldest = &row;
    ++pods;
    max_priority = std::max(max_priority, row.pod->priority());
  }
};

JsonArray QueueGroupsJson(const QueueSnapshot& snapshot, const ProfileTable& profiles,
                          GroupSentences& sentences) {
  using Key = std::tuple<std::string_view, QueueName, size_t, scheduler::framework::PluginMask>;
  std::map<Key, Tally> tallies;
  for (const PodRow& row : snapshot.rows) {
    if (row.queue) tallies[{row.group, *row.queue, row.profile, row.plugins}].Add(row);
  }
  std::vector<const Tally*> groups;
  for (const auto& [key, tally] : tallies) groups.push_back(&tally);
  std::ranges::stable_sort(groups, std::greater{}, &Tally::pods);
  if (groups.size() > kMaxGroups) groups.resize(kMaxGroups);
  JsonArray list;
  for (const Tally* group : groups) {
    const PodRow& row = *group->oldest;
    JsonObject json{{"group", row.group}, {"queue", ToString(*row.queue)}};
    std::vector<std::string> plugins = profiles.Plugins(row.profile, row.plugins);
    plugins.insert(plugins.end(), row.permit.begin(), row.permit.end());
    json.emplace("plugins", TextsJson(plugins));
    AddText(json, "sentence", sentences.Of(row));
    AddText(json, "message", row.message());
    json.emplace("count", group->pods);
    json.emplace("oldest", api::FormatMicroTime(row.since()));
    json.emplace("maxPriority", group->max_priority);
    json.emplace("waitsFor", TextsJson(WaitsFor(row, profiles)));
    json.emplace("example", PodNameJson(row.pod->metadata));
    list.emplace_back(std::move(json));
  }
  return list;
}

JsonArray PrioritiesJson(const QueueSnapshot& snapshot) {
  std::map<int32_t, Tally, std::greater<>> tallies;
  for (const PodRow& row : snapshot.rows) {
    if (row.queue) tallies[row.pod->priority()].Add(row);
  }
  JsonArray list;
  for (const auto& [priority, tally] : tallies) {
    if (list.size() >= kMaxPriorities) break;
    JsonObject json{{"priority", priority}};
    AddText(json, "className", tally.oldest->pod->spec.priority_class_name);
    json.emplace("count", tally.pods);
    json.emplace("oldest", api::FormatMicroTime(tally.oldest->since()));
    json.emplace("example", PodNameJson(tally.oldest->pod->metadata));
    list.emplace_back(std::move(json));
  }
  return list;
}

JsonObject AgesJson(const QueueSnapshot& snapshot) {
  std::array<std::array<uint64_t, kAgeBounds.size() + 1>, kQueues> ages = {};
  for (const PodRow& row : snapshot.rows) {
    if (!row.queue) continue;
    const double age = (snapshot.taken - row.since()).seconds();
    const auto bound = std::ranges::find_if(
        kAgeBounds, [&](int64_t limit) { return age <= static_cast<double>(limit); });
    ++ages[static_cast<size_t>(*row.queue)][static_cast<size_t>(bound - kAgeBounds.begin())];
  }
  JsonObject counts;
  for (size_t i = 0; i < kQueues; ++i) {
    counts.emplace(kQueueNames[i], JsonArray(ages[i].begin(), ages[i].end()));
  }
  return {{"bounds", JsonArray(kAgeBounds.begin(), kAgeBounds.end())},
          {"counts", std::move(counts)}};
}

// The parameters of PodList.
struct PodFilter {
  std::optional<QueueName> queue;
  std::string_view namespace_, name, plugin, group;

  bool Accepts(const PodRow& row, const ProfileTable& profiles) const {
    if (queue && row.queue != queue) return false;
    if (!namespace_.empty() && row.pod->metadata.namespace_ != namespace_) return false;
    if (!name.empty() && row.pod->metadata.name != name) return false;
    if (!group.empty() && row.group != group) return false;
    if (plugin.empty()) return true;
    const std::vector<std::string> plugins = profiles.Plugins(row.profile, row.plugins);
    return std::ranges::find(plugins, plugin) != plugins.end() ||
           std::ranges::find(row.permit, plugin) != row.permit.end();
  }
};

// Returns the rows of pods with a node of that name; all namespaces if it is empty.
std::vector<PodRow> PlacedRows(const Mirror& mirror, const PodFilter& filter) {
  std::vector<PodRow> rows;
  mirror.engine().cluster().pods().ForEach([&](const scheduler::model::PodRecord& record) {
    const api::ObjectMeta& meta = record.object->metadata;
    if (meta.name != filter.name || mirror.pending().contains(record.key())) return;
    if (!filter.namespace_.empty() && meta.namespace_ != filter.namespace_) return;
    rows.push_back(RowOfPlacedPod(mirror, record.object));
  });
  return rows;
}

bool Sort(std::string_view by, std::vector<const PodRow*>& rows) {
  if (by.empty() || by == "age") {
    std::ranges::sort(rows, IsOlder);
  } else if (by == "priority") {
    std::ranges::stable_sort(rows, std::greater{},
                             [](const PodRow* row) { return row->pod->priority(); });
  } else if (by != "name") {  // Rows are in the order of names.
    return false;
  }
  return true;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

// --- flow ---

void QueueFlow::Count(size_t from, size_t to, uint64_t pods) {
  constexpr size_t kActive = static_cast<size_t>(QueueName::kActive);
  constexpr size_t kInFlight = static_cast<size_t>(QueueName::kInFlight);
  constexpr size_t kWaiting = static_cast<size_t>(QueueName::kWaiting);
  if (from == to || pods == 0) return;
  const bool ends_attempt =
      to == static_cast<size_t>(QueueName::kUnschedulable) || to == kWaiting || to == kBound;
  if (ends_attempt && from != kInFlight && from != kWaiting) {
    Count(from, kInFlight, pods);
    from = kInFlight;
  } else if (to == kInFlight && from != kActive) {
    Count(from, kActive, pods);
    from = kActive;
  }
  moves_[from][to] += pods;
}

void QueueFlow::Add(const Mirror& mirror, const QueueSnapshot& snapshot, uint64_t binds) {
  moves_ = {};
  if (started_) interval_ = std::max(snapshot.taken - last_, Duration::Millis(1));
  std::unordered_map<std::string, Known> pods;
  for (const PodRow& row : snapshot.rows) {
    if (!row.queue) continue;
    const api::ObjectMeta& meta = row.pod->metadata;
    const auto before = pods_.find(meta.uid);
    if (started_) {
      Count(before == pods_.end() ? kNew : static_cast<size_t>(before->second.queue),
            static_cast<size_t>(*row.queue));
    }
    pods.emplace(meta.uid, Known{{meta.namespace_, meta.name}, *row.queue});
  }
  uint64_t bound = 0;
  const scheduler::model::Cluster& cluster = mirror.engine().cluster();
  for (const auto& [uid, known] : pods_) {
    if (pods.contains(uid)) continue;
    const auto id = cluster.pods().Find(known.key.namespace_, known.key.name);
    const bool placed = id.valid() && cluster.pod(id).uid() == uid;
    bound += placed;
    Count(static_cast<size_t>(known.queue), placed ? kBound : kDeleted);
  }
  if (started_ && binds > binds_ + bound) Count(kNew, kBound, binds - binds_ - bound);
  started_ = true;
  last_ = snapshot.taken;
  binds_ = binds;
  pods_ = std::move(pods);
  counts_ = snapshot.counts;
}

void QueueFlow::AddTo(JsonObject& json) const {
  json.emplace("counts", CountsJson(counts_));
  json.emplace("interval", interval_.seconds());
  JsonArray moves;
  for (size_t from = 0; from < kPlaces; ++from) {
    for (size_t to = 0; to < kPlaces; ++to) {
      if (moves_[from][to] == 0) continue;
      moves.emplace_back(JsonObject{
          {"from", kPlaceNames[from]}, {"to", kPlaceNames[to]}, {"count", moves_[from][to]}});
    }
  }
  json.emplace("moves", std::move(moves));
}

// --- documents ---

JsonObject QueueJson(const QueueSnapshot& snapshot, const QueueFlow& flow,
                     const ProfileTable& profiles, GroupSentences& sentences) {
  JsonObject json = StartDocument("Queue");
  flow.AddTo(json);
  json.emplace("ages", AgesJson(snapshot));
  json.emplace("groups", QueueGroupsJson(snapshot, profiles, sentences));
  json.emplace("priorities", PrioritiesJson(snapshot));
  std::vector<const PodRow*> oldest;
  for (const PodRow& row : snapshot.rows) {
    if (row.queue) oldest.push_back(&row);
  }
  const size_t shown = std::min(kMaxOldest, oldest.size());
  std::ranges::partial_sort(oldest, oldest.begin() + static_cast<ptrdiff_t>(shown), IsOlder);
  oldest.resize(shown);
  JsonArray& list = json["oldest"].emplace_array();
  for (const PodRow* row : oldest) list.emplace_back(RowJson(*row, profiles));
  return json;
}

Response PodListResponse(const Mirror& mirror, const QueueSnapshot& snapshot,
                         const ProfileTable& profiles, const Request& request) {
  PodFilter filter{.queue = {},
                   .namespace_ = request.Get("namespace"),
                   .name = request.Get("name"),
                   .plugin = request.Get("plugin"),
                   .group = request.Get("group")};
  if (const std::string_view queue = request.Get("queue"); !queue.empty()) {
    filter.queue = ParseQueueName(queue);
    if (!filter.queue) return Failure(400, "queue: \"" + Shorten(queue) + "\": no such queue");
  }
  std::vector<PodRow> placed;
  if (!filter.name.empty()) placed = PlacedRows(mirror, filter);
  std::vector<const PodRow*> rows;
  for (const std::vector<PodRow>* source : {&snapshot.rows, &std::as_const(placed)}) {
    for (const PodRow& row : *source) {
      if (filter.Accepts(row, profiles)) rows.push_back(&row);
    }
  }
  const std::string_view sort = request.Get("sort");
  if (!Sort(sort, rows)) return Failure(400, "sort: \"" + Shorten(sort) + "\": no such order");
  // Positions, not a version: the list changes with each decision.
  const auto page = ReadPage(request, kMaxListed, 0);
  if (!page) return page.error();
  const size_t first = std::min(page->first, rows.size());
  const size_t end = std::min(rows.size(), first + page->limit);
  JsonObject json = StartDocument("PodList");
  json.emplace("total", rows.size());
  JsonArray& items = json["items"].emplace_array();
  for (size_t i = first; i < end; ++i) items.emplace_back(RowJson(*rows[i], profiles));
  if (end < rows.size()) json.emplace("continue", ContinueToken(0, end));
  return Document(json);
}

Response SearchResponse(const Mirror& mirror, const QueueSnapshot& snapshot, const NodeList& nodes,
                        const Request& request) {
  constexpr size_t kDefaultMatches = 20, kMaxMatches = 500;
  const auto limit = request.Number("limit", kDefaultMatches, kMaxMatches);
  if (!limit) return Failure(400, limit.error().message);
  const std::string text = Lower(request.Get("q"));
  const auto matches = [&](const api::ObjectMeta& meta) {
    return Lower(meta.namespace_ + "/" + meta.name).find(text) != std::string::npos;
  };
  JsonArray pods, names;
  for (const PodRow& row : snapshot.rows) {
    if (pods.size() >= *limit) break;
    if (!matches(row.pod->metadata)) continue;
    JsonObject json = PodNameJson(row.pod->metadata);
    if (row.queue) json.emplace("queue", ToString(*row.queue));
    AddText(json, "node", row.node);
    pods.emplace_back(std::move(json));
  }
  const scheduler::model::Cluster& cluster = mirror.engine().cluster();
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& record) {
    if (pods.size() >= *limit || !matches(record.object->metadata)) return;
    if (mirror.pending().contains(record.key())) return;
    JsonObject json = PodNameJson(record.object->metadata);
    AddText(json, "node", record.object->spec.node_name);
    pods.emplace_back(std::move(json));
  });
  for (const scheduler::model::NodeRow row : nodes.rows()) {
    if (names.size() >= *limit) break;
    const std::string& name = cluster.nodes().name(row);
    if (Lower(name).find(text) != std::string::npos) names.emplace_back(name);
  }
  JsonObject json = StartDocument("SearchResult");
  json.emplace("pods", std::move(pods));
  json.emplace("nodes", std::move(names));
  return Document(json);
}

}  // namespace berth::inspect
