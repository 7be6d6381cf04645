// Api: binding a pod to a node.
#include <fmt/format.h>

#include "apiserver/admission.h"
#include "apiserver/api.h"
#include "apiserver/api_attempt.h"
#include "apiserver/draft.h"
#include "apiserver/field_errors.h"
#include "apiserver/metadata.h"
#include "apiserver/prepare.h"
#include "apiserver/scratch.h"

namespace berth::apiserver {

namespace {

// What the errors of a binding are about.
const Kind& PodBindings() {
  static const Kind kind{.version = "v1", .resource = "pods/binding", .kind = "Binding"};
  return kind;
}

ApiResult<void> CheckBinding(const ObjectName& pod, const JsonObject& binding) {
  if (auto checked = CheckAddress(PodBindings(), binding, pod.name, pod.namespace_); !checked)
    return checked;
  const JsonObject* target = ObjectAt(&binding, "target");
  const std::string_view kind = StringAt(target, "kind");
  FieldErrors errors;
  const FieldPath path("target");
  if (!kind.empty() && kind != "Node") {
    errors.NotSupported(path / "kind", kind, {"Node", "<empty>"});
  }
  if (StringAt(target, "name").empty()) errors.Required(path / "name");
  if (errors.empty()) return {};
  return std::unexpected(Invalid(PodBindings(), pod.name, errors.Take()));
}

ApiResult<void> CheckBindable(const JsonObject& pod, std::string_view name) {
  std::string why;
  const JsonObject* spec = ObjectAt(&pod, "spec");
  const std::string_view node = StringAt(spec, "nodeName");
  if (IsDeleting(pod)) {
    why = fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  } else if (!node.empty()) {
    why = fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  } else if (!EmptyAt(spec, "schedulingGates")) {
    why = fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  } else {
    return {};
  }
  return std::unexpected(Conflict(PodBindings(), name, why));
}

void CopyInto(const JsonObject* from, JsonObject& metadata, std::string_view key, bool overwrite) {
  const JsonObject* map = ObjectAt(from, key);
  if (!map || map->empty()) return;
  JsonObject& to = ObjectIn(metadata, key);
  for (const auto& [name, value] : *map) {
    if (overwrite || !At(&to, name)) to[name] = value;
  }
}

void Assign(JsonObject& pod, const JsonObject& binding, std::string_view node, Instant now) {
  SetString(ObjectIn(pod, "spec"), "nodeName", node);
  const JsonObject* from = MetadataOf(binding);
  CopyInto(from, MetadataOf(pod), "annotations", true);
  CopyInto(from, MetadataOf(pod), "labels", false);
  const auto generation = IntAt(&MetadataOf(pod), "generation");
  JsonObject& status = ObjectIn(pod, "status");
  status.erase("nominatedNodeName");
  SetCondition(status, "PodScheduled", "True", {}, {}, now);
  for (Json& condition : ArrayIn(status, "conditions")) {
    if (generation && StringAt(AsObject(condition), "type") == "PodScheduled") {
      SetInt(condition.get_object(), "observedGeneration", *generation);
    }
  }
}

}  // namespace

ApiResult<ObjectPtr> Api::Bind(const ObjectName& pod, const Json& binding, bool dry_run) {
  static const Kind& pods = KindOf("pods");
  const JsonObject* body = AsObject(binding);
  if (!body) return std::unexpected(BadRequest("a binding must be a JSON object"));
  if (auto checked = CheckBinding(pod, *body); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const std::string_view node = StringAt(ObjectAt(body, "target"), "name");
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(pods.collection, pod);
    if (!seen) return std::unexpected(NotFound(pods, pod.name));
    if (auto checked = CheckIdentity(PodBindings(), pod.name, *body, seen->uid,
                                     fmt::format("{}", seen->version));
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    Scratch scratch;
    Json document = ParseIn(*seen, scratch.storage());
    JsonObject& object = document.get_object();
    if (auto checked = CheckBindable(object, pod.name); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    Assign(object, *body, node, now());
    AddTopologyLabels(store_, node, object);
    ApiResult<store::Draft> draft = MakeDraft(pods, object);
    if (!draft) return std::unexpected(std::move(draft.error()));
    if (dry_run) return Finish(std::move(*draft), seen->version);
    const store::WriteOutcome outcome =
        store_.Replace(pods.collection, std::move(*draft), seen->version);
    if (outcome) return *outcome;
    if (outcome.error() != store::WriteError::kConflict) {
      return std::unexpected(RefusedWrite(store_, pods, pod.name, outcome.error()));
    }
  }
  return std::unexpected(TooContended(pods, pod.name));
}

}  // namespace berth::apiserver
