// Rules for the metadata of every kind.
#pragma once

#include "kinds/json.h"

namespace berth::apiserver {

class FieldErrors;
class FieldPath;
struct Kind;

// Of an object that is to be created or updated. The name may be missing if generateName is there.
void ValidateMetadata(const Kind& kind, const JsonObject& document, FieldErrors& errors);
// No new finalizers once the object is being deleted.
void ValidateMetadataUpdate(const JsonObject& before, const JsonObject& after, FieldErrors& errors);

// A map of labels, wherever it is (node selectors, templates).
void ValidateLabels(const Json* labels, const FieldPath& path, FieldErrors& errors);
// A label selector: matchLabels and matchExpressions.
void ValidateLabelSelector(const JsonObject* selector, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::apiserver
