// The built-in admission plugins: checks and changes that depend on other objects, before
// validation.
#pragma once

#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/admission/workloads.h"
#include "apiserver/store/store.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

struct AdmissionContext {
  const store::Store& store;
  const PriorityClasses& priorities;
  Instant now;
  Random random;              // For cluster IPs and node ports.
  bool mount_tokens = false;  // See AdmitServiceAccount.
  WorkloadGates workloads = {};
};

// Returns NotFound if the namespace does not exist, Forbidden if it is being terminated.
api::scheme::ApiResult<void> AdmitNamespace(const store::Store& store,
                                            const api::scheme::Kind& kind, std::string_view name,
                                            std::string_view namespace_);

// Admits a new object after defaulting; may change it.
api::scheme::ApiResult<void> AdmitCreate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         api::JsonObject& document);
// Admits an update; copies server-assigned values that `after` lacks.
api::scheme::ApiResult<void> AdmitUpdate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         const api::JsonObject& before, api::JsonObject& after);

// Returns the newest of the storage classes marked as default, the first by name among equals; ""
// if there is none.
std::string DefaultStorageClass(const store::Store& store);

// The parts of AdmitCreate and AdmitUpdate.

api::scheme::ApiResult<void> AdmitPod(AdmissionContext& context, const api::scheme::Kind& kind,
                                      api::JsonObject& pod);
// Sets the pod's service account, and its image pull secrets if the pod has none. If the context
// says so, adds a volume with the account's token and mounts it in the containers, unless the pod
// or the account opts out. DIFFERS: an account that does not exist is no error.
void AdmitServiceAccount(const AdmissionContext& context, api::JsonObject& pod);
// Adds the overhead, node selector and tolerations of the pod's RuntimeClass. Returns Forbidden if
// there is no such class or the pod contradicts it.
api::scheme::ApiResult<void> AdmitRuntimeClass(const store::Store& store,
                                               const api::scheme::Kind& kind, api::JsonObject& pod);
// Allocates the cluster IP and node ports. `before` is null for a new service; else allocated
// values that `service` lacks are copied from it.
api::scheme::ApiResult<void> AdmitService(AdmissionContext& context, const api::scheme::Kind& kind,
                                          const api::JsonObject* before, api::JsonObject& service);
// Adds tolerations for not-ready and unreachable nodes for five minutes, unless the pod has its
// own.
void AddDefaultTolerations(api::JsonObject& pod_spec);
// Copies the zone and region of the node to the pod's labels, if the node exists.
void AddTopologyLabels(const store::Store& store, std::string_view node, api::JsonObject& pod);

}  // namespace berth::apiserver::admission
