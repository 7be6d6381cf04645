// Defaults of one container.
#include <string_view>

#include "admission/defaults.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

// Without a tag it is the latest, which may change under its name.
bool IsLatest(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void DefaultHandler(JsonObject* handler) {
  if (JsonObject* get = ObjectAt(handler, "httpGet")) {
    DefaultString(*get, "path", "/");
    DefaultString(*get, "scheme", "HTTP");
  }
  if (JsonObject* grpc = ObjectAt(handler, "grpc")) {
    if (!At(grpc, "service")) SetString(*grpc, "service", "");
  }
}

void DefaultProbe(JsonObject* probe) {
  if (!probe) return;
  DefaultHandler(probe);
  for (const auto& [key, value] : {std::pair<std::string_view, int>{"timeoutSeconds", 1},
                                   {"periodSeconds", 10},
                                   {"successThreshold", 1},
                                   {"failureThreshold", 3}}) {
    if (IntAt(probe, key).value_or(0) == 0) SetInt(*probe, key, value);
  }
}

void DefaultEnvironment(JsonObject& container) {
  JsonArray* variables = ArrayAt(&container, "env");
  for (size_t i = 0; variables && i < variables->size(); ++i) {
    JsonObject* source = ObjectAt((*variables)[i].if_object(), "valueFrom");
    if (JsonObject* field = ObjectAt(source, "fieldRef")) DefaultString(*field, "apiVersion", "v1");
  }
}

}  // namespace

void DefaultContainer(JsonObject& container) {
  JsonArray* ports = ArrayAt(&container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    if (JsonObject* port = (*ports)[i].if_object()) DefaultString(*port, "protocol", "TCP");
  }
  DefaultEnvironment(container);
  DefaultObject(container, "resources");
  for (const std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(ObjectAt(&container, key));
  }
  if (JsonObject* lifecycle = ObjectAt(&container, "lifecycle")) {
    DefaultHandler(ObjectAt(lifecycle, "postStart"));
    DefaultHandler(ObjectAt(lifecycle, "preStop"));
  }
  DefaultString(container, "terminationMessagePath", "/dev/termination-log");
  DefaultString(container, "terminationMessagePolicy", "File");
  if (StringAt(&container, "imagePullPolicy").empty()) {
    SetString(container, "imagePullPolicy",
              IsLatest(StringAt(&container, "image")) ? "Always" : "IfNotPresent");
  }
}

}  // namespace berth::apiserver
