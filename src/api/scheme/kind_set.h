// KindSet is the set of kinds that a server serves at one time: the built-in ones and those of
// CustomResourceDefinitions.
//
// Immutable: when a definition changes, the server publishes another set. A reader holds the set,
// or the kinds that it uses, for as long as it needs them. A lookup is O(log n).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "api/scheme/scheme.h"

namespace berth::api::scheme {

// Owns a custom kind; refers to a built-in one, which lives as long as the process.
using KindPtr = std::shared_ptr<const Kind>;

inline KindPtr RefTo(const Kind& built_in) { return {KindPtr(), &built_in}; }

class KindSet {
 public:
  // The built-in kinds and `custom`, those of all served versions. Where both have a resource, the
  // built-in one is served. Sets differ in their `revision`. Built-in kinds that are alpha are
  // served with `alpha_workloads`.
  explicit KindSet(std::vector<KindPtr> custom = {}, uint64_t revision = 0,
                   bool alpha_workloads = false);

  uint64_t revision() const { return revision_; }
  // Core first, then by group; the versions of a custom group are in the order of preference.
  std::span<const Kind* const> all() const { return all_; }
  // One kind of each collection, that in whose form its objects are stored (StoredKind), by
  // collection. Its version may be one that is not served.
  std::span<const KindPtr> stored() const { return stored_; }
  // The Find functions return null if there is no such kind.
  KindPtr Find(std::string_view group, std::string_view version, std::string_view resource) const;
  KindPtr FindByName(std::string_view api_version, std::string_view kind) const;

 private:
  bool IsServed(const Kind& built_in) const { return alpha_workloads_ || !built_in.alpha_workload; }

  uint64_t revision_;
  bool alpha_workloads_;
  std::vector<KindPtr> by_resource_;  // Custom kinds by group, version and resource.
  std::vector<KindPtr> by_name_;      // Custom kinds by api_version and kind.
  std::vector<const Kind*> all_;
  std::vector<KindPtr> stored_;
};

// Reports whether clients prefer version `a` of a group to `b`, as kube-apiserver sorts them: v2,
// v1, v1beta2, v1alpha1, then names of other forms in alphabetical order.
bool IsPreferredVersion(std::string_view a, std::string_view b);

}  // namespace berth::api::scheme
