// The two forms of events: core/v1 and events.k8s.io/v1 are views of the same objects, which are
// stored in the core form.
#pragma once

#include <string>

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

// Renames the fields of an event of events.k8s.io to those of a core event, and back. kind and
// apiVersion are left to whoever prints it.
void ToCoreEvent(api::JsonObject& event);
void FromCoreEvent(api::JsonObject& event);

// The stored event in the form of `kind`; the text of any other object as it is.
std::string ConvertEvent(const api::scheme::Kind& kind, const store::Object& object);

}  // namespace berth::apiserver::registry
