#include "benchmark/object_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"

namespace berth::benchmark {
namespace {

// How many objects are made between two pauses: the store's history must hold them.
constexpr uint64_t kObjectsPerPause = 100;

const api::scheme::Kind& PodKind() { return api::scheme::KindOf("pods"); }
const api::scheme::Kind& NodeKind() { return api::scheme::KindOf("nodes"); }
const api::scheme::Kind& NamespaceKind() { return api::scheme::KindOf("namespaces"); }

// Text that is part of this program parses.
api::Json Parsed(std::string_view text) { return *api::ParseJson(text); }

// The node and the pod of scheduler_perf without templates.
api::Json BaseNode(size_t operation) {
  return Parsed(fmt::format(
      R"({{"metadata":{{"generateName":"node-{}-"}},"status":{{"capacity":{{"pods":"110","cpu":"4",)"
      R"("memory":"32Gi"}},"phase":"Running","conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      operation));
}
api::Json BasePod() {
  return Parsed(
      R"({"metadata":{"generateName":"pod-"},"spec":{"containers":[{"name":"pause",)"
      R"("image":"registry.k8s.io/pause:3.10.2","ports":[{"containerPort":80}],"resources":)"
      R"({"limits":{"cpu":"100m","memory":"500Mi"},"requests":{"cpu":"100m","memory":"500Mi"}}}]}})");
}

api::JsonObject& MetadataOf(api::Json& object) {
  return api::EnsureObject(object.get_object(), "metadata");
}

std::string RandomSuffix(Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 8; ++i) suffix += kLetters[random.Below(kLetters.size())];
  return suffix;
}

// Nodes need their name for the hostname label before they are created.
std::string NameNode(api::Json& node, Random& random) {
  api::JsonObject& metadata = MetadataOf(node);
  std::string name(api::StringAt(&metadata, "name"));
  if (name.empty()) {
    name = std::string(api::StringAt(&metadata, "generateName")) + RandomSuffix(random);
    api::SetString(metadata, "name", name);
  }
  api::SetString(api::EnsureObject(metadata, "labels"), "kubernetes.io/hostname", name);
  return name;
}

// Without the condition, admission taints a node. scheduler_perf's API server runs without that
// plugin.
void EnsureReady(api::JsonObject& node) {
  api::JsonArray& conditions = api::EnsureArray(api::EnsureObject(node, "status"), "conditions");
  for (const api::Json& condition : conditions) {
    if (api::StringAt(api::AsObject(condition), "type") == "Ready") return;
  }
  conditions.push_back(Parsed(R"({"type":"Ready","status":"True"})"));
}

void SetNodeLabel(api::Json& node, const std::string& key, const std::string& value) {
  api::SetString(api::EnsureObject(MetadataOf(node), "labels"), key, value);
}

// Adds to the allocatable resources, which are the capacity by default.
void SetAllocatable(api::Json& node, const NodeAllocatableStrategy& strategy) {
  api::JsonObject& status = api::EnsureObject(node.get_object(), "status");
  if (const api::Json* capacity = api::At(&status, "capacity");
      capacity != nullptr && api::At(&status, "allocatable") == nullptr) {
    api::Json copy = *capacity;
    status["allocatable"] = std::move(copy);
  }
  api::JsonObject& allocatable = api::EnsureObject(status, "allocatable");
  for (const auto& [resource, amount] : strategy.node_allocatable) {
    api::SetString(allocatable, resource, amount);
  }
}

// Copies what admission has set in the stored pod, and what may not change. scheduler_perf's API
// server runs without those plugins.
void KeepAdmittedFields(const apiserver::store::Store& store,
                        const apiserver::store::ObjectName& name, api::JsonObject& pod) {
  const apiserver::store::ObjectPtr stored = store.Get(PodKind().collection, name);
  if (stored == nullptr) return;
  const auto document = api::ParseJson(stored->json);
  const api::JsonObject* before =
      document ? api::ObjectAt(api::AsObject(*document), "spec") : nullptr;
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  for (const std::string_view field :
       {"serviceAccountName", "serviceAccount", "priorityClassName"}) {
    const api::Json* value = api::At(before, field);
    if (value != nullptr && api::At(&spec, field) == nullptr) spec[field] = *value;
  }
}

api::Json DeviceSlice(const std::string& driver, const std::string& node, int64_t devices) {
  api::Json slice = Parsed(fmt::format(
      R"({{"metadata":{{"name":"{0}"}},"spec":{{"driver":"{1}","nodeName":"{0}","pool":)"
      R"({{"name":"{0}","generation":0,"resourceSliceCount":1}}}}}})",
      node, driver));
  api::JsonArray& list = api::EnsureArray(api::EnsureObject(slice.get_object(), "spec"), "devices");
  for (int64_t i = 0; i < devices; ++i) {
    list.push_back(Parsed(fmt::format(
        R"({{"name":"instance-{0}","attributes":{{"model":{{"string":"A100"}},"family":)"
        R"({{"string":"GPU"}},"driverVersion":{{"version":"1.2.3"}},"dra.example.com/numa":)"
        R"({{"int":{0}}}}},"capacity":{{"memory":{{"value":"1Gi"}}}}}})",
        i)));
  }
  return slice;
}

}  // namespace

