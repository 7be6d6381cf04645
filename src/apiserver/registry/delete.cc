// Deletion with grace periods, finalizers and preconditions: Api::Delete, DeleteNamespaceContent.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/timestamp.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/crd/definition.h"
#include "apiserver/registry/api.h"
#include "apiserver/registry/write_attempt.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

api::scheme::ApiResult<void> CheckPreconditions(const api::scheme::Kind& kind,
                                                const store::Object& seen,
                                                const DeleteOptions& options) {
  if (!options.uid.empty() && options.uid != seen.uid) {
    return std::unexpected(api::scheme::Conflict(
        kind, seen.key.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    options.uid, seen.uid)));
  }
  const std::string version = fmt::format("{}", seen.version);
  if (!options.resource_version.empty() && options.resource_version != version) {
    return std::unexpected(api::scheme::Conflict(
        kind, seen.key.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    options.resource_version, version)));
  }
  return {};
}

void SetFinalizer(api::JsonObject& metadata, std::string_view name, bool wanted) {
  api::JsonArray* list = api::ArrayAt(&metadata, "finalizers");
  const api::Json value(name);
  if (wanted) {
    if (list && std::ranges::find(*list, value) != list->end()) return;
    api::EnsureArray(metadata, "finalizers").emplace_back(name);
  } else if (list) {
    const auto found = std::ranges::find(*list, value);
    if (found != list->end()) list->erase(found);
    if (list->empty()) metadata.erase("finalizers");
  }
}

// Sets the finalizers that tell the garbage collector what to do with the dependents.
void ApplyPropagation(const api::scheme::Kind& kind, const DeleteOptions& options,
                      api::JsonObject& metadata) {
  std::string_view policy = options.propagation_policy;
  // These two orphan their pods by default.
  const bool orphans = kind.IsBuiltIn("Job") || kind.IsBuiltIn("ReplicationController");
  if (policy.empty() && orphans && api::EmptyAt(&metadata, "finalizers")) policy = "Orphan";
  if (policy.empty()) return;
  SetFinalizer(metadata, kOrphan, policy == "Orphan");
  SetFinalizer(metadata, kForeground, policy == "Foreground");
}

