// Server-side apply: who owns which field of an object, and what happens when someone applies a
// configuration.
//
// Ownership is written in metadata.managedFields, as sets of paths (fields v1), as Kubernetes does.
// An object gets managedFields with its first apply: until then nobody asks who owns what, and all
// that is there then belongs to the manager "before-first-apply".
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
  // "": the status in `config` does not count. "status": nothing but it and the metadata does.
  std::string subresource;
};

// Applies `config` (which holds only what the manager wishes) to `live`, which is null if the
// object does not exist. Fields that the manager owned and no longer names go, unless others own
// them. A value that another manager owns and that would change is a conflict (409, one cause a
// field) unless forced. What changes nothing gives `live` again, times included.
api::scheme::ApiResult<api::Json> ServerSideApply(const api::scheme::Kind& kind,
                                                  const api::Json& live, const api::Json& config,
                                                  const ApplyOptions& options);

// What an ordinary write by `manager` changed from `before` to `after` becomes its own. Returns
// `after` with managedFields brought up to date; does nothing if `before` has none. Managed fields
// that `after` has itself count instead of those of `before`; `[{}]` ends the keeping of them.
api::Json TrackUpdate(const api::scheme::Kind& kind, const api::Json& before, api::Json after,
                      std::string_view manager, std::string_view subresource, Instant now);

}  // namespace berth::apiserver::patch
