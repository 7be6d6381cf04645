// Defaults of pods and of pod templates.
#include <string_view>

#include "admission/defaults.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

namespace {

// What is limited is requested, unless the request says otherwise.
void RequestLimits(JsonObject* resources) {
  const JsonObject* limits = ObjectAt(resources, "limits");
  if (!limits || limits->empty()) return;
  JsonObject& requests = ObjectIn(*resources, "requests");
  // A new member may have moved the limits.
  limits = ObjectAt(resources, "limits");
  for (const auto& member : *limits) {
    if (!At(&requests, member.key())) requests[member.key()] = member.value();
  }
}

void PublishPorts(JsonObject& container) {
  JsonArray* ports = ArrayAt(&container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    JsonObject* port = (*ports)[i].if_object();
    if (!port || IntAt(port, "hostPort").value_or(0) != 0) continue;
    if (const auto number = IntAt(port, "containerPort")) SetInt(*port, "hostPort", *number);
  }
}

}  // namespace

void DefaultPodSpec(JsonObject& spec) {
  for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
    JsonArray* containers = ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      if (JsonObject* container = (*containers)[i].if_object()) DefaultContainer(*container);
    }
  }
  DefaultVolumes(spec);
  DefaultString(spec, "restartPolicy", "Always");
  DefaultInt(spec, "terminationGracePeriodSeconds", 30);
  DefaultString(spec, "dnsPolicy", "ClusterFirst");
  DefaultObject(spec, "securityContext");
  DefaultString(spec, "schedulerName", "default-scheduler");
}

void DefaultPod(JsonObject& pod) {
  JsonObject& spec = ObjectIn(pod, "spec");
  DefaultPodSpec(spec);
  const bool host_network = BoolAt(&spec, "hostNetwork");
  for (const std::string_view key : {"containers", "initContainers"}) {
    JsonArray* containers = ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      JsonObject* container = (*containers)[i].if_object();
      RequestLimits(ObjectAt(container, "resources"));
      if (host_network && container) PublishPorts(*container);
    }
  }
  DefaultBool(spec, "enableServiceLinks", true);
}

}  // namespace berth::apiserver
