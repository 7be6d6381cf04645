// The protobuf form of an OpenAPI version 2 document (gnostic's openapi.v2 messages), which is the
// only one that kubectl reads.
#pragma once

#include <string>

#include "api/json/json.h"

namespace berth::apiserver::openapi {

// Writes the parts that Berth's documents have: info, paths with PATCH operations and their query
// parameters, definitions with extensions.
std::string OpenApiV2Protobuf(const api::JsonObject& document);

}  // namespace berth::apiserver::openapi
