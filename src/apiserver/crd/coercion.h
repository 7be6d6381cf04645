// Coercion of objects to their schema, as kube-apiserver does it when it reads a request or a
// stored object: defaults are filled in, unknown fields and nulls are dropped.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::crd {

struct Schema;

// The limit of what defaults add to one object: twice the limit of an object's JSON. A default may
// occur in each of a hundred thousand elements of a list.
inline constexpr size_t kMaxDefaultedBytes = 3 << 20;

// Fills in the defaults of absent members, and of nulls that the schema does not allow. Returns
// false if they exceed kMaxDefaultedBytes; `object` is then incomplete.
bool ApplyDefaults(const Schema& schema, api::JsonObject& object);

// Drops the members that the schema does not have, at any depth, and those of the metadata that no
// object has.
void Prune(const Schema& schema, api::JsonObject& object);
// Prunes a value that is not a resource, such as a default.
void PruneValue(const Schema& schema, api::Json& value);

// Returns the paths of the members that Prune drops, sorted: "spec.replicaz". At most
// kMaxReportedErrors, with paths of at most kMaxQuotedBytes (api/field_errors.h).
std::vector<std::string> UnknownFields(const Schema& schema, const api::JsonObject& object);

// Drops members that are null where the schema allows no null and has no default.
void DropUnwantedNulls(const Schema& schema, api::JsonObject& object);

}  // namespace berth::apiserver::crd