int64_t GraceOf(const api::JsonObject& pod, const DeleteOptions& options) {
  const api::JsonObject* spec = api::ObjectAt(&pod, "spec");
  const std::string_view phase = api::StringAt(api::ObjectAt(&pod, "status"), "phase");
  if (api::StringAt(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed")
    return 0;
  const int64_t grace = options.grace_period_seconds.value_or(
      api::IntAt(spec, "terminationGracePeriodSeconds").value_or(30));
  return grace < 0 ? 1 : grace;
}

// Returns how much later than the request a pod with this grace period is deleted: at most a
// century, since not all clients can represent the years beyond 2261.
Duration DelayOf(int64_t grace_seconds) {
  constexpr int64_t kCentury = int64_t{100} * 365 * 24 * 3600;
  return Duration::Seconds(std::clamp<int64_t>(grace_seconds, 0, kCentury));
}

// Marks the pod as deleted. A further delete can only shorten the grace period.
void MarkPod(api::JsonObject& pod, const DeleteOptions& options, Instant now) {
  if (!admission::IsDeleting(pod)) {
    const int64_t grace = GraceOf(pod, options);
    return admission::MarkDeleted(pod, now + DelayOf(grace), grace);
  }
  const api::JsonObject& metadata = admission::MetadataOf(pod);
  const int64_t left = api::IntAt(&metadata, "deletionGracePeriodSeconds").value_or(0);
  if (!options.grace_period_seconds || *options.grace_period_seconds >= left) return;
  const int64_t grace = std::max<int64_t>(*options.grace_period_seconds, 0);
  Instant at = now;
  if (const auto until = api::ParseTimestamp(api::StringAt(&metadata, "deletionTimestamp"))) {
    at = std::max(now, *until + (DelayOf(grace) - DelayOf(left)));
  }
  admission::MarkDeleted(pod, at, grace);
}

bool IsProtectedNamespace(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

void MarkNamespace(api::JsonObject& document, Instant now) {
  if (admission::IsDeleting(document)) return;
  api::SetString(admission::MetadataOf(document), "deletionTimestamp", api::FormatTime(now));
  api::SetString(api::EnsureObject(document, "status"), "phase", "Terminating");
}

// Protects the definition until its instances are gone, if it could have any.
void MarkDefinition(api::JsonObject& document, Instant now) {
  if (!crd::HasCondition(document, "Established")) return;
  SetFinalizer(admission::MetadataOf(document), crd::kCleanupFinalizer, true);
  admission::SetCondition(api::EnsureObject(document, "status"), "Terminating", "True",
                          "InstanceDeletionPending",
                          "CustomResourceDefinition marked for deletion; CustomResource deletion "
                          "will begin soon",
                          now);
}

}  // namespace

api::scheme::ApiResult<std::optional<Deleted>> Api::TryDelete(Attempt& attempt,
                                                              const DeleteOptions& options) {
  const api::scheme::Kind& kind = attempt.kind;
  api::JsonObject& document = attempt.new_object();
  ApplyPropagation(kind, options, admission::MetadataOf(document));
  if (kind.IsBuiltIn("Pod")) {
    MarkPod(document, options, now());
  } else if (kind.IsBuiltIn("Namespace")) {
    MarkNamespace(document, now());
  } else if (!admission::IsDeleting(document)) {
    if (kind.IsBuiltIn("CustomResourceDefinition")) MarkDefinition(document, now());
    admission::MarkDeleted(document, now(), 0);
  }
  const bool gone = admission::IsReleased(kind, document);
  api::scheme::ApiResult<std::optional<ObjectPtr>> done = Commit(attempt, options.dry_run);
  if (!done) return std::unexpected(std::move(done.error()));
  if (!*done) return std::nullopt;
  return Deleted{std::move(**done), gone};
}

api::scheme::ApiResult<Deleted> Api::Delete(const api::scheme::Kind& requested,
                                            const ObjectName& name, const DeleteOptions& options) {
  const api::scheme::Kind& kind = api::scheme::StoredKind(requested);
  const std::string_view policy = options.propagation_policy;
  if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("propagationPolicy: Unsupported value: \"{}\": supported values: "
                    "\"Background\", \"Foreground\", \"Orphan\"",
                    policy)));
  }
  if (kind.IsBuiltIn("Namespace") && IsProtectedNamespace(name.name)) {
    return std::unexpected(
        api::scheme::Forbidden(kind, name.name, "this namespace may not be deleted"));
  }
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) return std::unexpected(api::scheme::NotFound(kind, name.name));
    if (auto checked = CheckPreconditions(kind, *seen, options); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    store::Scratch scratch;
    Attempt attempt{kind, seen, store::ParseIn(*seen, scratch.storage()),
                    api::Json(scratch.storage())};
    attempt.after = attempt.before;
    attempt.deletes = true;
    api::scheme::ApiResult<std::optional<Deleted>> done = TryDelete(attempt, options);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooManyConflicts(kind, name.name));
}

namespace {

void CountRemaining(const api::scheme::Kind& kind, const store::Object& object,
                    NamespaceContent& content) {
  ++content.objects;
  ++content.by_resource[fmt::format("{}.{}", kind.resource, kind.group)];
  const api::Json document = store::Parse(object);
  const api::JsonObject* metadata = api::ObjectAt(api::AsObject(document), "metadata");
  const api::JsonArray* finalizers = api::ArrayAt(metadata, "finalizers");
  for (size_t i = 0; finalizers && i < finalizers->size(); ++i) {
    ++content.by_finalizer[std::string(api::AsString((*finalizers)[i]))];
  }
}

}  // namespace

NamespaceContent Api::DeleteNamespaceContent(std::string_view namespace_,
                                             std::optional<int64_t> pod_grace) {
  NamespaceContent content;
  const auto delete_all = [&](const api::scheme::Kind& kind) {
    store::ListQuery query;
    query.namespace_ = namespace_;
    DeleteOptions options;
    options.propagation_policy = "Background";
    if (kind.IsBuiltIn("Pod")) options.grace_period_seconds = pod_grace;
    for (const ObjectPtr& object : store_.List(kind.collection, query).objects) {
      const api::scheme::ApiResult<Deleted> deleted = Delete(kind, object->key, options);
      if (deleted ? deleted->gone : deleted.error().code == 404) continue;
      CountRemaining(kind, deleted ? *deleted->object : *object, content);
    }
  };
  delete_all(api::scheme::KindOf("pods"));
  if (content.objects > 0) return content;
  const auto kinds = this->kinds();
  for (const api::scheme::KindPtr& stored : kinds->stored()) {
    if (stored->namespaced && !stored->IsBuiltIn("Pod")) delete_all(*stored);
  }
  return content;
}

}  // namespace berth::apiserver::registry
