// The subresources binding, eviction and scale: Api::Bind, Evict, GetScale and PutScale.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/json/document.h"
#include "api/selector.h"
#include "api/timestamp.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/admission/strategy.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/registry/api.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_objects.h"
#include "apiserver/registry/write_attempt.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::registry {

namespace {

// The kind in the errors of a binding.
const api::scheme::Kind& PodBindings() {
  static const api::scheme::Kind kind{
      .version = "v1", .resource = "pods/binding", .kind = "Binding"};
  return kind;
}

api::scheme::ApiResult<void> CheckBinding(const ObjectName& pod, const api::JsonObject& binding) {
  if (auto checked =
          admission::CheckNameAndNamespace(PodBindings(), binding, pod.name, pod.namespace_);
      !checked)
    return checked;
  const api::JsonObject* target = api::ObjectAt(&binding, "target");
  const std::string_view kind = api::StringAt(target, "kind");
  admission::FieldErrors errors;
  const admission::FieldPath path("target");
  if (!kind.empty() && kind != "Node") {
    errors.NotSupported(path / "kind", kind, {"Node", "<empty>"});
  }
  if (api::StringAt(target, "name").empty()) errors.Required(path / "name");
  if (errors.empty()) return {};
  return std::unexpected(api::scheme::Invalid(PodBindings(), pod.name, errors.Take()));
}

api::scheme::ApiResult<void> CheckBindable(const api::JsonObject& pod, std::string_view name) {
  std::string why;
  const api::JsonObject* spec = api::ObjectAt(&pod, "spec");
  const std::string_view node = api::StringAt(spec, "nodeName");
  if (admission::IsDeleting(pod)) {
    why = fmt::format("pod {} is being deleted, cannot be assigned to a host", name);
  } else if (!node.empty()) {
    why = fmt::format("pod {} is already assigned to node \"{}\"", name, node);
  } else if (!api::EmptyAt(spec, "schedulingGates")) {
    why = fmt::format("pod {} has non-empty .spec.schedulingGates", name);
  } else {
    return {};
  }
  return std::unexpected(api::scheme::Conflict(PodBindings(), name, why));
}

void CopyInto(const api::JsonObject* from, api::JsonObject& metadata, std::string_view key,
              bool overwrite) {
  const api::JsonObject* map = api::ObjectAt(from, key);
  if (!map || map->empty()) return;
  api::JsonObject& to = api::EnsureObject(metadata, key);
  for (const auto& [name, value] : *map) {
    if (overwrite || !api::At(&to, name)) to[name] = value;
  }
}

void Assign(api::JsonObject& pod, const api::JsonObject& binding, std::string_view node,
            Instant now) {
  api::SetString(api::EnsureObject(pod, "spec"), "nodeName", node);
  const api::JsonObject* from = admission::MetadataOf(binding);
  CopyInto(from, admission::MetadataOf(pod), "annotations", true);
  CopyInto(from, admission::MetadataOf(pod), "labels", false);
  const auto generation = api::IntAt(&admission::MetadataOf(pod), "generation");
  api::JsonObject& status = api::EnsureObject(pod, "status");
  status.erase("nominatedNodeName");
  admission::SetCondition(status, "PodScheduled", "True", {}, {}, now);
  for (api::Json& condition : api::EnsureArray(status, "conditions")) {
    if (generation && api::StringAt(api::AsObject(condition), "type") == "PodScheduled") {
      api::SetInt(condition.get_object(), "observedGeneration", *generation);
    }
  }
}

}  // namespace