Result<std::string> ObjectMaker::Create(const api::scheme::Kind& kind, std::string_view namespace_,
                                        api::Json object) {
  if (&kind == &PodKind()) {
    if (auto made = MakePriorityClass(object.get_object()); !made) {
      return std::unexpected(made.error());
    }
  }
  if (&kind == &NodeKind()) EnsureReady(object.get_object());
  const auto created =
      cluster_.api().Create(kind, kind.namespaced ? namespace_ : "", std::move(object));
  if (!created) return Fail(created.error().message);
  if (++made_ % kObjectsPerPause == 0 && !pause_()) return Fail("interrupted");
  return created->object->key.name;
}

Status ObjectMaker::MakePriorityClass(api::JsonObject& pod) {
  api::JsonObject* spec = api::ObjectAt(&pod, "spec");
  const auto priority = api::IntAt(spec, "priority");
  if (!priority || !api::StringAt(spec, "priorityClassName").empty()) return {};
  std::string_view policy = api::StringAt(spec, "preemptionPolicy");
  if (policy.empty()) policy = "PreemptLowerPriority";
  // Names have no capitals; a priority may be negative.
  const std::string name = fmt::format("bench-{}{}{}", *priority < 0 ? "minus-" : "",
                                       std::abs(*priority), policy == "Never" ? "-never" : "");
  api::SetString(*spec, "priorityClassName", name);
  const auto& classes = api::scheme::KindOf("priorityclasses.scheduling.k8s.io");
  if (cluster_.api().store().Get(classes.collection, {"", name}) != nullptr) return {};
  const auto made = cluster_.api().Create(
      classes, "",
      Parsed(fmt::format(R"({{"metadata":{{"name":"{}"}},"value":{},"preemptionPolicy":"{}"}})",
                         name, *priority, policy)));
  return made ? Status() : Fail(made.error().message);
}

Result<const api::scheme::Kind*> ObjectMaker::KindOf(api::Json& object, const std::string& path) {
  api::JsonObject& fields = object.get_object();
  // The two versions have the same form, as far as workloads use it, and only one is served.
  if (api::StringAt(&fields, "apiVersion") == "resource.k8s.io/v1beta2") {
    api::SetString(fields, "apiVersion", "resource.k8s.io/v1");
  } else if (api::StringAt(&fields, "apiVersion") == "scheduling.k8s.io/v1beta1") {
    api::SetString(fields, "apiVersion", "scheduling.k8s.io/v1alpha2");
  }
  const std::string_view version = api::StringAt(&fields, "apiVersion");
  const std::string_view name = api::StringAt(&fields, "kind");
  if (const auto* kind = api::scheme::FindKindByName(version, name)) return kind;
  if (name.empty() || version.empty()) {
    return Fail(fmt::format("{}: apiVersion and kind must be set", path));
  }
  unserved_ =
      fmt::format("{}: the embedded API server does not serve {}, kind {}", path, version, name);
  return Fail(unserved_);
}

Result<const api::scheme::Kind*> ObjectMaker::KindOf(const TemplateFile& file) {
  auto object = templates_.Make(file);
  if (!object) return std::unexpected(object.error());
  return KindOf(*object, file.path);
}

Result<std::string> ObjectMaker::Make(const TemplateFile& file, const std::string& namespace_) {
  auto object = templates_.Make(file);
  if (!object) return std::unexpected(object.error());
  const auto kind = KindOf(*object, file.path);
  if (!kind) return std::unexpected(kind.error());
  return Create(**kind, namespace_, *std::move(object));
}

// --- nodes and namespaces ---

