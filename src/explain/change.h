// Change is one small change to a pod, a node, a volume or another object that may let a pod run,
// for users to read and for kubectl to apply.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace berth::explain {

// What a change does. The order is that of preference: where fixes are of equal size, the earlier
// kind disturbs less. First those of a pod's author.
enum class ChangeKind : uint8_t {
  kCorrect,  // A name that was probably misspelt.
  kCreateClaim,
  kCreateAccount,
  kLowerRequest,
  kReduceReplicas,
  kRelaxSpread,
  kSoftenPodAffinity,
  kTolerate,
  kDropHostPort,
  kDropNodeSelector,
  kDropNodeAffinity,
  kAddLabel,
  kRemoveTaint,
  kCreateClass,
  kRaiseQuota,
  kProvideVolume,
  kAllowTopology,
  kAddDevices,
  kAddNode,
  kMovePod,
  kUncordon,
  kRaisePriority,
};

// Who usually makes a change: the author of the pod, or an administrator of the cluster.
enum class Audience : uint8_t { kAuthor, kAdministrator };

// As in JSON: "author".
std::string_view ToString(Audience audience);

// As in JSON: "Uncordon".
std::string_view ToString(ChangeKind kind);

// Names an object of any kind.
struct ObjectName {
  std::string api_version;  // "apps/v1"
  std::string kind;         // "Deployment"
  api::ObjectKey key;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

ObjectName NameOf(const api::Object& object);

// One operation of a JSON patch (RFC 6902). For pods, `path` is that of the pod:
// "/spec/tolerations".
struct PatchOperation {
  std::string op;          // add, replace, remove, test, move
  std::string path;        // Escaped; see PatchPath.
  std::string value = {};  // JSON; empty for remove and move.
  std::string from = {};   // Of move: like `path`.
};

// Returns a path of the given members, escaped as RFC 6901 demands.
std::string PatchPath(const std::vector<std::string>& members);

struct Change {
  ChangeKind kind = ChangeKind::kUncordon;
  std::string text;   // For users, as a request: "uncordon node n1".
  ObjectName object;  // That is changed, created, or (kMovePod) its node.
  // What is changed, without how much: of two changes with the same subject one is the smaller.
  std::string subject;
  double amount = 0;  // How much, of its kind: to compare.

  // What the change does to the pod in question; null if nothing.
  std::function<void(api::Pod&)> edit_pod = {};
  // What it does to other objects: an object as it is, or as it is created, and as it becomes.
  struct Edit {
    api::Object like;  // Identifies the object; if the cluster lacks it, it is created like this.
    std::function<api::Object(const api::Object&)> apply = {};  // Null: created or replaced as is.
  };
  std::vector<Edit> edits = {};
  // The change of the pod is one of its template, which concerns the replicas that run already.
  bool concerns_replicas = false;
  // A pod that leaves its node and must fit elsewhere; null if none does.
  api::Ref<api::Pod> moves = nullptr;

  // How users make the change. Empty if there is no patch for it.
  std::vector<PatchOperation> patch = {};
  bool in_place = true;  // Otherwise the object must be created again; of pods, see Workload.
  std::vector<std::string> created = {};  // JSON of the objects to create, in order.
  std::string remark = {};                // What else there is to know.
};

// Returns a change of `kind` to `object`, with nothing in it yet.
Change MakeChange(ChangeKind kind, ObjectName object, std::string subject, std::string text);

}  // namespace berth::explain
