#include "runtime/write_bodies.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "api/group_condition.h"
#include "api/json/document.h"
#include "api/json/json.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/timestamp.h"

namespace berth::runtime {
namespace {

using api::AsObject;
using api::EnsureObject;
using api::Json;
using api::JsonObject;
using api::JsonWriter;
using api::ObjectAt;
using api::SetString;
using api::StringAt;

void Text(JsonWriter& json, std::string_view key, std::string_view text) {
  json.Key(key);
  json.String(text);
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
    Text(json, "lastTransitionTime", api::FormatTime(*condition.last_transition_time));
  }
  if (condition.observed_generation) {
    json.Key("observedGeneration");
    json.Int(*condition.observed_generation);
  }
  json.EndObject();
}

void ElementOrder(JsonWriter& json, const api::PodCondition& condition) {
  json.Key("$setElementOrder/conditions");
  json.BeginArray();
  json.BeginObject();
  Text(json, "type", condition.type);
  json.EndObject();
  json.EndArray();
}

void ExtendedResources(JsonWriter& json, const api::PodExtendedResourceClaimStatus& status) {
  json.Key("extendedResourceClaimStatus");
  json.BeginObject();
  if (!status.request_mappings.empty()) {
    json.Key("requestMappings");
    json.BeginArray();
    for (const api::ContainerExtendedResourceRequest& mapping : status.request_mappings) {
      json.BeginObject();
      Text(json, "containerName", mapping.container_name);
      Text(json, "requestName", mapping.request_name);
      Text(json, "resourceName", mapping.resource_name);
      json.EndObject();
    }
    json.EndArray();
  }
  Text(json, "resourceClaimName", status.resource_claim_name);
  json.EndObject();
}

void SetAnnotations(const api::ObjectMeta& wanted, JsonObject& metadata) {
  SetString(metadata, "resourceVersion", wanted.resource_version);
  if (wanted.annotations.empty()) return;
  JsonObject& annotations = EnsureObject(metadata, "annotations");
  for (const auto& [key, value] : wanted.annotations) SetString(annotations, key, value);
}

// Returns `current` as a document with the metadata of the object that the engine wants to write.
Result<Json> Open(std::string_view current, const api::ObjectMeta& wanted) {
  auto document = api::ParseJson(current);
  JsonObject* object = document ? AsObject(*document) : nullptr;
  if (object == nullptr) return Fail("the server's response is not an object");
  SetAnnotations(wanted, EnsureObject(*object, "metadata"));
  return *std::move(document);
}

}  // namespace

std::string PodPath(const api::ObjectKey& pod) {
  return fmt::format("/api/v1/namespaces/{}/pods/{}", pod.namespace_, pod.name);
}

std::string PodGroupPath(std::string_view version, const api::ObjectKey& group) {
  return fmt::format("/apis/scheduling.k8s.io/{}/namespaces/{}/podgroups/{}", version,
                     group.namespace_, group.name);
}

std::string PathOf(const api::PersistentVolume& volume) {
  return "/api/v1/persistentvolumes/" + volume.metadata.name;
}

std::string PathOf(const api::PersistentVolumeClaim& claim) {
  return fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", claim.metadata.namespace_,
                     claim.metadata.name);
}

std::string ClaimsPath(std::string_view namespace_) {
  return fmt::format("/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims", namespace_);
}

std::string ClaimPath(const api::ObjectKey& claim) {
  return fmt::format("{}/{}", ClaimsPath(claim.namespace_), claim.name);
}

std::string PathOf(const api::ResourceClaim& claim) {
  return ClaimPath({claim.metadata.namespace_, claim.metadata.name});
}

std::string BindingBody(const scheduler::framework::BindPod& bind) {
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

std::string StatusPatch(const scheduler::framework::PatchPodStatus& patch) {
  JsonWriter json;
  json.BeginObject();
  json.Key("status");
  json.BeginObject();
  if (patch.condition) {
    ElementOrder(json, *patch.condition);
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
  if (patch.extended_resource_claim_status)
    ExtendedResources(json, *patch.extended_resource_claim_status);
  json.EndObject();
  json.EndObject();
  return json.Take();
}

// Unlike those of pods, these conditions have all fields, even if they are empty.
std::string StatusPatch(const scheduler::framework::PatchPodGroupStatus& patch,
                        std::string_view version) {
  api::PodCondition condition = patch.condition;
  if (version == "v1beta1" && condition.type == api::kGroupScheduled) {
    condition.type = api::kGroupInitiallyScheduled;
  }
  JsonWriter json;
  json.BeginObject();
  json.Key("status");
  json.BeginObject();
  ElementOrder(json, condition);
  json.Key("conditions");
  json.BeginArray();
  json.BeginObject();
  if (condition.last_transition_time)
    Text(json, "lastTransitionTime", api::FormatTime(*condition.last_transition_time));
  Text(json, "message", condition.message);
  if (condition.observed_generation) {
    json.Key("observedGeneration");
    json.Int(*condition.observed_generation);
  }
  Text(json, "reason", condition.reason);
  Text(json, "status", condition.status);
  Text(json, "type", condition.type);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndObject();
  return json.Take();
}

std::string DeleteBody() { return R"({"kind":"DeleteOptions","apiVersion":"v1"})"; }

Result<std::string> ChangedVolume(std::string_view current, const api::PersistentVolume& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  if (const auto& claim = wanted.claim_ref) {
    JsonObject& ref = EnsureObject(EnsureObject(document->get_object(), "spec"), "claimRef");
    SetString(ref, "kind", claim->kind);
    SetString(ref, "apiVersion", claim->api_version);
    SetString(ref, "namespace", claim->namespace_);
    SetString(ref, "name", claim->name);
    SetString(ref, "uid", claim->uid);
    SetString(ref, "resourceVersion", claim->resource_version);
  }
  return api::ToJsonText(*document);
}

Result<std::string> ChangedClaim(std::string_view current,
                                 const api::PersistentVolumeClaim& wanted) {
  auto document = Open(current, wanted.metadata);
  if (!document) return std::unexpected(document.error());
  return api::ToJsonText(*document);
}

ResponseObject ReadResponseObject(std::string_view body) {
  const auto document = api::ParseJson(body);
  const JsonObject* object = document ? AsObject(*document) : nullptr;
  const JsonObject* metadata = ObjectAt(object, "metadata");
  return {.uid = std::string(StringAt(metadata, "uid")),
          .resource_version = std::string(StringAt(metadata, "resourceVersion")),
          .node_name = std::string(StringAt(ObjectAt(object, "spec"), "nodeName"))};
}

}  // namespace berth::runtime
