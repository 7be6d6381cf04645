// What an object must get past before it is validated and stored: rules that look at other objects,
// and changes that depend on them.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/admission/priority_classes.h"
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
  Random random;  // For addresses.
};

// NotFound if the namespace does not exist, Forbidden if it is going away.
api::scheme::ApiResult<void> AdmitNamespace(const store::Store& store,
                                            const api::scheme::Kind& kind, std::string_view name,
                                            std::string_view namespace_);

// After defaults; may change the document.
api::scheme::ApiResult<void> AdmitCreate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         api::JsonObject& document);
// What an update of the object itself left out and only the server knows.
api::scheme::ApiResult<void> AdmitUpdate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         const api::JsonObject& before, api::JsonObject& after);

// The pieces.
api::scheme::ApiResult<void> AdmitPod(AdmissionContext& context, const api::scheme::Kind& kind,
                                      api::JsonObject& pod);
// `before` is null for a new service; else what it lacks is taken from there.
api::scheme::ApiResult<void> AdmitService(AdmissionContext& context, const api::scheme::Kind& kind,
                                          const api::JsonObject* before, api::JsonObject& service);
// Tolerations that let a pod stay five minutes on a node that fails; unless it has its own.
void AddDefaultTolerations(api::JsonObject& pod_spec);
// Copies the zone and region of the node, if there is such a node, to the pod's labels.
void AddTopologyLabels(const store::Store& store, std::string_view node, api::JsonObject& pod);

}  // namespace berth::apiserver::admission
