#include "apiserver/store/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "base/check.h"

namespace berth::apiserver::store {

namespace {

constexpr std::array<std::string_view, 5> kMetadataFirst = {"name", "generateName", "namespace",
                                                            "uid", "resourceVersion"};
// In the order of kube-apiserver; other members follow.
constexpr std::array<std::string_view, 9> kMetadataNext = {
    "generation",   "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "labels",       "annotations",       "ownerReferences",   "finalizers",
    "managedFields"};

void AppendKey(std::string& out, std::string_view key) {
  api::AppendJsonString(out, key);
  out += ':';
}

bool AppendMember(std::string& out, std::string_view key, const api::Json& value, size_t depth) {
  if (out.back() != '{') out += ',';
  AppendKey(out, key);
  return api::AppendJson(out, value, depth);
}

// Returns the position for the digits of the resourceVersion, or nullopt if the nesting is too
// deep.
std::optional<size_t> AppendMetadata(std::string& out, const api::JsonObject& metadata) {
  out += '{';
  for (const std::string_view key : kMetadataFirst) {
    if (key == "resourceVersion") continue;
    const api::Json* value = api::At(&metadata, key);
    if (value && !AppendMember(out, key, *value, kMaxDepth)) return std::nullopt;
  }
  if (out.back() != '{') out += ',';
  out += "\"resourceVersion\":\"";
  const size_t version_at = out.size();
  out += '"';
  for (const std::string_view key : kMetadataNext) {
    const api::Json* value = api::At(&metadata, key);
    if (value && !AppendMember(out, key, *value, kMaxDepth)) return std::nullopt;
  }
  for (const auto& [key, value] : metadata) {
    const std::string_view name(key.data(), key.size());
    if (value.is_null() || std::ranges::find(kMetadataFirst, name) != kMetadataFirst.end() ||
        std::ranges::find(kMetadataNext, name) != kMetadataNext.end()) {
      continue;
    }
    if (!AppendMember(out, name, value, kMaxDepth)) return std::nullopt;
  }
  out += '}';
  return version_at;
}

bool SameManagedFields(const api::Json* a, const api::Json* b) {
  if (!a || !b) return api::IsEmpty(a) && api::IsEmpty(b);
  const api::JsonArray* left = a->if_array();
  const api::JsonArray* right = b->if_array();
  if (!left || !right || left->size() != right->size()) return *a == *b;
  for (size_t i = 0; i < left->size(); ++i) {
    const api::JsonObject* x = (*left)[i].if_object();
    const api::JsonObject* y = (*right)[i].if_object();
    if (!x || !y || x->size() != y->size()) return false;
    for (const auto& [key, value] : *x) {
      const api::Json* other = y->if_contains(key);
      if (!other || (key != "time" && *other != value)) return false;
    }
  }
  return true;
}

bool SameMetadata(const api::JsonObject* before, const api::JsonObject* after) {
  if (!before || !after) return !before && !after;
  const auto covered = [](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      if (member.key() == "resourceVersion" || member.key() == "managedFields") return true;
      return api::SameAt(&a, &b, member.key());
    });
  };
  return covered(*before, *after) && covered(*after, *before) &&
         SameManagedFields(api::At(before, "managedFields"), api::At(after, "managedFields"));
}

