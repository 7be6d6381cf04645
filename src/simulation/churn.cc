#include "simulation/churn.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "api/node.h"
#include "api/object.h"
#include "api/pod.h"
#include "api/storage.h"
#include "api/workloads.h"
#include "base/check.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::simulation {
namespace {

constexpr const char* kHostname = "kubernetes.io/hostname";

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

api::Ref<api::Node> InitialNode(size_t i) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{}", i);
  node->metadata.labels = {{kHostname, node->metadata.name},
                           {"topology.kubernetes.io/zone", fmt::format("zone-{}", i % 3)}};
  node->status.allocatable = {{"cpu", Amount("64")},
                              {"memory", Amount("256Gi")},
                              {"pods", Amount("110")},
                              {"example.com/gpu", Amount("8")}};
  return node;
}

// A name that nothing else has.
std::string Own(const char* what, size_t i) { return fmt::format("{}-{}", what, i); }

api::LabelSelector OwnSelector(size_t i) {
  api::LabelSelector selector;
  selector.match_labels = {{Own("example.com/label", i), Own("value", i)}};
  selector.match_expressions = {{"app", "NotIn", {Own("other", i), Own("another", i)}}};
  return selector;
}

api::PodAffinityTerm OwnTerm(const char* key, size_t i) {
  api::PodAffinityTerm term;
  term.label_selector = OwnSelector(i);
  term.topology_key = Own(key, i);
  term.namespaces = {Own("team", i), Own("friends", i)};
  return term;
}

void AddAffinity(api::PodSpec& spec, size_t i) {
  api::Affinity& affinity = spec.affinity.emplace();
  affinity.pod_affinity.emplace().preferred = {{5, OwnTerm("example.com/near", i)}};
  // Few, because all of their counters are computed again whenever a namespace changes.
  if (i % 16 == 0) {
    affinity.pod_affinity->preferred[0].term.namespace_selector.emplace().match_labels = {
        {"owner", Own("owner", i)}};
  }
  // Also by a key that nodes have, so that the terms and counters of placed pods are read.
  affinity.pod_anti_affinity.emplace().required = {OwnTerm("example.com/far", i),
                                                   OwnTerm("example.com/far", i)};
  affinity.pod_anti_affinity->required[1].topology_key = kHostname;
  api::PreferredSchedulingTerm& preferred =
      affinity.node_affinity.emplace().preferred.emplace_back();
  preferred.weight = 3;
  preferred.preference.match_expressions = {
      {Own("example.com/disk", i), "In", {Own("fast", i), Own("faster", i)}}};
}

void AddSpreading(api::PodSpec& spec, size_t i) {
  for (const std::string& key : {Own("example.com/rack", i), std::string(kHostname)}) {
    api::TopologySpreadConstraint& constraint = spec.topology_spread_constraints.emplace_back();
    constraint.max_skew = 1;
    constraint.topology_key = key;
    constraint.when_unsatisfiable = "ScheduleAnyway";
    constraint.label_selector = OwnSelector(i);
    constraint.match_label_keys = {Own("example.com/label", i)};
  }
}

// Every other pod fits nowhere, for one reason or another.
void MakeUnschedulable(api::Pod& pod, size_t i) {
  api::PodSpec& spec = pod.spec;
  switch (i / 2 % 4) {
    case 0:
      spec.containers[0].resources.requests[Own("example.com/device", i)] = Amount("1");
      break;
    case 1:
      spec.node_selector = api::StringMap{{Own("example.com/only", i), Own("here", i)}};
      break;
    case 2:
      for (auto& constraint : spec.topology_spread_constraints)
        constraint.when_unsatisfiable = "DoNotSchedule";
      break;
    default:
      spec.volumes.push_back({"data", api::PersistentVolumeClaimSource{Own("missing", i), false}});
      pod.status.nominated_node_name = Own("former-node", i);
      break;
  }
}

api::Ref<api::Pod> OwnPod(size_t i) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = Own("pod", i);
  pod->metadata.uid = Own("uid", i);
  pod->metadata.namespace_ = Own("team", i);
  pod->metadata.labels = {{"app", Own("app", i)}, {Own("example.com/label", i), Own("value", i)}};
  pod->metadata.annotations = {{"note", std::string(1000, 'x')}};
  api::PodSpec& spec = pod->spec;
  spec.scheduler_name = "default-scheduler";
  spec.tolerations = {{Own("example.com/taint", i), "Exists", "", "NoSchedule", {}}};
  api::Container& container = spec.containers.emplace_back();
  container.name = "main";
  container.image = Own("registry.example.com/app", i);
  container.resources.requests = {{"cpu", Amount("10m")},
                                  {Own("example.com/resource", i), Amount("0")}};
  container.ports.push_back({8080, 8080, fmt::format("10.{}.{}.1", i / 200 % 200, i % 200), "TCP"});
  AddAffinity(spec, i);
  AddSpreading(spec, i);
  if (i % 3 == 0)
    spec.volumes.push_back({"data", api::PersistentVolumeClaimSource{Own("claim", i), false}});
  if (i % 2 == 1) MakeUnschedulable(*pod, i);
  return pod;
}

api::Ref<api::Namespace> OwnNamespace(size_t i) {
  auto object = std::make_shared<api::Namespace>();
  object->metadata.name = Own("team", i);
  object->metadata.labels = {{"owner", Own("owner", i)}};
  return object;
}

