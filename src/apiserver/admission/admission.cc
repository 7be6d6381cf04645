#include "apiserver/admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/devices.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

// Taints a node that is not ready; the node lifecycle controller removes the taint.
void TaintUnreadyNode(api::JsonObject& node) {
  const api::JsonArray* conditions = api::ArrayAt(api::ObjectAt(&node, "status"), "conditions");
  for (size_t i = 0; conditions && i < conditions->size(); ++i) {
    const api::JsonObject* condition = api::AsObject((*conditions)[i]);
    if (api::StringAt(condition, "type") == "Ready" && api::StringAt(condition, "status") == "True")
      return;
  }
  api::JsonArray& taints = api::EnsureArray(api::EnsureObject(node, "spec"), "taints");
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready";
  const bool present = std::ranges::any_of(taints, [&](const api::Json& taint) {
    const api::JsonObject* fields = api::AsObject(taint);
    return api::StringAt(fields, "key") == kKey && api::StringAt(fields, "effect") == "NoSchedule";
  });
  if (present) return;
  api::JsonObject& taint = taints.emplace_back(boost::json::object_kind).get_object();
  api::SetString(taint, "key", kKey);
  api::SetString(taint, "effect", "NoSchedule");
}

api::scheme::ApiResult<void> AdmitPriorityClass(const PriorityClasses& priorities,
                                                const api::scheme::Kind& kind,
                                                const api::JsonObject& document) {
  if (!api::BoolAt(&document, "globalDefault")) return {};
  const auto table = priorities.table();
  const PriorityClass* present = DefaultPriorityClass(*table);
  const std::string_view name = api::StringAt(MetadataOf(document), "name");
  if (!present || present->name == name) return {};
  return std::unexpected(api::scheme::Forbidden(
      kind, name,
      fmt::format("PriorityClass {} is already marked as default. Only one default can "
                  "exist",
                  present->name)));
}

// Returns the newest of the classes marked as default; the first by name among equals.
std::string DefaultStorageClass(const store::Store& store) {
  std::string best;
  std::string best_time;
  for (const store::ObjectPtr& object :
       store.List(api::scheme::KindOf("storageclasses.storage.k8s.io").collection, {}).objects) {
    if (object->json.find(kDefaultClass) == std::string::npos) continue;
    const api::Json document = store::Parse(*object);
    const api::JsonObject* metadata = api::ObjectAt(api::AsObject(document), "metadata");
    if (api::StringAt(api::ObjectAt(metadata, "annotations"), kDefaultClass) != "true") continue;
    const std::string_view time = api::StringAt(metadata, "creationTimestamp");
    if (!best.empty() && time <= best_time) continue;
    best = object->key.name;
    best_time = time;
  }
  return best;
}

void AdmitClaim(const store::Store& store, api::JsonObject& claim) {
  api::JsonObject& spec = api::EnsureObject(claim, "spec");
  // An empty name requests no class.
  if (api::At(&spec, "storageClassName")) return;
  const std::string name = DefaultStorageClass(store);
  if (!name.empty()) api::SetString(spec, "storageClassName", name);
}

// Generates the selector of a job, which matches its pods by the job's uid.
void SelectJobPods(api::JsonObject& job) {
  const std::string uid(api::StringAt(&MetadataOf(job), "uid"));
  const std::string name(api::StringAt(&MetadataOf(job), "name"));
  api::JsonObject& spec = api::EnsureObject(job, "spec");
  if (api::BoolAt(&spec, "manualSelector")) return;
  api::JsonObject& labels = api::EnsureObject(
      api::EnsureObject(api::EnsureObject(spec, "template"), "metadata"), "labels");
  api::SetString(labels, "batch.kubernetes.io/controller-uid", uid);
  api::SetString(labels, "batch.kubernetes.io/job-name", name);
  api::SetString(labels, "controller-uid", uid);
  api::SetString(labels, "job-name", name);
  // A kube-apiserver applies defaults again when it reads the object.
  const api::JsonObject copy = labels;
  api::JsonObject& metadata = MetadataOf(job);
  if (api::IsEmpty(api::At(&metadata, "labels"))) metadata["labels"] = copy;
  api::SetString(api::EnsureObject(api::EnsureObject(spec, "selector"), "matchLabels"),
                 "batch.kubernetes.io/controller-uid", uid);
}

