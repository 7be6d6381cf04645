#include "admission/validate.h"

#include "admission/field_errors.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

void Immutable(const JsonObject* before, const JsonObject* after, std::string_view key,
               const FieldPath& path, FieldErrors& errors) {
  if (SameAt(before, after, key)) return;
  const Json none;
  const Json* value = At(after, key);
  errors.InvalidValue(path / key, value ? *value : none, "field is immutable");
}

void Validate(const Kind& kind, const JsonObject& document, FieldErrors& errors) {
  if (kind.kind == "Pod") {
    return ValidatePodSpec(ObjectAt(&document, "spec"), FieldPath("spec"), errors);
  }
  if (ValidateWorkload(kind, document, errors)) return;
  if (ValidateStorage(kind, document, errors)) return;
  ValidateCluster(kind, document, errors);
}

void ValidateUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                    FieldErrors& errors) {
  if (kind.kind == "Pod") return ValidatePodUpdate(before, after, errors);
  if (ValidateWorkloadUpdate(kind, before, after, errors)) return;
  if (ValidateStorageUpdate(kind, before, after, errors)) return;
  ValidateClusterUpdate(kind, before, after, errors);
}

}  // namespace berth::apiserver
