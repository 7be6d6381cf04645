// Api: updates, and what updates and patches have in common.
#include <fmt/format.h>

#include "apiserver/admission.h"
#include "apiserver/api.h"
#include "apiserver/api_attempt.h"
#include "apiserver/check_fields.h"
#include "apiserver/defaults.h"
#include "apiserver/events.h"
#include "apiserver/field_errors.h"
#include "apiserver/metadata.h"
#include "apiserver/prepare.h"
#include "apiserver/quantities.h"
#include "apiserver/scratch.h"
#include "apiserver/server_side_apply.h"
#include "apiserver/validate.h"
#include "apiserver/validate_metadata.h"

namespace berth::apiserver {

namespace {

ApiResult<void> CheckVersionGiven(const Kind& kind, std::string_view name,
                                  const JsonObject& document) {
  const std::string_view version = StringAt(MetadataOf(document), "resourceVersion");
  if (kind.unconditional_update || (!version.empty() && version != "0")) return {};
  FieldErrors errors;
  const FieldPath metadata("metadata");
  errors.Invalid(metadata / "resourceVersion", version, "must be specified for an update");
  return std::unexpected(Invalid(kind, name, errors.Take()));
}

}  // namespace

ApiResult<std::optional<Written>> Api::FinishUpdate(Attempt& attempt, std::string_view subresource,
                                                    const WriteOptions& options) {
  const Kind& kind = attempt.kind;
  const JsonObject& before = attempt.old_object();
  JsonObject& after = attempt.new_object();
  DropNulls(after);
  KeepIdentity(before, after);
  PrepareUpdate(kind, subresource, before, after);
  const bool spec_write = subresource != "status";
  if (spec_write || kind.kind == "Node" || kind.kind == "PersistentVolumeClaim") {
    if (auto done = CanonicalQuantities(kind, after); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  FieldErrors errors;
  if (spec_write) {
    ApplyDefaults(kind, after);
    AdmissionContext context{store_, priorities_, now(), Random(0)};
    if (kind.kind == "Service") context.random = Random(Draw());
    if (auto admitted = AdmitUpdate(context, kind, before, after); !admitted) {
      return std::unexpected(std::move(admitted.error()));
    }
    CountGeneration(kind, before, after);
    Validate(kind, after, errors);
    if (subresource.empty()) ValidateUpdate(kind, before, after, errors);
  }
  ValidateMetadata(kind, after, errors);
  ValidateMetadataUpdate(before, after, errors);
  if (!errors.empty()) {
    return std::unexpected(Invalid(kind, attempt.seen->key.name, errors.Take()));
  }
  // An apply has said itself what it owns.
  if (!attempt.applied && At(MetadataOf(before), "managedFields")) {
    attempt.after = TrackUpdate(kind, attempt.before, std::move(attempt.after),
                                options.field_manager, subresource, now());
  }
  ApiResult<std::optional<ObjectPtr>> done = Commit(attempt, options.dry_run);
  if (!done) return std::unexpected(std::move(done.error()));
  if (!*done) return std::nullopt;
  return Written{std::move(**done), false};
}

ApiResult<Written> Api::Update(const Kind& requested, const ObjectName& name,
                               std::string_view subresource, Json body,
                               const WriteOptions& options) {
  if (auto checked = CheckType(requested, body); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckFieldTypes(requested, body.get_object()); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckUnknownFields(requested, body, options); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const Kind& kind = StoredKind(requested);
  JsonObject& document = body.get_object();
  if (&kind != &requested) ToCoreEvent(document);
  if (auto checked = CheckAddress(kind, document, name.name, name.namespace_); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) {
      if (!kind.create_on_update || !subresource.empty()) {
        return std::unexpected(NotFound(kind, name.name));
      }
      // Who names a uid means the one that is gone.
      if (auto checked = CheckIdentity(kind, name.name, document, "", ""); !checked) {
        return std::unexpected(std::move(checked.error()));
      }
      SetString(MetadataOf(document), "name", name.name);
      MetadataOf(document).erase("resourceVersion");
      return CreateChecked(kind, name.namespace_, std::move(body), options);
    }
    if (auto checked = CheckVersionGiven(kind, name.name, document); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (auto checked =
            CheckIdentity(kind, name.name, document, seen->uid, fmt::format("{}", seen->version));
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    Scratch scratch;
    Attempt attempt{kind, seen, ParseIn(*seen, scratch.storage()), Json(body, scratch.storage())};
    ApiResult<std::optional<Written>> done = FinishUpdate(attempt, subresource, options);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooContended(kind, name.name));
}

}  // namespace berth::apiserver
