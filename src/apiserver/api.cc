#include "apiserver/api.h"

#include <fmt/format.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include "apiserver/api_attempt.h"
#include "apiserver/draft.h"
#include "apiserver/json_access.h"
#include "apiserver/metadata.h"
#include "base/check.h"

namespace berth::apiserver {

Json ParseIn(const store::Object& object, boost::json::storage_ptr storage) {
  boost::json::parse_options options;
  // The document itself is two levels above what MakeDraft counts.
  options.max_depth = kMaxDepth + 2;
  boost::json::error_code error;
  Json document = boost::json::parse(object.json, error, std::move(storage), options);
  CHECK(!error && document.is_object());  // Only MakeDraft's texts are stored.
  return document;
}

Json Parse(const store::Object& object) { return ParseIn(object, {}); }

const Kind& StoredKind(const Kind& kind) {
  static const Kind& core_events = KindOf("events");
  return kind.collection == core_events.collection && kind.stored ? core_events : kind;
}

ApiError RefusedWrite(const store::Store& store, const Kind& kind, std::string_view name,
                      store::WriteError error) {
  switch (error) {
    case store::WriteError::kExists:
      return AlreadyExists(kind, name);
    case store::WriteError::kNotFound:
      return NotFound(kind, name);
    case store::WriteError::kConflict:
      return TooContended(kind, name);
    case store::WriteError::kFailed:
      break;
  }
  const Status health = store.health();
  return InternalError(health ? "the write was not kept" : health.error().message);
}

ApiError TooContended(const Kind& kind, std::string_view name) {
  return Conflict(kind, name, "the object is being modified by too many clients at once");
}

Api::Api(store::Store& store, const Clock& clock, uint64_t seed)
    : store_(store), clock_(clock), random_(seed) {
  priorities_.Refresh(store_);
  CreateBootstrapObjects();
}

uint64_t Api::Draw() {
  const std::lock_guard lock(random_mutex_);
  return random_.Next();
}

void Api::Wrote(const Kind& kind) {
  if (kind.kind == "PriorityClass") priorities_.Refresh(store_);
}

ApiResult<std::optional<ObjectPtr>> Api::Commit(Attempt& attempt, bool dry_run) {
  const Kind& kind = attempt.kind;
  const ObjectPtr& seen = attempt.seen;
  const bool released = IsReleased(kind, attempt.new_object());
  if (!released && SameDocument(attempt.old_object(), attempt.new_object())) return seen;
  ApiResult<store::Draft> draft = MakeDraft(kind, attempt.new_object());
  if (!draft) return std::unexpected(std::move(draft.error()));
  if (dry_run) return Finish(std::move(*draft), seen->version);
  // Once nothing holds the object it goes, with its last words.
  const store::WriteOutcome outcome =
      released ? store_.Delete(kind.collection, seen->key, seen->version)
               : store_.Replace(kind.collection, std::move(*draft), seen->version);
  if (!outcome) {
    if (outcome.error() == store::WriteError::kConflict) return std::nullopt;
    return std::unexpected(RefusedWrite(store_, kind, seen->key.name, outcome.error()));
  }
  Wrote(kind);
  if (released) return Finish(std::move(*draft), (*outcome)->version);
  return *outcome;
}

ApiResult<ObjectPtr> Api::Modify(const Kind& kind, const ObjectName& name,
                                 const std::function<bool(Json&)>& change) {
  for (int i = 0; i < kMaxAttempts; ++i) {
    ObjectPtr seen = store_.Get(kind.collection, name);
    if (!seen) return std::unexpected(NotFound(kind, name.name));
    // Shared: `change` may keep parts of the document.
    const auto storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
    Attempt attempt{kind, seen, ParseIn(*seen, storage), Json(storage)};
    attempt.after = attempt.before;
    if (!change(attempt.after)) return seen;
    if (!attempt.after.is_object()) {
      return std::unexpected(InternalError("a change left no object"));
    }
    DropNulls(attempt.new_object());
    KeepIdentity(attempt.old_object(), attempt.new_object());
    CountGeneration(kind, attempt.old_object(), attempt.new_object());
    ApiResult<std::optional<ObjectPtr>> done = Commit(attempt, false);
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return std::move(**done);
  }
  return std::unexpected(TooContended(kind, name.name));
}

}  // namespace berth::apiserver
