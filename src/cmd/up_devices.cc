#include "cmd/up_devices.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "api/json/json.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/store.h"

namespace berth::cmd {
namespace {

using api::Json;
using api::JsonArray;
using api::JsonObject;

constexpr const char* kDriver = "gpu.example.com";

struct GpuModel {
  const char* name;
  const char* memory;
};
// All GPUs of a node are of one model; the nodes have them in turn.
constexpr GpuModel kModels[] = {{"H100", "80Gi"}, {"A100", "40Gi"}, {"L4", "24Gi"}};

JsonObject ClassJson() {
  const JsonObject cel{{"expression", fmt::format("device.driver == \"{}\"", kDriver)}};
  JsonArray selectors;
  selectors.push_back(JsonObject{{"cel", cel}});
  return {
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "DeviceClass"},
      {"metadata", JsonObject{{"name", kDriver}}},
      {"spec", JsonObject{{"selectors", selectors}, {"extendedResourceName", "example.com/gpu"}}}};
}

JsonObject GpuJson(size_t index, const GpuModel& model) {
  const JsonObject attributes{{"index", JsonObject{{"int", static_cast<int64_t>(index)}}},
                              {"model", JsonObject{{"string", model.name}}},
                              {"driverVersion", JsonObject{{"version", "1.0.0"}}}};
  const JsonObject capacity{{"memory", JsonObject{{"value", model.memory}}}};
  return {
      {"name", fmt::format("gpu-{}", index)}, {"attributes", attributes}, {"capacity", capacity}};
}

JsonObject SliceJson(const apiserver::store::Object& node, const GpuModel& model, size_t count) {
  const std::string& name = node.key.name;
  JsonArray devices;
  for (size_t i = 0; i < count; ++i) devices.push_back(GpuJson(i, model));
  JsonArray owners;
  owners.push_back(JsonObject{{"apiVersion", "v1"},
                              {"kind", "Node"},
                              {"name", name},
                              {"uid", node.uid},
                              {"controller", true}});
  const JsonObject pool{{"name", name}, {"generation", 1}, {"resourceSliceCount", 1}};
  return {
      {"apiVersion", "resource.k8s.io/v1"},
      {"kind", "ResourceSlice"},
      {"metadata",
       JsonObject{{"name", fmt::format("{}-{}", name, kDriver)}, {"ownerReferences", owners}}},
      {"spec",
       JsonObject{{"driver", kDriver}, {"pool", pool}, {"nodeName", name}, {"devices", devices}}}};
}

Status CreateUnlessPresent(apiserver::registry::Api& api, const api::scheme::Kind& kind,
                           JsonObject object) {
  const auto created = api.Create(kind, "", std::move(object));
  if (created || created.error().reason == "AlreadyExists") return {};
  return Fail(fmt::format("--gpus: {}", created.error().message));
}

}  // namespace

Status MakeGpus(apiserver::registry::Api& api, size_t count) {
  if (count == 0) return {};
  const api::scheme::Kind& slices = api::scheme::KindOf("resourceslices.resource.k8s.io");
  const api::scheme::Kind& classes = api::scheme::KindOf("deviceclasses.resource.k8s.io");
  if (auto made = CreateUnlessPresent(api, classes, ClassJson()); !made) return made;
  size_t number = 0;
  for (const auto& node : api.store().List(api::scheme::KindOf("nodes").collection, {}).objects) {
    const GpuModel& model = kModels[number++ % std::size(kModels)];
    if (auto made = CreateUnlessPresent(api, slices, SliceJson(*node, model, count)); !made)
      return made;
  }
  return {};
}

}  // namespace berth::cmd
