#include "cluster/pod_class.h"

#include <algorithm>
#include <type_traits>

namespace berth {
namespace {

// KeyWriter appends values so that different sequences of values give different bytes: strings and lists are
// preceded by their length, optionals by whether they are there.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& out) : out_(out) {}

  template <typename T>
    requires std::is_arithmetic_v<T>
  void Put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void Put(const std::string& text) {
    Put(static_cast<uint32_t>(text.size()));
    out_.append(text);
  }
  void Put(const api::Quantity& quantity) {
    // Equal numbers must give equal keys however they were written, for "1" and "1000m" schedule alike.
    Put(quantity.Value());
    Put(quantity.MilliValue());
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    Put(static_cast<uint32_t>(values.size()));
    for (const T& value : values) Put(value);
  }
  template <typename K, typename V, typename C>
  void Put(const std::map<K, V, C>& values) {
    Put(static_cast<uint32_t>(values.size()));
    for (const auto& [key, value] : values) PutAll(key, value);
  }
  template <typename... Ts>
  void PutAll(const Ts&... values) {
    (Put(values), ...);
  }

  void Put(const api::ContainerPort& port) { PutAll(port.host_port, port.host_ip, port.protocol); }
  void Put(const api::Container& container) {
    PutAll(container.name, container.image, container.resources.requests, container.restart_policy,
           container.restart_policy_rule_actions, container.ports);
  }
  void Put(const api::ResourceRequirements& resources) { Put(resources.requests); }
  void Put(const api::LabelSelectorRequirement& r) { PutAll(r.key, r.op, r.values); }
  void Put(const api::LabelSelector& s) { PutAll(s.match_labels, s.match_expressions); }
  void Put(const api::NodeSelectorRequirement& r) { PutAll(r.key, r.op, r.values); }
  void Put(const api::NodeSelectorTerm& t) { PutAll(t.match_expressions, t.match_fields); }
  void Put(const api::NodeSelector& s) { Put(s.terms); }
  void Put(const api::PreferredSchedulingTerm& t) { PutAll(t.weight, t.preference); }
  void Put(const api::NodeAffinity& a) { PutAll(a.required, a.preferred); }
  void Put(const api::PodAffinityTerm& t) {
    PutAll(t.label_selector, t.namespaces, t.namespace_selector, t.topology_key);
  }
  void Put(const api::WeightedPodAffinityTerm& t) { PutAll(t.weight, t.term); }
  void Put(const api::PodAffinity& a) { PutAll(a.required, a.preferred); }
  void Put(const api::Affinity& a) { PutAll(a.node_affinity, a.pod_affinity, a.pod_anti_affinity); }
  void Put(const api::Toleration& t) { PutAll(t.key, t.op, t.value, t.effect); }
  void Put(const api::TopologySpreadConstraint& c) {
    PutAll(c.max_skew, c.topology_key, c.when_unsatisfiable, c.label_selector, c.min_domains,
           c.node_affinity_policy, c.node_taints_policy, c.match_label_keys);
  }
  void Put(const api::PodResourceClaim& c) {
    PutAll(c.name, c.resource_claim_name, c.resource_claim_template_name);
  }
  void Put(const api::ContainerStatus& s) { PutAll(s.name, s.resources, s.allocated_resources); }

  void Put(const api::Volume& volume) {
    PutAll(volume.name, volume.source.index());
    std::visit([this](const auto& source) { PutSource(source); }, volume.source);
  }

