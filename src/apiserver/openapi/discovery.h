// The discovery documents, derived from the kinds that are served.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/scheme/kind_set.h"

namespace berth::apiserver::openapi {

using api::scheme::KindSet;

// The group of `kubectl top`. It is announced without resources, so that clients that list
// everything do not fail; requests for them get the error that there are no metrics.
inline constexpr std::string_view kMetricsGroup = "metrics.k8s.io";
inline constexpr std::string_view kMetricsVersion = "v1beta1";

// GET /api or /apis: all kinds in one document of apidiscovery.k8s.io; `version` is "v2" or
// "v2beta1".
std::string AggregatedDiscovery(const KindSet& kinds, bool core, std::string_view version);
std::string ApiVersions();                       // GET /api
std::string ApiGroupList(const KindSet& kinds);  // GET /apis
// GET /apis/<group>; nullopt if there is none.
std::optional<std::string> ApiGroup(const KindSet& kinds, std::string_view group);
// GET /api/v1 (empty group) or /apis/<group>/<version>; nullopt if there is none.
std::optional<std::string> ApiResourceList(const KindSet& kinds, std::string_view group,
                                           std::string_view version);
std::string VersionInfo();  // GET /version

}  // namespace berth::apiserver::openapi