api::scheme::ApiResult<ObjectPtr> Api::Bind(const ObjectName& pod, const api::Json& binding,
                                            bool dry_run) {
  static const api::scheme::Kind& pods = api::scheme::KindOf("pods");
  const api::JsonObject* body = api::AsObject(binding);
  if (!body) return std::unexpected(api::scheme::BadRequest("a binding must be a JSON object"));
  if (auto checked = CheckBinding(pod, *body); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const std::string_view node = api::StringAt(api::ObjectAt(body, "target"), "name");
  for (int i = 0; i < kMaxAttempts; ++i) {
    const ObjectPtr seen = store_.Get(pods.collection, pod);
    if (!seen) return std::unexpected(api::scheme::NotFound(pods, pod.name));
    if (auto checked = admission::CheckIdentity(PodBindings(), pod.name, *body, seen->uid,
                                                fmt::format("{}", seen->version));
        !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    store::Scratch scratch;
    api::Json document = store::ParseIn(*seen, scratch.storage());
    api::JsonObject& object = document.get_object();
    if (auto checked = CheckBindable(object, pod.name); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    Assign(object, *body, node, now());
    admission::AddTopologyLabels(store_, node, object);
    api::scheme::ApiResult<store::Draft> draft = store::MakeDraft(pods, object);
    if (!draft) return std::unexpected(std::move(draft.error()));
    if (auto checked = CheckSize(*draft, seen->json.size()); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    if (dry_run) return store::Finish(std::move(*draft), seen->version);
    const store::WriteOutcome outcome =
        store_.Replace(pods.collection, std::move(*draft), seen->version);
    if (outcome) return *outcome;
    if (outcome.error() != store::WriteError::kConflict) {
      return std::unexpected(ToApiError(store_, pods, pod.name, outcome.error()));
    }
  }
  return std::unexpected(TooManyConflicts(pods, pod.name));
}

namespace {

// The limit of evictions that the disruption controller has not yet confirmed.
constexpr size_t kMaxDisruptedPods = 2000;

const api::scheme::Kind& Budgets() { return api::scheme::KindOf("poddisruptionbudgets.policy"); }

api::scheme::ApiError BudgetExceeded(std::string why) {
  api::scheme::ApiError error = api::scheme::TooManyRequests(
      "Cannot evict pod as it would violate the pod's disruption budget.");
  error.causes.push_back({"DisruptionBudget", std::move(why), ""});
  return error;
}

bool HasCondition(const api::JsonObject& pod, std::string_view type) {
  const api::JsonArray* conditions = api::ArrayAt(api::ObjectAt(&pod, "status"), "conditions");
  return conditions && std::ranges::any_of(*conditions, [&](const api::Json& condition) {
           const api::JsonObject* fields = api::AsObject(condition);
           return api::StringAt(fields, "type") == type &&
                  api::StringAt(fields, "status") == "True";
         });
}

// Reports whether the pod can be evicted without a budget, since it is not running.
bool IsExempt(const api::JsonObject& pod) {
  const std::string_view phase = api::StringAt(api::ObjectAt(&pod, "status"), "phase");
  return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
         admission::IsDeleting(pod);
}

std::vector<ObjectPtr> BudgetsOf(const store::Store& store, const ObjectName& pod,
                                 const api::JsonObject& document) {
  const api::StringMap labels =
      api::StringMapOf(api::ObjectAt(admission::MetadataOf(document), "labels"));
  store::ListQuery query;
  query.namespace_ = pod.namespace_;
  std::vector<ObjectPtr> found;
  for (const ObjectPtr& object : store.List(Budgets().collection, query).objects) {
    const api::Json budget = store::Parse(*object);
    const api::JsonObject* selector =
        api::ObjectAt(api::ObjectAt(api::AsObject(budget), "spec"), "selector");
    if (!selector) continue;
    const auto compiled = api::Selector::FromLabelSelector(api::LabelSelectorOf(*selector));
    if (compiled && compiled->Matches(labels)) found.push_back(object);
  }
  return found;
}

// Reports whether a pod that is not ready can be evicted without consuming the budget.
bool AllowsUnreadyEviction(const api::JsonObject& budget) {
  const api::JsonObject* status = api::ObjectAt(&budget, "status");
  if (api::StringAt(api::ObjectAt(&budget, "spec"), "unhealthyPodEvictionPolicy") ==
      "AlwaysAllow") {
    return true;
  }
  const int64_t desired = api::IntAt(status, "desiredHealthy").value_or(0);
  return desired > 0 && api::IntAt(status, "currentHealthy").value_or(0) >= desired;
}

std::optional<api::scheme::ApiError> EvictionError(const api::JsonObject& budget,
                                                   std::string_view name) {
  const api::JsonObject* status = api::ObjectAt(&budget, "status");
  const int64_t observed = api::IntAt(status, "observedGeneration").value_or(0);
  if (observed < api::IntAt(admission::MetadataOf(budget), "generation").value_or(0)) {
    return BudgetExceeded(
        fmt::format("The disruption budget {} is still being processed by the server.", name));
  }
  const int64_t allowed = api::IntAt(status, "disruptionsAllowed").value_or(0);
  if (allowed < 0)
    return api::scheme::Forbidden(Budgets(), name, "pdb disruptions allowed is negative");
  const api::JsonObject* disrupted = api::ObjectAt(status, "disruptedPods");
  if (disrupted && disrupted->size() > kMaxDisruptedPods) {
    return api::scheme::Forbidden(
        Budgets(), name,
        "DisruptedPods map too big - too many evictions not confirmed by PDB "
        "controller");
  }
  if (allowed > 0) return std::nullopt;
  return BudgetExceeded(
      fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                  api::IntAt(status, "desiredHealthy").value_or(0),
                  api::IntAt(status, "currentHealthy").value_or(0)));
}

}  // namespace

// Consumes one disruption of the pod's budget, if it has one and needs it.
api::scheme::ApiResult<void> Api::ConsumeDisruptionBudget(const ObjectName& pod,
                                                          const api::Json& document, bool dry_run) {
  const api::JsonObject& object = document.get_object();
  const std::vector<ObjectPtr> budgets = BudgetsOf(store_, pod, object);
  if (budgets.empty()) return {};
  if (budgets.size() > 1) {
    return std::unexpected(api::scheme::InternalError(
        "This pod has more than one PodDisruptionBudget, which the eviction "
        "subresource does not support."));
  }
  const ObjectName& name = budgets.front()->key;
  std::optional<api::scheme::ApiError> error;
  const auto consume = [&](api::Json& value) {
    api::JsonObject& budget = value.get_object();
    error.reset();
    if (!HasCondition(object, "Ready") && AllowsUnreadyEviction(budget)) return false;
    error = EvictionError(budget, name.name);
    if (error || dry_run) return false;
    api::JsonObject& status = api::EnsureObject(budget, "status");
    const int64_t left = api::IntAt(&status, "disruptionsAllowed").value_or(0) - 1;
    api::SetInt(status, "disruptionsAllowed", left);
    api::SetString(api::EnsureObject(status, "disruptedPods"), pod.name, api::FormatTime(now()));
    if (left == 0) {
      admission::SetCondition(status, "DisruptionAllowed", "False", "InsufficientPods", {}, now());
      for (api::Json& item : api::EnsureArray(status, "conditions")) {
        // A metav1.Condition has a message, even an empty one.
        if (api::JsonObject* condition = item.if_object()) {
          api::DefaultString(*condition, "message", "");
        }
      }
    }
    return true;
  };
  const api::scheme::ApiResult<ObjectPtr> consumed = Modify(Budgets(), name, consume);
  if (error) return std::unexpected(std::move(*error));
  if (!consumed) return std::unexpected(consumed.error());
  return {};
}

api::scheme::ApiResult<Deleted> Api::Evict(const ObjectName& pod, const DeleteOptions& options) {
  static const api::scheme::Kind& pods = api::scheme::KindOf("pods");
  const ObjectPtr seen = store_.Get(pods.collection, pod);
  if (!seen) return std::unexpected(api::scheme::NotFound(pods, pod.name));
  const api::Json document = store::Parse(*seen);
  if (IsExempt(document.get_object())) return Delete(pods, pod, options);
  if (auto consumed = ConsumeDisruptionBudget(pod, document, options.dry_run); !consumed) {
    return std::unexpected(std::move(consumed.error()));
  }
  if (!options.dry_run) {
    const api::scheme::ApiResult<ObjectPtr> marked = Modify(pods, pod, [&](api::Json& value) {
      admission::SetCondition(api::EnsureObject(value.get_object(), "status"), "DisruptionTarget",
                              "True", "EvictionByEvictionAPI", "Eviction API: evicting", now());
      return true;
    });
    if (!marked) return std::unexpected(marked.error());
  }
  DeleteOptions deletion = options;
  if (deletion.uid.empty()) deletion.uid = seen->uid;
  // The condition has changed the version.
  deletion.resource_version.clear();
  return Delete(pods, pod, deletion);
}

namespace {

const api::scheme::Kind& Scales() {
  static const api::scheme::Kind kind{
      .group = "autoscaling", .version = "v1", .resource = "scales", .kind = "Scale"};
  return kind;
}

std::string Join(const api::JsonArray* values) {
  std::vector<std::string_view> texts;
  for (size_t i = 0; values && i < values->size(); ++i)
    texts.push_back(api::AsString((*values)[i]));
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string RequirementText(const api::JsonObject* expression) {
  const std::string_view key = api::StringAt(expression, "key");
  const std::string_view op = api::StringAt(expression, "operator");
  const std::string values = Join(api::ArrayAt(expression, "values"));
  if (op == "In") return fmt::format("{} in ({})", key, values);
  if (op == "NotIn") return fmt::format("{} notin ({})", key, values);
  return op == "DoesNotExist" ? fmt::format("!{}", key) : std::string(key);
}

// Returns the selector in the notation of queries: "app=web,tier in (a,b)".
std::string SelectorText(const api::JsonObject* selector, bool is_map) {
  std::multimap<std::string, std::string> parts;
  const api::JsonObject* labels = is_map ? selector : api::ObjectAt(selector, "matchLabels");
  if (labels) {
    for (const auto& [key, value] : *labels) {
      parts.emplace(key, fmt::format("{}={}", std::string_view(key), api::AsString(value)));
    }
  }
  const api::JsonArray* expressions = is_map ? nullptr : api::ArrayAt(selector, "matchExpressions");
  for (size_t i = 0; expressions && i < expressions->size(); ++i) {
    const api::JsonObject* expression = api::AsObject((*expressions)[i]);
    parts.emplace(api::StringAt(expression, "key"), RequirementText(expression));
  }
  std::string text;
  for (const auto& [key, part] : parts) {
    if (!text.empty()) text += ',';
    text += part;
  }
  return text;
}

// Returns a Scale with the metadata of its workload.
api::JsonObject ScaleHead(const api::JsonObject* metadata) {
  api::JsonObject scale;
  api::SetString(scale, "kind", "Scale");
  api::SetString(scale, "apiVersion", "autoscaling/v1");
  api::JsonObject& out = api::EnsureObject(scale, "metadata");
  for (const std::string_view key :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const api::Json* value = api::At(metadata, key)) out[key] = *value;
  }
  return scale;
}

api::Json ScaleOf(const api::scheme::Kind& kind, const store::Object& object) {
  const api::Json document = store::Parse(object);
  const api::JsonObject* workload = api::AsObject(document);
  const api::JsonObject* metadata = api::ObjectAt(workload, "metadata");
  const api::JsonObject* spec = api::ObjectAt(workload, "spec");
  api::JsonObject scale = ScaleHead(metadata);
  api::SetInt(api::EnsureObject(scale, "spec"), "replicas",
              api::IntAt(spec, "replicas").value_or(0));
  api::JsonObject& status = api::EnsureObject(scale, "status");
  api::SetInt(status, "replicas",
              api::IntAt(api::ObjectAt(workload, "status"), "replicas").value_or(0));
  api::SetString(
      status, "selector",
      SelectorText(api::ObjectAt(spec, "selector"), kind.IsBuiltIn("ReplicationController")));
  return scale;
}

api::Json CustomScaleOf(const api::scheme::Kind& kind, const crd::ScalePaths& paths,
                        const store::Object& object) {
  api::Json document = store::Parse(object);
  ToForm(kind, object, document.get_object());
  const api::JsonObject& resource = document.get_object();
  api::JsonObject scale = ScaleHead(admission::MetadataOf(resource));
  api::SetInt(api::EnsureObject(scale, "spec"), "replicas",
              api::AsInt(ValueAt(resource, paths.spec_replicas)).value_or(0));
  api::JsonObject& status = api::EnsureObject(scale, "status");
  api::SetInt(status, "replicas", api::AsInt(ValueAt(resource, paths.status_replicas)).value_or(0));
  const std::string_view selector = api::AsString(ValueAt(resource, paths.selector));
  if (!selector.empty()) api::SetString(status, "selector", selector);
  return scale;
}

// Returns the scale of an object of any kind that has one.
api::Json AnyScaleOf(const api::scheme::Kind& kind, const store::Object& object) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  return version != nullptr && version->scale ? CustomScaleOf(kind, *version->scale, object)
                                              : ScaleOf(kind, object);
}

}  // namespace

api::scheme::ApiResult<api::Json> Api::GetScale(const api::scheme::Kind& kind,
                                                const ObjectName& name) {
  const ObjectPtr object = store_.Get(kind.collection, name);
  if (!object) return std::unexpected(api::scheme::NotFound(kind, name.name));
  if (const crd::CustomVersion* version = crd::VersionOf(kind); version && version->scale) {
    const api::Json document = store::Parse(*InForm(kind, object));
    if (!ValueAt(document.get_object(), version->scale->spec_replicas)) {
      return std::unexpected(api::scheme::InternalError(
          fmt::format("the spec replicas field \"{}\" does not exist", version->scale->spec_text)));
    }
  }
  return AnyScaleOf(kind, *object);
}

api::scheme::ApiResult<api::Json> Api::PutScale(const api::scheme::Kind& kind,
                                                const ObjectName& name, const api::Json& scale,
                                                const WriteOptions& options) {
  const api::JsonObject* body = api::AsObject(scale);
  if (!body) return std::unexpected(api::scheme::BadRequest("a scale must be a JSON object"));
  if (auto checked = admission::CheckNameAndNamespace(kind, *body, name.name, name.namespace_);
      !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const api::Json* replicas = api::At(api::ObjectAt(body, "spec"), "replicas");
  admission::FieldErrors errors;
  const admission::FieldPath path("spec");
  errors.NonNegative(path / "replicas", replicas);
  if (!errors.empty())
    return std::unexpected(api::scheme::Invalid(Scales(), name.name, errors.Take()));
  // A merge patch with the preconditions and the replicas.
  api::JsonObject patch;
  for (const std::string_view key : {"uid", "resourceVersion"}) {
    const std::string_view given = api::StringAt(admission::MetadataOf(*body), key);
    if (!given.empty()) api::SetString(api::EnsureObject(patch, "metadata"), key, given);
  }
  const crd::CustomVersion* version = crd::VersionOf(kind);
  const std::vector<std::string> names = version && version->scale
                                             ? version->scale->spec_replicas
                                             : std::vector<std::string>{"spec", "replicas"};
  api::JsonObject* parent = &patch;
  for (size_t i = 0; i + 1 < names.size(); ++i) parent = &api::EnsureObject(*parent, names[i]);
  api::SetInt(*parent, names.back(), api::AsInt(replicas).value_or(0));
  const api::scheme::ApiResult<Written> written =
      Patch(kind, name, "", patch::PatchType::kMerge, patch, options);
  if (!written) return std::unexpected(written.error());
  return AnyScaleOf(kind, *written->object);
}

}  // namespace berth::apiserver::registry
