#include "localcluster/horizontal_autoscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "api/timestamp.h"
#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kAutoscalerComponent = "horizontal-pod-autoscaler";
constexpr std::string_view kNoCustomMetrics =
    "unable to fetch metrics from custom metrics API: no known available metric versions found";
constexpr std::string_view kNoExternalMetrics =
    "unable to fetch metrics from external metrics API: no known available metric versions found";
constexpr std::string_view kNoResourceMetrics =
    "unable to fetch metrics from resource metrics API: the server could not find the requested "
    "resource (get pods.metrics.k8s.io)";

const Kind& Autoscalers() {
  static const Kind& kind = api::scheme::KindOf("horizontalpodautoscalers.autoscaling");
  return kind;
}

// Most changes are of the status, by the controller itself.
bool HasSameSpec(const apiserver::store::Object& before, const JsonObject& after) {
  const Json document = apiserver::store::Parse(before);
  const Json* old_spec = At(AsObject(document), "spec");
  const Json* new_spec = At(&after, "spec");
  return old_spec && new_spec && *old_spec == *new_spec;
}

// Why a metric has no value, in the words of kube-controller-manager.
struct MetricError {
  std::string reason;
  std::string error;
  std::string context;  // What precedes the error in the summary of all metrics.
};

bool HasAverage(const JsonObject* source) {
  return At(ObjectAt(source, "target"), "averageValue") != nullptr;
}

MetricError ErrorOf(const JsonObject& metric, std::string_view namespace_) {
  const std::string_view type = StringAt(&metric, "type");
  if (type == "Resource" || type == "ContainerResource") {
    const bool container = type == "ContainerResource";
    const JsonObject* source = ObjectAt(&metric, container ? "containerResource" : "resource");
    const std::string_view name = StringAt(source, "name");
    const std::string error =
        fmt::format("failed to get {} {}: unable to get metrics for resource {}: {}", name,
                    HasAverage(source) ? "usage" : "utilization", name, kNoResourceMetrics);
    if (!container) {
      return {"FailedGetResourceMetric", error,
              fmt::format("failed to get {} resource metric value: ", name)};
    }
    return {
        "FailedGetContainerResourceMetric", error,
        fmt::format("failed to get {} container metric value: ", StringAt(source, "container"))};
  }
  if (type == "External") {
    const JsonObject* source = ObjectAt(&metric, "external");
    const std::string_view name = StringAt(ObjectAt(source, "metric"), "name");
    const std::string cause = fmt::format("unable to get external metric {}/{}/nil: {}", namespace_,
                                          name, kNoExternalMetrics);
    return {"FailedGetExternalMetric",
            HasAverage(source) ? fmt::format("failed to get {} external metric: {}", name, cause)
                               : fmt::format("failed to get external metric {}: {}", name, cause),
            fmt::format("failed to get {} external metric value: ", name)};
  }
  const bool of_pods = type == "Pods";
  const JsonObject* source = ObjectAt(&metric, of_pods ? "pods" : "object");
  const std::string_view name = StringAt(ObjectAt(source, "metric"), "name");
  if (of_pods) {
    return {"FailedGetPodsMetric",
            fmt::format("unable to get metric {}: {}", name, kNoCustomMetrics),
            "failed to get pods metric value: "};
  }
  const JsonObject* object = ObjectAt(source, "describedObject");
  return {"FailedGetObjectMetric",
          fmt::format("unable to get metric {}: {} on {} {}/{}", name, StringAt(object, "kind"),
                      namespace_, StringAt(object, "name"), kNoCustomMetrics),
          "failed to get object metric value: "};
}

}  // namespace

// The new status of an autoscaler.
struct HorizontalAutoscaler::Decision {
  struct Condition {
    std::string_view type;
    bool value;
    std::string reason;
    std::string message;
  };

  const Kind* kind = nullptr;  // Of the target.
  ObjectName target = {};
  int64_t current = 0;
  int64_t desired = 0;
  std::string why = {};  // The reason for a new size; "" if the size stays.
  bool rescaled = false;
  std::vector<Condition> conditions = {};
};

void HorizontalAutoscaler::Forget(const ObjectName& autoscaler) {
  const auto known = target_of_.find(autoscaler);
  if (known == target_of_.end()) return;
  const auto group = autoscalers_of_.find(known->second);
  group->second.erase(autoscaler);
  if (group->second.empty()) autoscalers_of_.erase(group);
  target_of_.erase(known);
}

void HorizontalAutoscaler::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Autoscalers()) {
    Forget(name);
    if (change.deleted) return queue_.Forget(name);
    const JsonObject* reference = ObjectAt(ObjectAt(&change.document, "spec"), "scaleTargetRef");
    const Target target{std::string(StringAt(reference, "kind")),
                        {name.namespace_, std::string(StringAt(reference, "name"))}};
    target_of_.emplace(name, target);
    autoscalers_of_[target].insert(name);
    if (!change.previous || !HasSameSpec(*change.previous, change.document)) queue_.Add(name);
    return;
  }
  if (autoscalers_of_.empty()) return;
  const auto group = autoscalers_of_.find({std::string(change.kind.kind), name});
  if (group == autoscalers_of_.end()) return;
  for (const ObjectName& autoscaler : group->second) queue_.Add(autoscaler);
}

