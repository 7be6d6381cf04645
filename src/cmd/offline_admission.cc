#include "cmd/offline_admission.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/defaulting.h"
#include "apiserver/admission/strategy.h"
#include "base/suggestion.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";
constexpr std::string_view kNamespaceLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kDefaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";
constexpr int64_t kPodsPerNode = 110;

using apiserver::admission::PriorityClass;
using PriorityTable = apiserver::admission::PriorityClasses::Table;

Status AdmitPriority(api::PodSpec& spec, const PriorityTable& classes) {
  const PriorityClass* found = nullptr;
  if (!spec.priority_class_name.empty()) {
    found = apiserver::admission::FindPriorityClass(classes, spec.priority_class_name);
    if (found == nullptr && !spec.priority) {
      Suggestion suggestion(spec.priority_class_name);
      for (const PriorityClass& known : classes) suggestion.Consider(known.name);
      return Fail(fmt::format(
          "spec.priorityClassName: no PriorityClass with name {} was found{} it, or set "
          "spec.priority",
          spec.priority_class_name,
          suggestion.best().empty() ? "; add" : suggestion.Text() + " Add"));
    }
    if (found != nullptr && spec.priority && *spec.priority != found->value) {
      return Fail(fmt::format(
          "the integer value of priority ({}) must not be provided in pod spec; priority admission "
          "controller computed {} from the given PriorityClass name",
          *spec.priority, found->value));
    }
  } else if (!spec.priority) {
    found = apiserver::admission::DefaultPriorityClass(classes);
  }
  if (found != nullptr) {
    spec.priority = static_cast<int32_t>(found->value);
    if (spec.priority_class_name.empty()) spec.priority_class_name = found->name;
    if (spec.preemption_policy.empty()) spec.preemption_policy = found->preemption_policy;
  }
  if (!spec.priority) spec.priority = 0;
  if (spec.preemption_policy.empty()) spec.preemption_policy = "PreemptLowerPriority";
  return {};
}

Status AdmitGroupPriority(api::PodGroup& group, const PriorityTable& classes) {
  if (group.priority_value) return {};
  const PriorityClass* found = apiserver::admission::DefaultPriorityClass(classes);
  if (!group.priority_class_name.empty()) {
    found = apiserver::admission::FindPriorityClass(classes, group.priority_class_name);
    if (found == nullptr) {
      return Fail(fmt::format(
          "spec.priorityClassName: no PriorityClass with name {} was found; add it, or set "
          "spec.priority",
          group.priority_class_name));
    }
  }
  group.priority_value = found == nullptr ? 0 : static_cast<int32_t>(found->value);
  return {};
}

