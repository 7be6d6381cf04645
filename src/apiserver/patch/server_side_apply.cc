#include "apiserver/patch/server_side_apply.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/api_error.h"
#include "api/scheme/scheme.h"
#include "api/timestamp.h"
#include "apiserver/patch/apply_merge.h"
#include "apiserver/patch/managed_fields.h"

namespace berth::apiserver::patch {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string ApiVersionOf(const api::scheme::Kind& kind) {
  std::string version(kind.version);
  return kind.group.empty() ? version : std::string(kind.group) + "/" + version;
}

// Returns the member `name` of the object `value`, or null.
const api::Json* MemberOf(const api::Json* value, std::string_view name) {
  const auto* object = value != nullptr ? value->if_object() : nullptr;
  return object != nullptr ? object->if_contains(name) : nullptr;
}

// Reports whether a write to `subresource` includes the top-level field `member`.
bool Includes(const api::scheme::Kind& kind, std::string_view subresource,
              std::string_view member) {
  if (subresource == "status") {
    return member == "status" || member == "metadata" || member == "kind" || member == "apiVersion";
  }
  return member != "status" || !kind.has_status;
}

// Returns the top-level fields that a write to `subresource` includes.
api::JsonObject IncludedFields(const api::scheme::Kind& kind, std::string_view subresource,
                               const api::JsonObject& object) {
  api::JsonObject result;
  for (const auto& member : object) {
    if (Includes(kind, subresource, member.key())) result.insert(member);
  }
  return result;
}

struct Conflict {
  const ManagedEntry* entry;
  FieldSet fields;
};

api::scheme::ApiError ConflictError(std::vector<Conflict> conflicts) {
  std::ranges::stable_sort(conflicts, {},
                           [](const Conflict& conflict) { return conflict.entry->manager; });
  api::scheme::ApiError error = api::scheme::MakeError(409, "");
  std::string list;
  size_t count = 0;
  for (const Conflict& conflict : conflicts) {
    count += conflict.fields.Size();
    const size_t limit = api::kMaxReportedErrors - error.causes.size();
    if (limit == 0) continue;
    const std::string manager = api::Limited(conflict.entry->Text());
    if (!list.empty()) list += "\n";
    list += "conflicts with " + manager + ":";
    for (const std::string& path : conflict.fields.Paths(limit)) {
      error.causes.push_back({"FieldManagerConflict", "conflict with " + manager, path});
      list += "\n- " + path;
    }
  }
  if (count > error.causes.size()) list += "\n...";
  if (error.causes.size() == 1) {
    error.message =
        "Apply failed with 1 conflict: " + error.causes[0].message + ": " + error.causes[0].field;
  } else {
    error.message = "Apply failed with " + std::to_string(count) + " conflicts: " + list;
  }
  return error;
}

// Returns the fields that client-side `kubectl apply` set and that have not changed since. kubectl
// takes their ownership without force when a user migrates to server-side apply.
FieldSet ClientSideApplied(const FieldContext& context, const api::JsonObject& live) {
  const api::Json* annotations = MemberOf(live.if_contains("metadata"), "annotations");
  const api::Json* text = MemberOf(annotations, kLastApplied);
  if (text == nullptr || !text->is_string()) return {};
  const auto applied = api::ParseJson(text->get_string());
  if (!applied || !applied->is_object()) return {};
  const FieldChanges changes = CompareFields(context, applied->get_object(), live);
  return FieldsOf(context, applied->get_object())
      .Difference(changes.modified)
      .Difference(changes.removed);
}

// Application executes one apply.
class Application {
 public:
  Application(const api::scheme::Kind& kind, api::JsonObject live, const ApplyOptions& options)
      : context_(FieldContext::Of(kind)), live_(std::move(live)), options_(options) {
    mine_.manager = options.manager;
    mine_.applied = true;
    mine_.api_version = ApiVersionOf(kind);
    mine_.subresource = options.subresource;
    mine_.time = api::FormatTime(options.now);
    others_ = ReadManagedFields(live_);
    if (others_.empty() && !live_.empty()) {
      ManagedEntry before;
      before.manager = kBeforeFirstApply;
      before.api_version = mine_.api_version;
      before.time = mine_.time;
      before.fields =
          WithoutServerFields(FieldsOf(context_, IncludedFields(kind, options.subresource, live_)));
      others_.push_back(std::move(before));
    }
    const auto last = std::ranges::find_if(
        others_, [&](const ManagedEntry& entry) { return entry.SameManager(mine_); });
    if (last == others_.end()) return;
    last_ = std::move(*last);
    others_.erase(last);
  }

