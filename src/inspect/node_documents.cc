#include "inspect/node_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "api/json/document.h"
#include "api/node.h"
#include "api/timestamp.h"
#include "inspect/documents.h"

namespace berth::inspect {
namespace {

using api::JsonArray;
using api::JsonObject;
using scheduler::model::Cluster;
using scheduler::model::NodeRow;

constexpr std::string_view kHostName = "kubernetes.io/hostname";
// More pods of one node are left out; kubelets run some hundred.
constexpr size_t kMaxPodsOfNode = 5'000;

constexpr std::string_view kZoneKeys[] = {"topology.kubernetes.io/zone",
                                          "failure-domain.beta.kubernetes.io/zone"};
constexpr std::string_view kRackKeys[] = {"topology.kubernetes.io/rack", "topology.berth.dev/rack",
                                          "cloud.google.com/gce-topology-subblock", "rack"};
constexpr std::string_view kPoolKeys[] = {"cloud.google.com/gke-nodepool",
                                          "eks.amazonaws.com/nodegroup",
                                          "kubernetes.azure.com/agentpool",
                                          "karpenter.sh/nodepool",
                                          "node-pool",
                                          "node.kubernetes.io/instance-type"};

std::string_view UnitOf(std::string_view resource) {
  const bool bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return resource == "cpu" ? "cores" : bytes ? "bytes" : "count";
}

std::string FirstPresent(std::span<const std::string_view> keys,
                         const std::set<std::string, std::less<>>& present) {
  for (const std::string_view key : keys) {
    if (present.contains(key)) return std::string(key);
  }
  return "";
}

const api::Node& NodeAt(const Cluster& cluster, NodeRow row) {
  return *cluster.nodes().info(row).object;
}

const std::string* LabelOf(const api::Node& node, const std::string& key) {
  if (key.empty()) return nullptr;
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? nullptr : &found->second;
}

// Numbers distinct keys in the order in which they come.
template <typename Key>
class Numbering {
 public:
  // Returns the number of the key, and whether it is new.
  std::pair<size_t, bool> Add(const Key& key) {
    const auto [at, added] = numbers_.emplace(key, numbers_.size());
    return {at->second, added};
  }

