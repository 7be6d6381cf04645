#include "world/node_kubelet.h"

#include <algorithm>
#include <array>

#include "admission/metadata.h"
#include "admission/prepare.h"
#include "world/addresses.h"
#include "world/documents.h"

namespace berth::world {

using apiserver::DefaultInt;
using apiserver::DefaultString;

namespace {

constexpr uint32_t kPodRange = 1024;                        // A /22 for each node,
constexpr uint32_t kPodBase = 10U << 24;                    // of 10.0.0.0/8.
constexpr uint32_t kNodeBase = (172U << 24) | (16U << 16);  // 172.16.0.0/12
constexpr uint32_t kMaxNumber = 1U << 14;
constexpr std::string_view kVersion = "v1.36.0";

struct Condition {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};
constexpr std::array<Condition, 4> kConditions = {{
    {"MemoryPressure", "False", "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available"},
    {"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    {"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
    {"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
}};

void SetConditions(JsonObject& status, Instant now) {
  for (const Condition& condition : kConditions) {
    const std::string_view present = StringAt(ConditionOf(&status, condition.type), "status");
    if (!present.empty() && present != "Unknown") continue;
    apiserver::SetCondition(status, condition.type, condition.status, condition.reason,
                            condition.message, now);
    for (Json& item : ArrayIn(status, "conditions")) {
      JsonObject* fields = item.if_object();
      if (StringAt(fields, "type") != condition.type) continue;
      SetString(*fields, "lastHeartbeatTime", apiserver::TimeText(now));
    }
  }
}

// The taints that keep pods away until the node is ready.
void RemoveReadinessTaints(JsonObject& node) {
  JsonObject* spec = ObjectAt(&node, "spec");
  JsonArray* taints = ArrayAt(spec, "taints");
  if (!taints || !IsTrue(ObjectAt(&node, "status"), "Ready")) return;
  for (size_t i = taints->size(); i-- > 0;) {
    const std::string_view key = StringAt(AsObject((*taints)[i]), "key");
    if (key == "node.kubernetes.io/not-ready" || key == "node.kubernetes.io/unreachable") {
      taints->erase(taints->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (taints->empty()) spec->erase("taints");
}

void SetResources(JsonObject& status) {
  // Both members at first: a new one may move the others.
  ObjectIn(status, "capacity");
  JsonObject& allocatable = ObjectIn(status, "allocatable");
  JsonObject& capacity = ObjectIn(status, "capacity");
  DefaultString(capacity, "pods", "110");
  for (const auto& [name, amount] : capacity) {
    if (!At(&allocatable, name)) allocatable[name] = amount;
  }
  for (const auto& [name, amount] : allocatable) {
    if (!At(&capacity, name)) capacity[name] = amount;
  }
}

void AddAddress(JsonArray& addresses, std::string_view type, std::string_view text) {
  JsonObject& address = addresses.emplace_back(boost::json::object_kind).get_object();
  SetString(address, "type", type);
  SetString(address, "address", text);
}

}  // namespace

void NodeKubelet::Observe(const Change& change) {
  if (&change.kind != &Nodes()) return;
  const std::string& name = change.object.key.name;
  if (change.deleted) {
    queue_.Forget(change.object.key);
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return;
    taken_.erase(found->second);
    numbers_.erase(found);
    return;
  }
  // Those that have a range from before keep its number.
  const auto range = AddressRange::Parse(change.node->pod_cidr);
  if (range && range->first() >= kPodBase && !numbers_.contains(name)) {
    const uint32_t number = (range->first() - kPodBase) / kPodRange;
    if (taken_.insert(number).second) numbers_.emplace(name, number);
  }
  if (change.node->runs) queue_.Add(change.object.key);
}

uint32_t NodeKubelet::NumberOf(const std::string& node) {
  const auto found = numbers_.find(node);
  if (found != numbers_.end()) return found->second;
  // Nodes come in crowds and go one by one: looking from the end is quick.
  uint32_t number = taken_.empty() ? 1 : *taken_.rbegin() + 1;
  if (number >= kMaxNumber) {
    number = 1;
    while (taken_.contains(number) && number + 1 < kMaxNumber) ++number;
  }
  taken_.insert(number);
  numbers_.emplace(node, number);
  return number;
}

void NodeKubelet::Sync(const ObjectName& key) {
  const NodeRecord* node = context_.nodes.Find(key.name);
  if (!node || !node->runs) return;
  const uint32_t number = NumberOf(key.name);
  const auto done = context_.api.Modify(Nodes(), key, [&](Json& document) {
    JsonObject* fields = document.if_object();
    if (StringAt(ObjectAt(fields, "metadata"), "uid") != node->object->uid) return false;
    Complete(*fields, number);
    return true;
  });
  if (done) Wrote(key, *done);
}

void NodeKubelet::Complete(JsonObject& node, uint32_t number) {
  const std::string name(StringAt(ObjectAt(&node, "metadata"), "name"));
  JsonObject& labels = ObjectIn(ObjectIn(node, "metadata"), "labels");
  DefaultString(labels, "kubernetes.io/arch", "amd64");
  DefaultString(labels, "kubernetes.io/hostname", name);
  DefaultString(labels, "kubernetes.io/os", "linux");

  JsonObject& spec = ObjectIn(node, "spec");
  if (!At(&spec, "podCIDR")) {
    const std::string cidr = FormatAddress(kPodBase + number * kPodRange) + "/22";
    SetString(spec, "podCIDR", cidr);
    spec["podCIDRs"].emplace_array().emplace_back(cidr);
  }

  JsonObject& status = ObjectIn(node, "status");
  SetResources(status);
  SetConditions(status, context_.now());
  if (EmptyAt(&status, "addresses")) {
    JsonArray& addresses = ArrayIn(status, "addresses");
    AddAddress(addresses, "InternalIP", FormatAddress(kNodeBase + number));
    AddAddress(addresses, "Hostname", name);
  }
  JsonObject& info = ObjectIn(status, "nodeInfo");
  const std::string uid(StringAt(ObjectAt(&node, "metadata"), "uid"));
  for (const std::string_view key : {"machineID", "systemUUID", "bootID"}) {
    DefaultString(info, key, uid);
  }
  DefaultString(info, "kernelVersion", "berth");
  DefaultString(info, "osImage", "Berth");
  DefaultString(info, "containerRuntimeVersion", "berth://1.0");
  DefaultString(info, "kubeletVersion", kVersion);
  DefaultString(info, "operatingSystem", "linux");
  DefaultString(info, "architecture", "amd64");
  DefaultInt(ObjectIn(ObjectIn(status, "daemonEndpoints"), "kubeletEndpoint"), "Port", 10250);
  RemoveReadinessTaints(node);
}

}  // namespace berth::world
