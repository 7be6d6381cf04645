// Quantities in documents, written as the stock server writes them: "1.5" cpu becomes "1500m".
#pragma once

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

struct Kind;

// Rewrites the quantities of `document`. One that cannot be read is BadRequest: it names the field.
ApiResult<void> CanonicalQuantities(const Kind& kind, JsonObject& document);

}  // namespace berth::apiserver
