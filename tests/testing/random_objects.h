// Random objects with values from small pools.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/node.h"
#include "api/object.h"
#include "api/storage.h"
#include "base/random.h"

namespace berth::generate {

// Returns one of `pool`, which must not be empty.
template <typename T>
T OneOf(Random& random, std::initializer_list<T> pool) {
  return pool.begin()[random.Below(pool.size())];
}
inline std::string OneOf(Random& random, std::initializer_list<const char*> pool) {
  return pool.begin()[random.Below(pool.size())];
}

// Returns some of `pool`, in order; possibly none or all.
inline std::vector<std::string> Some(Random& random, std::initializer_list<const char*> pool) {
  std::vector<std::string> chosen;
  for (const char* item : pool) {
    if (random.Chance(40)) chosen.emplace_back(item);
  }
  return chosen;
}

// The same, at least one.
inline std::vector<std::string> AtLeastOne(Random& random,
                                           std::initializer_list<const char*> pool) {
  std::vector<std::string> chosen = Some(random, pool);
  if (chosen.empty()) chosen.push_back(OneOf(random, pool));
  return chosen;
}

// The pools that several kinds of objects share.
inline std::string RandomNamespace(Random& random) {
  return OneOf(random, {"default", "default", "default", "team-a", "team-b"});
}
inline std::string RandomZone(Random& random) { return OneOf(random, {"a", "b", "c"}); }
inline std::string RandomNodeName(Random& random, uint64_t nodes = 8) {
  return fmt::format("node-{:02}", random.Below(nodes));
}
inline std::string RandomClaimName(Random& random) {
  return fmt::format("claim-{}", random.Below(6));
}
inline std::string RandomOwnerName(Random& random) {
  return fmt::format("owner-{}", random.Below(3));
}
api::StringMap RandomPodLabels(Random& random);
api::StringMap RandomNamespaceLabels(Random& random);

// Selects pods by the labels of RandomPodLabels, or all pods.
api::LabelSelector RandomPodSelector(Random& random);
// Selects namespaces likewise, or only by the absence of a label.
api::LabelSelector RandomNamespaceSelector(Random& random);

// --- nodes and CSINodes ---

api::Node RandomNode(Random& random, const std::string& name);

// Changes a field of the node that a scheduling rule uses.
void Disturb(Random& random, api::Node& node);

api::CsiNode RandomCsiNode(Random& random, const std::string& node);

// --- storage ---

// Returns classes, drivers, volumes and claims. Adds the number of volumes to `number`.
std::vector<api::Object> RandomStorage(Random& random, uint64_t& number);

// Returns one object of a storage kind. `number` determines its size.
api::Object RandomStorageObject(Random& random, uint64_t number);

}  // namespace berth::generate
