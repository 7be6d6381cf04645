#include "apiserver/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/json_writer.h"
#include "apiserver/json_access.h"
#include "apiserver/kinds.h"

namespace berth::apiserver {

namespace {

constexpr std::array<std::string_view, 5> kMetadataFirst = {"name", "generateName", "namespace",
                                                            "uid", "resourceVersion"};
// In the order in which the stock server writes them; others follow.
constexpr std::array<std::string_view, 9> kMetadataNext = {
    "generation",   "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "labels",       "annotations",       "ownerReferences",   "finalizers",
    "managedFields"};

template <typename Number>
void AppendNumber(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void AppendKey(std::string& out, std::string_view key) {
  api::AppendJsonString(out, key);
  out += ':';
}

bool AppendMember(std::string& out, std::string_view key, const Json& value, size_t depth) {
  if (out.back() != '{') out += ',';
  AppendKey(out, key);
  return AppendJson(out, value, depth);
}

// Returns where the digits of the resourceVersion belong, or nothing if it is too deep.
std::optional<size_t> AppendMetadata(std::string& out, const JsonObject& metadata) {
  out += '{';
  for (const std::string_view key : kMetadataFirst) {
    if (key == "resourceVersion") continue;
    const Json* value = At(&metadata, key);
    if (value && !AppendMember(out, key, *value, kMaxDepth)) return std::nullopt;
  }
  if (out.back() != '{') out += ',';
  out += "\"resourceVersion\":\"";
  const size_t version_at = out.size();
  out += '"';
  for (const std::string_view key : kMetadataNext) {
    const Json* value = At(&metadata, key);
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

bool SameManagedFields(const Json* a, const Json* b) {
  if (!a || !b) return IsEmpty(a) && IsEmpty(b);
  const JsonArray* left = a->if_array();
  const JsonArray* right = b->if_array();
  if (!left || !right || left->size() != right->size()) return *a == *b;
  for (size_t i = 0; i < left->size(); ++i) {
    const JsonObject* x = (*left)[i].if_object();
    const JsonObject* y = (*right)[i].if_object();
    if (!x || !y || x->size() != y->size()) return false;
    for (const auto& [key, value] : *x) {
      const Json* other = y->if_contains(key);
      if (!other || (key != "time" && *other != value)) return false;
    }
  }
  return true;
}

bool SameMetadata(const JsonObject* before, const JsonObject* after) {
  if (!before || !after) return !before && !after;
  const auto covered = [](const JsonObject& a, const JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      if (member.key() == "resourceVersion" || member.key() == "managedFields") return true;
      return SameAt(&a, &b, member.key());
    });
  };
  return covered(*before, *after) && covered(*after, *before) &&
         SameManagedFields(At(before, "managedFields"), At(after, "managedFields"));
}

const Json* Walk(const JsonObject& document, std::string_view path) {
  const JsonObject* object = &document;
  for (;;) {
    const size_t dot = path.find('.');
    const Json* value = At(object, path.substr(0, dot));
    if (dot == std::string_view::npos) return value;
    object = AsObject(value);
    if (!object) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

bool AppendJson(std::string& out, const Json& value, size_t depth) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return true;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return true;
    case boost::json::kind::int64:
      AppendNumber(out, value.get_int64());
      return true;
    case boost::json::kind::uint64:
      AppendNumber(out, value.get_uint64());
      return true;
    case boost::json::kind::double_:
      AppendNumber(out, value.get_double());
      return true;
    case boost::json::kind::string:
      api::AppendJsonString(out, ViewOf(value.get_string()));
      return true;
    case boost::json::kind::array: {
      if (depth == 0) return false;
      char separator = '[';
      for (const Json& item : value.get_array()) {
        out += separator;
        separator = ',';
        if (!AppendJson(out, item, depth - 1)) return false;
      }
      out += separator == '[' ? "[]" : "]";
      return true;
    }
    case boost::json::kind::object: {
      if (depth == 0) return false;
      char separator = '{';
      for (const auto& [key, item] : value.get_object()) {
        out += separator;
        separator = ',';
        AppendKey(out, {key.data(), key.size()});
        if (!AppendJson(out, item, depth - 1)) return false;
      }
      out += separator == '{' ? "{}" : "}";
      return true;
    }
  }
  return true;
}

std::string SelectableField(const Kind& kind, const JsonObject& document, std::string_view path) {
  // Two names that are not paths of the object.
  if (kind.kind == "Job" && path == "status.successful") path = "status.succeeded";
  if (kind.kind == "Event" && path == "source") {
    const std::string_view component = StringAt(ObjectAt(&document, "source"), "component");
    return std::string(component.empty() ? StringAt(&document, "reportingComponent") : component);
  }
  const Json* value = Walk(document, path);
  if (!value) {
    if (path == "spec.unschedulable" || path == "spec.hostNetwork") return "false";
    if (path == "status.succeeded" || path == "status.replicas") return "0";
    return {};
  }
  if (const bool* flag = value->if_bool()) return *flag ? "true" : "false";
  if (const std::optional<int64_t> number = AsInt(value)) return fmt::format("{}", *number);
  return std::string(AsString(*value));
}

ApiResult<store::Draft> MakeDraft(const Kind& kind, const JsonObject& document) {
  store::Draft draft;
  store::Object& object = draft.object;
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const JsonObject empty;
  object.key = {std::string(StringAt(metadata, "namespace")),
                std::string(StringAt(metadata, "name"))};
  object.uid = StringAt(metadata, "uid");
  if (const JsonObject* labels = ObjectAt(metadata, "labels")) {
    object.labels.reserve(labels->size());
    for (const auto& [key, value] : *labels) object.labels.emplace_back(key, AsString(value));
    std::ranges::sort(object.labels);
  }
  object.fields.reserve(kind.selectable.size());
  for (const std::string_view path : kind.selectable) {
    object.fields.push_back(SelectableField(kind, document, path));
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
    if (key == "kind" || key == "apiVersion" || key == "metadata" || value.is_null()) continue;
    fits = AppendMember(out, {key.data(), key.size()}, value, kMaxDepth);
  }
  if (!fits) {
    return std::unexpected(
        BadRequest(fmt::format("the object is nested more than {} levels deep", kMaxDepth)));
  }
  out += '}';
  draft.version_at = *version_at;
  return draft;
}

store::ObjectPtr Finish(store::Draft draft, store::Version version) {
  auto object = std::make_shared<store::Object>(std::move(draft.object));
  object->json.insert(draft.version_at, fmt::format("{}", version));
  object->version = version;
  object->version_at = draft.version_at;
  return object;
}

bool SameDocument(const JsonObject& before, const JsonObject& after) {
  const auto covered = [](const JsonObject& a, const JsonObject& b) {
    return std::ranges::all_of(a, [&](const auto& member) {
      const std::string_view key = member.key();
      if (key == "metadata" || key == "kind" || key == "apiVersion") return true;
      return SameAt(&a, &b, key);
    });
  };
  return SameMetadata(ObjectAt(&before, "metadata"), ObjectAt(&after, "metadata")) &&
         covered(before, after) && covered(after, before);
}

}  // namespace berth::apiserver
