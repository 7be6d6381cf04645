#include "benchmark/claim_allocation.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/object.h"
#include "api/scheme/scheme.h"
#include "base/random.h"
#include "runtime/embedded/store_reflector.h"

namespace berth::benchmark {
namespace {

using scheduler::engine::Engine;
using scheduler::engine::Event;

constexpr size_t kChangesAtATime = 4'096;

// A pod for one claim, which prefers one node.
api::Ref<api::Pod> PodFor(const api::ResourceClaim& claim, const std::string& node) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = claim.metadata.name;
  pod->metadata.namespace_ = claim.metadata.namespace_;
  pod->metadata.uid = "pod-" + claim.metadata.uid;
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.containers.emplace_back().name = "c";
  pod->spec.resource_claims = {{"claim", claim.metadata.name, std::nullopt}};
  api::PreferredSchedulingTerm& preferred =
      pod->spec.affinity.emplace().node_affinity.emplace().preferred.emplace_back();
  preferred.weight = 100;
  preferred.preference.match_expressions = {{"kubernetes.io/hostname", "In", {node}}};
  return pod;
}

// Completes the engine's writes of claims, and keeps the allocations.
class ClaimWrites {
 public:
  explicit ClaimWrites(Engine& engine) : engine_(engine) {}

  void Complete(Instant now) {
    for (auto commands = engine_.TakeCommands(); !commands.empty();
         commands = engine_.TakeCommands()) {
      for (const scheduler::engine::Command& command : commands) Complete(command, now);
    }
  }
  const std::map<api::ObjectKey, api::Ref<api::ResourceClaim>>& allocated() const {
    return allocated_;
  }

 private:
  void Complete(const scheduler::engine::Command& command, Instant now) {
    std::shared_ptr<api::ResourceClaim> written;
    if (const auto* update =
            std::get_if<scheduler::framework::UpdateResourceClaim>(&command.write)) {
      written = std::make_shared<api::ResourceClaim>(*update->object);
    } else if (const auto* status =
                   std::get_if<scheduler::framework::UpdateResourceClaimStatus>(&command.write)) {
      written = std::make_shared<api::ResourceClaim>(*status->object);
    }
    scheduler::framework::WriteResult result;
    if (written != nullptr) {
      written->metadata.resource_version = std::to_string(++version_);
      result.resource_version = written->metadata.resource_version;
      result.claim = written;
      if (written->status.allocation) {
        allocated_[{written->metadata.namespace_, written->metadata.name}] = written;
      }
    }
    engine_.Handle(scheduler::engine::WriteDone{command.id, std::move(result)}, now);
    if (written == nullptr) return;
    engine_.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::ResourceClaim>(written))},
                   now);
  }

  Engine& engine_;
  // Beyond that of any object that was read.
  uint64_t version_ = uint64_t{1} << 40;
  std::map<api::ObjectKey, api::Ref<api::ResourceClaim>> allocated_;
};

// What the scheduler would know of the cluster.
struct ClusterObjects {
  std::vector<std::string> nodes;
  std::vector<api::Ref<api::ResourceClaim>> claims;  // Of the namespace, not allocated yet.
};

ClusterObjects ReadObjects(apiserver::registry::Api& api, const std::string& namespace_,
                           Engine& engine, Instant now) {
  ClusterObjects objects;
  auto reflectors = runtime::embedded::MakeStoreReflectors(
      api.store(), [] {}, [](const std::string&) {}, /*raw_json=*/false);
  std::vector<runtime::embedded::StoreChange> changes;
  for (auto& reflector : reflectors) reflector.Read(kChangesAtATime, changes);
  for (const runtime::embedded::StoreChange& change : changes) {
    const auto* put = std::get_if<api::ObjectPut>(&change.change);
    // Pods that are pending would be scheduled here.
    if (put == nullptr || std::holds_alternative<api::Ref<api::Pod>>(put->object)) continue;
    engine.Handle(Event(*put), now);
    if (const auto* node = std::get_if<api::Ref<api::Node>>(&put->object)) {
      objects.nodes.push_back((*node)->metadata.name);
    } else if (const auto* claim = std::get_if<api::Ref<api::ResourceClaim>>(&put->object)) {
      const bool wanted = namespace_.empty() || (*claim)->metadata.namespace_ == namespace_;
      if (wanted && !(*claim)->status.allocation) objects.claims.push_back(*claim);
    }
  }
  return objects;
}

// Writes the allocation, and nothing else of the status.
Status WriteAllocation(apiserver::registry::Api& api, const api::ResourceClaim& claim) {
  auto document = api::ParseJson(api::EncodeJson(claim));
  if (!document) return std::unexpected(document.error());
  const api::Json* allocation =
      api::At(api::ObjectAt(api::AsObject(*document), "status"), "allocation");
  const auto written =
      api.Modify(api::scheme::KindOf("resourceclaims.resource.k8s.io"),
                 {claim.metadata.namespace_, claim.metadata.name}, [&](api::Json& stored) {
                   api::EnsureObject(stored.get_object(), "status")["allocation"] = *allocation;
                   return true;
                 });
  return written ? Status() : Fail(written.error().message);
}

}  // namespace

Status AllocateClaims(apiserver::registry::Api& api, const std::string& namespace_,
                      const scheduler::engine::EngineOptions& options,
                      const scheduler::framework::Registry& registry) {
  scheduler::engine::EngineOptions own = options;
  own.measurements = nullptr;
  auto engine = Engine::Make(own, registry);
  if (!engine) return std::unexpected(engine.error());
  const Instant now = api.now();
  const ClusterObjects objects = ReadObjects(api, namespace_, **engine, now);
  if (objects.claims.empty()) return {};
  if (objects.nodes.empty()) return Fail("there are no nodes to allocate claims on");
  ClaimWrites writes(**engine);
  Random random(1);
  for (const api::Ref<api::ResourceClaim>& claim : objects.claims) {
    const std::string& node = objects.nodes[random.Below(objects.nodes.size())];
    (*engine)->Handle(scheduler::engine::ObjectPut{api::Object(PodFor(*claim, node))}, now);
    (*engine)->Schedule(now, 1);
    writes.Complete(now);
    const auto found = writes.allocated().find({claim->metadata.namespace_, claim->metadata.name});
    if (found == writes.allocated().end()) {
      return Fail(fmt::format("claim {}/{} cannot be allocated on any node",
                              claim->metadata.namespace_, claim->metadata.name));
    }
    if (auto written = WriteAllocation(api, *found->second); !written) return written;
  }
  return {};
}

}  // namespace berth::benchmark
