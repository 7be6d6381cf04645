// What an object uses of a ResourceQuota, and which objects a quota counts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/quantity.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Returns the usage by resource: "pods", "requests.cpu", "count/deployments.apps" and so on. A pod
// that has ended, or whose grace period is over at `now`, uses only its object.
api::ResourceList QuotaUsageOf(const api::scheme::Kind& kind, const api::JsonObject& document,
                               Instant now);

// Reports whether objects of the kind use the resource of a quota.
bool UsesQuotaResource(const api::scheme::Kind& kind, std::string_view resource);

// Reports whether the quota's scopes include the object. Only pods and claims have scopes.
bool MatchesQuotaScopes(const api::JsonObject* quota_spec, const api::scheme::Kind& kind,
                        const api::JsonObject& document);

// Returns why the object cannot be counted: "must specify limits.cpu for: web" if a container lacks
// one of the `resources` that all containers must specify; otherwise "".
std::string QuotaConstraint(const api::scheme::Kind& kind, const api::JsonObject& document,
                            const std::vector<std::string>& resources);

}  // namespace berth::apiserver::admission
