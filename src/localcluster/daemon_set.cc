#include "localcluster/daemon_set.h"

#include <algorithm>
#include <array>
#include <string>

#include "api/json/decode.h"
#include "api/json/writer.h"
#include "api/selector.h"
#include "localcluster/object_json.h"
#include "localcluster/pod_admission.h"
#include "localcluster/workload_pods.h"

namespace berth::localcluster {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTolerations = {{
    {"node.kubernetes.io/not-ready", "NoExecute"},
    {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
}};

void Tolerate(JsonObject& spec, std::string_view key, std::string_view effect) {
  JsonArray& tolerations = EnsureArray(spec, "tolerations");
  const bool present = std::ranges::any_of(tolerations, [&](const Json& toleration) {
    const JsonObject* fields = AsObject(toleration);
    return StringAt(fields, "key") == key && StringAt(fields, "effect") == effect &&
           StringAt(fields, "operator") == "Exists" && !At(fields, "tolerationSeconds");
  });
  if (present) return;
  JsonObject& toleration = tolerations.emplace_back(boost::json::object_kind).get_object();
  SetString(toleration, "key", key);
  SetString(toleration, "operator", "Exists");
  SetString(toleration, "effect", effect);
}

}  // namespace

void AddDaemonTolerations(JsonObject& pod) {
  JsonObject& spec = EnsureObject(pod, "spec");
  for (const auto& [key, effect] : kTolerations) Tolerate(spec, key, effect);
  if (BoolAt(&spec, "hostNetwork")) {
    Tolerate(spec, "node.kubernetes.io/network-unavailable", "NoSchedule");
  }
}

void RequireNode(JsonObject& pod, std::string_view node) {
  JsonObject& affinity =
      EnsureObject(EnsureObject(EnsureObject(pod, "spec"), "affinity"), "nodeAffinity");
  JsonObject& required = EnsureObject(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  JsonArray& terms = EnsureArray(required, "nodeSelectorTerms");
  if (terms.empty()) terms.emplace_back(boost::json::object_kind);
  for (Json& term : terms) {
    JsonObject* fields = term.if_object();
    if (!fields) continue;
    JsonArray& match = (*fields)["matchFields"].emplace_array();
    JsonObject& name = match.emplace_back(boost::json::object_kind).get_object();
    SetString(name, "key", "metadata.name");
    SetString(name, "operator", "In");
    name["values"].emplace_array().emplace_back(node);
  }
}

DaemonPodFit NodeShouldRunDaemonPod(const api::Pod& pod, const api::Node& node) {
  if (!MatchesNodeAffinity(pod, node)) return {};
  DaemonPodFit fit{true, true};
  for (const api::Taint& taint : node.spec.taints) {
    if (taint.effect == "PreferNoSchedule") continue;
    if (api::ToleratesAny(pod.spec.tolerations, taint)) continue;
    fit.should_run = false;
    if (taint.effect == "NoExecute") fit.should_continue_running = false;
  }
  return fit;
}

namespace {

// Pods created per sync.
constexpr size_t kDaemonBurst = 500;

// Reports whether everything that decides where pods may run is equal.
bool SameForPods(const NodeRecord* a, const NodeRecord* b) {
  return a && b && a->node && b->node && a->node->metadata.labels == b->node->metadata.labels &&
         a->node->spec == b->node->spec;
}

bool IsCurrent(const PodRecord& pod, const std::string& hash) {
  const std::string* label = pod.Label(kRevisionHash);
  return label && *label == hash;
}

JsonObject MakePod(const JsonObject& document, const std::string& hash) {
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const JsonObject* pod_template = ObjectAt(ObjectAt(&document, "spec"), "template");
  JsonObject pod =
      PodFromTemplate(pod_template ? *pod_template : JsonObject(), DaemonSets(), document);
  JsonObject& own = EnsureObject(pod, "metadata");
  SetString(own, "generateName", std::string(StringAt(metadata, "name")) + "-");
  JsonObject& labels = EnsureObject(own, "labels");
  SetString(labels, kRevisionHash, hash);
  const std::string_view generation =
      StringAt(ObjectAt(metadata, "annotations"), "deprecated.daemonset.template.generation");
  SetString(labels, "pod-template-generation", generation.empty() ? "1" : generation);
  AddDaemonTolerations(pod);
  return pod;
}

}  // namespace

void DaemonSetController::Observe(const Change& change) {
  adoption_.Observe(change, queue_);
  const ObjectName& name = change.object.key;
  if (&change.kind == &DaemonSets()) {
    if (change.deleted) {
      sets_.erase(name);
    } else {
      sets_.insert(name);
    }
  } else if (&change.kind == &Nodes()) {
    if (!change.deleted && SameForPods(change.node, change.previous_node)) return;
    for (const ObjectName& set : sets_) queue_.Add(set);
  }
}

DaemonSetController::View DaemonSetController::ReadView(const apiserver::store::Object& object,
                                                        const JsonObject& document) {
  View view;
  view.hash = TemplateHash(document);
  std::set<std::string> live;
  for (const PodRecord* pod : context_.pods.OwnedBy(object.uid)) {
    const std::string& node = pod->node().empty() ? pod->target : pod->node();
    view.pods[node].push_back(pod);
    if (const std::string* label = pod->Label(kRevisionHash)) live.insert(*label);
  }
  EnsureRevision(context_, DaemonSets(), document, view.hash, live);
  JsonObject sample = MakePod(document, view.hash);
  SetString(EnsureObject(sample, "metadata"), "name", "sample");
  SetString(sample, "kind", "Pod");
  SetString(sample, "apiVersion", "v1");
  const auto pod = api::DecodeJsonAs<api::Pod>(api::ToJsonText(sample));
  if (!pod) return view;
  for (const auto& [name, node] : context_.nodes.all()) {
    if (!node.node) continue;
    const DaemonPodFit fit = NodeShouldRunDaemonPod(**pod, *node.node);
    if (fit.should_run) view.should_run.insert(name);
    if (fit.should_continue_running) view.should_continue_running.insert(name);
  }
  return view;
}

void DaemonSetController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(DaemonSets().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  if (At(ObjectAt(&document, "metadata"), "deletionTimestamp")) return;
  if (const apiserver::store::ObjectPtr wrote = adoption_.Run(context_, key, document)) {
    Wrote(key, wrote);
    return queue_.Add(key);
  }
  const View view = ReadView(*object, document);
  ManagePods(key, document, view);
  RollingUpdate(key, document, view);
  WriteStatus(key, document, view);
}

void DaemonSetController::ManagePods(const ObjectName& key, const JsonObject& document,
                                     const View& view) {
  for (const auto& [node, pods] : view.pods) {
    bool occupied = false;
    for (const PodRecord* pod : pods) {
      if (pod->deleting) continue;
      // Failed pods are recreated; of several pods, one stays.
      if (occupied || pod->finished() || !view.should_continue_running.contains(node)) {
        Remove(key, document, *pod);
      } else {
        occupied = true;
      }
    }
  }
  size_t created_count = 0;
  const JsonObject base = MakePod(document, view.hash);
  for (const std::string& node : view.should_run) {
    if (view.pods.contains(node)) continue;
    if (created_count++ == kDaemonBurst) break;
    JsonObject copy = base;
    RequireNode(copy, node);
    const auto created = context_.api.Create(Pods(), key.namespace_, std::move(copy));
    if (!created) {
      Record(document, EventType::kWarning, "FailedCreate",
             "Error creating: " + created.error().message);
      return queue_.AddAfterFailure(key, context_.now());
    }
    Wrote(key, created->object);
    Record(document, EventType::kNormal, "SuccessfulCreate",
           "Created pod: " + created->object->key.name);
  }
  queue_.Succeeded(key);
}

void DaemonSetController::Remove(const ObjectName& key, const JsonObject& document,
                                 const PodRecord& pod) {
  const auto deleted = context_.api.Delete(Pods(), pod.name(), {.uid = pod.uid()});
  if (!deleted) return;
  Wrote(key, deleted->object);
  Record(document, EventType::kNormal, "SuccessfulDelete", "Deleted pod: " + pod.name().name);
}

void DaemonSetController::Record(const JsonObject& document, EventType type,
                                 std::string_view reason, std::string message) {
  context_.events.Record(InvolvedObject::Of(DaemonSets(), document), type, reason,
                         std::move(message), "daemonset-controller");
}

void DaemonSetController::RollingUpdate(const ObjectName& key, const JsonObject& document,
                                        const View& view) {
  const JsonObject* strategy = ObjectAt(ObjectAt(&document, "spec"), "updateStrategy");
  if (StringAt(strategy, "type") == "OnDelete") return;
  const auto desired = static_cast<int64_t>(view.should_run.size());
  const Json* most = At(ObjectAt(strategy, "rollingUpdate"), "maxUnavailable");
  // Surge is not implemented: with maxSurge, pods are replaced one at a time.
  int64_t budget = std::max<int64_t>(1, ScaledValue(most, desired, true, 1));
  std::vector<const PodRecord*> old_pods;
  for (const std::string& node : view.should_run) {
    const auto found = view.pods.find(node);
    const bool available =
        found != view.pods.end() && std::ranges::any_of(found->second, [](const PodRecord* pod) {
          return pod->ready && pod->active();
        });
    if (!available) --budget;
    if (found == view.pods.end()) continue;
    for (const PodRecord* pod : found->second) {
      if (!pod->active() || IsCurrent(*pod, view.hash)) continue;
      // Replacing a pod that is not ready costs no availability.
      if (!pod->ready) {
        Remove(key, document, *pod);
      } else {
        old_pods.push_back(pod);
      }
    }
  }
  for (const PodRecord* pod : old_pods) {
    if (budget-- <= 0) return;
    Remove(key, document, *pod);
  }
}

void DaemonSetController::WriteStatus(const ObjectName& key, const JsonObject& document,
                                      const View& view) {
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const int64_t min_ready = IntAt(ObjectAt(&document, "spec"), "minReadySeconds").value_or(0);
  std::optional<Instant> due;
  int64_t present = 0;
  int64_t misplaced = 0;
  int64_t ready = 0;
  int64_t available = 0;
  int64_t updated = 0;
  for (const auto& [node, pods] : view.pods) {
    const auto found =
        std::ranges::find_if(pods, [](const PodRecord* pod) { return pod->active(); });
    if (found == pods.end()) continue;
    if (!view.should_run.contains(node)) {
      ++misplaced;
      continue;
    }
    ++present;
    ready += (*found)->ready;
    available += IsAvailable(**found, min_ready, context_.now(), due);
    updated += IsCurrent(**found, view.hash);
  }
  if (due) queue_.AddAt(key, *due);
  const auto desired = static_cast<int64_t>(view.should_run.size());
  const auto done = context_.api.Modify(DaemonSets(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != StringAt(metadata, "uid")) return false;
    JsonObject& status = EnsureObject(fields, "status");
    SetInt(status, "observedGeneration", IntAt(metadata, "generation").value_or(0));
    SetInt(status, "desiredNumberScheduled", desired);
    SetInt(status, "currentNumberScheduled", present);
    SetInt(status, "numberMisscheduled", misplaced);
    SetInt(status, "numberReady", ready);
    SetCount(status, "numberAvailable", available);
    SetCount(status, "numberUnavailable", desired - available);
    SetCount(status, "updatedNumberScheduled", updated);
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