// Applies the API server's defaults and, for pods, the admission plugins that change them.
template <typename T>
Result<std::shared_ptr<T>> WithServerDefaults(const T& object,
                                              const scheduler::model::Features& features) {
  auto document = api::ParseJson(api::EncodeJson(object));
  if (!document) return std::unexpected(document.error());
  api::JsonObject& fields = document->get_object();
  const api::KindInfo& info = api::KindOf<T>();
  const api::scheme::Kind* kind = api::scheme::FindKindByName(info.api_version, info.kind);
  if (kind != nullptr) apiserver::admission::ApplyDefaults(*kind, fields);
  if constexpr (std::is_same_v<T, api::Pod>) {
    apiserver::admission::AddDefaultTolerations(api::EnsureObject(fields, "spec"));
    apiserver::admission::MergeLabelKeys(
        fields, features.match_label_keys_in_pod_topology_spread_selector_merge);
  }
  auto completed = api::DecodeJsonAs<T>(api::ToJsonText(fields));
  if (!completed) return std::unexpected(completed.error());
  return std::make_shared<T>(**completed);
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

// What the defaulting of objects depends on: other objects, and the feature gates.
struct ClusterContext {
  scheduler::model::Features features;
  PriorityTable priority_classes;  // By name.
  std::string default_storage_class;
  std::set<std::string> namespaces;  // Those given.
};

ClusterContext ReadContext(const std::vector<api::Object>& objects,
                           const scheduler::model::Features& features) {
  ClusterContext context;
  context.features = features;
  std::map<std::string, PriorityClass> classes;
  for (const auto& system : apiserver::admission::kSystemPriorities) {
    classes[std::string(system.name)] = {.name = std::string(system.name), .value = system.value};
  }
  for (const api::Object& object : objects) {
    if (const auto* priority = std::get_if<api::Ref<api::PriorityClass>>(&object)) {
      PriorityClass& entry = classes[(*priority)->metadata.name];
      entry = {.name = (*priority)->metadata.name,
               .value = (*priority)->value,
               .global_default = (*priority)->global_default};
      const std::string& policy = (*priority)->preemption_policy;
      if (!policy.empty()) entry.preemption_policy = policy;
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
  for (auto& [name, entry] : classes) context.priority_classes.push_back(std::move(entry));
  return context;
}

// Sets the fields that a kubelet sets.
void AdmitNode(api::Node& node) {
  const auto max_pods = api::Quantity::FromValue(kPodsPerNode);
  node.status.capacity.try_emplace("pods", max_pods);
  node.status.allocatable.try_emplace("pods", max_pods);
  node.metadata.labels.try_emplace(std::string(kHostnameLabel), node.metadata.name);
}

template <typename T>
Result<std::shared_ptr<T>> AdmitKind(const T& given, const ClusterContext& context) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    auto pod = AdmitPod(given, context.priority_classes, context.features);
    if (!pod) return std::unexpected(pod.error());
    return std::make_shared<api::Pod>(**pod);
  }
  auto completed = WithServerDefaults(given, context.features);
  if (!completed) return completed;
  T& object = **completed;
  if constexpr (std::is_same_v<T, api::Node>) {
    AdmitNode(object);
  } else if constexpr (std::is_same_v<T, api::Namespace>) {
    object.metadata.labels.try_emplace(std::string(kNamespaceLabel), object.metadata.name);
  } else if constexpr (std::is_same_v<T, api::PersistentVolumeClaim>) {
    if (!object.storage_class_name && !context.default_storage_class.empty()) {
      object.storage_class_name = context.default_storage_class;
    }
  } else if constexpr (std::is_same_v<T, api::PodGroup>) {
    if (!context.features.workload_aware_preemption) return completed;
    const Status status = AdmitGroupPriority(object, context.priority_classes);
    if (!status) return std::unexpected(status.error());
  }
  return completed;
}

Result<api::Object> AdmitObject(const api::Object& object, const ClusterContext& context,
                                Instant now) {
  const api::KindInfo& kind = api::KindOf(object);
  return std::visit(
      [&]<typename T>(const api::Ref<T>& given) -> Result<api::Object> {
        T named = *given;
        if (kind.namespaced && named.metadata.namespace_.empty()) {
          named.metadata.namespace_ = "default";
        }
        auto admitted = AdmitKind(named, context);
        if (!admitted) {
          const api::ObjectKey key{named.metadata.namespace_, named.metadata.name};
          return Fail(
              fmt::format("{} \"{}\": {}", kind.kind, key.ToString(), admitted.error().message));
        }
        api::ObjectMeta& meta = (*admitted)->metadata;
        if (meta.uid.empty()) meta.uid = MakeUid(kind.kind, meta);
        if (!meta.creation_timestamp) meta.creation_timestamp = now;
        return api::Object(api::Ref<T>(*std::move(admitted)));
      },
      object);
}

}  // namespace

Result<api::Ref<api::Pod>> AdmitPod(const api::Pod& pod, const PriorityTable& classes,
                                    const scheduler::model::Features& features) {
  api::Pod given = pod;
  if (const Status status = AdmitPriority(given.spec, classes); !status) {
    return std::unexpected(status.error());
  }
  auto completed = WithServerDefaults(given, features);
  if (!completed) return std::unexpected(completed.error());
  if ((*completed)->status.phase.empty()) (*completed)->status.phase = "Pending";
  return *std::move(completed);
}

Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start,
                                          const scheduler::model::Features& features,
                                          size_t complete) {
  const ClusterContext context = ReadContext(objects, features);
  std::vector<api::Object> admitted(objects.begin(),
                                    objects.begin() + static_cast<std::ptrdiff_t>(complete));
  std::set<std::string> missing;  // Namespaces that are used but not given.
  Instant now = start;
  for (const api::Object& object : std::span(objects).subspan(complete)) {
    auto result = AdmitObject(object, context, now);
    if (!result) return std::unexpected(result.error());
    const std::string& home = api::MetaOf(*result).namespace_;
    if (!home.empty() && !context.namespaces.contains(home)) missing.insert(home);
    admitted.push_back(*std::move(result));
    now += Duration::Millis(1);
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
