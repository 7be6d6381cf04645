// Defaults, dropped fields and warnings of claims, templates and slices of devices.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "api/timestamp.h"
#include "apiserver/admission/devices.h"

namespace berth::apiserver::admission {
namespace {

template <typename Use>
void ForEachObject(api::JsonArray* list, Use use) {
  for (size_t i = 0; list && i < list->size(); ++i) {
    if (api::JsonObject* object = (*list)[i].if_object()) use(*object);
  }
}

void DefaultDeviceRequest(api::JsonObject& request) {
  api::DefaultString(request, "allocationMode", "ExactCount");
  const bool has_no_count = api::IntAt(&request, "count").value_or(0) == 0;
  if (api::StringAt(&request, "allocationMode") == "ExactCount" && has_no_count)
    api::SetInt(request, "count", 1);
  ForEachObject(api::ArrayAt(&request, "tolerations"), [](api::JsonObject& toleration) {
    api::DefaultString(toleration, "operator", "Equal");
  });
}

void DefaultClaimSpec(api::JsonObject* spec) {
  ForEachObject(api::ArrayAt(api::ObjectAt(spec, "devices"), "requests"),
                [](api::JsonObject& request) {
                  if (api::JsonObject* exactly = api::ObjectAt(&request, "exactly"))
                    DefaultDeviceRequest(*exactly);
                  ForEachObject(api::ArrayAt(&request, "firstAvailable"), DefaultDeviceRequest);
                });
}

api::JsonArray* DevicesOf(const api::scheme::Kind& kind, api::JsonObject& document) {
  if (kind.kind != "ResourceSlice") return nullptr;
  return api::ArrayAt(api::ObjectAt(&document, "spec"), "devices");
}

}  // namespace

void DefaultDevices(const api::scheme::Kind& kind, api::JsonObject& document) {
  api::JsonObject* spec = api::ObjectAt(&document, "spec");
  if (kind.kind == "ResourceClaim") DefaultClaimSpec(spec);
  if (kind.kind == "ResourceClaimTemplate") DefaultClaimSpec(api::ObjectAt(spec, "spec"));
}

void SetTaintTimes(const api::scheme::Kind& kind, api::JsonObject& document, Instant now) {
  ForEachObject(DevicesOf(kind, document), [&](api::JsonObject& device) {
    ForEachObject(api::ArrayAt(&device, "taints"), [&](api::JsonObject& taint) {
      api::DefaultString(taint, "timeAdded", api::FormatTime(now));
    });
  });
}

void DropDisabledDeviceFields(const api::scheme::Kind& kind, api::JsonObject& document) {
  ForEachObject(DevicesOf(kind, document), [&](api::JsonObject& device) {
    api::EraseMember(device, "nodeAllocatableResourceMappings");
    api::JsonObject* attributes = api::ObjectAt(&device, "attributes");
    if (attributes == nullptr) return;
    for (auto& member : *attributes) {
      api::JsonObject* attribute = member.value().if_object();
      if (attribute == nullptr) continue;
      for (const std::string_view list : {"ints", "bools", "strings", "versions"})
        api::EraseMember(*attribute, list);
    }
  });
}

std::vector<std::string> DeviceWarnings(const api::scheme::Kind& kind,
                                        const api::JsonObject& document) {
  if (kind.kind != "ResourceSlice") return {};
  const std::string_view driver = api::StringAt(api::ObjectAt(&document, "spec"), "driver");
  if (std::ranges::none_of(driver, [](unsigned char c) { return std::isupper(c) != 0; })) return {};
  return {fmt::format(
      "spec.driver: driver names should be lowercase; \"{}\" contains uppercase characters",
      driver)};
}

}  // namespace berth::apiserver::admission
