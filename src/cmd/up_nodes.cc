#include "cmd/up_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <string>
#include <utility>

#include "admission/metadata.h"

namespace berth {
namespace {

using apiserver::Json;
using apiserver::JsonArray;
using apiserver::JsonObject;

constexpr const char* kZones[] = {"zone-a", "zone-b", "zone-c"};

struct Size {
  const char* name;
  const char* cpu;
  const char* memory;
};
// Half of the nodes are of the middle size.
constexpr Size kSizes[] = {{"medium", "16", "64Gi"},
                           {"small", "8", "32Gi"},
                           {"medium", "16", "64Gi"},
                           {"large", "32", "128Gi"}};

// Ready from the start: a node that is not would be tainted until its kubelet says so.
JsonArray Conditions(const std::string& now) {
  const auto condition = [&](const char* type, const char* status, const char* reason) {
    return JsonObject{{"type", type},
                      {"status", status},
                      {"reason", reason},
                      {"lastHeartbeatTime", now},
                      {"lastTransitionTime", now}};
  };
  JsonArray conditions;
  conditions.push_back(condition("MemoryPressure", "False", "KubeletHasSufficientMemory"));
  conditions.push_back(condition("DiskPressure", "False", "KubeletHasNoDiskPressure"));
  conditions.push_back(condition("PIDPressure", "False", "KubeletHasSufficientPID"));
  conditions.push_back(condition("Ready", "True", "KubeletReady"));
  return conditions;
}

Json NodeJson(size_t index, size_t digits, const std::string& now) {
  const std::string name = fmt::format("node-{:0{}}", index + 1, digits);
  const size_t zone = index % std::size(kZones);
  const Size& size = kSizes[index / std::size(kZones) % std::size(kSizes)];
  const JsonObject room{
      {"cpu", size.cpu}, {"memory", size.memory}, {"ephemeral-storage", "100Gi"}, {"pods", "110"}};
  return {{"kind", "Node"},
          {"apiVersion", "v1"},
          {"metadata",
           {{"name", name},
            {"labels",
             {{"kubernetes.io/hostname", name},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch", "amd64"},
              {"node.kubernetes.io/instance-type", size.name},
              {"topology.kubernetes.io/region", "region-1"},
              {"topology.kubernetes.io/zone", kZones[zone]}}}}},
          {"status", {{"capacity", room}, {"allocatable", room}, {"conditions", Conditions(now)}}}};
}

}  // namespace

Status MakeNodes(apiserver::Api& api, size_t count) {
  const apiserver::Kind& nodes = apiserver::KindOf("nodes");
  const size_t digits = std::max<size_t>(4, fmt::formatted_size("{}", count));
  const std::string now = apiserver::TimeText(api.now());
  for (size_t i = 0; i < count; ++i) {
    const auto created = api.Create(nodes, "", NodeJson(i, digits, now));
    if (!created && created.error().reason != "AlreadyExists") {
      return Fail(fmt::format("--nodes: {}", created.error().message));
    }
  }
  return {};
}

}  // namespace berth
