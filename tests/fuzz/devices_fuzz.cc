// Arbitrary bytes as slices, classes and claims, in JSON and protobuf, through the decoder into an
// engine that allocates devices with them. The reference implementation checks each decision; no
// device is given out twice; no search does more work than its budget and its input account for,
// and one that is pruned from the start finds what others find.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/node.h"
#include "api/object.h"
#include "api/pod.h"
#include "api/quantity.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "base/check.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"
#include "fuzzed_engine.h"
#include "scheduler/devices/search.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"

namespace berth {
namespace {

using client::CodecOf;
using client::Received;
using client::WireForm;

// What a search may do, less than by default so that more inputs reach it, and what it may do
// beyond that until it notices.
constexpr uint64_t kMaxWork = 100'000;
constexpr uint64_t kWorkOfByte = 64;

void PutNodes(FuzzedEngine& engine) {
  for (const char* name : {"n1", "n2"}) {
    api::Node node;
    node.metadata.name = name;
    node.metadata.labels = {{"kubernetes.io/hostname", name}, {"zone", "a"}};
    for (const char* resource : {"cpu", "memory", "pods"})
      node.status.allocatable[resource] = api::Quantity::FromValue(1 << 20);
    engine.Put(std::move(node));
  }
}

template <typename T>
void Receive(FuzzedEngine& engine, std::string_view bytes, WireForm form) {
  const client::ObjectCodec codec = CodecOf<T>();
  if (form == WireForm::kProtobuf && codec.protobuf == nullptr) return;  // Never requested so.
  const Received received = client::ReceiveItem(bytes, form, codec);
  if (received.object) {
    engine.Put(*received.object);
  } else {
    CHECK(!received.object.error().message.empty());
  }
}

void PutAll(FuzzedEngine& engine, std::string_view bytes, WireForm form) {
  Receive<api::ResourceSlice>(engine, bytes, form);
  Receive<api::DeviceClass>(engine, bytes, form);
  Receive<api::ResourceClaim>(engine, bytes, form);
}

void PutLines(FuzzedEngine& engine, std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    PutAll(engine, lines.substr(0, end), WireForm::kJson);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

api::Pod Waiting(const std::string& name) {
  api::Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = name;
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.containers.emplace_back().name = "main";
  return pod;
}

// Pods that use the claims c1 and c2, one of them twice, and one with an extended resource that a
// class may back.
void PutPods(FuzzedEngine& engine) {
  for (const auto& [name, claim] : {std::pair{"a", "c1"}, {"b", "c2"}, {"c", "c1"}}) {
    api::Pod pod = Waiting(name);
    auto& reference = pod.spec.resource_claims.emplace_back();
    reference.name = "device";
    reference.resource_claim_name = claim;
    engine.Put(std::move(pod));
  }
  api::Pod pod = Waiting("d");
  pod.spec.containers[0].resources.requests["example.com/gpu"] = api::Quantity::FromValue(1);
  engine.Put(std::move(pod));
}

// Allocations in flight are those that the engine has just chosen.
void CheckAllocatedOnce(const scheduler::model::Devices& devices) {
  std::map<std::tuple<std::string, std::string, std::string>, size_t> exclusive;
  devices.in_flight().ForEach([&](const scheduler::model::ClaimRef& claim) {
    CHECK(claim->status.allocation.has_value());
    for (const auto& result : claim->status.allocation->results) {
      if (result.share_id || result.admin_access.value_or(false)) continue;
      CHECK((++exclusive[{result.driver, result.pool, result.device}] == 1));
    }
  });
}

using scheduler::devices::SearchResult;

SearchResult SearchFor(const FuzzedEngine& engine, scheduler::model::NodeRow node,
                       const std::shared_ptr<const api::ResourceClaim>& claim,
                       uint64_t easy_failures) {
  const scheduler::model::Devices& devices = engine.cluster().devices();
  const auto compiled =
      devices.Compile(std::shared_ptr<const api::ResourceClaimSpec>(claim, &claim->spec));
  const auto pools = devices.PoolsOf(node);
  const scheduler::devices::CompiledClaim* claims[] = {compiled.get()};
  return scheduler::devices::Search({.pools = *pools,
                                     .node = *engine.cluster().nodes().info(node).object,
                                     .claims = claims,
                                     .allocated = devices.allocated(),
                                     .gates = devices.gates(),
                                     .max_work = kMaxWork,
                                     .easy_failures = easy_failures})
      .Run();
}

void CheckWork(const FuzzedEngine& engine, size_t bytes) {
  const scheduler::model::Cluster& cluster = engine.cluster();
  cluster.devices().claims().ForEach([&](const scheduler::model::ClaimRef& claim) {
    cluster.nodes().present().ForEach([&](size_t row) {
      const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
      const SearchResult usual =
          SearchFor(engine, node, claim, scheduler::devices::Search::kEasyFailures);
      const SearchResult pruned = SearchFor(engine, node, claim, 0);
      // What is counted at a time is a part of the input, for each of few candidates.
      const uint64_t most = kMaxWork + kWorkOfByte * bytes;
      CHECK((usual.work <= most && pruned.work <= most));
      if (usual.kind == SearchResult::Kind::kTimedOut ||
          pruned.kind == SearchResult::Kind::kTimedOut)
        return;
      CHECK((usual.kind == pruned.kind && usual.picks == pruned.picks));
    });
  });
}

void RunOne(const uint8_t* data, size_t size) {
  if (size < 1 || size > 8192) return;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  FuzzedEngine engine;
  PutNodes(engine);
  if (data[0] % 2 == 0) {
    PutLines(engine, bytes);
  } else {
    PutAll(engine, bytes, WireForm::kProtobuf);
  }
  CheckWork(engine, size);
  PutPods(engine);
  engine.Schedule();
  CheckAllocatedOnce(engine.cluster().devices());
}

}  // namespace
}  // namespace berth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::RunOne(data, size);
  return 0;
}