void HorizontalAutoscaler::Event(const JsonObject& document, EventType type,
                                 std::string_view reason, std::string message) {
  context_.events.Record(InvolvedObject::Of(Autoscalers(), document), type, reason,
                         std::move(message), kAutoscalerComponent);
}

void HorizontalAutoscaler::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Autoscalers().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  if (At(ObjectAt(&document, "metadata"), "deletionTimestamp")) return;
  const JsonObject* reference = ObjectAt(ObjectAt(&document, "spec"), "scaleTargetRef");
  const std::string_view version = StringAt(reference, "apiVersion");
  Decision decision;
  decision.target = {key.namespace_, std::string(StringAt(reference, "name"))};
  decision.kind = api::scheme::FindKindByName(version, StringAt(reference, "kind"));
  std::string problem;
  if (!decision.kind) {
    problem = fmt::format("no matches for kind \"{}\" in version \"{}\"",
                          StringAt(reference, "kind"), version);
  } else if (!decision.kind->FindSubresource("scale")) {
    problem = "the server could not find the requested resource";
  }
  const auto scale = problem.empty()
                         ? context_.api.GetScale(*decision.kind, decision.target)
                         : std::unexpected(api::scheme::NotFound(Autoscalers(), key.name));
  if (problem.empty() && !scale) problem = scale.error().message;
  if (problem.empty()) {
    decision.conditions.push_back(
        {"AbleToScale", true, "SucceededGetScale",
         "the HPA controller was able to get the target's current scale"});
    const JsonObject* fields = AsObject(*scale);
    decision.current = IntAt(ObjectAt(fields, "spec"), "replicas").value_or(0);
    Decide(document, decision);
    if (!decision.why.empty()) Rescale(document, decision);
    decision.current = IntAt(ObjectAt(fields, "status"), "replicas").value_or(0);
  } else {
    Event(document, EventType::kWarning, "FailedGetScale", problem);
    decision.conditions.push_back(
        {"AbleToScale", false, "FailedGetScale",
         "the HPA controller was unable to get the target's current scale: " + problem});
  }
  const Instant now = context_.now();
  const auto done = context_.api.Modify(Autoscalers(), key, [&](Json& newest) {
    JsonObject& status = EnsureObject(newest.get_object(), "status");
    for (const Decision::Condition& condition : decision.conditions) {
      apiserver::admission::SetCondition(status, condition.type, condition.value ? "True" : "False",
                                         condition.reason, condition.message, now);
    }
    SetCount(status, "currentReplicas", decision.current);
    SetInt(status, "desiredReplicas", decision.desired);
    if (decision.rescaled) SetString(status, "lastScaleTime", api::FormatTime(now));
    return true;
  });
  if (done) Wrote(key, *done);
}

void HorizontalAutoscaler::Decide(const JsonObject& document, Decision& decision) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  const int64_t most = IntAt(spec, "maxReplicas").value_or(1);
  const int64_t least = IntAt(spec, "minReplicas").value_or(1);
  const int64_t current = decision.current;
  decision.desired = current;
  if (current == 0 && least != 0) {
    decision.conditions.push_back(
        {"ScalingActive", false, "ScalingDisabled",
         "scaling is disabled since the replica count of the target is zero"});
    return;
  }
  if (current > most) {
    decision.desired = most;
    decision.why = "Current number of replicas above Spec.MaxReplicas";
    return;
  }
  if (current < least) {
    decision.desired = least;
    decision.why = "Current number of replicas below Spec.MinReplicas";
    return;
  }
  const auto metrics = ObjectsAt(spec, "metrics");
  const std::string_view namespace_ = StringAt(ObjectAt(&document, "metadata"), "namespace");
  std::optional<MetricError> first;
  for (const JsonObject& metric : metrics) {
    MetricError error = ErrorOf(metric, namespace_);
    Event(document, EventType::kWarning, error.reason, error.error);
    if (!first) first = std::move(error);
  }
  if (!first) return;
  Event(document, EventType::kWarning, "FailedComputeMetricsReplicas",
        fmt::format("invalid metrics ({} invalid out of {}), first error is: {}{}", metrics.size(),
                    metrics.size(), first->context, first->error));
  decision.conditions.push_back(
      {"ScalingActive", false, first->reason,
       "the HPA was unable to compute the replica count: " + first->error});
}

void HorizontalAutoscaler::Rescale(const JsonObject& document, Decision& decision) {
  JsonObject scale;
  SetInt(EnsureObject(scale, "spec"), "replicas", decision.desired);
  const auto done = context_.api.PutScale(*decision.kind, decision.target, std::move(scale));
  if (!done) {
    Event(document, EventType::kWarning, "FailedRescale",
          fmt::format("New size: {}; reason: {}; error: {}", decision.desired, decision.why,
                      done.error().message));
    decision.conditions.push_back(
        {"AbleToScale", false, "FailedUpdateScale",
         "the HPA controller was unable to update the target scale: " + done.error().message});
    return;
  }
  decision.rescaled = true;
  Event(document, EventType::kNormal, "SuccessfulRescale",
        fmt::format("New size: {}; reason: {}", decision.desired, decision.why));
  decision.conditions.push_back(
      {"AbleToScale", true, "SucceededRescale",
       fmt::format("the HPA controller was able to update the target scale to {}",
                   decision.desired)});
}

}  // namespace berth::localcluster
