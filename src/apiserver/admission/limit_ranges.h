// The admission plugin LimitRanger: the LimitRanges of a namespace set the default requests and
// limits of containers, and bound those of containers, pods and claims.
#pragma once

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/store.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Sets the default limits of containers to the maximum, and the default requests to the default
// limits or the minimum, where they are missing.
void DefaultLimitRange(api::JsonObject& range);

// Admits a new pod or claim; other kinds have no limits. Returns Forbidden if a limit is exceeded.
// Linear in the size of the object and of the namespace's LimitRanges.
api::scheme::ApiResult<void> AdmitLimitRanges(const store::Store& store,
                                              const api::scheme::Kind& kind,
                                              api::JsonObject& document);

}  // namespace berth::apiserver::admission
