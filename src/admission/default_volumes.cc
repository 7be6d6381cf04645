// Defaults of a pod's volumes.
#include <array>
#include <string_view>

#include "admission/defaults.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

constexpr int64_t kFileMode = 0644;
constexpr int64_t kTokenSeconds = 3600;

void DefaultFieldRefs(JsonObject* source) {
  JsonArray* items = ArrayAt(source, "items");
  for (size_t i = 0; items && i < items->size(); ++i) {
    JsonObject* field = ObjectAt((*items)[i].if_object(), "fieldRef");
    if (field) DefaultString(*field, "apiVersion", "v1");
  }
}

void DefaultProjected(JsonObject& projected) {
  DefaultInt(projected, "defaultMode", kFileMode);
  JsonArray* sources = ArrayAt(&projected, "sources");
  for (size_t i = 0; sources && i < sources->size(); ++i) {
    JsonObject* source = (*sources)[i].if_object();
    if (JsonObject* token = ObjectAt(source, "serviceAccountToken")) {
      DefaultInt(*token, "expirationSeconds", kTokenSeconds);
    }
    DefaultFieldRefs(ObjectAt(source, "downwardAPI"));
  }
}

void DefaultVolume(JsonObject& volume) {
  bool has_source = false;
  for (const auto& member : volume) {
    has_source = has_source || (member.key() != "name" && !member.value().is_null());
  }
  if (!has_source) volume["emptyDir"].emplace_object();
  if (JsonObject* path = ObjectAt(&volume, "hostPath")) {
    if (!At(path, "type")) SetString(*path, "type", "");
  }
  for (const std::string_view key : {"secret", "configMap", "downwardAPI"}) {
    JsonObject* source = ObjectAt(&volume, key);
    if (source) DefaultInt(*source, "defaultMode", kFileMode);
    if (key == "downwardAPI") DefaultFieldRefs(source);
  }
  if (JsonObject* projected = ObjectAt(&volume, "projected")) DefaultProjected(*projected);
  JsonObject* claim = ObjectAt(ObjectAt(&volume, "ephemeral"), "volumeClaimTemplate");
  if (JsonObject* spec = ObjectAt(claim, "spec")) DefaultString(*spec, "volumeMode", "Filesystem");
}

}  // namespace

void DefaultVolumes(JsonObject& pod_spec) {
  JsonArray* volumes = ArrayAt(&pod_spec, "volumes");
  for (size_t i = 0; volumes && i < volumes->size(); ++i) {
    if (JsonObject* volume = (*volumes)[i].if_object()) DefaultVolume(*volume);
  }
}

}  // namespace berth::apiserver
