// KeyWriter encodes parts of objects as bytes: equal parts give equal bytes, different ones do not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/storage.h"

namespace berth::scheduler::model {

// Strings and lists are preceded by their length, optionals by whether they have a value.
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
    // Equal quantities must give equal keys however they are written: "1" and "1000m" schedule
    // alike. Thousandths identify all but the finest and the largest.
    const int64_t milli = quantity.MilliValue();
    const bool exact = quantity == api::Quantity::FromMilli(milli);
    PutAll(milli, exact);
    if (!exact) Put(quantity.ToString());
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
  void Put(const api::TopologySelectorRequirement& r) { PutAll(r.key, r.values); }
  void Put(const api::TopologySelectorTerm& t) { Put(t.match_label_expressions); }
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
  // The requests and constraints of a claim; configuration does not decide which devices fit.
  void Put(const api::ResourceClaimSpec& s) { PutAll(s.requests, s.constraints); }
  void Put(const api::DeviceRequest& r) { PutAll(r.name, r.exactly, r.first_available); }
  void Put(const api::DeviceSubRequest& r) {
    PutAll(r.name, r.device_class_name, r.selectors, r.allocation_mode, r.count, r.admin_access,
           r.tolerations, r.capacity_requests);
  }
  void Put(const api::DeviceSelector& s) { Put(s.cel_expression); }
  void Put(const api::DeviceToleration& t) {
    PutAll(t.key, t.op, t.value, t.effect, t.toleration_seconds);
  }
  void Put(const api::DeviceConstraint& c) {
    PutAll(c.requests, c.match_attribute, c.distinct_attribute);
  }
  void Put(const api::ContainerStatus& s) { PutAll(s.name, s.resources, s.allocated_resources); }

  void Put(const api::Volume& volume) {
    Put(volume.source.index());
    // The API server gives each pod a volume with a name of its own, kube-api-access-x7k2p, whose
    // source no rule reads.
    if (std::holds_alternative<api::OtherSource>(volume.source)) return;
    Put(volume.name);
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

}  // namespace berth::scheduler::model
