// Synthetic worlds: clusters made of a few numbers, for measurements.
//
// Nodes have 4 CPUs and 32Gi; pods request 100m and 500Mi, as in kube-scheduler's own benchmark. A
// class of pods is an application: its pods have a label, and a memory request of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::benchmark {

// What the pods of a world ask for.
enum class Mix : uint8_t {
  kPlain,              // Resources only.
  kSpread,             // A hard spread of the application over zones.
  kAntiAffinity,       // Required anti-affinity to the application, per host.
  kAffinity,           // Required affinity to the application, per zone.
  kPreferredAffinity,  // Preferred affinity to the application, per host.
  kDefaultSpread,      // Each application is a Service, which the default constraints spread.
  kSelector,           // A node selector for one of the zones.
  kMixed,              // Plain, spread, anti-affinity, affinity and selector, by class in turn.
  kPreemption,         // Nodes are full of pods with a lower priority; each pod replaces one.
  kDevices,            // A resource claim for one device.
  kVolumes,            // A claim that is bound to a volume of one of the zones.
  kLocalVolumes,       // A claim that is bound to a volume of one of the hosts.
  kUnboundVolumes,     // A claim for which a volume is provisioned once a node is selected.
};

struct NamedMix {
  std::string_view name;
  Mix mix;
};
inline constexpr std::array kMixes = std::to_array<NamedMix>({
    {"plain", Mix::kPlain},
    {"spread", Mix::kSpread},
    {"anti-affinity", Mix::kAntiAffinity},
    {"affinity", Mix::kAffinity},
    {"preferred-affinity", Mix::kPreferredAffinity},
    {"default-spread", Mix::kDefaultSpread},
    {"selector", Mix::kSelector},
    {"mixed", Mix::kMixed},
    {"preemption", Mix::kPreemption},
    {"devices", Mix::kDevices},
    {"volumes", Mix::kVolumes},
    {"local-volumes", Mix::kLocalVolumes},
    {"unbound-volumes", Mix::kUnboundVolumes},
});

struct WorldOptions {
  size_t nodes = 5'000;
  size_t pods = 10'000;
  size_t classes = 1;  // Interleaved; 0: each pod has its own.
  size_t zones = 3;
  Mix mix = Mix::kPlain;

  // "plain/5000nodes_10000pods_1classes"
  std::string Name() const;
  // Fails if the pods cannot all be scheduled; the error says what to change.
  Status Check() const;
};

class SyntheticWorld {
 public:
  explicit SyntheticWorld(const WorldOptions& options) : options_(options) {}

  // The objects that exist before the pods, nodes first. Calls `put` for each.
  template <typename Put>
  void ForEachObject(Put put) const {
    for (size_t i = 0; i < options_.nodes; ++i) put(api::Object(Node(i)));
    for (const api::Object& object : Others()) put(object);
    const size_t fillers = options_.mix == Mix::kPreemption ? options_.nodes * kFillersPerNode : 0;
    for (size_t i = 0; i < fillers; ++i) put(api::Object(Filler(i)));
  }
  api::Ref<api::Node> Node(size_t i) const;
  api::Ref<api::Pod> Pod(size_t i) const;
  // The claim of pod `i` and its volume, in worlds that have them.
  std::vector<api::Object> ObjectsOf(size_t pod) const;
  // The volume that is provisioned for a claim.
  static api::PersistentVolume VolumeFor(const api::PersistentVolumeClaim& claim);
  static void Bind(api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume);

 private:
  static constexpr size_t kFillersPerNode = 4;  // With a CPU each.

  size_t ClassOf(size_t pod) const { return options_.classes == 0 ? pod : pod % options_.classes; }
  std::string ZoneOf(size_t node) const;
  api::Ref<api::ResourceClaim> DeviceClaim(size_t i) const;
  std::vector<api::Object> Others() const;
  api::Ref<api::Pod> Filler(size_t i) const;

  WorldOptions options_;
};

// The parts that benchmarks share.

inline constexpr const char* kHostnameLabel = "kubernetes.io/hostname";
inline constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";

std::string NodeName(size_t i);
// A node with 4 CPUs and 32Gi in `zone`.
api::Node PlainNode(size_t i, std::string zone);
// A pod of an application that requests 100m and 500Mi: "app-0000001".
api::Pod PlainPod(const std::string& app, size_t i);
// Add a rule about the pods with the same label "app".
void SpreadOverZones(api::Pod& pod);
void SeparateHosts(api::Pod& pod);
void JoinZone(api::Pod& pod);
void PreferHost(api::Pod& pod);
// A Service that selects the pods of `app`.
api::Ref<api::Service> ServiceFor(const std::string& app);

}  // namespace berth::benchmark
