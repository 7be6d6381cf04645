#include "localcluster/disruption.h"

#include <algorithm>

#include "apiserver/admission/strategy.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

using api::DefaultString;

namespace {

// An allowed eviction whose pod is not deleted within this time no longer counts.
constexpr Duration kDisruptedPodTimeout = Duration::Seconds(120);

// Returns the kind if it has spec.replicas, otherwise null.
const Kind* ScalableKind(std::string_view name) {
  if (name == "ReplicaSet") return &ReplicaSets();
  if (name == "ReplicationController") return &ReplicationControllers();
  if (name == "StatefulSet") return &StatefulSets();
  if (name == "Deployment") return &Deployments();
  return nullptr;
}

}  // namespace

void DisruptionController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Pods()) return ObservePod(change);
  if (&change.kind == &DisruptionBudgets()) {
    if (change.deleted) {
      budgets_.Remove(name);
      pods_of_.erase(name);
      return queue_.Forget(name);
    }
    const JsonObject* metadata = ObjectAt(&change.document, "metadata");
    const JsonObject* status = ObjectAt(&change.document, "status");
    if (!change.previous || IntAt(status, "observedGeneration") != IntAt(metadata, "generation")) {
      budgets_.Put(change.kind, name, change.document);
      std::set<ObjectName>& pods = pods_of_[name];
      pods.clear();
      const api::Selector& selector = *budgets_.Find(name);
      context_.pods.ForEachIn(name.namespace_, [&](const PodRecord& pod) {
        if (Matches(selector, *pod.object)) pods.insert(pod.name());
      });
    }
    queue_.Add(name);
  } else if (ScalableKind(change.kind.kind) == &change.kind) {
    // Only a change of the workload's spec matters, not one of its status.
    const JsonObject* metadata = ObjectAt(&change.document, "metadata");
    const JsonObject* status = ObjectAt(&change.document, "status");
    if (IntAt(status, "observedGeneration") == IntAt(metadata, "generation")) return;
    for (auto at = pods_of_.lower_bound({name.namespace_, ""});
         at != pods_of_.end() && at->first.namespace_ == name.namespace_; ++at) {
      queue_.Add(at->first);
    }
  }
}

void DisruptionController::ObservePod(const Change& change) {
  const ObjectName& name = change.object.key;
  for (auto at = pods_of_.lower_bound({name.namespace_, ""});
       at != pods_of_.end() && at->first.namespace_ == name.namespace_; ++at) {
    const bool wanted = !change.deleted && Matches(*budgets_.Find(at->first), change.object);
    const bool changed = wanted ? at->second.insert(name).second : at->second.erase(name) != 0;
    if (wanted || changed) queue_.Add(at->first);
  }
}

int64_t DisruptionController::ScaleOfOwners(const std::set<ObjectName>& pods) const {
  std::map<std::pair<const Kind*, std::string>, int64_t> scales;
  int64_t uncontrolled = 0;
  const auto scale_of = [&](const Kind& first, const ObjectName& name) {
    const Kind* kind = &first;
    std::string owner = name.name;
    for (;;) {
      const apiserver::store::ObjectPtr object =
          context_.store().Get(kind->collection, {name.namespace_, owner});
      if (!object) return;
      const Json document = apiserver::store::Parse(*object);
      const JsonObject* above = ControllerOf(ObjectAt(AsObject(document), "metadata"));
      const Kind* next = ScalableKind(StringAt(above, "kind"));
      if (!next || next == kind) {
        const JsonObject* spec = ObjectAt(AsObject(document), "spec");
        scales[{kind, owner}] = IntAt(spec, "replicas").value_or(1);
        return;
      }
      kind = next;
      owner = StringAt(above, "name");
    }
  };
  std::set<std::pair<std::string, std::string>> owners;
  for (const ObjectName& name : pods) {
    const PodRecord* pod = context_.pods.Find(name);
    if (!pod) continue;
    const Kind* kind = ScalableKind(pod->owner_kind);
    if (!kind) {
      ++uncontrolled;
    } else if (owners.emplace(pod->owner_kind, pod->owner_name).second) {
      scale_of(*kind, {name.namespace_, pod->owner_name});
    }
  }
  int64_t total = uncontrolled;
  for (const auto& [owner, scale] : scales) total += scale;
  return total;
}

