// The two forms of events: core/v1 and events.k8s.io/v1 are views of the same objects, which are
// stored in the core form.
#pragma once

#include <string>

#include "kinds/json.h"
#include "store/object.h"

namespace berth::apiserver {

struct Kind;

// Renames the fields of an event of events.k8s.io to those of a core event, and back. kind and
// apiVersion are left to whoever prints it.
void ToCoreEvent(JsonObject& event);
void FromCoreEvent(JsonObject& event);

// The stored event in the form of `kind`; the text of any other object as it is.
std::string ConvertEvent(const Kind& kind, const store::Object& object);

}  // namespace berth::apiserver
