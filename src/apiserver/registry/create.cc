// Creation of objects: Api::Create.
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
#include "apiserver/registry/api.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_objects.h"
#include "apiserver/registry/field_validation.h"
#include "apiserver/registry/quota_charge.h"
#include "apiserver/registry/reviews.h"
#include "apiserver/registry/write_attempt.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

constexpr int kNameAttempts = 8;

// Generates an unused name if the object has only a generateName.
api::scheme::ApiResult<void> ChooseName(const store::Store& store, const api::scheme::Kind& kind,
                                        std::string_view namespace_, api::JsonObject& metadata,
                                        Random& random) {
  if (!api::StringAt(&metadata, "name").empty()) return {};
  const std::string prefix(api::StringAt(&metadata, "generateName"));
  if (prefix.empty()) return {};
  std::string name;
  for (int i = 0; i < kNameAttempts; ++i) {
    name = admission::GenerateName(prefix, random);
    if (!store.Get(kind.collection, {std::string(namespace_), name})) {
      api::SetString(metadata, "name", name);
      return {};
    }
  }
  return std::unexpected(api::scheme::AlreadyExists(kind, name));
}

// Sets the user that requests a certificate.
void FillRequester(api::JsonObject& request, const WriteOptions& options) {
  api::JsonObject& spec = api::EnsureObject(request, "spec");
  for (const std::string_view key : {"uid", "extra"}) spec.erase(key);
  api::SetString(spec, "username", options.user);
  spec["groups"] = api::JsonArray(options.groups.begin(), options.groups.end());
}

}  // namespace

