#include "simulation/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/model/cluster.h"
#include "simulation/api_model.h"

namespace berth::simulation {
namespace {

std::string PodDetails(const api::Pod& pod) {
  std::string text;
  for (const auto& [key, value] : pod.metadata.labels) text += fmt::format(" {}={}", key, value);
  if (!pod.spec.node_name.empty()) text += " on " + pod.spec.node_name;
  if (!pod.spec.scheduling_gates.empty()) text += " gated";
  if (pod.metadata.deletion_timestamp) text += " terminating";
  if (!pod.status.nominated_node_name.empty())
    text += " nominated " + pod.status.nominated_node_name;
  if (pod.finished()) text += " finished";
  return text;
}

std::string NodeDetails(const api::Node& node) {
  std::string text;
  for (const auto& [name, amount] : node.status.allocatable) {
    text += fmt::format(" {}={}", name, amount.ToString());
  }
  for (const auto& [key, value] : node.metadata.labels) text += fmt::format(" {}={}", key, value);
  if (!node.spec.taints.empty()) text += " tainted";
  if (node.spec.unschedulable) text += " cordoned";
  return text;
}

std::string ClaimDetails(const api::ResourceClaim& claim) {
  std::string text;
  if (claim.status.allocation) {
    text += " allocated";
    for (const api::DeviceRequestAllocationResult& result : claim.status.allocation->results)
      text += fmt::format(" {}/{}", result.pool, result.device);
  }
  for (const api::ResourceClaimConsumerReference& user : claim.status.reserved_for)
    text += " for " + user.uid;
  if (claim.metadata.deletion_timestamp) text += " terminating";
  return text;
}

std::string ClaimText(const api::ResourceClaim& claim) {
  return fmt::format("resource claim {} v{}{}", claim.metadata.name,
                     claim.metadata.resource_version, ClaimDetails(claim));
}

std::string DescribeObject(const api::Object& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  std::string text = fmt::format("{} {} ({} v{})", api::KindOf(object).kind, meta.name, meta.uid,
                                 meta.resource_version);
  if (const auto pod = As<api::Pod>(object)) text += PodDetails(*pod);
  if (const auto node = As<api::Node>(object)) text += NodeDetails(*node);
  if (const auto claim = As<api::ResourceClaim>(object)) text += ClaimDetails(*claim);
  return text;
}

const char* ToString(scheduler::framework::WriteResult::Kind kind) {
  constexpr const char* kNames[] = {"ok",      "conflict",    "not found",
                                    "timeout", "unavailable", "rejected"};
  return kNames[static_cast<size_t>(kind)];
}

struct WriteText {
  std::string operator()(const scheduler::framework::BindPod& bind) const {
    return fmt::format("bind {} ({}) to {}", bind.pod.name, bind.uid, bind.node);
  }
  std::string operator()(const scheduler::framework::PatchPodStatus& patch) const {
    std::string text = fmt::format("patch {} ({})", patch.pod.name, patch.uid);
    if (patch.nominated_node_name)
      text += fmt::format(" nominate \"{}\"", *patch.nominated_node_name);
    if (patch.condition)
      text += fmt::format(" {}={}", patch.condition->type, patch.condition->reason);
    return text;
  }
  std::string operator()(const scheduler::framework::PatchPodGroupStatus& patch) const {
    return fmt::format("patch group {} {}={}", patch.group.name, patch.condition.type,
                       patch.condition.reason);
  }
  std::string operator()(const scheduler::framework::DeletePod& remove) const {
    return fmt::format("delete {} ({})", remove.pod.name, remove.uid);
  }
  std::string operator()(const scheduler::framework::UpdatePersistentVolume& update) const {
    return fmt::format("update volume {}", update.object->metadata.name);
  }
  std::string operator()(const scheduler::framework::UpdatePersistentVolumeClaim& update) const {
    return fmt::format("update claim {}", update.object->metadata.name);
  }
  std::string operator()(const scheduler::framework::CreateResourceClaim& create) const {
    return fmt::format("create a resource claim {}", create.generate_name);
  }
  std::string operator()(const scheduler::framework::GetResourceClaim& get) const {
    return fmt::format("get resource claim {}", get.claim.name);
  }
  std::string operator()(const scheduler::framework::UpdateResourceClaim& update) const {
    return "update " + ClaimText(*update.object);
  }
  std::string operator()(const scheduler::framework::UpdateResourceClaimStatus& update) const {
    return "update the status of " + ClaimText(*update.object);
  }
  std::string operator()(const scheduler::framework::UnreserveResourceClaim& unreserve) const {
    return fmt::format("unreserve resource claim {} for {}", unreserve.claim.name,
                       unreserve.pod_uid);
  }
  std::string operator()(const scheduler::framework::DeleteResourceClaim& remove) const {
    return fmt::format("delete resource claim {}", remove.claim.name);
  }
  std::string operator()(const scheduler::framework::RecordEvent& event) const {
    return fmt::format("event {} {}: {}", event.pod.name, event.reason, event.note);
  }
  std::string operator()(const scheduler::framework::CallExtender&) const {
    return "call an extender";
  }
};

struct EventText {
  std::string operator()(const scheduler::engine::ObjectPut& put) const {
    return "put " + DescribeObject(put.object);
  }
  std::string operator()(const scheduler::engine::ObjectDeleted& deleted) const {
    return "delete " + DescribeObject(deleted.object);
  }
  std::string operator()(const scheduler::engine::WriteDone& done) const {
    return fmt::format("write {} ended: {}", done.id.index(), ToString(done.result.kind));
  }
  std::string operator()(const scheduler::engine::PermitDecision& decision) const {
    return fmt::format("permit {} {}", decision.allow ? "allows" : "rejects", decision.uid);
  }
};

}  // namespace

void Trace::Add(std::string line) {
  if (listener_) listener_(line);
  lines_.push_back(std::move(line));
  if (lines_.size() > kMaxLines) lines_.pop_front();
}

std::string Describe(const scheduler::engine::Event& event) {
  return std::visit(EventText(), event);
}
std::string Describe(const scheduler::framework::ApiWrite& write) {
  return std::visit(WriteText(), write);
}

std::string Describe(const scheduler::engine::Decision& decision) {
  if (decision.kind == scheduler::engine::Decision::Kind::kPlaced) {
    return fmt::format("decision: {} -> {}", decision.key.name, decision.node);
  }
  std::string text = fmt::format("decision: {}: {}", decision.key.name, decision.message);
  for (const api::ObjectKey& victim : decision.victims) text += " victim " + victim.name;
  return text;
}

}  // namespace berth::simulation
