// What an object must get past before it is validated and stored: rules that look at other objects,
// and changes that depend on them.
#pragma once

#include <string_view>

#include "admission/priority_classes.h"
#include "base/random.h"
#include "base/time.h"
#include "kinds/api_error.h"
#include "kinds/json.h"
#include "store/store.h"

namespace berth::apiserver {

struct Kind;

struct AdmissionContext {
  const store::Store& store;
  const PriorityClasses& priorities;
  Instant now;
  Random random;  // For addresses.
};

// NotFound if the namespace does not exist, Forbidden if it is going away.
ApiResult<void> AdmitNamespace(const store::Store& store, const Kind& kind, std::string_view name,
                               std::string_view namespace_);

// After defaults; may change the document.
ApiResult<void> AdmitCreate(AdmissionContext& context, const Kind& kind, JsonObject& document);
// What an update of the object itself left out and only the server knows.
ApiResult<void> AdmitUpdate(AdmissionContext& context, const Kind& kind, const JsonObject& before,
                            JsonObject& after);

// The pieces.
ApiResult<void> AdmitPod(AdmissionContext& context, const Kind& kind, JsonObject& pod);
// `before` is null for a new service; else what it lacks is taken from there.
ApiResult<void> AdmitService(AdmissionContext& context, const Kind& kind, const JsonObject* before,
                             JsonObject& service);
// Tolerations that let a pod stay five minutes on a node that fails; unless it has its own.
void AddDefaultTolerations(JsonObject& pod_spec);
// Copies the zone and region of the node, if there is such a node, to the pod's labels.
void AddTopologyLabels(const store::Store& store, std::string_view node, JsonObject& pod);

}  // namespace berth::apiserver
