// Updates and patches: Api::Update and Api::Patch.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "apiserver/admission/admission.h"
#include "apiserver/admission/defaulting.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/admission/validation.h"
#include "apiserver/admission/workloads.h"
#include "apiserver/patch/server_side_apply.h"
#include "apiserver/registry/api.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_objects.h"
#include "apiserver/registry/field_validation.h"
#include "apiserver/registry/quota_charge.h"
#include "apiserver/registry/write_attempt.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

api::scheme::ApiResult<void> CheckVersionGiven(const api::scheme::Kind& kind, std::string_view name,
                                               const api::JsonObject& document) {
  const std::string_view version =
      api::StringAt(admission::MetadataOf(document), "resourceVersion");
  if (kind.unconditional_update || (!version.empty() && version != "0")) return {};
  admission::FieldErrors errors;
  const admission::FieldPath metadata("metadata");
  errors.Invalid(metadata / "resourceVersion", version, "must be specified for an update");
  return std::unexpected(api::scheme::Invalid(kind, name, errors.Take()));
}

// Reports whether an update may change what the object uses of a quota. The scopes of a pod may
// change, too.
bool MayUseMoreQuota(const api::scheme::Kind& kind, std::string_view subresource) {
  if (kind.IsBuiltIn("Pod")) return subresource.empty() || subresource == "resize";
  return subresource.empty() &&
         (kind.IsBuiltIn("Service") || kind.IsBuiltIn("PersistentVolumeClaim"));
}

}  // namespace

api::scheme::ApiResult<void> Api::AdmitChange(Attempt& attempt, std::string_view subresource,
                                              admission::FieldErrors& errors,
                                              const WriteOptions& options) {
  const api::scheme::Kind& kind = attempt.kind;
  const api::JsonObject& before = attempt.old_object();
  api::JsonObject& after = attempt.new_object();
  admission::DropNulls(after);
  admission::PreserveIdentity(before, after);
  admission::PrepareForUpdate(kind, subresource, before, after);
  admission::DropDisabledWorkloadFields(workloads_, kind, &before, after);
  const bool spec_write = subresource != "status";
  const bool claim_status = !spec_write && kind.IsBuiltIn("ResourceClaim");
  if (spec_write || claim_status || kind.IsBuiltIn("Node") ||
      kind.IsBuiltIn("PersistentVolumeClaim")) {
    if (auto done = admission::CanonicalizeQuantities(kind, after); !done) return done;
  }
  if (claim_status) {
    admission::ValidateAdminAccess(store_, kind, &before, after, errors);
    admission::ValidateClaimStatus(before, after, errors);
  }
  // What a node can allocate is by default what it has: part of the status.
  if (spec_write || kind.IsBuiltIn("Node")) admission::ApplyDefaults(kind, after);
  if (!spec_write) return {};
  admission::AdmissionContext context{store_, priorities_, now(), Random(0)};
  if (kind.IsBuiltIn("Service")) context.random = Random(NextRandom());
  if (auto admitted = admission::AdmitUpdate(context, kind, before, after); !admitted) {
    return admitted;
  }
  const bool definition = kind.IsBuiltIn("CustomResourceDefinition");
  if (definition) AdmitDefinition(&before, after, errors, options);
  admission::BumpGeneration(kind, before, after);
  if (definition) return {};
  admission::Validate(kind, after, errors, &before);
  if (subresource.empty()) admission::ValidateUpdate(kind, before, after, errors);
  if (subresource == "ephemeralcontainers") {
    admission::ValidateEphemeralContainers(before, after, errors);
  }
  return {};
}

