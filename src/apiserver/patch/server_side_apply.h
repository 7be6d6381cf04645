// Server-side apply: merging applied configurations and tracking the ownership of fields.
//
// Ownership is recorded in metadata.managedFields. Unlike in kube-apiserver, an object gets
// managedFields with its first apply, not at its creation; its fields then belong to the manager
// "before-first-apply".
#pragma once

#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::patch {

struct ApplyOptions {
  std::string manager;
  bool force = false;
  Instant now;
  // "": ignores the status in `config`. "status": ignores all but status and metadata.
  std::string subresource;
};

// Applies `config`, the manager's configuration, to `live`, which is null if the object does not
// exist. Removes fields that the manager owned and no longer applies, unless others own them. To
// change a value that another manager owns is a conflict (409, one cause per field) unless forced.
// Returns `live` with unchanged times if nothing changes.
api::scheme::ApiResult<api::Json> ServerSideApply(const api::scheme::Kind& kind,
                                                  const api::Json& live, const api::Json& config,
                                                  const ApplyOptions& options);

// Returns the error of an apply without a field manager.
api::scheme::ApiError MissingFieldManager();

// Assigns the fields that an ordinary write changed from `before` to `after` to `manager`. Returns
// `after` with updated managedFields; does nothing if `before` has none. managedFields in `after`
// replace those of `before`; `[{}]` removes them.
api::Json TrackUpdate(const api::scheme::Kind& kind, const api::Json& before, api::Json after,
                      std::string_view manager, std::string_view subresource, Instant now);

}  // namespace berth::apiserver::patch
