// The reviews of authentication and authorization, which are evaluated and not stored.
//
// There is no authorization, so every access is allowed, except to anonymous users if the server
// requires authentication.
#pragma once

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

struct WriteOptions;

// Returns the review with its status, as an object of version 0.
store::ObjectPtr EvaluateReview(const api::scheme::Kind& kind, const api::Json& review,
                                const WriteOptions& options);

}  // namespace berth::apiserver::registry