 private:
  std::map<Key, size_t> numbers_;
};

JsonObject GroupsJson(const Cluster& cluster, std::span<const NodeRow> rows,
                      const std::string& key) {
  JsonArray values, of;
  Numbering<std::string> numbers;
  for (const NodeRow row : rows) {
    const std::string* value = LabelOf(NodeAt(cluster, row), key);
    if (value == nullptr) {
      of.emplace_back(-1);
      continue;
    }
    const auto [number, added] = numbers.Add(*value);
    if (added) values.emplace_back(*value);
    of.emplace_back(number);
  }
  return {{"key", key}, {"values", std::move(values)}, {"of", std::move(of)}};
}

JsonObject LabelSetsJson(const Cluster& cluster, std::span<const NodeRow> rows) {
  JsonArray sets, of;
  Numbering<scheduler::model::Labels> numbers;
  const Symbol host_name = cluster.symbols().Find(kHostName);
  for (const NodeRow row : rows) {
    scheduler::model::Labels labels = cluster.nodes().info(row).labels;
    std::erase_if(labels, [&](const auto& label) { return label.key == host_name; });
    const auto [number, added] = numbers.Add(labels);
    of.emplace_back(number);
    if (!added) continue;
    JsonObject& set = sets.emplace_back(boost::json::object_kind).get_object();
    for (const auto& [key, value] : NodeAt(cluster, row).metadata.labels) {
      if (key != kHostName) set.emplace(key, value);
    }
  }
  return {{"sets", std::move(sets)}, {"of", std::move(of)}};
}

JsonArray TaintsJson(const api::Node& node) {
  JsonArray list;
  for (const api::Taint& taint : node.spec.taints) list.emplace_back(TaintText(taint));
  return list;
}

JsonObject TaintSetsJson(const Cluster& cluster, std::span<const NodeRow> rows) {
  JsonArray sets, of;
  Numbering<std::vector<api::Taint>> numbers;
  for (const NodeRow row : rows) {
    const api::Node& node = NodeAt(cluster, row);
    const auto [number, added] = numbers.Add(node.spec.taints);
    of.emplace_back(number);
    if (added) sets.emplace_back(TaintsJson(node));
  }
  return {{"sets", std::move(sets)}, {"of", std::move(of)}};
}

// The columns that events of the map repeat.
struct LiveColumns {
  JsonArray pods, assumed, nominated, flags;
};

LiveColumns LiveColumnsOf(const Mirror& mirror, std::span<const NodeRow> rows) {
  const Cluster& cluster = mirror.engine().cluster();
  LiveColumns columns;
  for (const NodeRow row : rows) {
    const auto& info = cluster.nodes().info(row);
    const auto assumed = mirror.assumed().find(cluster.nodes().name(row));
    columns.pods.emplace_back(info.pods.size());
    columns.assumed.emplace_back(assumed == mirror.assumed().end() ? 0U : assumed->second);
    columns.nominated.emplace_back(cluster.nominations().PodsOn(info.name).size());
    columns.flags.emplace_back(FlagsOf(*info.object));
  }
  return columns;
}

JsonObject RequestsJson(const Cluster& cluster, const scheduler::model::ResourceVector& requests) {
  JsonObject json;
  const auto add = [&](std::string_view name, int64_t amount) {
    if (amount != 0) json.emplace(name, Amount(amount));
  };
  add("cpu", requests.milli_cpu);
  add("memory", requests.memory);
  add("ephemeral-storage", requests.ephemeral_storage);
  for (const auto& scalar : requests.scalars) add(cluster.scalars().Text(scalar.id), scalar.amount);
  return json;
}

JsonObject PodOfNodeJson(const Cluster& cluster, scheduler::model::PodId id,
                         std::string_view state) {
  const scheduler::model::PodRecord& record = cluster.pod(id);
  const api::Pod& pod = *record.object;
  JsonObject json = PodNameJson(pod.metadata);
  json.emplace("priority", pod.priority());
  json.emplace("requests", RequestsJson(cluster, cluster.class_of(record).placed));
  json.emplace("state", state);
  const auto since =
      pod.status.start_time ? pod.status.start_time : pod.metadata.creation_timestamp;
  json.emplace("since", api::FormatMicroTime(since.value_or(Instant{})));
  return json;
}

}  // namespace

// --- what nodes have in common ---

ResourceColumns::ResourceColumns(const Cluster& cluster) {
  const auto& columns = cluster.nodes().columns();
  const auto add = [&](std::string name, const std::vector<int64_t>& allocatable,
                       const std::vector<int64_t>& requested) {
    const std::string_view unit = UnitOf(name);
    resources_.push_back({std::move(name), unit});
    columns_.push_back({&allocatable, &requested});
  };
  add("cpu", columns.allocatable_cpu, columns.requested_cpu);
  add("memory", columns.allocatable_memory, columns.requested_memory);
  add("ephemeral-storage", columns.allocatable_ephemeral, columns.requested_ephemeral);
  add("pods", columns.allocatable_pods, columns.pod_count);
  std::map<std::string, const scheduler::model::NodeColumns::Scalar*> scalars;
  for (const scheduler::model::ScalarId id : columns.listed) {
    scalars.emplace(cluster.scalars().Text(id), columns.scalar(id));
  }
  for (const auto& [name, scalar] : scalars) add(name, scalar->allocatable, scalar->requested);
}

int64_t ResourceColumns::Allocatable(size_t resource, NodeRow row) const {
  return Amount((*columns_[resource].allocatable)[row.index()]);
}

int64_t ResourceColumns::Requested(size_t resource, NodeRow row) const {
  return Amount((*columns_[resource].requested)[row.index()]);
}

void NodeList::Refresh(const Mirror& mirror) {
  if (generation_ == mirror.generation()) return;
  generation_ = mirror.generation();
  const Cluster& cluster = mirror.engine().cluster();
  rows_.clear();
  std::set<std::string, std::less<>> keys, taints;
  cluster.nodes().present().ForEach([&](size_t index) {
    const NodeRow row{static_cast<uint32_t>(index)};
    rows_.push_back(row);
    for (const auto& [key, value] : NodeAt(cluster, row).metadata.labels) {
      if (!keys.contains(key)) keys.insert(key);
    }
    for (const api::Taint& taint : NodeAt(cluster, row).spec.taints) {
      taints.insert(TaintText(taint));
    }
  });
  std::ranges::sort(rows_, {},
                    [&](NodeRow row) -> const std::string& { return cluster.nodes().name(row); });
  places_.assign(cluster.nodes().rows(), -1);
  for (size_t i = 0; i < rows_.size(); ++i) places_[rows_[i].index()] = static_cast<int32_t>(i);
  keys_ = {FirstPresent(kZoneKeys, keys), FirstPresent(kRackKeys, keys),
           FirstPresent(kPoolKeys, keys)};
  label_keys_.assign(keys.begin(), keys.end());
  taints_.assign(taints.begin(), taints.end());
}

int64_t NodeList::PlaceOf(NodeRow row) const {
  return row.valid() && row.index() < places_.size() ? places_[row.index()] : -1;
}

std::string TaintText(const api::Taint& taint) {
  return fmt::format("{}={}:{}", taint.key, taint.value, taint.effect);
}

int FlagsOf(const api::Node& node) {
  const auto has_effect = [&](std::string_view effect) {
    return std::ranges::find(node.spec.taints, effect, &api::Taint::effect) !=
           node.spec.taints.end();
  };
  const auto ready = std::ranges::find(node.status.conditions, "Ready", &api::NodeCondition::type);
  const bool not_ready = ready != node.status.conditions.end() && ready->status != "True";
  return (node.spec.unschedulable ? 1 : 0) | (not_ready ? 2 : 0) |
         (has_effect("NoSchedule") ? 4 : 0) | (has_effect("NoExecute") ? 8 : 0);
}

// --- documents ---

void AddNodeFacts(const Mirror& mirror, const NodeList& nodes, JsonObject& cluster) {
  const ResourceColumns columns(mirror.engine().cluster());
  JsonArray resources;
  for (const Resource& resource : columns.resources()) {
    resources.emplace_back(JsonObject{{"name", resource.name}, {"unit", resource.unit}});
  }
  cluster.emplace("resources", std::move(resources));
  cluster.emplace("topologyKeys", JsonObject{{"zone", nodes.key(NodeList::kZone)},
                                             {"rack", nodes.key(NodeList::kRack)},
                                             {"pool", nodes.key(NodeList::kPool)}});
  cluster.emplace("labelKeys", TextsJson(nodes.label_keys()));
  cluster.emplace("taints", TextsJson(nodes.taints()));
}

JsonObject NodeMapJson(const Mirror& mirror, const NodeList& nodes, const Page& page) {
  const Cluster& cluster = mirror.engine().cluster();
  const size_t first = std::min(page.first, nodes.rows().size());
  const size_t count = std::min(page.limit, nodes.rows().size() - first);
  const auto rows = std::span(nodes.rows()).subspan(first, count);
  JsonObject json = StartDocument("NodeMap");
  json.emplace("generation", nodes.generation());
  json.emplace("first", first);
  json.emplace("total", nodes.rows().size());
  JsonArray names;
  names.reserve(count);
  for (const NodeRow row : rows) names.emplace_back(cluster.nodes().name(row));
  json.emplace("names", std::move(names));
  json.emplace("zones", GroupsJson(cluster, rows, nodes.key(NodeList::kZone)));
  json.emplace("racks", GroupsJson(cluster, rows, nodes.key(NodeList::kRack)));
  json.emplace("pools", GroupsJson(cluster, rows, nodes.key(NodeList::kPool)));
  const ResourceColumns columns(cluster);
  JsonObject& resources = json["resources"].emplace_object();
  for (size_t i = 0; i < columns.resources().size(); ++i) {
    JsonArray allocatable, requested;
    for (const NodeRow row : rows) {
      allocatable.emplace_back(columns.Allocatable(i, row));
      requested.emplace_back(columns.Requested(i, row));
    }
    resources.emplace(
        columns.resources()[i].name,
        JsonObject{{"allocatable", std::move(allocatable)}, {"requested", std::move(requested)}});
  }
  LiveColumns live = LiveColumnsOf(mirror, rows);
  json.emplace("pods", std::move(live.pods));
  json.emplace("assumed", std::move(live.assumed));
  json.emplace("nominated", std::move(live.nominated));
  json.emplace("flags", std::move(live.flags));
  json.emplace("labels", LabelSetsJson(cluster, rows));
  json.emplace("taints", TaintSetsJson(cluster, rows));
  if (first + count < nodes.rows().size()) {
    json.emplace("continue", ContinueToken(nodes.generation(), first + count));
  }
  return json;
}

JsonObject NodeJson(const Mirror& mirror, const NodeList& nodes, size_t place) {
  const Cluster& cluster = mirror.engine().cluster();
  const NodeRow row = nodes.rows()[place];
  const auto& info = cluster.nodes().info(row);
  const api::Node& node = *info.object;
  JsonObject json = StartDocument("Node");
  json.emplace("name", node.metadata.name);
  JsonObject& labels = json["labels"].emplace_object();
  for (const auto& [key, value] : node.metadata.labels) labels.emplace(key, value);
  json.emplace("taints", TaintsJson(node));
  json.emplace("flags", FlagsOf(node));
  const std::pair<std::string_view, NodeList::Grouping> groupings[] = {
      {"zone", NodeList::kZone}, {"rack", NodeList::kRack}, {"pool", NodeList::kPool}};
  for (const auto& [name, grouping] : groupings) {
    const std::string* value = LabelOf(node, nodes.key(grouping));
    if (value != nullptr) json.emplace(name, *value);
  }
  const ResourceColumns columns(cluster);
  JsonObject& resources = json["resources"].emplace_object();
  for (size_t i = 0; i < columns.resources().size(); ++i) {
    resources.emplace(columns.resources()[i].name,
                      JsonObject{{"allocatable", columns.Allocatable(i, row)},
                                 {"requested", columns.Requested(i, row)}});
  }
  JsonArray pods;
  for (const scheduler::model::PodId id : info.pods) {
    if (pods.size() >= kMaxPodsOfNode) break;
    const auto assumed = mirror.pending().find(cluster.pod(id).key());
    pods.emplace_back(
        PodOfNodeJson(cluster, id, assumed == mirror.pending().end() ? "bound" : "assumed"));
  }
  for (const scheduler::model::PodId id : cluster.nominations().PodsOn(info.name)) {
    if (pods.size() >= kMaxPodsOfNode) break;
    pods.emplace_back(PodOfNodeJson(cluster, id, "nominated"));
  }
  json.emplace("pods", std::move(pods));
  return json;
}

JsonObject NodeDeltaJson(const Mirror& mirror, const NodeList& nodes,
                         const std::vector<NodeRow>& changed) {
  std::vector<NodeRow> rows;
  JsonArray places;
  for (const NodeRow row : changed) {
    const int64_t place = nodes.PlaceOf(row);
    if (place < 0) continue;
    rows.push_back(row);
    places.emplace_back(place);
  }
  JsonObject json;
  json.emplace("generation", nodes.generation());
  json.emplace("rows", std::move(places));
  LiveColumns live = LiveColumnsOf(mirror, rows);
  json.emplace("pods", std::move(live.pods));
  json.emplace("assumed", std::move(live.assumed));
  json.emplace("nominated", std::move(live.nominated));
  json.emplace("flags", std::move(live.flags));
  const ResourceColumns columns(mirror.engine().cluster());
  JsonObject& requested = json["requested"].emplace_object();
  for (size_t i = 0; i < columns.resources().size(); ++i) {
    JsonArray amounts;
    for (const NodeRow row : rows) amounts.emplace_back(columns.Requested(i, row));
    requested.emplace(columns.resources()[i].name, std::move(amounts));
  }
  return json;
}

}  // namespace berth::inspect
