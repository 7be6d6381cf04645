// The defaults of pods: containers, volumes and the pod spec.
#include <array>
#include <string_view>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/pod_resources.h"
#include "apiserver/admission/defaulting.h"

namespace berth::apiserver::admission {

namespace {

// Reports whether the image has the tag "latest", explicitly or by default.
bool IsLatest(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void DefaultHandler(api::JsonObject* handler) {
  if (api::JsonObject* get = api::ObjectAt(handler, "httpGet")) {
    api::DefaultString(*get, "path", "/");
    api::DefaultString(*get, "scheme", "HTTP");
  }
  if (api::JsonObject* grpc = api::ObjectAt(handler, "grpc")) {
    if (!api::At(grpc, "service")) api::SetString(*grpc, "service", "");
  }
}

void DefaultProbe(api::JsonObject* probe) {
  if (!probe) return;
  DefaultHandler(probe);
  for (const auto& [key, value] : {std::pair<std::string_view, int>{"timeoutSeconds", 1},
                                   {"periodSeconds", 10},
                                   {"successThreshold", 1},
                                   {"failureThreshold", 3}}) {
    if (api::IntAt(probe, key).value_or(0) == 0) api::SetInt(*probe, key, value);
  }
}

void DefaultEnvironment(api::JsonObject& container) {
  api::JsonArray* variables = api::ArrayAt(&container, "env");
  for (size_t i = 0; variables && i < variables->size(); ++i) {
    api::JsonObject* source = api::ObjectAt((*variables)[i].if_object(), "valueFrom");
    if (api::JsonObject* field = api::ObjectAt(source, "fieldRef"))
      api::DefaultString(*field, "apiVersion", "v1");
  }
}

}  // namespace

void DefaultContainer(api::JsonObject& container) {
  api::JsonArray* ports = api::ArrayAt(&container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    if (api::JsonObject* port = (*ports)[i].if_object())
      api::DefaultString(*port, "protocol", "TCP");
  }
  DefaultEnvironment(container);
  api::DefaultObject(container, "resources");
  for (const std::string_view key : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(api::ObjectAt(&container, key));
  }
  if (api::JsonObject* lifecycle = api::ObjectAt(&container, "lifecycle")) {
    DefaultHandler(api::ObjectAt(lifecycle, "postStart"));
    DefaultHandler(api::ObjectAt(lifecycle, "preStop"));
  }
  api::DefaultString(container, "terminationMessagePath", "/dev/termination-log");
  api::DefaultString(container, "terminationMessagePolicy", "File");
  if (api::StringAt(&container, "imagePullPolicy").empty()) {
    api::SetString(container, "imagePullPolicy",
                   IsLatest(api::StringAt(&container, "image")) ? "Always" : "IfNotPresent");
  }
}

namespace {

constexpr int64_t kFileMode = 0644;
constexpr int64_t kTokenSeconds = 3600;

void DefaultFieldRefs(api::JsonObject* source) {
  api::JsonArray* items = api::ArrayAt(source, "items");
  for (size_t i = 0; items && i < items->size(); ++i) {
    api::JsonObject* field = api::ObjectAt((*items)[i].if_object(), "fieldRef");
    if (field) api::DefaultString(*field, "apiVersion", "v1");
  }
}

void DefaultProjected(api::JsonObject& projected) {
  api::DefaultInt(projected, "defaultMode", kFileMode);
  api::JsonArray* sources = api::ArrayAt(&projected, "sources");
  for (size_t i = 0; sources && i < sources->size(); ++i) {
    api::JsonObject* source = (*sources)[i].if_object();
    if (api::JsonObject* token = api::ObjectAt(source, "serviceAccountToken")) {
      api::DefaultInt(*token, "expirationSeconds", kTokenSeconds);
    }
    DefaultFieldRefs(api::ObjectAt(source, "downwardAPI"));
  }
}

void DefaultVolume(api::JsonObject& volume) {
  bool has_source = false;
  for (const auto& member : volume) {
    has_source = has_source || (member.key() != "name" && !member.value().is_null());
  }
  if (!has_source) volume["emptyDir"].emplace_object();
  if (api::JsonObject* path = api::ObjectAt(&volume, "hostPath")) {
    if (!api::At(path, "type")) api::SetString(*path, "type", "");
  }
  for (const std::string_view key : {"secret", "configMap", "downwardAPI"}) {
    api::JsonObject* source = api::ObjectAt(&volume, key);
    if (source) api::DefaultInt(*source, "defaultMode", kFileMode);
    if (key == "downwardAPI") DefaultFieldRefs(source);
  }
  if (api::JsonObject* projected = api::ObjectAt(&volume, "projected"))
    DefaultProjected(*projected);
  api::JsonObject* claim =
      api::ObjectAt(api::ObjectAt(&volume, "ephemeral"), "volumeClaimTemplate");
  if (api::JsonObject* spec = api::ObjectAt(claim, "spec"))
    api::DefaultString(*spec, "volumeMode", "Filesystem");
}

}  // namespace

void DefaultVolumes(api::JsonObject& pod_spec) {
  api::JsonArray* volumes = api::ArrayAt(&pod_spec, "volumes");
  for (size_t i = 0; volumes && i < volumes->size(); ++i) {
    if (api::JsonObject* volume = (*volumes)[i].if_object()) DefaultVolume(*volume);
  }
}

namespace {

// Sets missing requests to the limits.
void RequestLimits(api::JsonObject* resources) {
  const api::JsonObject* limits = api::ObjectAt(resources, "limits");
  if (!limits || limits->empty()) return;
  api::JsonObject& requests = api::EnsureObject(*resources, "requests");
  // The insertion may have moved the limits.
  limits = api::ObjectAt(resources, "limits");
  for (const auto& member : *limits) {
    if (!api::At(&requests, member.key())) requests[member.key()] = member.value();
  }
}

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

// Pod-level requests that a pod with pod-level limits leaves out: what its containers request,
// otherwise the limits. Hugepages cannot be overcommitted, so they follow the limits alone.
void RequestPodLevelResources(api::JsonObject& pod) {
  api::JsonObject* resources = api::ObjectAt(api::ObjectAt(&pod, "spec"), "resources");
  const api::JsonObject* limits = api::ObjectAt(resources, "limits");
  if (!limits || limits->empty()) return;
  auto typed = api::DecodeJsonAs<api::Pod>(api::ToJsonText(pod));
  if (!typed) return;  // Validation refuses the pod.
  api::Pod without_overhead = **typed;
  without_overhead.spec.overhead.clear();
  api::JsonObject requests;
  if (const api::JsonObject* given = api::ObjectAt(resources, "requests")) requests = *given;
  for (const auto& [name, amount] : api::PodRequests(without_overhead, {.skip_pod_level = true})) {
    if ((name == "cpu" || name == "memory") && !api::At(&requests, name)) {
      api::SetString(requests, name, amount.ToString());
    }
  }
  for (const auto& [name, amount] : *limits) {
    if (IsPodLevelResource(name) && !api::At(&requests, name)) requests[name] = amount;
  }
  if (!requests.empty()) (*resources)["requests"] = std::move(requests);
}

void PublishPorts(api::JsonObject& container) {
  api::JsonArray* ports = api::ArrayAt(&container, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    api::JsonObject* port = (*ports)[i].if_object();
    if (!port || api::IntAt(port, "hostPort").value_or(0) != 0) continue;
    if (const auto number = api::IntAt(port, "containerPort"))
      api::SetInt(*port, "hostPort", *number);
  }
}

// The account has two names; the older one is only for old clients.
void NameServiceAccount(api::JsonObject& spec) {
  const std::string name(api::StringAt(&spec, "serviceAccountName"));
  if (!name.empty()) return api::SetString(spec, "serviceAccount", name);
  const std::string old_name(api::StringAt(&spec, "serviceAccount"));
  if (!old_name.empty()) api::SetString(spec, "serviceAccountName", old_name);
}

}  // namespace

void DefaultPodSpec(api::JsonObject& spec) {
  NameServiceAccount(spec);
  for (const std::string_view key : {"containers", "initContainers", "ephemeralContainers"}) {
    api::JsonArray* containers = api::ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      if (api::JsonObject* container = (*containers)[i].if_object()) DefaultContainer(*container);
    }
  }
  DefaultVolumes(spec);
  api::DefaultString(spec, "restartPolicy", "Always");
  api::DefaultInt(spec, "terminationGracePeriodSeconds", 30);
  api::DefaultString(spec, "dnsPolicy", "ClusterFirst");
  api::DefaultObject(spec, "securityContext");
  api::DefaultString(spec, "schedulerName", "default-scheduler");
}

void DefaultPod(api::JsonObject& pod) {
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  DefaultPodSpec(spec);
  const bool host_network = api::BoolAt(&spec, "hostNetwork");
  for (const std::string_view key : {"containers", "initContainers"}) {
    api::JsonArray* containers = api::ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      api::JsonObject* container = (*containers)[i].if_object();
      RequestLimits(api::ObjectAt(container, "resources"));
      if (host_network && container) PublishPorts(*container);
    }
  }
  RequestPodLevelResources(pod);
  api::DefaultBool(spec, "enableServiceLinks", true);
}

}  // namespace berth::apiserver::admission
