// Api: the scale of a workload, and its replicas set through it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apiserver/api.h"
#include "apiserver/api_attempt.h"
#include "apiserver/field_errors.h"
#include "apiserver/metadata.h"

namespace berth::apiserver {

namespace {

const Kind& Scales() {
  static const Kind kind{
      .group = "autoscaling", .version = "v1", .resource = "scales", .kind = "Scale"};
  return kind;
}

std::string Join(const JsonArray* values) {
  std::vector<std::string_view> texts;
  for (size_t i = 0; values && i < values->size(); ++i) texts.push_back(AsString((*values)[i]));
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string RequirementText(const JsonObject* expression) {
  const std::string_view key = StringAt(expression, "key");
  const std::string_view op = StringAt(expression, "operator");
  const std::string values = Join(ArrayAt(expression, "values"));
  if (op == "In") return fmt::format("{} in ({})", key, values);
  if (op == "NotIn") return fmt::format("{} notin ({})", key, values);
  return op == "DoesNotExist" ? fmt::format("!{}", key) : std::string(key);
}

// As it is written in a query: "app=web,tier in (a,b)".
std::string SelectorText(const JsonObject* selector, bool is_map) {
  std::multimap<std::string, std::string> parts;
  const JsonObject* labels = is_map ? selector : ObjectAt(selector, "matchLabels");
  if (labels) {
    for (const auto& [key, value] : *labels) {
      parts.emplace(key, fmt::format("{}={}", std::string_view(key), AsString(value)));
    }
  }
  const JsonArray* expressions = is_map ? nullptr : ArrayAt(selector, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    const JsonObject* expression = AsObject((*expressions)[i]);
    parts.emplace(StringAt(expression, "key"), RequirementText(expression));
  }
  std::string text;
  for (const auto& [key, part] : parts) {
    if (!text.empty()) text += ',';
    text += part;
  }
  return text;
}

Json ScaleOf(const Kind& kind, const store::Object& object) {
  const Json document = Parse(object);
  const JsonObject* workload = AsObject(document);
  const JsonObject* metadata = ObjectAt(workload, "metadata");
  const JsonObject* spec = ObjectAt(workload, "spec");
  JsonObject scale;
  SetString(scale, "kind", "Scale");
  SetString(scale, "apiVersion", "autoscaling/v1");
  JsonObject& out = ObjectIn(scale, "metadata");
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = At(metadata, key)) out[key] = *value;
  }
  SetInt(ObjectIn(scale, "spec"), "replicas", IntAt(spec, "replicas").value_or(0));
  JsonObject& status = ObjectIn(scale, "status");
  SetInt(status, "replicas", IntAt(ObjectAt(workload, "status"), "replicas").value_or(0));
  SetString(status, "selector",
            SelectorText(ObjectAt(spec, "selector"), kind.kind == "ReplicationController"));
  return scale;
}

}  // namespace

ApiResult<Json> Api::GetScale(const Kind& kind, const ObjectName& name) {
  const ObjectPtr object = store_.Get(kind.collection, name);
  if (!object) return std::unexpected(NotFound(kind, name.name));
  return ScaleOf(kind, *object);
}

ApiResult<Json> Api::PutScale(const Kind& kind, const ObjectName& name, const Json& scale,
                              const WriteOptions& options) {
  const JsonObject* body = AsObject(scale);
  if (!body) return std::unexpected(BadRequest("a scale must be a JSON object"));
  if (auto checked = CheckAddress(kind, *body, name.name, name.namespace_); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const Json* replicas = At(ObjectAt(body, "spec"), "replicas");
  FieldErrors errors;
  const FieldPath path("spec");
  errors.NonNegative(path / "replicas", replicas);
  if (!errors.empty()) return std::unexpected(Invalid(Scales(), name.name, errors.Take()));
  // A merge patch says it all: what it is for, and what changes.
  JsonObject patch;
  for (const std::string_view key : {"uid", "resourceVersion"}) {
    const std::string_view given = StringAt(MetadataOf(*body), key);
    if (!given.empty()) SetString(ObjectIn(patch, "metadata"), key, given);
  }
  SetInt(ObjectIn(patch, "spec"), "replicas", AsInt(replicas).value_or(0));
  const ApiResult<Written> written = Patch(kind, name, "", PatchType::kMerge, patch, options);
  if (!written) return std::unexpected(written.error());
  return ScaleOf(kind, *written->object);
}

}  // namespace berth::apiserver