void CopyMissing(const api::JsonObject& before, api::JsonObject& after, std::string_view key) {
  const api::Json* value = api::At(&before, key);
  if (value && !api::At(&after, key)) after[key] = *value;
}

}  // namespace

api::scheme::ApiResult<void> AdmitNamespace(const store::Store& store,
                                            const api::scheme::Kind& kind, std::string_view name,
                                            std::string_view namespace_) {
  static const api::scheme::Kind& namespaces = api::scheme::KindOf("namespaces");
  const store::ObjectPtr object = store.Get(namespaces.collection, {"", std::string(namespace_)});
  if (!object) return std::unexpected(api::scheme::NotFound(namespaces, namespace_));
  // The phase is the only selectable field of namespaces.
  if (object->fields.empty() || object->fields.front() != "Terminating") return {};
  api::scheme::ApiError error = api::scheme::Forbidden(
      kind, name,
      fmt::format("unable to create new content in namespace {} because it is being terminated",
                  namespace_));
  error.causes.push_back({"NamespaceTerminating",
                          fmt::format("namespace {} is being terminated", namespace_),
                          "metadata.namespace"});
  return std::unexpected(std::move(error));
}

api::scheme::ApiResult<void> AdmitCreate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         api::JsonObject& document) {
  const std::string_view name = kind.kind;
  if (name == "Pod") return AdmitPod(context, kind, document);
  if (name == "Service") return AdmitService(context, kind, nullptr, document);
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, document);
  if (name == "Node") TaintUnreadyNode(document);
  if (name == "PersistentVolumeClaim") AdmitClaim(context.store, document);
  if (name == "Job") SelectJobPods(document);
  SetTaintTimes(kind, document, context.now);
  return {};
}

api::scheme::ApiResult<void> AdmitUpdate(AdmissionContext& context, const api::scheme::Kind& kind,
                                         const api::JsonObject& before, api::JsonObject& after) {
  const std::string_view name = kind.kind;
  if (name == "PriorityClass") return AdmitPriorityClass(context.priorities, kind, after);
  if (name == "Service") return AdmitService(context, kind, &before, after);
  SetTaintTimes(kind, after, context.now);
  const api::JsonObject* old_spec = api::ObjectAt(&before, "spec");
  api::JsonObject* new_spec = api::ObjectAt(&after, "spec");
  if (!old_spec || !new_spec) return {};
  if (name == "Pod") {
    CopyMissing(*old_spec, *new_spec, "priority");
    CopyMissing(*old_spec, *new_spec, "preemptionPolicy");
    AddDefaultTolerations(*new_spec);
  }
  if (name == "Job") {
    CopyMissing(*old_spec, *new_spec, "selector");
    if (!api::BoolAt(new_spec, "manualSelector")) SelectJobPods(after);
  }
  return {};
}

namespace {

constexpr int64_t kTolerationSeconds = 300;
constexpr std::array<std::string_view, 2> kTopologyLabels = {"topology.kubernetes.io/region",
                                                             "topology.kubernetes.io/zone"};

api::scheme::ApiResult<void> ResolvePriority(const PriorityClasses& priorities,
                                             const api::scheme::Kind& kind, std::string_view pod,
                                             api::JsonObject& spec) {
  const auto table = priorities.table();
  const std::string_view class_name = api::StringAt(&spec, "priorityClassName");
  static const PriorityClass kNone;
  const PriorityClass* found = &kNone;
  if (!class_name.empty()) {
    found = FindPriorityClass(*table, class_name);
    if (!found) {
      return std::unexpected(api::scheme::Forbidden(
          kind, pod, fmt::format("no PriorityClass with name {} was found", class_name)));
    }
  } else if (const PriorityClass* fallback = DefaultPriorityClass(*table)) {
    found = fallback;
    api::SetString(spec, "priorityClassName", found->name);
  }
  const auto given = api::IntAt(&spec, "priority");
  if (given && *given != found->value) {
    return std::unexpected(api::scheme::Forbidden(
        kind, pod,
        fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    *given, found->value)));
  }
  const std::string_view policy = api::StringAt(&spec, "preemptionPolicy");
  if (!policy.empty() && policy != found->preemption_policy) {
    return std::unexpected(api::scheme::Forbidden(
        kind, pod,
        fmt::format("the string value of PreemptionPolicy ({}) must not be provided in pod spec; "
                    "priority admission controller computed {} from the given PriorityClass name",
                    policy, found->preemption_policy)));
  }
  api::SetInt(spec, "priority", found->value);
  api::SetString(spec, "preemptionPolicy", found->preemption_policy);
  return {};
}

