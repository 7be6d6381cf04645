// Builders of Kubernetes objects, so that tables of cases stay short:
//
//   MakeNode("n1").Cpu("4").Label("zone", "a")
//   MakePod("web").Request("cpu", "100m").On("n1")
//
// A builder converts to what it builds and to a reference to it, and so to an api::Object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/object.h"
#include "testing/require.h"

// Tests name the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth {

inline api::Quantity Amount(std::string_view text) { return Require(api::Quantity::Parse(text)); }

template <typename T>
struct Builder {
  T object;

  operator T() const { return object; }
  operator api::Ref<T>() const { return ref(); }
  api::Ref<T> ref() const { return std::make_shared<const T>(object); }
};

// A node that by default has 4 cpu, 8Gi of memory and a capacity of 110 pods.
class MakeNode : public Builder<api::Node> {
 public:
  explicit MakeNode(std::string name) {
    object.metadata.uid = "uid-of-" + name;
    object.metadata.name = std::move(name);
    Cpu("4").Memory("8Gi").Pods("110");
  }
  MakeNode& Offer(const std::string& resource, std::string_view amount) {
    object.status.allocatable[resource] = Amount(amount);
    return *this;
  }
  MakeNode& Cpu(std::string_view amount) { return Offer("cpu", amount); }
  MakeNode& Memory(std::string_view amount) { return Offer("memory", amount); }
  MakeNode& Pods(std::string_view amount) { return Offer("pods", amount); }
  MakeNode& Label(std::string key, std::string value) {
    object.metadata.labels.insert_or_assign(std::move(key), std::move(value));
    return *this;
  }
  MakeNode& Zone(std::string zone) { return Label("topology.kubernetes.io/zone", std::move(zone)); }
  MakeNode& Taint(std::string key, std::string value, std::string effect) {
    object.spec.taints.push_back({std::move(key), std::move(value), std::move(effect)});
    return *this;
  }
  MakeNode& Cordoned() {
    object.spec.unschedulable = true;
    return *this;
  }
  MakeNode& Image(std::string name, int64_t size) {
    object.status.images.push_back({{std::move(name)}, size});
    return *this;
  }
  MakeNode& Declares(std::string feature) {
    object.status.declared_features.push_back(std::move(feature));
    return *this;
  }
};

