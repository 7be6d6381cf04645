#include "cmd/offline_admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "api/pod_resources.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
constexpr std::string_view kNamespaceLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kDefaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";
constexpr int64_t kPodsPerNode = 110;
constexpr int64_t kTolerationSeconds = 300;

api::PriorityClass SystemClass(std::string name, int32_t value) {
  api::PriorityClass result;
  result.metadata.name = std::move(name);
  result.value = value;
  return result;
}

Status AdmitPriority(api::Pod& pod, const PriorityClasses& classes) {
  api::PodSpec& spec = pod.spec;
  const api::PriorityClass* found = nullptr;
  if (!spec.priority_class_name.empty()) {
    found = classes.Find(spec.priority_class_name);
    if (found == nullptr && !spec.priority) {
      return Fail(fmt::format(
          "spec.priorityClassName: no PriorityClass with name {} was found; add it, or set "
          "spec.priority",
          spec.priority_class_name));
    }
    if (found != nullptr && spec.priority && *spec.priority != found->value) {
      return Fail(fmt::format(
          "the integer value of priority ({}) must not be provided in pod spec; priority admission "
          "controller computed {} from the given PriorityClass name",
          *spec.priority, found->value));
    }
  } else if (!spec.priority) {
    found = classes.Default();
  }
  if (found != nullptr) {
    spec.priority = found->value;
    if (spec.priority_class_name.empty()) spec.priority_class_name = found->metadata.name;
    if (spec.preemption_policy.empty()) spec.preemption_policy = found->preemption_policy;
  }
  if (!spec.priority) spec.priority = 0;
  if (spec.preemption_policy.empty()) spec.preemption_policy = "PreemptLowerPriority";
  return {};
}

void AdmitContainer(api::Container& container, bool host_network) {
  container.resources.requests.insert(container.resources.limits.begin(),
                                      container.resources.limits.end());
  for (api::ContainerPort& port : container.ports) {
    if (host_network && port.host_port == 0) port.host_port = port.container_port;
    if (port.protocol.empty()) port.protocol = "TCP";
  }
}

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

// Defaults pod-level requests to the sum of the containers' requests, else to the pod's limits.
void AdmitPodLevelResources(api::Pod& pod) {
  if (!pod.spec.resources) return;
  api::Pod without_overhead = pod;
  without_overhead.spec.overhead.clear();
  api::ResourceList& requests = pod.spec.resources->requests;
  auto add = [&](const api::ResourceList& list) {
    for (const auto& [name, amount] : list) {
      if (IsPodLevelResource(name)) requests.try_emplace(name, amount);
    }
  };
  add(api::PodRequests(without_overhead, {.skip_pod_level = true}));
  add(pod.spec.resources->limits);
}

void AdmitTolerations(std::vector<api::Toleration>& tolerations) {
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool tolerated = std::ranges::any_of(tolerations, [&](const api::Toleration& t) {
      return (t.key == key || t.key.empty()) && (t.effect == "NoExecute" || t.effect.empty());
    });
    if (tolerated) continue;
    tolerations.push_back({.key = key,
                           .op = "Exists",
                           .value = "",
                           .effect = "NoExecute",
                           .toleration_seconds = kTolerationSeconds});
  }
}

// Adds the requirement "key `op` (the pod's own value)" for each key that the pod has as a label.
void MergeLabelKeys(const std::vector<std::string>& keys, const char* op,
                    const api::StringMap& labels, std::optional<api::LabelSelector>& selector) {
  if (!selector) return;
  for (const std::string& key : keys) {
    auto label = labels.find(key);
    if (label == labels.end()) continue;
    api::LabelSelectorRequirement requirement{key, op, {label->second}};
    auto& into = selector->match_expressions;
    // Objects dumped from an API server already have the requirement.
    if (std::ranges::find(into, requirement) == into.end()) into.push_back(std::move(requirement));
  }
}

void MergeLabelKeys(const api::StringMap& labels, api::PodAffinityTerm& term) {
  MergeLabelKeys(term.match_label_keys, "In", labels, term.label_selector);
  MergeLabelKeys(term.mismatch_label_keys, "NotIn", labels, term.label_selector);
}

void MergeLabelKeys(const api::StringMap& labels, std::optional<api::PodAffinity>& affinity) {
  if (!affinity) return;
  for (api::PodAffinityTerm& term : affinity->required) MergeLabelKeys(labels, term);
  for (api::WeightedPodAffinityTerm& term : affinity->preferred) MergeLabelKeys(labels, term.term);
}

void MergeLabelKeys(api::Pod& pod) {
  const api::StringMap& labels = pod.metadata.labels;
  for (api::TopologySpreadConstraint& constraint : pod.spec.topology_spread_constraints) {
    MergeLabelKeys(constraint.match_label_keys, "In", labels, constraint.label_selector);
  }
  if (!pod.spec.affinity) return;
  MergeLabelKeys(labels, pod.spec.affinity->pod_affinity);
  MergeLabelKeys(labels, pod.spec.affinity->pod_anti_affinity);
}

// FNV-1a.
uint64_t Hash(std::string_view text, uint64_t salt) {
  uint64_t hash = 0xcbf29ce484222325ULL ^ salt;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string MakeUid(std::string_view kind, const api::ObjectMeta& meta) {
  const std::string text = fmt::format("{}/{}/{}", kind, meta.namespace_, meta.name);
  const uint64_t high = Hash(text, 0), low = Hash(text, 0x5bd1e995);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 8 + ((low >> 60) & 3), (low >> 48) & 0xfff,
                     low & 0xffffffffffffULL);
}

