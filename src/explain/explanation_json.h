// Formats an explanation as a JSON document, as `berth schedule --explain` and `berth why` print
// it; docs/why.md describes the fields.
#pragma once

#include "api/json/json.h"
#include "explain/explanation_summary.h"

namespace berth::explain {

api::JsonObject ToJson(const ExplanationSummary& summary);

}  // namespace berth::explain