// A pending pod with one container without resource requests, in the namespace "default", for the
// default scheduler.
class MakePod : public Builder<api::Pod> {
 public:
  explicit MakePod(std::string name) {
    object.metadata.uid = "uid-of-" + name;
    object.metadata.name = std::move(name);
    object.metadata.namespace_ = "default";
    object.spec.scheduler_name = "default-scheduler";
    object.spec.containers.push_back({.name = "main", .image = "app:1"});
  }
  explicit MakePod(api::Pod pod) { object = std::move(pod); }
  MakePod& Namespace(std::string name) {
    object.metadata.namespace_ = std::move(name);
    return *this;
  }
  MakePod& Uid(std::string uid) {
    object.metadata.uid = std::move(uid);
    return *this;
  }
  MakePod& Label(std::string key, std::string value) {
    object.metadata.labels.insert_or_assign(std::move(key), std::move(value));
    return *this;
  }
  MakePod& Request(const std::string& resource, std::string_view amount) {
    container().resources.requests[resource] = Amount(amount);
    return *this;
  }
  MakePod& Image(std::string name) {
    container().image = std::move(name);
    return *this;
  }
  MakePod& HostPort(int32_t port, std::string protocol = "TCP", std::string ip = "") {
    container().ports.push_back({port, port, std::move(ip), std::move(protocol)});
    return *this;
  }
  MakePod& On(std::string node) {
    object.spec.node_name = std::move(node);
    return *this;
  }
  MakePod& Scheduler(std::string name) {
    object.spec.scheduler_name = std::move(name);
    return *this;
  }
  MakePod& Priority(int32_t priority) {
    object.spec.priority = priority;
    return *this;
  }
  MakePod& InGroup(std::string name) {
    object.spec.pod_group_name = std::move(name);
    return *this;
  }
  MakePod& Gate(std::string name) {
    object.spec.scheduling_gates.push_back(std::move(name));
    return *this;
  }
  MakePod& NodeSelector(std::string key, std::string value) {
    if (!object.spec.node_selector) object.spec.node_selector.emplace();
    object.spec.node_selector->insert_or_assign(std::move(key), std::move(value));
    return *this;
  }
  // Not in the same domain as a pod with the label.
  MakePod& KeepApart(std::string topology_key, std::string key, std::string value) {
    if (!object.spec.affinity) object.spec.affinity.emplace();
    auto& apart = object.spec.affinity->pod_anti_affinity;
    if (!apart) apart.emplace();
    api::PodAffinityTerm& term = apart->required.emplace_back();
    term.topology_key = std::move(topology_key);
    term.label_selector.emplace().match_labels.emplace(std::move(key), std::move(value));
    return *this;
  }
  // At most `max_skew` more pods with the label in its domain than in any other.
  MakePod& Spread(int32_t max_skew, std::string topology_key, std::string key, std::string value) {
    api::TopologySpreadConstraint& spread = object.spec.topology_spread_constraints.emplace_back();
    spread.max_skew = max_skew;
    spread.topology_key = std::move(topology_key);
    spread.when_unsatisfiable = "DoNotSchedule";
    spread.label_selector.emplace().match_labels.emplace(std::move(key), std::move(value));
    return *this;
  }
  MakePod& Tolerates(std::string key, std::string value, std::string effect) {
    object.spec.tolerations.push_back(
        {std::move(key), "Equal", std::move(value), std::move(effect), {}});
    return *this;
  }
  MakePod& Mounts(std::string claim) {
    object.spec.volumes.push_back({claim, api::PersistentVolumeClaimSource{claim, false}});
    return *this;
  }
  MakePod& Phase(std::string phase) {
    object.status.phase = std::move(phase);
    return *this;
  }
  MakePod& Nominated(std::string node) {
    object.status.nominated_node_name = std::move(node);
    return *this;
  }
  // Sets the container's resources in its status, as after a resize.
  MakePod& Holds(const std::string& resource, std::string_view amount) {
    auto& statuses = object.status.container_statuses;
    if (statuses.empty()) statuses.push_back({.name = container().name});
    if (!statuses[0].resources) statuses[0].resources.emplace();
    statuses[0].resources->requests[resource] = Amount(amount);
    return *this;
  }

 private:
  api::Container& container() { return object.spec.containers[0]; }
};

// A PodGroup with the basic policy, in the namespace "default".
class MakePodGroup : public Builder<api::PodGroup> {
 public:
  explicit MakePodGroup(std::string name) {
    object.metadata.uid = "uid-of-" + name;
    object.metadata.name = std::move(name);
    object.metadata.namespace_ = "default";
  }
  MakePodGroup& Gang(int32_t min_count) {
    object.min_count = min_count;
    return *this;
  }
  MakePodGroup& Within(std::string topology_key) {
    object.topology_keys = {std::move(topology_key)};
    return *this;
  }
  MakePodGroup& Priority(int32_t priority) {
    object.priority_value = priority;
    return *this;
  }
  MakePodGroup& DisruptedAsAWhole() {
    object.disruption_mode = "PodGroup";
    return *this;
  }
  MakePodGroup& Condition(std::string status, std::string reason, std::string message) {
    object.conditions = {{.type = "PodGroupScheduled",
                          .status = std::move(status),
                          .reason = std::move(reason),
                          .message = std::move(message),
                          .observed_generation = 0}};
    return *this;
  }
};

// An object of any kind with only a name; `namespace_` is empty for cluster-scoped kinds.
template <typename T>
api::Ref<T> MakeObject(std::string name, std::string namespace_ = "") {
  T object;
  object.metadata.name = std::move(name);
  object.metadata.namespace_ = std::move(namespace_);
  return std::make_shared<const T>(std::move(object));
}

}  // namespace berth
