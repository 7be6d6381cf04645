// Admission of a pod's RuntimeClass: AdmitRuntimeClass.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/pod_limits.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

namespace {

// Adds the labels that the class requires of nodes. Returns the conflict with the pod's own, or "".
std::string MergeNodeSelector(const api::JsonObject* wanted, api::JsonObject& spec) {
  if (!wanted || wanted->empty()) return {};
  api::JsonObject& selector = api::EnsureObject(spec, "nodeSelector");
  for (const auto& [key, value] : *wanted) {
    const api::Json* own = api::At(&selector, key);
    if (own && *own != value) {
      return fmt::format(
          "conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; pod.spec.nodeSelector[{0}] = "
          "{2}",
          std::string_view(key), api::AsString(value), api::AsString(own));
    }
    selector[key] = value;
  }
  return {};
}

void AddMissingTolerations(const api::JsonArray* wanted, api::JsonObject& spec) {
  if (!wanted || wanted->empty()) return;
  api::JsonArray& tolerations = api::EnsureArray(spec, "tolerations");
  std::set<std::string> present;
  for (const api::Json& toleration : tolerations) {
    present.insert(api::ToCanonicalJson(toleration));
  }
  for (const api::Json& toleration : *wanted) {
    if (present.insert(api::ToCanonicalJson(toleration)).second) tolerations.push_back(toleration);
  }
}

}  // namespace

api::scheme::ApiResult<void> AdmitRuntimeClass(const store::Store& store,
                                               const api::scheme::Kind& kind,
                                               api::JsonObject& pod) {
  static const api::scheme::Kind& classes = api::scheme::KindOf("runtimeclasses.node.k8s.io");
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  const std::string name(api::StringAt(&spec, "runtimeClassName"));
  if (name.empty()) return {};
  const auto forbidden = [&](std::string_view why) {
    return std::unexpected(
        api::scheme::Forbidden(kind, api::StringAt(&MetadataOf(pod), "name"), why));
  };
  const store::ObjectPtr object = store.Get(classes.collection, {"", name});
  if (!object) return forbidden(fmt::format("pod rejected: RuntimeClass \"{}\" not found", name));
  const api::Json document = store::Parse(*object);
  const api::JsonObject* fields = api::AsObject(document);
  if (const api::Json* fixed = api::At(api::ObjectAt(fields, "overhead"), "podFixed")) {
    const api::JsonObject* own = api::ObjectAt(&spec, "overhead");
    if (own && !own->empty() && QuantitiesOf(own) != QuantitiesOf(api::AsObject(fixed))) {
      return forbidden(
          "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    spec["overhead"] = *fixed;
  }
  const api::JsonObject* scheduling = api::ObjectAt(fields, "scheduling");
  const std::string conflict = MergeNodeSelector(api::ObjectAt(scheduling, "nodeSelector"), spec);
  if (!conflict.empty()) return forbidden(conflict);
  AddMissingTolerations(api::ArrayAt(scheduling, "tolerations"), spec);
  return {};
}

}  // namespace berth::apiserver::admission
