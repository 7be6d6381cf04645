// PodClaims are the ResourceClaims of a pod, as its spec and status name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/store/store.h"
#include "localcluster/object_json.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

struct PodClaims {
  struct Entry {
    std::string name;                       // Of the entry in spec.resourceClaims.
    std::string template_name = {};         // Empty if the entry names a claim.
    std::optional<std::string> claim = {};  // Absent if it is not created yet.
    bool not_needed = false;                // The status says so: the entry has no claim.
  };
  std::vector<Entry> entries;
  // Created by the scheduler for extended resources; empty if there is none.
  std::string extended_resources;

  static PodClaims Of(const JsonObject& pod);
  bool empty() const { return entries.empty() && extended_resources.empty(); }
};

// Reports whether the pod will not use its claims any more: it has finished, or it was deleted
// before it had a node.
bool IsDone(const JsonObject& pod);
// Reports whether the object has `uid` as its controller.
bool IsControlledBy(const JsonObject& object, std::string_view uid);
// Reports whether the claim is reserved for the pod with `uid`.
bool IsReservedFor(const JsonObject& claim, std::string_view uid);

// Returns why a kubelet cannot start the pod: the first of its claims that is missing, not
// allocated, or not reserved for the pod. Returns nullopt if all are ready.
std::optional<std::string> UnpreparedClaim(const apiserver::store::Store& store,
                                           const JsonObject& pod);

}  // namespace berth::localcluster