bool Tolerates(const api::JsonArray& tolerations, std::string_view key) {
  for (const api::Json& toleration : tolerations) {
    const api::JsonObject* fields = api::AsObject(toleration);
    const std::string_view own = api::StringAt(fields, "key");
    const std::string_view effect = api::StringAt(fields, "effect");
    if ((own == key || own.empty()) && (effect == "NoExecute" || effect.empty())) return true;
  }
  return false;
}

}  // namespace

void AddDefaultTolerations(api::JsonObject& pod_spec) {
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    api::JsonArray& tolerations = api::EnsureArray(pod_spec, "tolerations");
    if (Tolerates(tolerations, key)) continue;
    api::JsonObject& toleration = tolerations.emplace_back(boost::json::object_kind).get_object();
    api::SetString(toleration, "key", key);
    api::SetString(toleration, "operator", "Exists");
    api::SetString(toleration, "effect", "NoExecute");
    api::SetInt(toleration, "tolerationSeconds", kTolerationSeconds);
  }
}

void AddTopologyLabels(const store::Store& store, std::string_view node, api::JsonObject& pod) {
  static const store::Collection kNodes = api::scheme::KindOf("nodes").collection;
  const store::ObjectPtr object = store.Get(kNodes, {"", std::string(node)});
  if (!object) return;
  for (const auto& [key, value] : object->labels) {
    if (key != kTopologyLabels[0] && key != kTopologyLabels[1]) continue;
    api::SetString(api::EnsureObject(MetadataOf(pod), "labels"), key, value);
  }
}

api::scheme::ApiResult<void> AdmitPod(AdmissionContext& context, const api::scheme::Kind& kind,
                                      api::JsonObject& pod) {
  const std::string name(api::StringAt(&MetadataOf(pod), "name"));
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  if (auto resolved = ResolvePriority(context.priorities, kind, name, spec); !resolved) {
    return resolved;
  }
  AddDefaultTolerations(spec);
  const std::string_view node = api::StringAt(&spec, "nodeName");
  if (!node.empty()) AddTopologyLabels(context.store, std::string(node), pod);
  return {};
}

namespace {

// The service range 10.96.0.0/12 has 20 bits. The first addresses are reserved for static
// assignment.
constexpr uint32_t kRange = 10U << 24 | 96U << 16;
constexpr uint32_t kAddresses = 1U << 20;
constexpr uint32_t kStaticAddresses = 256;
constexpr int64_t kFirstPort = 30'000;
constexpr int64_t kPorts = 2'768;

bool IsAllocated(const store::Store& store, const api::scheme::Kind& kind,
                 const std::string& address) {
  store::ListQuery query;
  query.limit = 1;
  query.matches = [&](const store::Object& service) {
    return !service.fields.empty() && service.fields.front() == address;
  };
  return !store.List(kind.collection, query).objects.empty();
}

std::string AllocateAddress(AdmissionContext& context, const api::scheme::Kind& kind) {
  for (;;) {
    const auto offset = static_cast<uint32_t>(
        kStaticAddresses + context.random.Below(kAddresses - kStaticAddresses - 1));
    const uint32_t address = kRange + offset;
    std::string text = fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255,
                                   address >> 8 & 255, address & 255);
    if (!IsAllocated(context.store, kind, text)) return text;
  }
}

std::set<int64_t> AllocatedPorts(const store::Store& store, const api::scheme::Kind& kind) {
  std::set<int64_t> allocated;
  store::ListQuery query;
  query.matches = [](const store::Object& service) {
    return service.fields.size() > 1 && service.fields[1] != "ClusterIP";
  };
  for (const store::ObjectPtr& object : store.List(kind.collection, query).objects) {
    const api::Json document = store::Parse(*object);
    const api::JsonArray* ports =
        api::ArrayAt(api::ObjectAt(api::AsObject(document), "spec"), "ports");
    for (size_t i = 0; ports && i < ports->size(); ++i) {
      allocated.insert(api::IntAt(api::AsObject((*ports)[i]), "nodePort").value_or(0));
    }
  }
  return allocated;
}

