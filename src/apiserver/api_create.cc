// Api: creating objects.
#include <fmt/format.h>

#include "apiserver/admission.h"
#include "apiserver/api.h"
#include "apiserver/api_attempt.h"
#include "apiserver/check_fields.h"
#include "apiserver/defaults.h"
#include "apiserver/draft.h"
#include "apiserver/events.h"
#include "apiserver/field_errors.h"
#include "apiserver/metadata.h"
#include "apiserver/prepare.h"
#include "apiserver/quantities.h"
#include "apiserver/reviews.h"
#include "apiserver/validate.h"
#include "apiserver/validate_metadata.h"

namespace berth::apiserver {

namespace {

constexpr int kNameAttempts = 8;

// Gives the object a name that is free, if it has but a prefix for one.
ApiResult<void> ChooseName(const store::Store& store, const Kind& kind, std::string_view namespace_,
                           JsonObject& metadata, Random& random) {
  if (!StringAt(&metadata, "name").empty()) return {};
  const std::string prefix(StringAt(&metadata, "generateName"));
  if (prefix.empty()) return {};
  std::string name;
  for (int i = 0; i < kNameAttempts; ++i) {
    name = GenerateName(prefix, random);
    if (!store.Get(kind.collection, {std::string(namespace_), name})) {
      SetString(metadata, "name", name);
      return {};
    }
  }
  return std::unexpected(AlreadyExists(kind, name));
}

}  // namespace

ApiResult<Written> Api::Create(const Kind& requested, std::string_view namespace_, Json body,
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
  if (!requested.stored) return Written{AnswerReview(requested, body, options), true};
  const Kind& kind = StoredKind(requested);
  JsonObject& document = body.get_object();
  if (&kind != &requested) ToCoreEvent(document);
  JsonObject& metadata = MetadataOf(document);
  metadata.erase("managedFields");
  const std::string_view version = StringAt(&metadata, "resourceVersion");
  if (!version.empty() && version != "0") {
    return std::unexpected(
        BadRequest("resourceVersion should not be set on objects to be created"));
  }
  return CreateChecked(kind, namespace_, std::move(body), options);
}

ApiResult<Written> Api::CreateChecked(const Kind& kind, std::string_view namespace_, Json body,
                                      const WriteOptions& options) {
  JsonObject& document = body.get_object();
  if (auto checked = CheckAddress(kind, document, {}, namespace_); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (kind.namespaced) {
    if (namespace_.empty()) {
      return std::unexpected(BadRequest("an empty namespace may not be set during creation"));
    }
    const std::string_view name = StringAt(MetadataOf(std::as_const(document)), "name");
    if (auto admitted = AdmitNamespace(store_, kind, name, namespace_); !admitted) {
      return std::unexpected(std::move(admitted.error()));
    }
    SetString(MetadataOf(document), "namespace", namespace_);
  }
  DropNulls(document);
  if (auto done = CanonicalQuantities(kind, document); !done) {
    return std::unexpected(std::move(done.error()));
  }

  AdmissionContext context{store_, priorities_, now(), Random(Draw())};
  if (auto chosen = ChooseName(store_, kind, namespace_, MetadataOf(document), context.random);
      !chosen) {
    return std::unexpected(std::move(chosen.error()));
  }
  StampNew(kind, document, NewUid(context.random), context.now);
  PrepareCreate(kind, document);
  ApplyDefaults(kind, document);
  if (auto admitted = AdmitCreate(context, kind, document); !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  FinishCreate(kind, document, context.now);

  const std::string name(StringAt(&MetadataOf(document), "name"));
  FieldErrors errors;
  ValidateMetadata(kind, document, errors);
  Validate(kind, document, errors);
  if (!errors.empty()) return std::unexpected(Invalid(kind, name, errors.Take()));

  ApiResult<store::Draft> draft = MakeDraft(kind, document);
  if (!draft) return std::unexpected(std::move(draft.error()));
  if (options.dry_run) {
    if (store_.Get(kind.collection, draft->object.key)) {
      return std::unexpected(AlreadyExists(kind, name));
    }
    return Written{Finish(std::move(*draft), 0), true};
  }
  const store::WriteOutcome outcome = store_.Create(kind.collection, std::move(*draft));
  if (!outcome) return std::unexpected(RefusedWrite(store_, kind, name, outcome.error()));
  Wrote(kind);
  return Written{*outcome, true};
}

}  // namespace berth::apiserver