const api::Json* FindPath(const api::JsonObject& document, std::string_view path) {
  const api::JsonObject* object = &document;
  for (;;) {
    const size_t dot = path.find('.');
    const api::Json* value = api::At(object, path.substr(0, dot));
    if (dot == std::string_view::npos) return value;
    object = api::AsObject(value);
    if (!object) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string SelectableField(const api::scheme::Kind& kind, const api::JsonObject& document,
                            std::string_view path) {
  // These two selectors are not paths of the object.
  if (kind.IsBuiltIn("Job") && path == "status.successful") path = "status.succeeded";
  if (kind.IsBuiltIn("Event") && path == "source") {
    const std::string_view component =
        api::StringAt(api::ObjectAt(&document, "source"), "component");
    return std::string(component.empty() ? api::StringAt(&document, "reportingComponent")
                                         : component);
  }
  const api::Json* value = FindPath(document, path);
  if (!value) {
    if (path == "spec.unschedulable" || path == "spec.hostNetwork") return "false";
    if (path == "status.succeeded" || path == "status.replicas") return "0";
    return {};
  }
  if (const bool* flag = value->if_bool()) return *flag ? "true" : "false";
  if (const std::optional<int64_t> number = api::AsInt(value)) return fmt::format("{}", *number);
  return std::string(api::AsString(*value));
}

api::scheme::ApiResult<Draft> MakeDraft(const api::scheme::Kind& kind,
                                        const api::JsonObject& document) {
  Draft draft;
  Object& object = draft.object;
  const api::JsonObject* metadata = api::ObjectAt(&document, "metadata");
  const api::JsonObject empty;
  object.key = {std::string(api::StringAt(metadata, "namespace")),
                std::string(api::StringAt(metadata, "name"))};
  object.uid = api::StringAt(metadata, "uid");
  if (const api::JsonObject* labels = api::ObjectAt(metadata, "labels")) {
    object.labels.reserve(labels->size());
    for (const auto& [key, value] : *labels) object.labels.emplace_back(key, api::AsString(value));
    std::ranges::sort(object.labels);
  }
  // Those of custom kinds may change with their definition, so selectors read them from the JSON.
  if (kind.custom == nullptr) {
    object.fields.reserve(kind.selectable_fields.size());
    for (const std::string_view path : kind.selectable_fields) {
      object.fields.push_back(SelectableField(kind, document, path));
    }
  }

  std::string& out = object.json;
  out.reserve(2048);
  out += "{\"kind\":";
  api::AppendJsonString(out, kind.kind);
  out += ",\"apiVersion\":";
  api::AppendJsonString(out, kind.api_version());
  out += ",\"metadata\":";
  const std::optional<size_t> version_at = AppendMetadata(out, metadata ? *metadata : empty);
  bool fits = version_at.has_value();
  for (const auto& [key, value] : document) {
    if (!fits) break;
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    // A schema may allow null.
    if (value.is_null() && kind.custom == nullptr) continue;
    fits = AppendMember(out, {key.data(), key.size()}, value, kMaxDepth);
  }
  if (!fits) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("the object is nested more than {} levels deep", kMaxDepth)));
  }
  out += '}';
  draft.version_at = *version_at;
  return draft;
}

ObjectPtr Finish(Draft draft, Version version) {
  auto object = std::make_shared<Object>(std::move(draft.object));
  object->json.insert(draft.version_at, fmt::format("{}", version));
  object->version = version;
  object->version_at = draft.version_at;
  return object;
}

bool SameDocument(const api::JsonObject& before, const api::JsonObject& after, bool exact) {
  const auto covered = [exact](const api::JsonObject& a, const api::JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      if (key == "metadata" || key == "kind" || key == "apiVersion") return true;
      if (!exact) return api::SameAt(&a, &b, key);
      const api::Json* other = b.if_contains(key);
      return other != nullptr && *other == member.value();
    });
  };
  return SameMetadata(api::ObjectAt(&before, "metadata"), api::ObjectAt(&after, "metadata")) &&
         covered(before, after) && covered(after, before);
}

api::Json ParseIn(const Object& object, boost::json::storage_ptr storage) {
  // MakeDraft counts from the third level of the document.
  auto document =
      api::ParseJson(object.json, {.max_depth = kMaxDepth + 2, .storage = std::move(storage)});
  CHECK(document && document->is_object());  // MakeDraft produced the text.
  return *std::move(document);
}

api::Json Parse(const Object& object) { return ParseIn(object, {}); }

}  // namespace berth::apiserver::store
