// Api is the Kubernetes API without HTTP: every operation with its defaulting, admission,
// validation and side effects, on the store.
//
// The HTTP handlers, the fake kubelets, the controllers and the engine's writer all come through
// here; reading is the store's matter (`store()`). Thread-safe. A write returns when the store has
// it; whoever tells a client waits for Store::WhenVisible.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/patch/patches.h"
#include "apiserver/store/codec.h"
#include "apiserver/store/store.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::apiserver {
class Access;
}

namespace berth::apiserver::registry {

using store::ObjectName;
using store::ObjectPtr;

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct WriteOptions {
  bool dry_run = false;  // Everything happens but the storing.
  FieldValidation field_validation = FieldValidation::kIgnore;
  std::string field_manager = {};
  bool force = false;                            // Of an apply.
  std::vector<std::string>* warnings = nullptr;  // Where warnings for the client go.
  // Who asks, for reviews of oneself.
  std::string user = "system:admin";
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
  const Access* access = nullptr;  // Who is let in, for reviews of others. Null: nobody knows.
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds = {};
  std::string propagation_policy = {};  // "", "Background", "Foreground", "Orphan".
  std::string uid = {};                 // Preconditions; empty: none.
  std::string resource_version = {};
  bool dry_run = false;
};

// What a write left: the object, and whether it was created by it.
struct Written {
  ObjectPtr object;
  bool created = false;
};
// What a delete left: the object, which is gone or is on its way out (finalizers, grace).
struct Deleted {
  ObjectPtr object;
  bool gone = false;
};

class Api {
 public:
  // Both must outlive the Api. Creates what every cluster has: namespaces, priority classes, the
  // service "kubernetes".
  Api(store::Store& store, const Clock& clock, uint64_t seed);

  store::Store& store() { return store_; }
  Instant now() const { return clock_.Now(); }

  // Events may be written in either of their forms, and are kept in the core one (events.h).
  //
  // `body` names the object; its namespace must be `namespace_` or absent. A review, which is not
  // stored, comes back answered, with version 0.
  api::scheme::ApiResult<Written> Create(const api::scheme::Kind& kind, std::string_view namespace_,
                                         api::Json body, const WriteOptions& options = {});
  // `subresource` is "" (all but the status), "status", "finalize" or "resize".
  api::scheme::ApiResult<Written> Update(const api::scheme::Kind& kind, const ObjectName& name,
                                         std::string_view subresource, api::Json body,
                                         const WriteOptions& options = {});
  // Applied again to the newest state if someone else writes in between.
  api::scheme::ApiResult<Written> Patch(const api::scheme::Kind& kind, const ObjectName& name,
                                        std::string_view subresource, patch::PatchType type,
                                        const api::Json& patch, const WriteOptions& options = {});
  api::scheme::ApiResult<Deleted> Delete(const api::scheme::Kind& kind, const ObjectName& name,
                                         const DeleteOptions& options = {});

  // Reads the newest state, lets `change` alter it and stores the result; again if someone else
  // wrote in between. `change` returns false to leave the object as it is. For controllers: what
  // the kind does not let clients change is not checked.
  api::scheme::ApiResult<ObjectPtr> Modify(const api::scheme::Kind& kind, const ObjectName& name,
                                           const std::function<bool(api::Json&)>& change);

  // POST pods/<name>/binding. `binding` is the Binding object.
  api::scheme::ApiResult<ObjectPtr> Bind(const ObjectName& pod, const api::Json& binding,
                                         bool dry_run = false);
  // POST pods/<name>/eviction: deletes the pod if its budgets allow.
  api::scheme::ApiResult<Deleted> Evict(const ObjectName& pod, const DeleteOptions& options);
  // GET and PUT of <workload>/<name>/scale.
  api::scheme::ApiResult<api::Json> GetScale(const api::scheme::Kind& kind, const ObjectName& name);
  api::scheme::ApiResult<api::Json> PutScale(const api::scheme::Kind& kind, const ObjectName& name,
                                             const api::Json& scale,
                                             const WriteOptions& options = {});

  // Deletes what is left in a namespace, whatever its kind, pods with `pod_grace` if given. Returns
  // how many objects have yet to go (grace, finalizers). For whoever ends namespaces: at 0, an
  // update of "finalize" without spec.finalizers lets the namespace itself go.
  size_t DeleteNamespaceContent(std::string_view namespace_, std::optional<int64_t> pod_grace);

 private:
  struct Attempt;  // One try to change an object (api_attempt.h).

  uint64_t NextRandom();
  api::scheme::ApiResult<Written> CreateChecked(const api::scheme::Kind& kind,
                                                std::string_view namespace_, api::Json body,
                                                const WriteOptions& options);
  // Completes, checks and stores what a client made of an object. Nothing if somebody else wrote
  // first.
  api::scheme::ApiResult<std::optional<Written>> FinishUpdate(Attempt& attempt,
                                                              std::string_view subresource,
                                                              const WriteOptions& options);
  // Stores the attempt's outcome, unless it says nothing new; removes the object if nothing holds
  // it any more. Nothing if somebody else wrote first.
  api::scheme::ApiResult<std::optional<ObjectPtr>> Commit(Attempt& attempt, bool dry_run);
  api::scheme::ApiResult<std::optional<Deleted>> TryDelete(Attempt& attempt,
                                                           const DeleteOptions& options);
  api::scheme::ApiResult<void> ConsumeDisruptionBudget(const ObjectName& pod,
                                                       const api::Json& document, bool dry_run);
  // To be called after a write to the kind's collection.
  void AfterWrite(const api::scheme::Kind& kind);
  void CreateBootstrapObjects();

  store::Store& store_;
  const Clock& clock_;
  std::mutex random_mutex_;
  Random random_;
  admission::PriorityClasses priorities_;
};

}  // namespace berth::apiserver::registry
