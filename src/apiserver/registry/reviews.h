// Reviews: questions to the server that are answered and forgotten.
//
// Whoever is let in may do everything, so every access is allowed, but to strangers.
#pragma once

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

struct WriteOptions;

// The review with its answer as an object of version 0.
store::ObjectPtr EvaluateReview(const api::scheme::Kind& kind, const api::Json& review,
                                const WriteOptions& options);

}  // namespace berth::apiserver::registry