  api::scheme::ApiResult<api::Json> Apply(const api::JsonObject& config) && {
    mine_.fields = WithoutServerFields(FieldsOf(context_, config));
    FieldSet keep = mine_.fields;
    for (const ManagedEntry& entry : others_) keep.Add(entry.fields);
    api::JsonObject result = live_;
    MergeConfig(context_, result, config);
    PruneUnowned(context_, result, last_.fields, keep);

    FieldChanges changes = CompareFields(context_, live_, result);
    FieldSet written = std::move(changes.added);
    written.Add(std::move(changes.modified));
    if (!options_.force) {
      if (auto conflicts = FindConflicts(written); !conflicts.empty()) {
        return std::unexpected(ConflictError(std::move(conflicts)));
      }
    }
    for (ManagedEntry& entry : others_) {
      entry.fields = entry.fields.Difference(written).Difference(changes.removed);
    }
    const bool unchanged =
        last_.fields == mine_.fields && last_.api_version == mine_.api_version && result == live_;
    if (unchanged) mine_.time = last_.time;
    others_.push_back(std::move(mine_));
    WriteManagedFields(std::move(others_), result);
    return result;
  }

 private:
  std::vector<Conflict> FindConflicts(const FieldSet& written) const {
    const FieldSet allowed =
        options_.manager == "kubectl" ? ClientSideApplied(context_, live_) : FieldSet();
    std::vector<Conflict> conflicts;
    for (const ManagedEntry& entry : others_) {
      FieldSet fields = entry.fields.Intersection(written).Difference(allowed);
      if (!fields.Empty()) conflicts.push_back({&entry, std::move(fields)});
    }
    return conflicts;
  }

  FieldContext context_;
  api::JsonObject live_;
  const ApplyOptions& options_;
  ManagedEntry mine_;  // The manager's new entry.
  ManagedEntry last_;  // The manager's previous entry.
  std::vector<ManagedEntry> others_;
};

// Reports whether a client resets managedFields by setting them to [{}].
bool ResetsManagedFields(const api::Json& after) {
  const api::Json* fields = MemberOf(MemberOf(&after, "metadata"), "managedFields");
  const auto* list = fields != nullptr ? fields->if_array() : nullptr;
  return list != nullptr && list->size() == 1 && list->front() == api::Json(api::JsonObject());
}

}  // namespace

api::scheme::ApiError MissingFieldManager() {
  api::scheme::ApiError error =
      api::scheme::MakeError(422,
                             "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required "
                             "value: is required for apply patch");
  error.group = "meta.k8s.io";
  error.kind = "PatchOptions";
  error.causes.push_back(
      {"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"});
  return error;
}

api::scheme::ApiResult<api::Json> ServerSideApply(const api::scheme::Kind& kind,
                                                  const api::Json& live, const api::Json& config,
                                                  const ApplyOptions& options) {
  if (options.manager.empty()) return std::unexpected(MissingFieldManager());
  if (!config.is_object()) {
    return std::unexpected(api::scheme::MalformedPatch("an applied configuration is an object"));
  }
  const api::Json* version = MemberOf(&config, "apiVersion");
  if (version != nullptr && *version != api::Json(ApiVersionOf(kind))) {
    return std::unexpected(api::scheme::MalformedPatch(
        "Incorrect version specified in apply patch. Specified patch version: " +
        api::ToJsonText(*version) + ", expected: \"" + ApiVersionOf(kind) + "\""));
  }
  const api::Json* managed = MemberOf(MemberOf(&config, "metadata"), "managedFields");
  if (managed != nullptr && !managed->is_null()) {
    return std::unexpected(api::scheme::MalformedPatch("metadata.managedFields must be nil"));
  }
  const auto checked = ValidateAppliedConfig(
      FieldContext::Of(kind), IncludedFields(kind, options.subresource, config.get_object()));
  if (!checked) {
    return std::unexpected(api::scheme::MalformedPatch(
        "the applied configuration cannot be used: " + checked.error()));
  }
  return Application(kind, live.is_object() ? live.get_object() : api::JsonObject(), options)
      .Apply(*checked);
}

api::Json TrackUpdate(const api::scheme::Kind& kind, const api::Json& before, api::Json after,
                      std::string_view manager, std::string_view subresource, Instant now) {
  if (!before.is_object() || !after.is_object()) return after;
  auto entries = ReadManagedFields(before.get_object());
  if (entries.empty()) return after;
  api::JsonObject& object = after.get_object();
  if (subresource.empty()) {
    if (ResetsManagedFields(after)) {
      WriteManagedFields({}, object);
      return after;
    }
    if (auto given = ReadManagedFields(object); !given.empty()) entries = std::move(given);
  }
  FieldChanges changes = CompareFields(FieldContext::Of(kind), before.get_object(), object);
  changes.added.Add(std::move(changes.modified));
  const FieldSet written = WithoutServerFields(std::move(changes.added));
  for (ManagedEntry& entry : entries) {
    entry.fields = entry.fields.Difference(written).Difference(changes.removed);
  }
  if (!written.Empty()) {
    ManagedEntry mine;
    mine.manager = manager;
    mine.api_version = ApiVersionOf(kind);
    mine.subresource = subresource;
    mine.time = api::FormatTime(now);
    mine.fields = written;
    const auto last = std::ranges::find_if(
        entries, [&](const ManagedEntry& entry) { return entry.SameManager(mine); });
    if (last == entries.end()) {
      entries.push_back(std::move(mine));
    } else {
      last->fields.Add(written);
      last->time = mine.time;
    }
  }
  WriteManagedFields(std::move(entries), object);
  return after;
}

}  // namespace berth::apiserver::patch
