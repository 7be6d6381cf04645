// What of a request counts: which parts of an object its creator, an update of the object and an
// update of its status may set.
#pragma once

#include <string_view>

#include "base/time.h"
#include "kinds/json.h"

namespace berth::apiserver {

struct Kind;

// Before defaults: the status of a new object is the server's to set, but for nodes.
void PrepareCreate(const Kind& kind, JsonObject& document);
// After admission: what follows from the rest.
void FinishCreate(const Kind& kind, JsonObject& document, Instant now);

// Takes over from `before` what a write of `subresource` does not change ("" is the object itself).
void PrepareUpdate(const Kind& kind, std::string_view subresource, const JsonObject& before,
                   JsonObject& after);

// Makes the condition `type` of `status` be `value`, with a reason and a message unless they are
// empty. The transition time is `now` if the value changes.
void SetCondition(JsonObject& status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, Instant now);

}  // namespace berth::apiserver
