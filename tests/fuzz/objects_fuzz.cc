// Arbitrary bytes as pods and nodes of a cluster, in JSON and protobuf, through the decoder into an
// engine that schedules with them. A running pod counts on its node, whatever else is wrong with
// it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/node.h"
#include "api/object.h"
#include "api/pod.h"
#include "api/quantity.h"
#include "api/undecodable_fields.h"
#include "base/check.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"
#include "fuzzed_engine.h"

namespace berth {
namespace {

using client::CodecOf;
using client::Received;
using client::WireForm;

// A running pod in protobuf, to which fuzzed fields are appended: metadata {name, namespace} and
// spec {nodeName}.
constexpr std::string_view kRunningPod =
    "\x0a\x0c\x0a\x01p\x1a\x07"
    "default\x12\x04\x52\x02n1";

// The key of the pod in `json` and its node, if the text says that much about a running pod.
struct Running {
  api::ObjectKey key;
  std::string node;
};
std::optional<Running> RunningPodIn(std::string_view json) {
  const auto document = api::ParseJson(json);
  if (!document || !document->is_object() || !api::DuplicateKeys(json).empty()) return {};
  const api::JsonObject* object = document->if_object();
  const api::JsonObject* metadata = api::ObjectAt(object, "metadata");
  const api::Json* kind = api::At(object, "kind");
  if (kind != nullptr && kind->is_string() && *kind != "Pod") return {};
  const api::Json* space = api::At(metadata, "namespace");
  if (space != nullptr && !space->is_string() && !space->is_null()) return {};
  const bool has_space = space != nullptr && space->is_string() && !space->get_string().empty();
  Running running{{has_space ? std::string(space->get_string()) : "default",
                   std::string(api::StringAt(metadata, "name"))},
                  std::string(api::StringAt(api::ObjectAt(object, "spec"), "nodeName"))};
  const std::string_view phase = api::StringAt(api::ObjectAt(object, "status"), "phase");
  if (running.key.name.empty() || running.node.empty()) return {};
  if (phase == "Succeeded" || phase == "Failed") return {};
  return running;
}

void CheckCounts(const scheduler::model::Cluster& cluster, const Running& running) {
  const auto id = cluster.pods().Find(running.key.namespace_, running.key.name);
  CHECK(id.valid());
  const scheduler::model::PodRecord& pod = cluster.pod(id);
  CHECK(pod.node.valid() && cluster.nodes().name(pod.node) == running.node);
  CHECK(cluster.nodes().columns().pod_count[pod.node.index()] > 0);
}

void PutAll(FuzzedEngine& engine) {
  for (const char* name : {"n1", "n2"}) {
    api::Node node;
    node.metadata.name = name;
    node.metadata.labels = {{"kubernetes.io/hostname", name}};
    for (const char* resource : {"cpu", "memory", "pods"})
      node.status.allocatable[resource] = api::Quantity::FromValue(1 << 20);
    engine.Put(std::move(node));
  }
}

api::Pod Waiting() {
  api::Pod pod;
  pod.metadata.name = "waits";
  pod.metadata.namespace_ = "fuzz";
  pod.metadata.uid = "waits";
  pod.metadata.labels = {{"app", "web"}};
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.containers.emplace_back().name = "main";
  return pod;
}

template <typename T>
Received Receive(std::string_view bytes, WireForm form) {
  Received received = client::ReceiveItem(bytes, form, CodecOf<T>());
  if (!received.object) CHECK(!received.object.error().message.empty());
  return received;
}

// Decodes lines of JSON, each as a pod and as a node.
void PutJson(FuzzedEngine& engine, std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const Received node = Receive<api::Node>(line, WireForm::kJson);
    if (node.object) engine.Put(*node.object);
    const Received pod = Receive<api::Pod>(line, WireForm::kJson);
    if (pod.object) engine.Put(*pod.object);
    if (const auto running = RunningPodIn(line)) CheckCounts(engine.cluster(), *running);
  }
}

void PutProtobuf(FuzzedEngine& engine, std::string_view bytes) {
  const Received node = Receive<api::Node>(bytes, WireForm::kProtobuf);
  if (node.object) engine.Put(*node.object);
  const Received pod =
      Receive<api::Pod>(std::string(kRunningPod).append(bytes), WireForm::kProtobuf);
  if (pod.object) {
    engine.Put(*pod.object);
  } else {
    // The bytes may replace the name, or the node.
    const std::string& why = pod.object.error().message;
    CHECK(why.contains("metadata.name is missing") || !pod.undecodable.empty());
  }
}

void RunOne(const uint8_t* data, size_t size) {
  if (size < 1 || size > 8192) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  FuzzedEngine engine;
  PutAll(engine);
  if (data[0] % 2 == 0) {
    PutJson(engine, bytes);
  } else {
    PutProtobuf(engine, bytes);
  }
  engine.Put(Waiting());
  engine.Schedule();
}

}  // namespace
}  // namespace berth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::RunOne(data, size);
  return 0;
}