api::scheme::ApiResult<Written> Api::Create(const api::scheme::Kind& requested,
                                            std::string_view namespace_, api::Json body,
                                            const WriteOptions& options) {
  if (auto checked = admission::CheckType(requested, body); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckFieldTypes(requested, body.get_object()); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (auto checked = CheckUnknownFields(requested, body, options); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (!requested.stored) return Written{EvaluateReview(requested, body, options), true};
  const api::scheme::Kind& kind = AdmissionKind(requested);
  api::JsonObject& document = body.get_object();
  ToAdmissionForm(requested, document);
  api::JsonObject& metadata = admission::MetadataOf(document);
  metadata.erase("managedFields");
  if (kind.IsBuiltIn("CertificateSigningRequest")) FillRequester(document, options);
  const std::string_view version = api::StringAt(&metadata, "resourceVersion");
  if (!version.empty() && version != "0") {
    return std::unexpected(
        api::scheme::BadRequest("resourceVersion should not be set on objects to be created"));
  }
  return CreateChecked(kind, namespace_, std::move(body), options);
}

api::scheme::ApiResult<Written> Api::CreateChecked(const api::scheme::Kind& kind,
                                                   std::string_view namespace_, api::Json body,
                                                   const WriteOptions& options) {
  api::JsonObject& document = body.get_object();
  if (auto checked = admission::CheckNameAndNamespace(kind, document, {}, namespace_); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  if (kind.custom != nullptr) {
    const auto resource = definitions_.Find(kind.collection);
    if (resource == nullptr || resource->terminating()) {
      return std::unexpected(api::scheme::Forbidden(
          kind, api::StringAt(admission::MetadataOf(std::as_const(document)), "name"),
          "create not allowed while custom resource definition is terminating"));
    }
  }
  if (kind.namespaced) {
    if (namespace_.empty()) {
      return std::unexpected(
          api::scheme::BadRequest("an empty namespace may not be set during creation"));
    }
    const std::string_view name =
        api::StringAt(admission::MetadataOf(std::as_const(document)), "name");
    if (auto admitted = admission::AdmitNamespace(store_, kind, name, namespace_); !admitted) {
      return std::unexpected(std::move(admitted.error()));
    }
    api::SetString(admission::MetadataOf(document), "namespace", namespace_);
  }
  Random random(NextRandom());
  if (auto chosen = ChooseName(store_, kind, namespace_, admission::MetadataOf(document), random);
      !chosen) {
    return std::unexpected(std::move(chosen.error()));
  }
  const std::string name(api::StringAt(&admission::MetadataOf(document), "name"));
  admission::FieldErrors errors;
  if (auto admitted = kind.custom != nullptr ? AdmitCustom(kind, body, random, errors, options)
                                             : AdmitNew(kind, document, random, errors, options);
      !admitted) {
    return std::unexpected(std::move(admitted.error()));
  }
  if (!errors.empty()) return std::unexpected(api::scheme::Invalid(kind, name, errors.Take()));
  if (options.warnings) {
    std::ranges::move(admission::DeviceWarnings(kind, document),
                      std::back_inserter(*options.warnings));
  }

  ToStorageVersion(kind, document);
  api::scheme::ApiResult<store::Draft> draft = store::MakeDraft(StoredKind(kind), document);
  if (!draft) return std::unexpected(std::move(draft.error()));
  if (auto checked = CheckSize(*draft); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  QuotaCharge charge(*this);
  if (auto taken = charge.Take(kind, nullptr, document, options.dry_run); !taken) {
    return std::unexpected(std::move(taken.error()));
  }
  if (options.dry_run) {
    if (store_.Get(kind.collection, draft->object.key)) {
      return std::unexpected(api::scheme::AlreadyExists(kind, name));
    }
    return Written{store::Finish(std::move(*draft), 0), true};
  }
  const store::WriteOutcome outcome = store_.Create(kind.collection, std::move(*draft));
  if (!outcome) return std::unexpected(ToApiError(store_, kind, name, outcome.error()));
  charge.Keep();
  AfterWrite(kind);
  if (kind.custom != nullptr && definitions_.any_terminating()) {
    // The definition may have been deleted since it was looked up.
    const auto resource = definitions_.Find(kind.collection);
    if (resource != nullptr && resource->terminating()) DeleteInstances(*resource);
  }
  return Written{*outcome, true};
}

api::scheme::ApiResult<void> Api::AdmitCustom(const api::scheme::Kind& kind, api::Json& body,
                                              Random& random, admission::FieldErrors& errors,
                                              const WriteOptions& options) {
  api::JsonObject& document = body.get_object();
  admission::FillSystemMetadata(kind, document, admission::NewUid(random), now());
  if (auto done = Coerce(kind, document); !done) return done;
  PrepareCustom(kind, "", nullptr, document);
  admission::ValidateMetadata(kind, document, errors);
  ValidateCustom(kind, "", nullptr, body, errors, options.warnings);
  return {};
}

api::scheme::ApiResult<void> Api::AdmitNew(const api::scheme::Kind& kind, api::JsonObject& document,
                                           Random random, admission::FieldErrors& errors,
                                           const WriteOptions& options) {
  admission::DropNulls(document);
  if (auto done = admission::CanonicalizeQuantities(kind, document); !done) return done;
  admission::AdmissionContext context{store_, priorities_,   now(),
                                      random, mount_tokens_, workloads_};
  admission::FillSystemMetadata(kind, document, admission::NewUid(context.random), context.now);
  admission::PrepareForCreate(kind, document);
  admission::DropDisabledWorkloadFields(workloads_, kind, nullptr, document);
  admission::ApplyDefaults(kind, document);
  if (auto admitted = admission::AdmitCreate(context, kind, document); !admitted) return admitted;
  admission::CompleteCreate(kind, document, context.now);
  admission::ValidateMetadata(kind, document, errors);
  if (kind.IsBuiltIn("CustomResourceDefinition")) {
    if (store_.Count(kind.collection) >= kMaxDefinitions) {
      return std::unexpected(api::scheme::Forbidden(
          kind, api::StringAt(&admission::MetadataOf(document), "name"),
          fmt::format("there may be at most {} definitions", kMaxDefinitions)));
    }
    AdmitDefinition(nullptr, document, errors, options);
  } else {
    admission::ValidateAdminAccess(store_, kind, nullptr, document, errors);
    admission::Validate(kind, document, errors);
  }
  return {};
}

}  // namespace berth::apiserver::registry
