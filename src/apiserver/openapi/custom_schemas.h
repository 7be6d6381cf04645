// The OpenAPI schemas of custom kinds: those of their definitions, completed with the metadata that
// every object has.
#pragma once

#include <string>

#include "api/json/json.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::crd {
struct CustomVersion;
}

namespace berth::apiserver::openapi {

// Returns the name of the schema: "com.example.stable.v1.CronTab".
std::string CustomSchemaName(const api::scheme::Kind& kind);

// Returns the schema for a document of version 3. `metadata` is the schema of metadata.
api::JsonObject CustomSchemaV3(const crd::CustomVersion& version, const api::Json& metadata);
// Likewise for version 2, without what it cannot express: clients must accept more, not less.
api::JsonObject CustomSchemaV2(const crd::CustomVersion& version, const api::Json& metadata);

}  // namespace berth::apiserver::openapi
