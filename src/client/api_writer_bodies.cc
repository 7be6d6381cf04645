#include "client/api_writer_bodies.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>

#include "api/json_text.h"
#include "api/json_writer.h"
#include "api/timestamp.h"
#include "kinds/json_access.h"

namespace berth::client {
namespace {

using api::JsonWriter;
using apiserver::AsObject;
using apiserver::Json;
using apiserver::JsonObject;
using apiserver::ObjectAt;
using apiserver::ObjectIn;
using apiserver::SetString;
using apiserver::StringAt;

void Text(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
}

std::optional<Json> Parse(std::string_view text) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = api::kMaxNesting;
  Json value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error) return std::nullopt;
  return value;
}

// Times are written as the API writes them: in whole seconds.
std::string SecondsText(Instant instant) {
  constexpr int64_t kSecond = 1'000'000'000;
  return api::FormatTimestamp({instant.nanos - (instant.nanos % kSecond + kSecond) % kSecond});
}

void Condition(JsonWriter& json, const api::PodCondition& condition) {
  json.BeginObject();
  Text(json, "type", condition.type);
  Text(json, "status", condition.status);
  if (!condition.reason.empty()) Text(json, "reason", condition.reason);
  if (!condition.message.empty()) Text(json, "message", condition.message);
  json.Key("lastProbeTime");
  json.Null();
  if (condition.last_transition_time) {
    Text(json, "lastTransitionTime", SecondsText(*condition.last_transition_time));
  }
  if (condition.observed_generation) {
    json.Key("observedGeneration");
    json.Int(*condition.observed_generation);
  }
  json.EndObject();
}

void SetAnnotations(const api::ObjectMeta& wanted, JsonObject& metadata) {
  SetString(metadata, "resourceVersion", wanted.resource_version);
  if (wanted.annotations.empty()) return;
  JsonObject& annotations = ObjectIn(metadata, "annotations");
  for (const auto& [key, value] : wanted.annotations) SetString(annotations, key, value);
}

// `current` as a document whose metadata are those of the object that the engine means.
Result<Json> Open(std::string_view current, const api::ObjectMeta& wanted) {
  auto document = Parse(current);
  JsonObject* object = document ? AsObject(*document) : nullptr;
  if (object == nullptr) return Fail("the server's answer is not an object");
  SetAnnotations(wanted, ObjectIn(*object, "metadata"));
  return *std::move(document);
}

}  // namespace

std::string PodPath(const api::ObjectKey& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", pod.namespace_, pod.name);
}

std::string PathOf(const api::PersistentVolume& volume) {
  return "/api/v1/persistentvolumes/" + volume.metadata.name;
}

std::string PathOf(const api::PersistentVolumeClaim& claim) {
  return fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", claim.metadata.namespace_,
                     claim.metadata.name);
}

std::string BindingBody(const BindPod& bind) {
  JsonWriter json;
  json.BeginObject();
  Text(json, "apiVersion", "v1");
  Text(json, "kind", "Binding");
  json.Key("metadata");
  json.BeginObject();
  Text(json, "name", bind.pod.name);
  Text(json, "namespace", bind.pod.namespace_);
  Text(json, "uid", bind.uid);
  json.EndObject();
  json.Key("target");
  json.BeginObject();
  Text(json, "kind", "Node");
  Text(json, "name", bind.node);
  json.EndObject();
  json.EndObject();
  return json.Take();
}

std::string StatusPatch(const PatchPodStatus& patch) {
  JsonWriter json;
  json.BeginObject();
  json.Key("status");
  json.BeginObject();
  if (patch.condition) {
    json.Key("$setElementOrder/conditions");
    json.BeginArray();
    json.BeginObject();
    Text(json, "type", patch.condition->type);
    json.EndObject();
    json.EndArray();
    json.Key("conditions");
    json.BeginArray();
    Condition(json, *patch.condition);
    json.EndArray();
  }
  if (patch.nominated_node_name) {
    json.Key("nominatedNodeName");
    if (patch.nominated_node_name->empty()) {
      json.Null();
    } else {
      json.String(*patch.nominated_node_name);
    }
  }
  json.EndObject();
  json.EndObject();
  return json.Take();
}

std::string DeleteBody() { return R"({"kind":"DeleteOptions","apiVersion":"v1"})"; }

Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  if (const auto& claim = wanted.claim_ref) {
    JsonObject& ref = ObjectIn(ObjectIn(document->get_object(), "spec"), "claimRef");
    SetString(ref, "kind", claim->kind);
    SetString(ref, "apiVersion", claim->api_version);
    SetString(ref, "namespace", claim->namespace_);
    SetString(ref, "name", claim->name);
    SetString(ref, "uid", claim->uid);
    SetString(ref, "resourceVersion", claim->resource_version);
  }
  return boost::json::serialize(*document);
}

Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  return boost::json::serialize(*document);
}

AnsweredObject ReadAnswered(std::string_view body) {
  const auto document = Parse(body);
  const JsonObject* object = document ? AsObject(*document) : nullptr;
  const JsonObject* metadata = ObjectAt(object, "metadata");
  return {.uid = std::string(StringAt(metadata, "uid")),
          .resource_version = std::string(StringAt(metadata, "resourceVersion")),
          .node_name = std::string(StringAt(ObjectAt(object, "spec"), "nodeName"))};
}

}  // namespace berth::client
