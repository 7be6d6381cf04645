#include "apiserver/registry/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/monotonic_resource.hpp>
#include <limits>
#include <string_view>

#include "api/json/document.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/priority_classes.h"
#include "apiserver/crd/validation_work.h"
#include "apiserver/registry/custom_objects.h"
#include "apiserver/registry/write_attempt.h"
#include "apiserver/store/codec.h"
#include "base/check.h"

namespace berth::apiserver::registry {

api::scheme::ApiError ToApiError(const store::Store& store, const api::scheme::Kind& kind,
                                 std::string_view name, store::WriteError error) {
  switch (error) {
    case store::WriteError::kExists:
      return api::scheme::AlreadyExists(kind, name);
    case store::WriteError::kNotFound:
      return api::scheme::NotFound(kind, name);
    case store::WriteError::kConflict:
      return TooManyConflicts(kind, name);
    case store::WriteError::kFailed:
      break;
  }
  const Status health = store.health();
  return api::scheme::InternalError(health ? "the write was not stored" : health.error().message);
}

api::scheme::ApiResult<void> CheckSize(const store::Draft& draft, size_t size_before) {
  const size_t size = draft.object.json.size();
  if (size <= std::max(kMaxObjectBytes, size_before)) return {};
  return std::unexpected(api::scheme::MakeError(
      413, fmt::format("etcdserver: request is too large: the object has {} bytes, the limit is {}",
                       size, kMaxObjectBytes)));
}

api::scheme::ApiError TooManyConflicts(const api::scheme::Kind& kind, std::string_view name) {
  return api::scheme::Conflict(kind, name,
                               "the object is being modified by too many clients at once");
}

Api::Api(store::Store& store, const Clock& clock, uint64_t seed,
         const admission::WorkloadGates& workloads)
    : store_(store),
      clock_(clock),
      random_(seed),
      workloads_(workloads),
      definitions_(store, workloads.generic_workload) {
  priorities_.Refresh(store_);
  CreateBootstrapObjects();
  SyncDefinitions();
}

uint64_t Api::NextRandom() {
  const std::lock_guard lock(random_mutex_);
  return random_.Next();
}

void Api::AfterWrite(const api::scheme::Kind& kind) {
  // What has been stored is carried out, whatever its validation has cost.
  crd::ValidationWork unlimited(std::numeric_limits<uint64_t>::max());
  if (kind.IsBuiltIn("PriorityClass")) priorities_.Refresh(store_);
  if (kind.IsBuiltIn("CustomResourceDefinition")) {
    definitions_.Refresh();
    SyncDefinitions();
  } else if (kind.custom != nullptr && definitions_.any_terminating()) {
    const auto resource = definitions_.Find(kind.collection);
    if (resource != nullptr && resource->terminating() && store_.Count(kind.collection) == 0) {
      FinishDeletion(*resource);
    }
  }
}

api::scheme::ApiResult<std::optional<ObjectPtr>> Api::Commit(Attempt& attempt, bool dry_run) {
  const api::scheme::Kind& kind = attempt.kind;
  const ObjectPtr& seen = attempt.seen;
  const bool released = admission::IsReleased(kind, attempt.new_object());
  const bool custom = kind.custom != nullptr;
  if (!released && store::SameDocument(attempt.old_object(), attempt.new_object(), custom)) {
    return seen;
  }
  ToStorageVersion(kind, attempt.new_object());
  api::scheme::ApiResult<store::Draft> draft =
      store::MakeDraft(StoredKind(kind), attempt.new_object());
  if (!draft) return std::unexpected(std::move(draft.error()));
  // A delete must succeed even if its marks make the object too large.
  if (!attempt.deletes && !released) {
    if (auto checked = CheckSize(*draft, seen->json.size()); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
  }
  if (dry_run) return store::Finish(std::move(*draft), seen->version);
  // A released object is removed; the result is its last state.
  const store::WriteOutcome outcome =
      released ? store_.Delete(kind.collection, seen->key, seen->version)
               : store_.Replace(kind.collection, std::move(*draft), seen->version);
  if (!outcome) {
    if (outcome.error() == store::WriteError::kConflict) return std::nullopt;
    return std::unexpected(ToApiError(store_, kind, seen->key.name, outcome.error()));
  }
  AfterWrite(kind);
  if (released) return store::Finish(std::move(*draft), (*outcome)->version);
  return *outcome;
}

api::scheme::ApiResult<ObjectPtr> Api::Modify(const api::scheme::Kind& kind, const ObjectName& name,
                                              const std::function<bool(api::Json&)>& change) {
  for (int i = 0; i < kMaxAttempts; ++i) {
    ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) return std::unexpected(api::scheme::NotFound(kind, name.name));
    // Shared, since `change` may retain parts of the document.
    const auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
    Attempt attempt{kind, seen, store::ParseIn(*seen, storage), api::Json(storage)};
    attempt.after = attempt.before;
    if (!change(attempt.after)) return seen;
    if (!attempt.after.is_object()) {
      return std::unexpected(api::scheme::InternalError("a change left no object"));
    }
    if (kind.custom == nullptr) admission::DropNulls(attempt.new_object());
    admission::PreserveIdentity(attempt.old_object(), attempt.new_object());
    admission::BumpGeneration(kind, attempt.old_object(), attempt.new_object());
    api::scheme::ApiResult<std::optional<ObjectPtr>> done = Commit(attempt, false);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooManyConflicts(kind, name.name));
}

namespace {

api::JsonObject Named(std::string_view name) {
  api::JsonObject document;
  api::SetString(admission::MetadataOf(document), "name", name);
  return document;
}

api::JsonObject PriorityClassNamed(const admission::SystemPriority& priority) {
  api::JsonObject document = Named(priority.name);
  api::SetInt(document, "value", priority.value);
  api::SetString(document, "description", priority.description);
  return document;
}

api::JsonObject KubernetesService() {
  api::JsonObject document = Named("kubernetes");
  api::JsonObject& labels = api::EnsureObject(admission::MetadataOf(document), "labels");
  api::SetString(labels, "component", "apiserver");
  api::SetString(labels, "provider", "kubernetes");
  api::JsonObject& spec = api::EnsureObject(document, "spec");
  api::SetString(spec, "clusterIP", "10.96.0.1");
  api::JsonObject& port =
      api::EnsureArray(spec, "ports").emplace_back(boost::json::object_kind).get_object();
  api::SetString(port, "name", "https");
  api::SetInt(port, "port", 443);
  api::SetInt(port, "targetPort", 6443);
  return document;
}

}  // namespace

// A store restored from a journal already has most of them.
void Api::CreateBootstrapObjects() {
  const auto ensure = [&](const api::scheme::Kind& kind, std::string_view namespace_,
                          api::JsonObject document) {
    const std::string name(api::StringAt(&admission::MetadataOf(document), "name"));
    if (store_.Get(kind.collection, {std::string(namespace_), name})) return;
    // Fails if another service has its address.
    (void)Create(kind, namespace_, std::move(document));
  };
  const api::scheme::Kind& namespaces = api::scheme::KindOf("namespaces");
  for (const std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    ensure(namespaces, "", Named(name));
  }
  for (const admission::SystemPriority& priority : admission::kSystemPriorities) {
    ensure(api::scheme::KindOf("priorityclasses.scheduling.k8s.io"), "",
           PriorityClassNamed(priority));
  }
  ensure(api::scheme::KindOf("services"), "default", KubernetesService());
}

}  // namespace berth::apiserver::registry
