#include "admission/defaults.h"

#include <array>
#include <string>
#include <string_view>

#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
    }
  }
  return out;
}

// stringData is for writing only: it goes into data.
void DefaultSecret(JsonObject& secret) {
  DefaultString(secret, "type", "Opaque");
  const Json* plain = At(&secret, "stringData");
  if (!plain) return;
  const Json texts = *plain;
  secret.erase("stringData");
  const JsonObject* members = texts.if_object();
  if (!members || members->empty()) return;
  JsonObject& data = ObjectIn(secret, "data");
  for (const auto& [key, value] : *members) data[key] = Base64(AsString(value));
}

void DefaultNode(JsonObject& node) {
  JsonObject* status = ObjectAt(&node, "status");
  if (const Json* capacity = At(status, "capacity"); capacity && !At(status, "allocatable")) {
    const Json copy = *capacity;
    (*status)["allocatable"] = copy;
  }
  JsonObject* spec = ObjectAt(&node, "spec");
  const std::string cidr(StringAt(spec, "podCIDR"));
  if (!cidr.empty() && EmptyAt(spec, "podCIDRs")) ArrayIn(*spec, "podCIDRs").emplace_back(cidr);
}

void DefaultDeviceRequest(JsonObject* request) {
  if (!request) return;
  DefaultString(*request, "allocationMode", "ExactCount");
  if (StringAt(request, "allocationMode") == "ExactCount") DefaultInt(*request, "count", 1);
}

void DefaultClaimSpec(JsonObject* spec) {
  JsonArray* requests = ArrayAt(ObjectAt(spec, "devices"), "requests");
  for (size_t i = 0; requests && i < requests->size(); ++i) {
    JsonObject* request = (*requests)[i].if_object();
    DefaultDeviceRequest(ObjectAt(request, "exactly"));
    JsonArray* alternatives = ArrayAt(request, "firstAvailable");
    for (size_t k = 0; alternatives && k < alternatives->size(); ++k) {
      DefaultDeviceRequest((*alternatives)[k].if_object());
    }
  }
}

}  // namespace

void ApplyDefaults(const Kind& kind, JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "Pod") return DefaultPod(document);
  if (DefaultWorkload(kind, document) || DefaultBatch(kind, document) ||
      DefaultStorage(kind, document)) {
    return;
  }
  if (name == "Service") return DefaultService(document);
  if (name == "Node") return DefaultNode(document);
  if (name == "Secret") return DefaultSecret(document);
  if (name == "PriorityClass") {
    DefaultString(document, "preemptionPolicy", "PreemptLowerPriority");
  }
  if (name == "HorizontalPodAutoscaler") DefaultInt(ObjectIn(document, "spec"), "minReplicas", 1);
  if (name == "ResourceClaim") DefaultClaimSpec(ObjectAt(&document, "spec"));
  if (name == "ResourceClaimTemplate") {
    DefaultClaimSpec(ObjectAt(ObjectAt(&document, "spec"), "spec"));
  }
  if (name == "PodTemplate") {
    if (JsonObject* pod = ObjectAt(&document, "template")) DefaultPodSpec(ObjectIn(*pod, "spec"));
  }
}

}  // namespace berth::apiserver
