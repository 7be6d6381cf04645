// Api is the Kubernetes API without HTTP: every write operation with its defaulting, admission,
// validation and side effects, on the store.
//
// The HTTP handlers, the fake kubelets, the controllers and the engine's writer all write through
// it; they read from the store (`store()`). Thread-safe. A write returns when the store has
// accepted it; a response to a client must wait for Store::WhenVisible.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/admission/workloads.h"
#include "apiserver/patch/patches.h"
#include "apiserver/registry/definitions.h"
#include "apiserver/store/codec.h"
#include "apiserver/store/store.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::apiserver::admission {
class FieldErrors;
}

namespace berth::apiserver::registry {

class Access;

using store::ObjectName;
using store::ObjectPtr;

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct WriteOptions {
  bool dry_run = false;  // Executes everything except the write to the store.
  FieldValidation field_validation = FieldValidation::kIgnore;
  // What is wrong with the text of the document: `duplicate field "spec.x"`. Validated with it.
  std::vector<std::string> duplicate_fields = {};
  std::string field_manager = {};
  bool force = false;                            // Of an apply.
  std::vector<std::string>* warnings = nullptr;  // Receives warnings for the client.
  // The client, for SelfSubject reviews.
  std::string user = "system:admin";
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
  const Access* access = nullptr;  // For reviews of other users. May be null.
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds = {};
  std::string propagation_policy = {};  // "", "Background", "Foreground", "Orphan".
  std::string uid = {};                 // Preconditions; empty if there is none.
  std::string resource_version = {};
  bool dry_run = false;
};

// What is left in a namespace.
struct NamespaceContent {
  size_t objects = 0;
  std::map<std::string, size_t> by_resource = {};   // "pods.", "deployments.apps"
  std::map<std::string, size_t> by_finalizer = {};  // Objects that have it.
};

// The result of a write: the object, and whether the write created it.
struct Written {
  ObjectPtr object;
  bool created = false;
};
// The result of a delete: the object, which is removed or terminating (finalizers, grace period).
struct Deleted {
  ObjectPtr object;
  bool gone = false;
};

class Api {
 public:
  // Both must outlive the Api. Creates the objects that every cluster has: namespaces, priority
  // classes, the service "kubernetes".
  Api(store::Store& store, const Clock& clock, uint64_t seed,
      const admission::WorkloadGates& workloads = {});

  store::Store& store() { return store_; }
  // Returns the kinds that are served now: the built-in ones and those of
  // CustomResourceDefinitions.
  std::shared_ptr<const api::scheme::KindSet> kinds() const { return definitions_.kinds(); }
  // Calls `changed`, on the thread of a writer, after each change of kinds().
  void WhenKindsChange(std::function<void()> changed) {
    definitions_.WhenKindsChange(std::move(changed));
  }
  Instant now() const { return clock_.Now(); }
  // Whether each new pod gets a volume with the token of its service account. Off by default.
  void set_mount_tokens(bool mounted) { mount_tokens_ = mounted; }

  // Creates the object in `body`, whose namespace must be `namespace_` or absent. Kinds
  // that represent the same objects are stored in one form (conversion.h). Reviews are not stored:
  // the result has their status and version 0.
  api::scheme::ApiResult<Written> Create(const api::scheme::Kind& kind, std::string_view namespace_,
                                         api::Json body, const WriteOptions& options = {});
  // Replaces the object. `subresource` is "" (everything except the status), "status", "finalize",
  // "resize", "ephemeralcontainers" or "approval".
  api::scheme::ApiResult<Written> Update(const api::scheme::Kind& kind, const ObjectName& name,
                                         std::string_view subresource, api::Json body,
                                         const WriteOptions& options = {});
  // Patches the object; retries with the newest state after a conflict.
  api::scheme::ApiResult<Written> Patch(const api::scheme::Kind& kind, const ObjectName& name,
                                        std::string_view subresource, patch::PatchType type,
                                        const api::Json& patch, const WriteOptions& options = {});
  api::scheme::ApiResult<Deleted> Delete(const api::scheme::Kind& kind, const ObjectName& name,
                                         const DeleteOptions& options = {});