DisruptionController::Numbers DisruptionController::Expect(const JsonObject* spec,
                                                           const std::set<ObjectName>& pods) const {
  if (const Json* max_unavailable = At(spec, "maxUnavailable")) {
    const int64_t expected = ScaleOfOwners(pods);
    const int64_t unavailable = ScaledValue(max_unavailable, expected, true, 0);
    return {expected, std::max<int64_t>(0, expected - unavailable)};
  }
  const Json* min_available = At(spec, "minAvailable");
  if (min_available && min_available->is_string()) {
    const int64_t expected = ScaleOfOwners(pods);
    return {expected, ScaledValue(min_available, expected, true, 0)};
  }
  return {static_cast<int64_t>(pods.size()), ScaledValue(min_available, 0, true, 1)};
}

void DisruptionController::Sync(const ObjectName& key) {
  const auto known = pods_of_.find(key);
  const apiserver::store::ObjectPtr object =
      context_.store().Get(DisruptionBudgets().collection, key);
  if (!object || known == pods_of_.end()) return;
  const Instant now = context_.now();
  std::optional<Instant> due;
  const auto done = context_.api.Modify(DisruptionBudgets(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    const Numbers numbers = Expect(ObjectAt(&fields, "spec"), known->second);
    JsonObject& status = EnsureObject(fields, "status");
    // Drop evictions that were observed or timed out.
    JsonObject* disrupted = ObjectAt(&status, "disruptedPods");
    due.reset();
    for (size_t i = disrupted ? disrupted->size() : 0; i-- > 0;) {
      const auto at = disrupted->begin() + i;
      const PodRecord* pod = context_.pods.Find({key.namespace_, std::string(at->key())});
      const Instant until = TimeAt(disrupted, at->key()).value_or(Instant{}) + kDisruptedPodTimeout;
      if (!pod || pod->deleting || until <= now) {
        disrupted->erase(at);
      } else if (!due || until < *due) {
        due = until;
      }
    }
    int64_t healthy = 0;
    for (const ObjectName& name : known->second) {
      const PodRecord* pod = context_.pods.Find(name);
      if (!pod || pod->deleting || !pod->ready || pod->finished()) continue;
      healthy += !At(disrupted, name.name);
    }
    if (disrupted && disrupted->empty()) status.erase("disruptedPods");
    const int64_t allowed =
        numbers.expected <= 0 ? 0 : std::max<int64_t>(0, healthy - numbers.desired);
    SetInt(status, "disruptionsAllowed", allowed);
    SetInt(status, "currentHealthy", healthy);
    SetInt(status, "desiredHealthy", numbers.desired);
    SetInt(status, "expectedPods", numbers.expected);
    const int64_t generation = IntAt(ObjectAt(&fields, "metadata"), "generation").value_or(0);
    SetInt(status, "observedGeneration", generation);
    apiserver::admission::SetCondition(status, "DisruptionAllowed", allowed > 0 ? "True" : "False",
                                       allowed > 0 ? "SufficientPods" : "InsufficientPods", "",
                                       now);
    for (Json& item : EnsureArray(status, "conditions")) {
      JsonObject* condition = item.if_object();
      if (StringAt(condition, "type") != "DisruptionAllowed") continue;
      SetInt(*condition, "observedGeneration", generation);
      // A metav1.Condition has a message, even an empty one.
      DefaultString(*condition, "message", "");
    }
    return true;
  });
  if (due) queue_.AddAt(key, *due);
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
