// ToAutoscalerV2 and ToAutoscalerV1 of conversion.h.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "apiserver/registry/conversion.h"

namespace berth::apiserver::registry {
namespace {

// What v1 has no fields for: the annotation, and the path in v2.
struct Overflow {
  std::string_view annotation;
  std::string_view part;  // spec or status
  std::string_view field;
};
constexpr Overflow kOverflows[] = {
    {"autoscaling.alpha.kubernetes.io/metrics", "spec", "metrics"},
    {"autoscaling.alpha.kubernetes.io/behavior", "spec", "behavior"},
    {"autoscaling.alpha.kubernetes.io/current-metrics", "status", "currentMetrics"},
    {"autoscaling.alpha.kubernetes.io/conditions", "status", "conditions"},
};

// The part, the field of v1, the list of v2 and the object in a metric of the list that has the
// CPU utilization.
struct Utilization {
  std::string_view part;
  std::string_view percentage;
  std::string_view metrics;
  std::string_view holder;
};
constexpr Utilization kUtilizations[] = {
    {"spec", "targetCPUUtilizationPercentage", "metrics", "target"},
    {"status", "currentCPUUtilizationPercentage", "currentMetrics", "current"},
};

std::optional<int64_t> CpuUtilization(const api::Json& metric, std::string_view holder) {
  const api::JsonObject* resource = api::ObjectAt(api::AsObject(metric), "resource");
  if (api::StringAt(resource, "name") != "cpu") return std::nullopt;
  return api::IntAt(api::ObjectAt(resource, holder), "averageUtilization");
}

api::Json CpuMetric(std::string_view holder, int64_t utilization) {
  api::JsonObject value{{"averageUtilization", utilization}};
  if (holder == "target") api::SetString(value, "type", "Utilization");
  return api::JsonObject{
      {"type", "Resource"},
      {"resource", api::JsonObject{{"name", "cpu"}, {holder, std::move(value)}}}};
}

// Moves the annotation's value into the field. One that is not JSON is dropped.
void Restore(const Overflow& overflow, api::JsonObject& autoscaler) {
  api::JsonObject* metadata = api::ObjectAt(&autoscaler, "metadata");
  api::JsonObject* annotations = api::ObjectAt(metadata, "annotations");
  if (!annotations || !api::At(annotations, overflow.annotation)) return;
  auto value = api::ParseJson(api::StringAt(annotations, overflow.annotation));
  annotations->erase(overflow.annotation);
  if (annotations->empty()) metadata->erase("annotations");
  if (value) api::EnsureObject(autoscaler, overflow.part)[overflow.field] = *std::move(value);
}

// Moves the field's value into the annotation.
void Overflowed(const Overflow& overflow, api::JsonObject& autoscaler) {
  api::JsonObject* part = api::ObjectAt(&autoscaler, overflow.part);
  const api::Json* value = api::At(part, overflow.field);
  const std::string text = api::IsEmpty(value) ? std::string() : api::ToJsonText(*value);
  if (part) part->erase(overflow.field);
  if (text.empty()) return;
  api::SetString(api::EnsureObject(api::EnsureObject(autoscaler, "metadata"), "annotations"),
                 overflow.annotation, text);
}

}  // namespace

void ToAutoscalerV2(api::JsonObject& autoscaler) {
  for (const Overflow& overflow : kOverflows) Restore(overflow, autoscaler);
  for (const Utilization& utilization : kUtilizations) {
    api::JsonObject* part = api::ObjectAt(&autoscaler, utilization.part);
    const auto percentage = api::IntAt(part, utilization.percentage);
    if (part) part->erase(utilization.percentage);
    if (!percentage) continue;
    api::JsonArray& metrics = api::EnsureArray(*part, utilization.metrics);
    metrics.insert(metrics.begin(), CpuMetric(utilization.holder, *percentage));
  }
}

void ToAutoscalerV1(api::JsonObject& autoscaler) {
  for (const Utilization& utilization : kUtilizations) {
    api::JsonObject* part = api::ObjectAt(&autoscaler, utilization.part);
    api::JsonArray* metrics = api::ArrayAt(part, utilization.metrics);
    for (size_t i = 0; metrics && i < metrics->size(); ++i) {
      const auto percentage = CpuUtilization((*metrics)[i], utilization.holder);
      if (!percentage) continue;
      metrics->erase(metrics->begin() + static_cast<ptrdiff_t>(i));
      api::SetInt(*part, utilization.percentage, *percentage);
      break;
    }
  }
  for (const Overflow& overflow : kOverflows) Overflowed(overflow, autoscaler);
}

}  // namespace berth::apiserver::registry