// Objects that the defaulting of others depends on.
struct ClusterContext {
  PriorityClasses priority_classes;
  std::string default_storage_class;
  std::set<std::string> namespaces;  // Those given.
};

ClusterContext ReadContext(const std::vector<api::Object>& objects) {
  ClusterContext context;
  for (const api::Object& object : objects) {
    if (const auto* priority = std::get_if<api::Ref<api::PriorityClass>>(&object)) {
      context.priority_classes.Put(**priority);
    } else if (const auto* home = std::get_if<api::Ref<api::Namespace>>(&object)) {
      context.namespaces.insert((*home)->metadata.name);
    } else if (const auto* storage = std::get_if<api::Ref<api::StorageClass>>(&object)) {
      const auto& annotations = (*storage)->metadata.annotations;
      auto mark = annotations.find(kDefaultClassAnnotation);
      if (mark != annotations.end() && mark->second == "true") {
        context.default_storage_class = (*storage)->metadata.name;
      }
    }
  }
  return context;
}

// Applies the defaults of one kind; most kinds have none.
template <typename T>
Status AdmitKind(T& object, const ClusterContext& context) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    return AdmitPod(object, context.priority_classes);
  } else if constexpr (std::is_same_v<T, api::Node>) {
    AdmitNode(object);
  } else if constexpr (std::is_same_v<T, api::Namespace>) {
    object.metadata.labels.try_emplace(std::string(kNamespaceLabel), object.metadata.name);
  } else if constexpr (std::is_same_v<T, api::PersistentVolumeClaim>) {
    if (!object.storage_class_name && !context.default_storage_class.empty()) {
      object.storage_class_name = context.default_storage_class;
    }
  }
  return {};
}

Result<api::Object> AdmitObject(const api::Object& object, const ClusterContext& context,
                                Instant now) {
  const api::KindInfo& kind = api::KindOf(object);
  return std::visit(
      [&]<typename T>(const api::Ref<T>& given) -> Result<api::Object> {
        auto admitted = std::make_shared<T>(*given);
        api::ObjectMeta& meta = admitted->metadata;
        if (kind.namespaced && meta.namespace_.empty()) meta.namespace_ = "default";
        const Status status = AdmitKind(*admitted, context);
        if (!status) {
          return Fail(fmt::format("{} \"{}\": {}", kind.kind,
                                  api::ObjectKey{meta.namespace_, meta.name}.ToString(),
                                  status.error().message));
        }
        AdmitMeta(meta, kind.kind, now);
        return api::Object(api::Ref<T>(std::move(admitted)));
      },
      object);
}

}  // namespace

PriorityClasses::PriorityClasses() {
  Put(SystemClass("system-node-critical", 2'000'001'000));
  Put(SystemClass("system-cluster-critical", 2'000'000'000));
}

void PriorityClasses::Put(const api::PriorityClass& priority_class) {
  classes_.insert_or_assign(priority_class.metadata.name, priority_class);
}

const api::PriorityClass* PriorityClasses::Find(const std::string& name) const {
  auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

const api::PriorityClass* PriorityClasses::Default() const {
  const api::PriorityClass* best = nullptr;
  for (const auto& [name, priority_class] : classes_) {
    if (!priority_class.global_default) continue;
    if (best == nullptr || priority_class.value < best->value) best = &priority_class;
  }
  return best;
}

Status AdmitPod(api::Pod& pod, const PriorityClasses& classes) {
  if (pod.metadata.namespace_.empty()) pod.metadata.namespace_ = "default";
  if (pod.spec.scheduler_name.empty()) pod.spec.scheduler_name = kDefaultScheduler;
  if (Status status = AdmitPriority(pod, classes); !status) return status;
  for (api::Container& container : pod.spec.init_containers) {
    AdmitContainer(container, pod.spec.host_network);
  }
  for (api::Container& container : pod.spec.containers) {
    AdmitContainer(container, pod.spec.host_network);
  }
  AdmitPodLevelResources(pod);
  AdmitTolerations(pod.spec.tolerations);
  MergeLabelKeys(pod);
  if (pod.status.phase.empty()) pod.status.phase = "Pending";
  return {};
}

void AdmitNode(api::Node& node) {
  if (node.status.allocatable.empty()) node.status.allocatable = node.status.capacity;
  const auto max_pods = api::Quantity::FromValue(kPodsPerNode);
  node.status.capacity.try_emplace("pods", max_pods);
  node.status.allocatable.try_emplace("pods", max_pods);
  node.metadata.labels.try_emplace(std::string(kHostnameLabel), node.metadata.name);
}

void AdmitMeta(api::ObjectMeta& meta, std::string_view kind, Instant now) {
  if (meta.uid.empty()) meta.uid = MakeUid(kind, meta);
  if (!meta.creation_timestamp) meta.creation_timestamp = now;
}

Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start) {
  const ClusterContext context = ReadContext(objects);
  std::vector<api::Object> admitted;
  std::set<std::string> missing;  // Namespaces that are used but not given.
  Instant now = start;
  for (const api::Object& object : objects) {
    auto result = AdmitObject(object, context, now);
    if (!result) return std::unexpected(result.error());
    const std::string& home = api::MetaOf(*result).namespace_;
    if (!home.empty() && !context.namespaces.contains(home)) missing.insert(home);
    admitted.push_back(*std::move(result));
    now = now + Duration::Millis(1);
  }
  for (const std::string& name : missing) {
    auto created = std::make_shared<api::Namespace>();
    created->metadata.name = name;
    auto result = AdmitObject(api::Ref<api::Namespace>(std::move(created)), context, start);
    if (!result) return std::unexpected(result.error());
    admitted.push_back(*std::move(result));
  }
  return admitted;
}

}  // namespace berth::cmd
