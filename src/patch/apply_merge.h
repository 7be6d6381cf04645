// The two halves of server-side apply's change to a document: what the configuration says is merged
// in, what it no longer says is taken out.
#pragma once

#include <expected>
#include <string>

#include "kinds/json.h"
#include "patch/document_fields.h"
#include "patch/field_set.h"

namespace berth::apiserver {

// `config` without nulls, which apply no value. Fails if elements of a list that merges by key lack
// the keys or share them.
std::expected<JsonObject, std::string> CheckedConfig(const FieldContext& context,
                                                     const JsonObject& config);

// Merges a checked configuration into `live`. Elements of lists come in the order of `config`;
// others keep their place among them.
void MergeConfig(const FieldContext& context, JsonObject& live, const JsonObject& config);

// Removes what is in `last` unless something in or below it is in `keep`. Values that nobody owns
// go with the object or element around them. Metadata itself stays.
void RemoveUnclaimed(const FieldContext& context, JsonObject& object, const FieldSet& last,
                     const FieldSet& keep);

}  // namespace berth::apiserver