// A volume that is bound to the claim of a pod.
void AddVolume(size_t i, std::vector<api::Object>& group) {
  auto claim = std::make_shared<api::PersistentVolumeClaim>();
  claim->metadata.name = Own("claim", i);
  claim->metadata.namespace_ = Own("team", i);
  claim->metadata.uid = Own("claim-uid", i);
  claim->metadata.annotations = {{"pv.kubernetes.io/bind-completed", "yes"}};
  claim->volume_name = Own("volume", i);
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->metadata.name = Own("volume", i);
  volume->source = api::CsiPersistentVolumeSource{Own("driver", i), Own("handle", i)};
  api::NodeSelectorTerm term;
  term.match_expressions = {{kHostname, "NotIn", {Own("elsewhere", i)}}};
  volume->node_affinity = api::NodeSelector{{term}};
  group.push_back(api::Ref<api::PersistentVolume>(std::move(volume)));
  group.push_back(api::Ref<api::PersistentVolumeClaim>(std::move(claim)));
}

// A node that lists what the pods of the same and the next number request, and its CSINode.
void AddNode(size_t i, std::vector<api::Object>& group) {
  auto node = std::make_shared<api::Node>(*InitialNode(0));
  node->metadata.name = Own("own-node", i);
  node->metadata.labels = {{kHostname, Own("own-node", i)},
                           {Own("example.com/near", i), "a"},
                           {Own("example.com/rack", i), Own("rack", i)}};
  for (size_t j : {i, i + 1}) {
    node->status.allocatable[Own("example.com/resource", j)] = Amount("2");
    node->status.allocatable[Own("example.com/device", j)] = Amount("2");
  }
  node->spec.taints = {{Own("example.com/taint", i), "", "NoSchedule"}};
  node->status.images = {{{Own("registry.example.com/app", i) + ":latest"}, int64_t{1} << 30}};
  node->status.declared_features = {Own("Feature", i)};
  auto csi_node = std::make_shared<api::CsiNode>();
  csi_node->metadata.name = node->metadata.name;
  csi_node->drivers.push_back({Own("driver", i), "", {}, 3});
  group.push_back(api::Ref<api::Node>(std::move(node)));
  group.push_back(api::Ref<api::CsiNode>(std::move(csi_node)));
}

}  // namespace

Churn::Churn(const Options& options)
    : options_(options), now_(Instant::FromUnixSeconds(1'700'000'000)) {
  scheduler::engine::EngineOptions engine_options;
  engine_options.paranoid = options.paranoid;
  engine_options.profiles = *scheduler::config::ToProfileConfigs(scheduler::config::Default());
  engine_ = *scheduler::engine::Engine::Make(engine_options, scheduler::plugins::InTreeRegistry());
  for (size_t i = 0; i < options.nodes; ++i) Put(InitialNode(i));
}

Churn::~Churn() = default;

void Churn::Put(const api::Object& object) {
  engine_->Handle(scheduler::engine::ObjectPut{object}, now_);
}

void Churn::Delete(const api::Object& object) {
  engine_->Handle(scheduler::engine::ObjectDeleted{object}, now_);
}

void Churn::Step() {
  const size_t i = next_++;
  Group& group = groups_.emplace_back();
  group.push_back(OwnNamespace(i));
  if (i % 3 == 0) AddVolume(i, group);
  if (i % 10 == 0) AddNode(i, group);
  group.push_back(OwnPod(i));
  for (const api::Object& object : group) Put(object);
  const auto pod = std::get<api::Ref<api::Pod>>(group.back());
  pods_.emplace(pod->metadata.uid, pod);
  now_ = now_ + Duration::Seconds(1);
  Settle();
  if (groups_.size() > options_.alive) DeleteOldest();
}

void Churn::Settle() {
  while (true) {
    engine_->Schedule(now_);
    const std::vector<scheduler::engine::Command> commands = engine_->TakeCommands();
    if (commands.empty()) return;
    for (const scheduler::engine::Command& command : commands) {
      const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write);
      if (bind != nullptr) {
        ++bound_;
        auto placed = api::CopyToChange(*pods_.at(bind->uid));
        placed->spec.node_name = bind->node;
        pods_[bind->uid] = placed;
        Put(api::Ref<api::Pod>(placed));
      }
      engine_->Handle(scheduler::engine::WriteDone{command.id, {}}, now_);
    }
  }
}

// The pod goes first, or a while after its node and namespace.
void Churn::DeleteOldest() {
  Group group = std::move(groups_.front());
  groups_.pop_front();
  const auto pod = std::get<api::Ref<api::Pod>>(group.back());
  group.pop_back();
  const api::Ref<api::Pod> newest = pods_.at(pod->metadata.uid);
  pods_.erase(pod->metadata.uid);
  const bool pod_first = next_ % 2 == 0;
  if (pod_first) Delete(newest);
  for (const api::Object& object : group) Delete(object);
  if (!pod_first) Delete(newest);
  Settle();
}

void Churn::Clear() {
  while (!groups_.empty()) DeleteOldest();
  engine_->DropCaches();
}

Churn::Counts Churn::counts() const {
  const scheduler::model::Cluster& cluster = engine_->cluster();
  return {.symbols = cluster.symbols().size(),
          .scalar_names = cluster.scalars().size(),
          .scalar_columns = cluster.nodes().columns().listed.size(),
          .topology_keys = cluster.nodes().topology().keys().size(),
          .pod_classes = cluster.classes().size(),
          .pod_labels = cluster.pod_labels().size(),
          .counters = cluster.counters().size(),
          .affinity_terms = cluster.affinity_terms().size(),
          .taint_sets = cluster.nodes().taint_sets().size()};
}

std::string Churn::ToString(const Counts& counts) {
  return fmt::format(
      "{} symbols, {} scalar names, {} columns, {} topology keys, {} classes, {} label sets, "
      "{} counters, {} terms, {} taint sets",
      counts.symbols, counts.scalar_names, counts.scalar_columns, counts.topology_keys,
      counts.pod_classes, counts.pod_labels, counts.counters, counts.affinity_terms,
      counts.taint_sets);
}

}  // namespace berth::simulation
