// Api: eviction, which asks the pod's disruption budget first.
#include <fmt/format.h>

#include <algorithm>

#include "admission/metadata.h"
#include "admission/prepare.h"
#include "admission/selector_of.h"
#include "api/selector.h"
#include "apiserver/api.h"
#include "apiserver/api_attempt.h"

namespace berth::apiserver {

namespace {

// Evictions that a budget's controller has not yet seen come true.
constexpr size_t kMaxDisruptedPods = 2000;

const Kind& Budgets() { return KindOf("poddisruptionbudgets.policy"); }

ApiError Refusal(std::string why) {
  ApiError error =
      TooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.");
  error.causes.push_back({"DisruptionBudget", std::move(why), ""});
  return error;
}

bool HasCondition(const JsonObject& pod, std::string_view type) {
  const JsonArray* conditions = ArrayAt(ObjectAt(&pod, "status"), "conditions");
  return conditions && std::ranges::any_of(*conditions, [&](const Json& condition) {
           const JsonObject* fields = AsObject(condition);
           return StringAt(fields, "type") == type && StringAt(fields, "status") == "True";
         });
}

// Budgets are for pods that run.
bool IsExempt(const JsonObject& pod) {
  const std::string_view phase = StringAt(ObjectAt(&pod, "status"), "phase");
  return phase == "Pending" || phase == "Succeeded" || phase == "Failed" || IsDeleting(pod);
}

std::vector<ObjectPtr> BudgetsOf(const store::Store& store, const ObjectName& pod,
                                 const JsonObject& document) {
  const api::StringMap labels = StringMapOf(ObjectAt(MetadataOf(document), "labels"));
  store::ListQuery query;
  query.namespace_ = pod.namespace_;
  std::vector<ObjectPtr> found;
  for (const ObjectPtr& object : store.List(Budgets().collection, query).objects) {
    const Json budget = Parse(*object);
    const JsonObject* selector = ObjectAt(ObjectAt(AsObject(budget), "spec"), "selector");
    if (!selector) continue;
    const auto compiled = api::Selector::FromLabelSelector(LabelSelectorOf(*selector));
    if (compiled && compiled->Matches(labels)) found.push_back(object);
  }
  return found;
}

// A pod that is not ready does not count for the budget, so it may go if the rest is well.
bool MayGoUnready(const JsonObject& budget) {
  const JsonObject* status = ObjectAt(&budget, "status");
  if (StringAt(ObjectAt(&budget, "spec"), "unhealthyPodEvictionPolicy") == "AlwaysAllow") {
    return true;
  }
  const int64_t desired = IntAt(status, "desiredHealthy").value_or(0);
  return desired > 0 && IntAt(status, "currentHealthy").value_or(0) >= desired;
}

std::optional<ApiError> WhyNot(const JsonObject& budget, std::string_view name) {
  const JsonObject* status = ObjectAt(&budget, "status");
  const int64_t observed = IntAt(status, "observedGeneration").value_or(0);
  if (observed < IntAt(MetadataOf(budget), "generation").value_or(0)) {
    return Refusal(
        fmt::format("The disruption budget {} is still being processed by the server.", name));
  }
  const int64_t allowed = IntAt(status, "disruptionsAllowed").value_or(0);
  if (allowed < 0) return Forbidden(Budgets(), name, "pdb disruptions allowed is negative");
  const JsonObject* disrupted = ObjectAt(status, "disruptedPods");
  if (disrupted && disrupted->size() > kMaxDisruptedPods) {
    return Forbidden(Budgets(), name,
                     "DisruptedPods map too big - too many evictions not confirmed by PDB "
                     "controller");
  }
  if (allowed > 0) return std::nullopt;
  return Refusal(fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                             name, IntAt(status, "desiredHealthy").value_or(0),
                             IntAt(status, "currentHealthy").value_or(0)));
}

}  // namespace

// Takes one disruption from the pod's budget, if it has one and needs it.
ApiResult<void> Api::SpendBudget(const ObjectName& pod, const Json& document, bool dry_run) {
  const JsonObject& object = document.get_object();
  const std::vector<ObjectPtr> budgets = BudgetsOf(store_, pod, object);
  if (budgets.empty()) return {};
  if (budgets.size() > 1) {
    return std::unexpected(
        InternalError("This pod has more than one PodDisruptionBudget, which the eviction "
                      "subresource does not support."));
  }
  const ObjectName& name = budgets.front()->key;
  std::optional<ApiError> refusal;
  const auto spend = [&](Json& value) {
    JsonObject& budget = value.get_object();
    refusal.reset();
    if (!HasCondition(object, "Ready") && MayGoUnready(budget)) return false;
    refusal = WhyNot(budget, name.name);
    if (refusal || dry_run) return false;
    JsonObject& status = ObjectIn(budget, "status");
    const int64_t left = IntAt(&status, "disruptionsAllowed").value_or(0) - 1;
    SetInt(status, "disruptionsAllowed", left);
    SetString(ObjectIn(status, "disruptedPods"), pod.name, TimeText(now()));
    if (left == 0) {
      SetCondition(status, "DisruptionAllowed", "False", "InsufficientPods", {}, now());
    }
    return true;
  };
  const ApiResult<ObjectPtr> spent = Modify(Budgets(), name, spend);
  if (refusal) return std::unexpected(std::move(*refusal));
  if (!spent) return std::unexpected(spent.error());
  return {};
}

ApiResult<Deleted> Api::Evict(const ObjectName& pod, const DeleteOptions& options) {
  static const Kind& pods = KindOf("pods");
  const ObjectPtr seen = store_.Get(pods.collection, pod);
  if (!seen) return std::unexpected(NotFound(pods, pod.name));
  const Json document = Parse(*seen);
  if (IsExempt(document.get_object())) return Delete(pods, pod, options);
  if (auto spent = SpendBudget(pod, document, options.dry_run); !spent) {
    return std::unexpected(std::move(spent.error()));
  }
  if (!options.dry_run) {
    const ApiResult<ObjectPtr> marked = Modify(pods, pod, [&](Json& value) {
      SetCondition(ObjectIn(value.get_object(), "status"), "DisruptionTarget", "True",
                   "EvictionByEvictionAPI", "Eviction API: evicting", now());
      return true;
    });
    if (!marked) return std::unexpected(marked.error());
  }
  DeleteOptions deletion = options;
  if (deletion.uid.empty()) deletion.uid = seen->uid;
  // The mark has changed the version that the caller knew.
  deletion.resource_version.clear();
  return Delete(pods, pod, deletion);
}

}  // namespace berth::apiserver