api::scheme::ApiResult<std::optional<Written>> Api::FinishUpdate(Attempt& attempt,
                                                                 std::string_view subresource,
                                                                 const WriteOptions& options) {
  const api::scheme::Kind& kind = attempt.kind;
  const api::JsonObject& before = attempt.old_object();
  api::JsonObject& after = attempt.new_object();
  const size_t warnings_before = options.warnings ? options.warnings->size() : 0;
  admission::FieldErrors errors;
  if (kind.custom != nullptr) {
    if (auto done = Coerce(kind, after); !done) return std::unexpected(std::move(done.error()));
    admission::PreserveIdentity(before, after);
    PrepareCustom(kind, subresource, &before, after);
    ValidateCustom(kind, subresource, &attempt.before, attempt.after, errors, options.warnings);
  } else if (auto admitted = AdmitChange(attempt, subresource, errors, options); !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  admission::ValidateMetadata(kind, after, errors);
  admission::ValidateMetadataUpdate(before, after, errors);
  if (!errors.empty()) {
    return std::unexpected(api::scheme::Invalid(kind, attempt.seen->key.name, errors.Take()));
  }
  if (options.warnings && subresource != "status") {
    std::ranges::move(admission::DeviceWarnings(kind, after),
                      std::back_inserter(*options.warnings));
  }
  // ServerSideApply has already updated the managed fields.
  if (!attempt.applied && api::At(admission::MetadataOf(before), "managedFields")) {
    attempt.after = patch::TrackUpdate(kind, attempt.before, std::move(attempt.after),
                                       options.field_manager, subresource, now());
  }
  QuotaCharge charge(*this);
  if (MayUseMoreQuota(kind, subresource)) {
    if (auto taken = charge.Take(kind, &before, attempt.new_object(), options.dry_run); !taken) {
      return std::unexpected(std::move(taken.error()));
    }
  }
  api::scheme::ApiResult<std::optional<ObjectPtr>> done = Commit(attempt, options.dry_run);
  if (!done) return std::unexpected(std::move(done.error()));
  if (!*done) {
    // The next attempt warns again.
    if (options.warnings) options.warnings->resize(warnings_before);
    return std::nullopt;
  }
  charge.Keep();
  return Written{std::move(**done), false};
}

api::scheme::ApiResult<Written> Api::Update(const api::scheme::Kind& requested,
                                            const ObjectName& name, std::string_view subresource,
                                            api::Json body, const WriteOptions& options) {
  if (auto checked = admission::CheckType(requested, body); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckFieldTypes(requested, body.get_object()); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckUnknownFields(requested, body, options); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const api::scheme::Kind& kind = AdmissionKind(requested);
  api::JsonObject& document = body.get_object();
  ToAdmissionForm(requested, document);
  if (auto checked = admission::CheckNameAndNamespace(kind, document, name.name, name.namespace_);
      !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) {
      if (!kind.create_on_update || !subresource.empty()) {
        return std::unexpected(api::scheme::NotFound(kind, name.name));
      }
      // A uid refers to an object that no longer exists.
      if (auto checked = admission::CheckIdentity(kind, name.name, document, "", ""); !checked) {
        return std::unexpected(std::move(checked.error()));
      }
      api::SetString(admission::MetadataOf(document), "name", name.name);
      admission::MetadataOf(document).erase("resourceVersion");
      return CreateChecked(kind, name.namespace_, std::move(body), options);
    }
    if (auto checked = CheckVersionGiven(kind, name.name, document); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = admission::CheckIdentity(kind, name.name, document, seen->uid,
                                                fmt::format("{}", seen->version));
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    store::Scratch scratch;
    Attempt attempt{kind, seen, store::ParseIn(*seen, scratch.storage()),
                    api::Json(body, scratch.storage())};
    ToForm(kind, *seen, attempt.before.get_object());
    api::scheme::ApiResult<std::optional<Written>> done =
        FinishUpdate(attempt, subresource, options);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooManyConflicts(kind, name.name));
}

namespace {

api::scheme::ApiResult<api::Json> PatchDocument(const api::scheme::Kind& kind, api::Json document,
                                                patch::PatchType type, const api::Json& patch,
                                                const patch::ApplyOptions& apply) {
  switch (type) {
    case patch::PatchType::kJson:
      return patch::ApplyJsonPatch(std::move(document), patch);
    case patch::PatchType::kMerge:
      return patch::ApplyMergePatch(std::move(document), patch);
    case patch::PatchType::kStrategic:
      return patch::ApplyStrategicPatch(std::move(document), patch);
    case patch::PatchType::kApply:
      return patch::ServerSideApply(kind, document, patch, apply);
  }
  return std::unexpected(api::scheme::InternalError("unknown type of patch"));
}

// Checks the types of a patched object, and that the patch did not change its identity.
api::scheme::ApiResult<void> CheckPatched(const api::scheme::Kind& kind, const ObjectName& name,
                                          const store::Object& seen, const api::Json& patched,
                                          std::string_view subresource) {
  if (auto checked = admission::CheckType(kind, patched); !checked) return checked;
  const api::JsonObject& document = patched.get_object();
  const std::string_view part = subresource == "status" ? subresource : std::string_view();
  if (auto checked = CheckFieldTypes(kind, document, part); !checked) return checked;
  if (auto checked = admission::CheckNameAndNamespace(kind, document, name.name, name.namespace_);
      !checked)
    return checked;
  return admission::CheckIdentity(kind, name.name, document, seen.uid,
                                  fmt::format("{}", seen.version));
}

}  // namespace

api::scheme::ApiResult<Written> Api::Patch(const api::scheme::Kind& requested,
                                           const ObjectName& name, std::string_view subresource,
                                           patch::PatchType type, const api::Json& patch,
                                           const WriteOptions& options) {
  const api::scheme::Kind& kind = AdmissionKind(requested);
  const patch::ApplyOptions apply{options.field_manager, options.force, now(),
                                  std::string(subresource)};
  if (type == patch::PatchType::kApply) {
    if (options.field_manager.empty()) return std::unexpected(patch::MissingFieldManager());
    if (auto checked = admission::CheckType(requested, patch); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked =
            admission::CheckNameAndNamespace(kind, patch.get_object(), name.name, name.namespace_);
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckFieldTypes(requested, patch.get_object()); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckAppliedFields(requested, name, patch, options); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) {
      if (type != patch::PatchType::kApply || !subresource.empty()) {
        return std::unexpected(api::scheme::NotFound(kind, name.name));
      }
      api::scheme::ApiResult<api::Json> fresh =
          patch::ServerSideApply(requested, api::Json(), patch, apply);
      if (!fresh) return std::unexpected(std::move(fresh.error()));
      if (auto checked = CheckUnknownFields(requested, *fresh, options); !checked) {
        return std::unexpected(std::move(checked.error()));
      }
      ToAdmissionForm(requested, fresh->get_object());
      api::SetString(admission::MetadataOf(fresh->get_object()), "name", name.name);
      api::scheme::ApiResult<Written> created =
          CreateChecked(kind, name.namespace_, std::move(*fresh), options);
      // Another client has created it: patch that object.
      if (!created && created.error().reason == "AlreadyExists") continue;
      return created;
    }
    store::Scratch scratch;
    Attempt attempt{kind, seen, store::ParseIn(*seen, scratch.storage()),
                    api::Json(scratch.storage())};
    ToForm(kind, *seen, attempt.before.get_object());
    api::Json document = attempt.before;
    if (&requested != &kind) ToForm(requested, *seen, document.get_object());
    api::scheme::ApiResult<api::Json> patched =
        PatchDocument(requested, std::move(document), type, patch, apply);
    if (!patched) return std::unexpected(std::move(patched.error()));
    if (auto checked = CheckPatched(requested, name, *seen, *patched, subresource); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked = CheckUnknownFields(requested, *patched, options); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    attempt.applied = type == patch::PatchType::kApply;
    ToAdmissionForm(requested, patched->get_object());
    attempt.after = std::move(*patched);
    api::scheme::ApiResult<std::optional<Written>> done =
        FinishUpdate(attempt, subresource, options);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooManyConflicts(kind, name.name));
}

}  // namespace berth::apiserver::registry
