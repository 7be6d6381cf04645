// The conversion between the two forms of events: core/v1 and events.k8s.io/v1 represent the same
// objects, which are stored in the core form.
#pragma once

#include <string>

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

// Rename the fields of an event of events.k8s.io to those of a core event, and back. The caller
// sets kind and apiVersion.
void ToCoreEvent(api::JsonObject& event);
void FromCoreEvent(api::JsonObject& event);

// Returns the JSON of a stored event in the form of `kind`; of other objects unchanged.
std::string ConvertEvent(const api::scheme::Kind& kind, const store::Object& object);

}  // namespace berth::apiserver::registry
