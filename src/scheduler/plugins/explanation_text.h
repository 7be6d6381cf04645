// The wording of explanations: how selectors, amounts, topology domains and pods are written for
// users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/selector.h"
#include "api/storage.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {

// "1 pod", "3 pods".
std::string FormatCount(int64_t count, std::string_view noun);

// An amount in bytes: exactly if that is short ("1536Mi"), otherwise with one decimal ("15.4Gi").
std::string FormatBytes(int64_t bytes);
// An amount of a resource in NodeResourcesFit's units: thousandths of cpu, units of all others.
std::string FormatAmount(std::string_view resource, int64_t amount);
// The size that a claim requests: "5Gi"; empty if it has none.
std::string FormatRequestedStorage(const api::PersistentVolumeClaim& claim);

// As in kubectl: "app=web,tier in (a, b)". "any labels" if it has no conditions.
std::string FormatSelector(const api::Requirement& requirement);
std::string FormatSelector(const api::Selector& selector);
// The same for a selector of the API, which need not parse.
std::string FormatSelector(const std::optional<api::LabelSelector>& selector);

// The node's value of `key`: "the node has disk=hdd", "the node has no label disk".
std::string FormatActualLabel(const api::StringMap& labels, const std::string& key);

// The first requirement of each term that excludes the node, and the node's value: "wants disk=ssd,
// the node has disk=hdd". `node_name` may be empty: then fields are ignored.
std::string WhyNoTermMatches(const api::NodeSelector& selector, const api::StringMap& labels,
                             std::string_view node_name);

// The label that identifies a node.
constexpr std::string_view kHostnameKey = "kubernetes.io/hostname";

// A domain: zone "a", region "west", node "n1"; otherwise by the label: rack "r1".
std::string FormatDomain(std::string_view key, std::string_view value);
// The same as a place: in zone "a", on node "n1".
std::string InDomain(std::string_view key, std::string_view value);

// Returns the first by name of the pods on `node` for which `matches(const PodRecord&)` is true;
// null if there is none.
template <typename Matches>
const model::PodRecord* FirstPodOn(const model::Cluster& cluster, model::NodeRow node,
                                   Matches&& matches) {
  const model::PodRecord* first = nullptr;
  for (model::PodId id : cluster.nodes().info(node).pods) {
    const model::PodRecord& pod = cluster.pod(id);
    if ((first == nullptr || pod.key() < first->key()) && matches(pod)) first = &pod;
  }
  return first;
}

}  // namespace berth::scheduler::plugins