  // Reads the newest state, calls `change` on it and stores the result; retries after a conflict.
  // `change` returns false to leave the object unchanged. For controllers: does not validate the
  // change.
  api::scheme::ApiResult<ObjectPtr> Modify(const api::scheme::Kind& kind, const ObjectName& name,
                                           const std::function<bool(api::Json&)>& change);

  // POST pods/<name>/binding. `binding` is the Binding object.
  api::scheme::ApiResult<ObjectPtr> Bind(const ObjectName& pod, const api::Json& binding,
                                         bool dry_run = false);
  // POST pods/<name>/eviction: deletes the pod if its disruption budget allows.
  api::scheme::ApiResult<Deleted> Evict(const ObjectName& pod, const DeleteOptions& options);
  // GET and PUT of <workload>/<name>/scale.
  api::scheme::ApiResult<api::Json> GetScale(const api::scheme::Kind& kind, const ObjectName& name);
  api::scheme::ApiResult<api::Json> PutScale(const api::scheme::Kind& kind, const ObjectName& name,
                                             const api::Json& scale,
                                             const WriteOptions& options = {});

  // Deletes all objects in a namespace, pods with `pod_grace` if given. Pods go first: others are
  // deleted when none is left. Returns what remains (grace period, finalizers). For the namespace
  // controller: if nothing does, an update of "finalize" without spec.finalizers removes the
  // namespace itself.
  NamespaceContent DeleteNamespaceContent(std::string_view namespace_,
                                          std::optional<int64_t> pod_grace);

 private:
  struct Attempt;  // One attempt to change an object (write_attempt.h).

  uint64_t NextRandom();
  api::scheme::ApiResult<Written> CreateChecked(const api::scheme::Kind& kind,
                                                std::string_view namespace_, api::Json body,
                                                const WriteOptions& options);
  // Defaults and validates a new object of a custom kind.
  api::scheme::ApiResult<void> AdmitCustom(const api::scheme::Kind& kind, api::Json& body,
                                           Random& random, admission::FieldErrors& errors,
                                           const WriteOptions& options);
  // Defaults, admits and validates a new object of a built-in kind.
  api::scheme::ApiResult<void> AdmitNew(const api::scheme::Kind& kind, api::JsonObject& document,
                                        Random random, admission::FieldErrors& errors,
                                        const WriteOptions& options);
  // Defaults, admits and validates an update of a built-in kind.
  api::scheme::ApiResult<void> AdmitChange(Attempt& attempt, std::string_view subresource,
                                           admission::FieldErrors& errors,
                                           const WriteOptions& options);
  // Defaults and validates a definition, and gives it its names. `before` is null for a new one.
  void AdmitDefinition(const api::JsonObject* before, api::JsonObject& definition,
                       admission::FieldErrors& errors, const WriteOptions& options);
  // Defaults, admits, validates and stores an update. Returns nullopt after a conflict.
  api::scheme::ApiResult<std::optional<Written>> FinishUpdate(Attempt& attempt,
                                                              std::string_view subresource,
                                                              const WriteOptions& options);
  // Stores the new object if it has changed; removes it if it is released. Returns nullopt after a
  // conflict.
  api::scheme::ApiResult<std::optional<ObjectPtr>> Commit(Attempt& attempt, bool dry_run);
  api::scheme::ApiResult<std::optional<Deleted>> TryDelete(Attempt& attempt,
                                                           const DeleteOptions& options);
  api::scheme::ApiResult<void> ConsumeDisruptionBudget(const ObjectName& pod,
                                                       const api::Json& document, bool dry_run);
  // Must be called after a write to the kind's collection.
  void AfterWrite(const api::scheme::Kind& kind);
  // Completes definitions: gives them names that have become free, and deletes the instances of
  // those that are being deleted.
  void SyncDefinitions();
  void DeleteInstances(const crd::CustomResource& resource);
  // Releases a definition that is being deleted if it has no instances.
  void FinishDeletion(const crd::CustomResource& resource);
  void CreateBootstrapObjects();

  store::Store& store_;
  const Clock& clock_;
  std::mutex random_mutex_;
  Random random_;
  const admission::WorkloadGates workloads_;
  admission::PriorityClasses priorities_;
  std::atomic<bool> mount_tokens_ = false;
  Definitions definitions_;
};

}  // namespace berth::apiserver::registry