api::scheme::ApiResult<void> AllocatePorts(AdmissionContext& context, const api::scheme::Kind& kind,
                                           std::string_view name, api::JsonArray& ports) {
  std::set<int64_t> allocated = AllocatedPorts(context.store, kind);
  for (api::Json& item : ports) {
    api::JsonObject* port = item.if_object();
    if (!port || api::IntAt(port, "nodePort").value_or(0) != 0) continue;
    int64_t number = 0;
    for (int64_t tries = 0; tries < 4 * kPorts && number == 0; ++tries) {
      const int64_t draw =
          kFirstPort + static_cast<int64_t>(context.random.Below(static_cast<uint64_t>(kPorts)));
      if (allocated.insert(draw).second) number = draw;
    }
    if (number == 0) {
      return std::unexpected(api::scheme::Forbidden(kind, name, "all node ports are taken"));
    }
    api::SetInt(*port, "nodePort", number);
  }
  return {};
}

// Copies allocated addresses and node ports that an update omits.
void CopyAllocated(const api::JsonObject* before, api::JsonObject& spec) {
  for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const api::Json* given = api::At(before, key);
    if (given && api::IsEmpty(api::At(&spec, key))) spec[key] = *given;
  }
  const api::JsonArray* old_ports = api::ArrayAt(before, "ports");
  api::JsonArray* ports = api::ArrayAt(&spec, "ports");
  if (!old_ports || !ports || api::StringAt(&spec, "type") == "ClusterIP") return;
  const auto key_of = [](const api::JsonObject* port) {
    return std::pair(api::IntAt(port, "port"), std::string(api::StringAt(port, "protocol")));
  };
  std::map<std::pair<std::optional<int64_t>, std::string>, int64_t> numbers;
  for (const api::Json& item : *old_ports) {
    const auto number = api::IntAt(api::AsObject(item), "nodePort");
    if (number) numbers[key_of(api::AsObject(item))] = *number;
  }
  for (api::Json& item : *ports) {
    api::JsonObject* port = item.if_object();
    if (!port || api::IntAt(port, "nodePort").value_or(0) != 0) continue;
    const auto found = numbers.find(key_of(port));
    if (found != numbers.end()) api::SetInt(*port, "nodePort", found->second);
  }
}

}  // namespace

api::scheme::ApiResult<void> AdmitService(AdmissionContext& context, const api::scheme::Kind& kind,
                                          const api::JsonObject* before, api::JsonObject& service) {
  const std::string name(api::StringAt(&MetadataOf(service), "name"));
  api::JsonObject& spec = api::EnsureObject(service, "spec");
  const std::string type(api::StringAt(&spec, "type"));
  if (type == "ExternalName") return {};
  const api::JsonObject* old_spec = api::ObjectAt(before, "spec");
  CopyAllocated(old_spec, spec);
  std::string address(api::StringAt(&spec, "clusterIP"));
  if (address.empty()) {
    address = AllocateAddress(context, kind);
    api::SetString(spec, "clusterIP", address);
  } else if (address != "None" && address != api::StringAt(old_spec, "clusterIP") &&
             IsAllocated(context.store, kind, address)) {
    FieldErrors errors;
    const FieldPath path("spec");
    errors.Invalid(path / "clusterIPs", address,
                   "failed to allocate IP " + address + ": provided IP is already allocated");
    return std::unexpected(api::scheme::Invalid(kind, name, errors.Take()));
  }
  if (api::EmptyAt(&spec, "clusterIPs")) api::EnsureArray(spec, "clusterIPs").emplace_back(address);
  if (api::EmptyAt(&spec, "ipFamilies")) api::EnsureArray(spec, "ipFamilies").emplace_back("IPv4");
  api::DefaultString(spec, "ipFamilyPolicy", "SingleStack");
  api::JsonArray* ports = api::ArrayAt(&spec, "ports");
  if (ports && (type == "NodePort" || type == "LoadBalancer")) {
    return AllocatePorts(context, kind, name, *ports);
  }
  return {};
}

}  // namespace berth::apiserver::admission