 private:
  void PutSource(const api::OtherSource&) {}
  void PutSource(const api::PersistentVolumeClaimSource& s) { PutAll(s.claim_name, s.read_only); }
  void PutSource(const api::EphemeralSource&) {}
  void PutSource(const api::CsiInlineSource& s) { Put(s.driver); }
  void PutSource(const api::ImageSource& s) { Put(s.reference); }
  void PutSource(const api::GcePersistentDiskSource& s) { PutAll(s.pd_name, s.read_only); }
  void PutSource(const api::AwsElasticBlockStoreSource& s) { PutAll(s.volume_id, s.read_only); }
  void PutSource(const api::RbdSource& s) { PutAll(s.monitors, s.pool, s.image, s.read_only); }
  void PutSource(const api::IscsiSource& s) { PutAll(s.target_portal, s.iqn, s.lun, s.read_only); }
  void PutSource(const api::AzureDiskSource& s) { PutAll(s.disk_name, s.disk_uri, s.kind); }
  void PutSource(const api::AzureFileSource& s) {
    PutAll(s.secret_name, s.secret_namespace, s.share_name);
  }
  void PutSource(const api::CinderSource& s) { Put(s.volume_id); }
  void PutSource(const api::VsphereSource& s) { Put(s.volume_path); }
  void PutSource(const api::PortworxSource& s) { Put(s.volume_id); }

  std::string& out_;
};

bool ResizeInfeasible(const api::PodStatus& status) {
  for (const api::PodCondition& condition : status.conditions) {
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  }
  return false;
}

// A status without resources says nothing about the pod's size; most pods have none.
bool ShowsResources(const api::PodStatus& status) {
  auto shows = [](const api::ContainerStatus& s) {
    return s.resources.has_value() || !s.allocated_resources.empty();
  };
  return status.resources.has_value() || !status.allocated_resources.empty() ||
         std::ranges::any_of(status.container_statuses, shows) ||
         std::ranges::any_of(status.init_container_statuses, shows);
}

bool HasGeneratedClaimNames(const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
    return std::holds_alternative<api::EphemeralSource>(volume.source);
  });
}

}  // namespace

std::string PodClassKey(const api::Pod& pod, bool with_node_name) {
  std::string key;
  key.reserve(512);
  KeyWriter writer(key);
  const api::PodSpec& spec = pod.spec;
  writer.PutAll(pod.metadata.namespace_, spec.scheduler_name, pod.priority(), spec.preemption_policy,
                spec.init_containers, spec.containers, spec.resources, spec.overhead, spec.node_selector,
                spec.affinity, spec.tolerations, spec.topology_spread_constraints,
                spec.scheduling_gates, spec.volumes, spec.resource_claims, spec.host_network,
                spec.host_users);
  writer.Put(with_node_name ? spec.node_name : std::string());
  // A generic ephemeral volume's claim is named after the pod, so such pods are one of a kind.
  writer.Put(HasGeneratedClaimNames(spec) ? pod.metadata.name : std::string());
  const bool shows_resources = ShowsResources(pod.status);
  writer.Put(shows_resources);
  if (shows_resources) {
    writer.PutAll(pod.status.container_statuses, pod.status.init_container_statuses,
                  pod.status.resources, pod.status.allocated_resources, ResizeInfeasible(pod.status));
  }
  return key;
}

PodClass CompilePodClass(std::shared_ptr<const api::Pod> pod, bool with_node_name, SymbolTable& symbols,
                         ScalarNames& scalars) {
  PodClass compiled;
  if (with_node_name) compiled.node_name = pod->spec.node_name;
  compiled.namespace_ = symbols.Intern(pod->metadata.namespace_);
  compiled.priority = pod->priority();
  compiled.requests = ResourceVector::FromRequests(api::PodRequests(*pod, {}), scalars);
  compiled.placed = ResourceVector::From(api::PodRequests(*pod, {.use_status = true}), scalars);
  compiled.placed_nonzero = api::PlacedNonZeroRequest(*pod);
  compiled.host_ports = HostPortsOf(pod->spec, symbols);
  for (const api::Volume& volume : pod->spec.volumes) {
    if (const auto* claim = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
      compiled.claims.push_back(symbols.Intern(claim->claim_name));
    }
  }
  compiled.example = std::move(pod);
  return compiled;
}

}  // namespace berth
