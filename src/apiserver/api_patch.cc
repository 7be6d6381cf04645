// Api: patches of every type, server-side apply among them.
#include <fmt/format.h>

#include "apiserver/api.h"
#include "apiserver/api_attempt.h"
#include "apiserver/check_fields.h"
#include "apiserver/events.h"
#include "apiserver/field_errors.h"
#include "apiserver/metadata.h"
#include "apiserver/scratch.h"
#include "apiserver/server_side_apply.h"

namespace berth::apiserver {

namespace {

ApiResult<Json> PatchDocument(const Kind& kind, Json document, PatchType type, const Json& patch,
                              const ApplyOptions& apply) {
  switch (type) {
    case PatchType::kJson:
      return ApplyJsonPatch(std::move(document), patch);
    case PatchType::kMerge:
      return ApplyMergePatch(std::move(document), patch);
    case PatchType::kStrategic:
      return ApplyStrategicPatch(std::move(document), patch);
    case PatchType::kApply:
      return ServerSideApply(kind, document, patch, apply);
  }
  return std::unexpected(InternalError("unknown type of patch"));
}

ApiError ManagerRequired() {
  ApiError error;
  error.code = 422;
  error.reason = "Invalid";
  error.message =
      "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for "
      "apply patch";
  error.group = "meta.k8s.io";
  error.kind = "PatchOptions";
  error.causes.push_back(
      {"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"});
  return error;
}

// A patch may state which object it is for.
ApiResult<void> CheckPatched(const Kind& kind, const ObjectName& name, const store::Object& seen,
                             const Json& patched, std::string_view subresource) {
  if (auto checked = CheckType(kind, patched); !checked) return checked;
  const JsonObject& document = patched.get_object();
  const std::string_view part = subresource == "status" ? subresource : std::string_view();
  if (auto checked = CheckFieldTypes(kind, document, part); !checked) return checked;
  if (auto checked = CheckAddress(kind, document, name.name, name.namespace_); !checked)
    return checked;
  return CheckIdentity(kind, name.name, document, seen.uid, fmt::format("{}", seen.version));
}

}  // namespace

ApiResult<Written> Api::Patch(const Kind& requested, const ObjectName& name,
                              std::string_view subresource, PatchType type, const Json& patch,
                              const WriteOptions& options) {
  const Kind& kind = StoredKind(requested);
  const bool converts = &kind != &requested;
  const ApplyOptions apply{options.field_manager, options.force, now(), std::string(subresource)};
  if (type == PatchType::kApply) {
    if (options.field_manager.empty()) return std::unexpected(ManagerRequired());
    if (auto checked = CheckType(requested, patch); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckAddress(kind, patch.get_object(), name.name, name.namespace_);
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckFieldTypes(requested, patch.get_object()); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) {
      if (type != PatchType::kApply || !subresource.empty()) {
        return std::unexpected(NotFound(kind, name.name));
      }
      ApiResult<Json> fresh = ServerSideApply(requested, Json(), patch, apply);
      if (!fresh) return std::unexpected(std::move(fresh.error()));
      if (auto checked = CheckUnknownFields(requested, *fresh, options); !checked) {
        return std::unexpected(std::move(checked.error()));
      }
      if (converts) ToCoreEvent(fresh->get_object());
      SetString(MetadataOf(fresh->get_object()), "name", name.name);
      ApiResult<Written> created = CreateChecked(kind, name.namespace_, std::move(*fresh), options);
      // Somebody else was first: then it is to be changed.
      if (!created && created.error().reason == "AlreadyExists") continue;
      return created;
    }
    Scratch scratch;
    Attempt attempt{kind, seen, ParseIn(*seen, scratch.storage()), Json(scratch.storage())};
    Json document = attempt.before;
    if (converts) {
      FromCoreEvent(document.get_object());
      SetString(document.get_object(), "apiVersion", requested.api_version());
    }
    ApiResult<Json> patched = PatchDocument(requested, std::move(document), type, patch, apply);
    if (!patched) return std::unexpected(std::move(patched.error()));
    if (auto checked = CheckPatched(requested, name, *seen, *patched, subresource); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckUnknownFields(requested, *patched, options); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    attempt.applied = type == PatchType::kApply;
    if (converts) ToCoreEvent(patched->get_object());
    attempt.after = std::move(*patched);
    ApiResult<std::optional<Written>> done = FinishUpdate(attempt, subresource, options);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooContended(kind, name.name));
}

}  // namespace berth::apiserver
