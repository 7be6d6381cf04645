// Resource vectors (what a pod requests or a node has, in the engine's units) and host ports.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "api/pod.h"
#include "api/pod_resources.h"
#include "api/quantity.h"
#include "base/symbol_table.h"
#include "scheduler/model/features.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::model {

// The names of scalar resources (extended resources, huge pages and the like) that some pod
// requests or some node lists.
using ScalarNames = StringTable<ScalarId>;
using ScalarHolder = StringHolder<ScalarId>;

// Returns the amount that rules count for a quantity of the resource: thousandths of cpu, units of
// all others. Saturates; a negative quantity counts as 0, so that sums only grow.
int64_t AmountOf(std::string_view resource, const api::Quantity& quantity);

// Reports whether a few such amounts have a sum that does not overflow.
constexpr bool IsSmallAmount(int64_t amount) { return amount < int64_t{1} << 60; }

struct ResourceVector {
  struct Scalar {
    ScalarId id;
    int64_t amount = 0;
    friend bool operator==(const Scalar&, const Scalar&) = default;
  };

  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  int64_t pods = 0;             // The number of pods allowed; only nodes have it.
  std::vector<Scalar> scalars;  // By name. A resource listed as 0 has an entry.

  // Reads the list: cpu in thousandths, the rest in units. Names that no scheduling rule counts are
  // dropped; the others are held by `names`. Amounts are in [0, INT64_MAX]: see AmountOf.
  static ResourceVector From(const api::ResourceList& list, ScalarHolder& names);

  int64_t ScalarAmount(ScalarId id) const;
  // Adds the other's amounts; sums saturate. Scalars that only the other has come last.
  void Add(const ResourceVector& other);
  // Reports whether all amounts are small: see IsSmallAmount.
  bool IsSmall() const;
  friend bool operator==(const ResourceVector&, const ResourceVector&) = default;
};

// What the pods of each node request together, without scalar resources, and how many they are; by
// row.
struct PodSums {
  std::vector<int64_t> cpu, memory, ephemeral_storage, pods;
};

// How the requests of a pod are counted: of one that needs a node, and of one on its node.
api::PodRequestOptions NewPodRequests(const Features& features);
api::PodRequestOptions PlacedPodRequests(const Features& features);
// The same for events about a pod that requests less than before. As in kube-scheduler, these count
// spec.resources even if the gate PodLevelResources is off.
api::PodRequestOptions ScaledPodRequests(const Features& features);

// A host port: an (ip, protocol, port) triple that a pod uses on its node.
//
// "0.0.0.0" means all addresses; no other address does, not even "::".
struct HostPort {
  int32_t port = 0;
  Symbol protocol;
  Symbol ip;
  friend constexpr auto operator<=>(const HostPort&, const HostPort&) = default;
};

// Returns the ports of containers and sidecars; ordinary init containers end before the pod runs.
std::vector<HostPort> HostPortsOf(const api::PodSpec& spec, SymbolHolder& symbols);

// Reports whether a pod that uses `a` cannot share a node with one that uses `b`. `any_ip` is the
// symbol of "0.0.0.0".
constexpr bool Clash(const HostPort& a, const HostPort& b, Symbol any_ip) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == any_ip || b.ip == any_ip);
}

}  // namespace berth::scheduler::model