Status ObjectMaker::MakeNodes(const CreateNodes& nodes, size_t index) {
  for (int64_t i = 0; i < nodes.count; ++i) {
    auto node = nodes.node ? templates_.Make(*nodes.node, i, nodes.count)
                           : Result<api::Json>(BaseNode(index));
    if (!node) return std::unexpected(node.error());
    const std::string name = NameNode(*node, random_);
    if (const auto* label = std::get_if<LabelNodeStrategy>(&nodes.strategy)) {
      SetNodeLabel(*node, label->key, label->values[static_cast<size_t>(i) % label->values.size()]);
    } else if (const auto* unique = std::get_if<UniqueLabelStrategy>(&nodes.strategy)) {
      SetNodeLabel(*node, unique->key, RandomSuffix(random_) + RandomSuffix(random_));
    } else if (const auto* allocatable = std::get_if<NodeAllocatableStrategy>(&nodes.strategy)) {
      SetAllocatable(*node, *allocatable);
    }
    const auto created = Create(NodeKind(), "", *std::move(node));
    if (!created) return std::unexpected(created.error());
    if (const auto* allocatable = std::get_if<NodeAllocatableStrategy>(&nodes.strategy)) {
      if (auto made = MakeCsiNode(name, *allocatable); !made) return made;
    }
  }
  cluster_.Load();
  return {};
}

Status ObjectMaker::MakeCsiNode(const std::string& node, const NodeAllocatableStrategy& strategy) {
  api::Json object;
  api::JsonObject& fields = object.emplace_object();
  api::JsonObject& metadata = api::EnsureObject(fields, "metadata");
  api::SetString(metadata, "name", node);
  api::SetString(api::EnsureObject(metadata, "annotations"),
                 "storage.alpha.kubernetes.io/migrated-plugins",
                 fmt::format("{}", fmt::join(strategy.migrated_plugins, ",")));
  api::JsonArray& drivers = api::EnsureArray(api::EnsureObject(fields, "spec"), "drivers");
  for (const auto& [name, count] : strategy.csi_drivers) {
    api::JsonObject& driver = drivers.emplace_back(boost::json::object_kind).get_object();
    api::SetString(driver, "name", name);
    api::SetString(driver, "nodeID", node);
    if (count) api::SetInt(api::EnsureObject(driver, "allocatable"), "count", *count);
  }
  const auto made = Create(api::scheme::KindOf("csinodes.storage.k8s.io"), "", std::move(object));
  return made ? Status() : std::unexpected(made.error());
}

Status ObjectMaker::MakeNamespace(const std::string& name) {
  if (cluster_.api().store().Get(NamespaceKind().collection, {"", name}) != nullptr) return {};
  const auto made =
      Create(NamespaceKind(), "", Parsed(fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)));
  return made ? Status() : Fail(fmt::format("namespace {}: {}", name, made.error().message));
}

Status ObjectMaker::MakeNamespaces(const CreateNamespaces& namespaces) {
  for (int64_t i = 0; i < namespaces.count; ++i) {
    const std::string name = fmt::format("{}-{}", namespaces.prefix, i);
    if (cluster_.api().store().Get(NamespaceKind().collection, {"", name}) != nullptr) continue;
    auto object =
        namespaces.object ? templates_.Make(*namespaces.object) : Result<api::Json>(Parsed("{}"));
    if (!object) return std::unexpected(object.error());
    api::SetString(MetadataOf(*object), "name", name);
    const auto made = Create(NamespaceKind(), "", *std::move(object));
    if (!made) return std::unexpected(made.error());
  }
  cluster_.Load();
  return {};
}

// --- pods ---

Status ObjectMaker::MakePods(const CreatePods& pods, const std::string& namespace_) {
  for (int64_t i = 0; i < pods.count; ++i) {
    if (pods.volume_claim) {
      if (auto made = MakeVolume(pods, namespace_, i); !made) return made;
    }
    auto pod = pods.pod ? templates_.Make(*pods.pod, i, pods.count) : Result<api::Json>(BasePod());
    if (!pod) return std::unexpected(pod.error());
    if (pods.volume_claim) {
      api::EnsureObject(pod->get_object(), "spec")["volumes"] = Parsed(
          fmt::format(R"([{{"name":"vol","persistentVolumeClaim":{{"claimName":"pvc-{}"}}}}])", i));
    }
    if (pods.signature_batch > 0 && pods.pod) {
      api::SetString(api::EnsureObject(MetadataOf(*pod), "labels"), "signature",
                     fmt::format("signature-label-{}", i / pods.signature_batch));
    }
    const auto made = Create(PodKind(), namespace_, *std::move(pod));
    if (!made) return std::unexpected(made.error());
  }
  cluster_.Load();
  return {};
}

