#include "localcluster/node_kubelet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "base/kubernetes_version.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

std::optional<uint32_t> ParseAddress(std::string_view text) {
  uint32_t address = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (text.empty() || text.front() != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    uint8_t part = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    address = address << 8 | part;
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

std::string FormatAddress(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

std::optional<AddressRange> AddressRange::Parse(std::string_view cidr) {
  const size_t slash = cidr.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto first = ParseAddress(cidr.substr(0, slash));
  uint32_t bits = 0;
  const char* const end = cidr.data() + cidr.size();
  const auto parsed = std::from_chars(cidr.data() + slash + 1, end, bits);
  if (!first || parsed.ec != std::errc() || parsed.ptr != end || bits < 8 || bits > 32) {
    return std::nullopt;
  }
  return AddressRange(*first, 1U << (32 - bits));
}

std::optional<uint32_t> AddressRange::OffsetOf(std::string_view address) const {
  const auto number = ParseAddress(address);
  if (!number || *number < first_ || *number - first_ >= size_) return std::nullopt;
  return *number - first_;
}

using api::DefaultInt;
using api::DefaultString;

namespace {

constexpr uint32_t kPodRange = 1024;                        // A /22 for each node,
constexpr uint32_t kPodBase = 10U << 24;                    // of 10.0.0.0/8.
constexpr uint32_t kNodeBase = (172U << 24) | (16U << 16);  // 172.16.0.0/12
constexpr uint32_t kMaxNumber = 1U << 14;

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
    apiserver::admission::SetCondition(status, condition.type, condition.status, condition.reason,
                                       condition.message, now);
    for (Json& item : EnsureArray(status, "conditions")) {
      JsonObject* fields = item.if_object();
      if (StringAt(fields, "type") != condition.type) continue;
      SetString(*fields, "lastHeartbeatTime", api::FormatTime(now));
    }
  }
}

// Removes the taints that repel pods until the node is ready.
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
  // Create both members first: inserting one may move the others.
  EnsureObject(status, "capacity");
  JsonObject& allocatable = EnsureObject(status, "allocatable");
  JsonObject& capacity = EnsureObject(status, "capacity");
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
  // A node that already has a pod CIDR retains its number.
  const auto range = AddressRange::Parse(change.node->pod_cidr);
  if (range && range->first() >= kPodBase && !numbers_.contains(name)) {
    const uint32_t number = (range->first() - kPodBase) / kPodRange;
    if (taken_.insert(number).second) numbers_.emplace(name, number);
  }
  if (change.node->has_kubelet) queue_.Add(change.object.key);
}

uint32_t NodeKubelet::NumberOf(const std::string& node) {
  const auto found = numbers_.find(node);
  if (found != numbers_.end()) return found->second;
  // Search from the end: nodes are usually added in bulk and removed one by one.
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
  if (!node || !node->has_kubelet) return;
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
  JsonObject& labels = EnsureObject(EnsureObject(node, "metadata"), "labels");
  DefaultString(labels, "kubernetes.io/arch", "amd64");
  DefaultString(labels, "kubernetes.io/hostname", name);
  DefaultString(labels, "kubernetes.io/os", "linux");

  JsonObject& spec = EnsureObject(node, "spec");
  if (!At(&spec, "podCIDR")) {
    const std::string cidr = FormatAddress(kPodBase + number * kPodRange) + "/22";
    SetString(spec, "podCIDR", cidr);
    spec["podCIDRs"].emplace_array().emplace_back(cidr);
  }

  JsonObject& status = EnsureObject(node, "status");
  SetResources(status);
  SetConditions(status, context_.now());
  if (EmptyAt(&status, "addresses")) {
    JsonArray& addresses = EnsureArray(status, "addresses");
    AddAddress(addresses, "InternalIP", FormatAddress(kNodeBase + number));
    AddAddress(addresses, "Hostname", name);
  }
  JsonObject& info = EnsureObject(status, "nodeInfo");
  const std::string uid(StringAt(ObjectAt(&node, "metadata"), "uid"));
  for (const std::string_view key : {"machineID", "systemUUID", "bootID"}) {
    DefaultString(info, key, uid);
  }
  DefaultString(info, "kernelVersion", "berth");
  DefaultString(info, "osImage", "Berth");
  DefaultString(info, "containerRuntimeVersion", "berth://1.0");
  DefaultString(info, "kubeletVersion", fmt::format("v{}", kKubernetesVersion));
  // Deprecated and empty, but required: clients in other languages insist on it.
  DefaultString(info, "kubeProxyVersion", "");
  DefaultString(info, "operatingSystem", "linux");
  DefaultString(info, "architecture", "amd64");
  DefaultInt(EnsureObject(EnsureObject(status, "daemonEndpoints"), "kubeletEndpoint"), "Port",
             10250);
  RemoveReadinessTaints(node);
}

namespace {

constexpr int64_t kMinIntervalSeconds = 10;
constexpr int64_t kWritesPerSecond = 50;
// Renewals per lease duration.
constexpr int64_t kRenewalsPerLease = 4;
constexpr std::string_view kNamespace = "kube-node-lease";

}  // namespace

void NodeLeases::Observe(const Change& change) {
  if (&change.kind != &Nodes()) return;
  if (change.deleted) return queue_.Forget(change.object.key);
  const bool had_kubelet = change.previous_node && change.previous_node->has_kubelet;
  if (change.node->has_kubelet && !had_kubelet) queue_.Add(change.object.key);
}

Duration NodeLeases::Interval() const {
  const auto nodes = static_cast<int64_t>(context_.nodes.all().size());
  return Duration::Seconds(std::max(kMinIntervalSeconds, nodes / kWritesPerSecond));
}

void NodeLeases::Sync(const ObjectName& key) {
  const NodeRecord* node = context_.nodes.Find(key.name);
  if (!node || !node->has_kubelet) return;
  const Duration interval = Interval();
  Renew(*node, interval / Duration::Seconds(1) * kRenewalsPerLease);
  // Jitter, so that nodes that were created together do not renew together.
  const auto most = static_cast<uint64_t>((interval / 5).nanos);
  const Duration early{static_cast<int64_t>(std::hash<std::string>()(node->object->uid) % most)};
  queue_.AddAt(key, context_.now() + interval - early);
}

void NodeLeases::Renew(const NodeRecord& node, int64_t seconds) {
  const ObjectName name{std::string(kNamespace), node.name()};
  const std::string now = api::FormatMicroTime(context_.now());
  const auto renewed = context_.api.Modify(Leases(), name, [&](Json& document) {
    JsonObject& spec = EnsureObject(document.get_object(), "spec");
    SetString(spec, "renewTime", now);
    SetInt(spec, "leaseDurationSeconds", seconds);
    return true;
  });
  if (renewed) return;
  JsonObject lease;
  JsonObject& metadata = EnsureObject(lease, "metadata");
  SetString(metadata, "name", node.name());
  JsonObject& owner =
      EnsureArray(metadata, "ownerReferences").emplace_back(boost::json::object_kind).get_object();
  SetString(owner, "apiVersion", "v1");
  SetString(owner, "kind", "Node");
  SetString(owner, "name", node.name());
  SetString(owner, "uid", node.object->uid);
  JsonObject& spec = EnsureObject(lease, "spec");
  SetString(spec, "holderIdentity", node.name());
  SetInt(spec, "leaseDurationSeconds", seconds);
  SetString(spec, "renewTime", now);
  // On a conflict, the next renewal is soon enough.
  (void)context_.api.Create(Leases(), kNamespace, std::move(lease));
}

}  // namespace berth::localcluster