// Makes a volume and a claim that are bound to each other.
Status ObjectMaker::MakeVolume(const CreatePods& pods, const std::string& namespace_,
                               int64_t index) {
  const auto& claims = api::scheme::KindOf("persistentvolumeclaims");
  const auto& volumes = api::scheme::KindOf("persistentvolumes");
  auto claim = templates_.Make(*pods.volume_claim);
  if (!claim) return std::unexpected(claim.error());
  auto volume = templates_.Make(*pods.volume);
  if (!volume) return std::unexpected(volume.error());
  const std::string claim_name = fmt::format("pvc-{}", index);
  const std::string volume_name = fmt::format("{}-vol-{}", namespace_, index);

  api::SetString(MetadataOf(*claim), "name", claim_name);
  api::SetString(api::EnsureObject(claim->get_object(), "spec"), "volumeName", volume_name);
  api::SetString(api::EnsureObject(claim->get_object(), "status"), "phase", "Bound");
  api::SetString(MetadataOf(*volume), "name", volume_name);
  api::SetString(api::EnsureObject(volume->get_object(), "status"), "phase", "Bound");
  api::JsonObject& spec = api::EnsureObject(volume->get_object(), "spec");
  spec["claimRef"] = Parsed(fmt::format(
      R"({{"kind":"PersistentVolumeClaim","apiVersion":"v1","namespace":"{}","name":"{}"}})",
      namespace_, claim_name));
  if (api::JsonObject* csi = api::ObjectAt(&spec, "csi")) {
    api::SetString(*csi, "volumeHandle", volume_name);
  } else if (api::JsonObject* disk = api::ObjectAt(&spec, "awsElasticBlockStore")) {
    api::SetString(*disk, "volumeID", fmt::format("vol-{}", index));
  }
  // Creating an object resets its status.
  const auto make = [&](const api::scheme::Kind& kind, const std::string& name,
                        const api::Json& object) -> Status {
    const std::string home = kind.namespaced ? namespace_ : "";
    if (auto made = Create(kind, home, object); !made) return std::unexpected(made.error());
    const auto updated = cluster_.api().Update(kind, {home, name}, "status", object);
    return updated ? Status() : Fail(updated.error().message);
  };
  if (auto made = make(claims, claim_name, *claim); !made) return made;
  return make(volumes, volume_name, *volume);
}

// --- any objects ---

Status ObjectMaker::MakeAny(const CreateAny& create) {
  for (int64_t i = 0; i < create.count; ++i) {
    auto object = templates_.Make(create.object, i, create.count);
    if (!object) return std::unexpected(object.error());
    const auto kind = KindOf(*object, create.object.path);
    if (!kind) return std::unexpected(kind.error());
    if ((*kind)->namespaced == create.namespace_.empty()) {
      return Fail(fmt::format("{}: {} is {}; {} its namespace", create.object.path, (*kind)->kind,
                              (*kind)->namespaced ? "namespaced" : "cluster-scoped",
                              (*kind)->namespaced ? "set" : "remove"));
    }
    const auto made = Create(**kind, create.namespace_, *std::move(object));
    if (!made) return Fail(fmt::format("{}: {}", create.object.path, made.error().message));
  }
  cluster_.Load();
  return {};
}

Status ObjectMaker::MakeClaims(const CreateResourceClaims& claims) {
  return MakeAny({claims.namespace_, claims.object, claims.count});
}

Status ObjectMaker::MakeDriver(const CreateResourceDriver& driver) {
  for (const auto& node : cluster_.api().store().List(NodeKind().collection, {}).objects) {
    const std::string& name = node->key.name;
    if (fnmatch(driver.nodes.c_str(), name.c_str(), 0) != 0) continue;
    const auto made = Create(api::scheme::KindOf("resourceslices.resource.k8s.io"), "",
                             DeviceSlice(driver.driver, name, driver.claims_per_node));
    if (!made) return std::unexpected(made.error());
  }
  cluster_.Load();
  return {};
}

Status ObjectMaker::Update(const UpdateAny& update, int64_t index) {
  auto object = templates_.Make(update.object, index, update.count);
  if (!object) return std::unexpected(object.error());
  const auto kind = KindOf(*object, update.object.path);
  if (!kind) return std::unexpected(kind.error());
  const apiserver::store::ObjectName name = {
      update.namespace_,
      std::string(api::StringAt(api::ObjectAt(api::AsObject(*object), "metadata"), "name"))};
  if (*kind == &PodKind()) KeepAdmittedFields(cluster_.api().store(), name, object->get_object());
  std::vector<std::string> parts = update.subresources;
  if (parts.empty()) parts.emplace_back("");
  if ((*kind)->has_status) parts.emplace_back("status");
  for (const std::string& part : parts) {
    const auto updated = cluster_.api().Update(**kind, name, part, *object);
    if (!updated) {
      return Fail(fmt::format("{}: {}{}{}", update.object.path, updated.error().message,
                              part.empty() ? "" : "; subresource ", part));
    }
  }
  return {};
}

}  // namespace berth::benchmark
