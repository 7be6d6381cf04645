#include "localcluster/pod_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/json/document.h"
#include "api/selector.h"
#include "base/check.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

using api::Json;
using api::JsonArray;
using api::JsonObject;

namespace {

// Returns the position of a field-selector field in the store's `fields`.
size_t FieldPosition(std::string_view field) {
  const auto& fields = Pods().selectable_fields;
  const auto found = std::ranges::find(fields, field);
  CHECK(found != fields.end());
  return static_cast<size_t>(found - fields.begin());
}

// Returns the node name that the affinity of a DaemonSet's pod requires, or "".
std::string TargetOf(const JsonObject* spec) {
  const JsonObject* affinity = ObjectAt(ObjectAt(spec, "affinity"), "nodeAffinity");
  const JsonObject* required = ObjectAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  for (const JsonObject& term : ObjectsAt(required, "nodeSelectorTerms")) {
    for (const JsonObject& field : ObjectsAt(&term, "matchFields")) {
      const JsonArray* values = ArrayAt(&field, "values");
      if (StringAt(&field, "key") != "metadata.name" || !values || values->size() != 1) continue;
      return std::string(AsString(values->front()));
    }
  }
  return {};
}

// Returns when the last container and sidecar ended; nullopt if one has not.
std::optional<Instant> ContainersEnded(const JsonObject& document) {
  const JsonObject* status = ObjectAt(&document, "status");
  std::optional<Instant> last;
  const auto visit = [&](const JsonObject& container) {
    const JsonObject* ended = ObjectAt(ObjectAt(&container, "state"), "terminated");
    const auto at = TimeAt(ended, "finishedAt");
    if (at) last = std::max(last.value_or(*at), *at);
    return at.has_value();
  };
  for (const JsonObject& container : ObjectsAt(status, "containerStatuses")) {
    if (!visit(container)) return std::nullopt;
  }
  for (const JsonObject& container : ObjectsAt(ObjectAt(&document, "spec"), "initContainers")) {
    if (StringAt(&container, "restartPolicy") != "Always") continue;
    for (const JsonObject& sidecar : ObjectsAt(status, "initContainerStatuses")) {
      if (StringAt(&sidecar, "name") != StringAt(&container, "name")) continue;
      if (!visit(sidecar)) return std::nullopt;
    }
  }
  return last;
}

// Returns when the pod ended, as far as is known: when its containers did, when it ceased to be
// ready, or when it was deleted.
Instant EndOf(const PodRecord& pod, const JsonObject& document) {
  if (const auto ended = ContainersEnded(document)) return *ended;
  const JsonObject* ready = ConditionOf(ObjectAt(&document, "status"), "Ready");
  const auto since = TimeAt(ready, "lastTransitionTime");
  if (StringAt(ready, "status") == "False" && since) return *since;
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const int64_t grace = IntAt(metadata, "deletionGracePeriodSeconds").value_or(0);
  const auto deleted = TimeAt(metadata, "deletionTimestamp");
  return deleted ? *deleted - Duration::Seconds(grace) : pod.created;
}

PodRecord ReadPod(apiserver::store::ObjectPtr object, const JsonObject& document) {
  PodRecord pod{.object = std::move(object)};
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  if (const JsonObject* owner = ControllerOf(metadata)) {
    pod.owner = StringAt(owner, "uid");
    pod.owner_kind = StringAt(owner, "kind");
    pod.owner_name = StringAt(owner, "name");
  }
  if (pod.owner_kind == "DaemonSet") pod.target = TargetOf(ObjectAt(&document, "spec"));
  pod.deleting = At(metadata, "deletionTimestamp") != nullptr;
  pod.has_finalizers = !EmptyAt(metadata, "finalizers");
  pod.created = TimeAt(metadata, "creationTimestamp").value_or(Instant{});
  const std::string_view cost =
      StringAt(ObjectAt(metadata, "annotations"), "controller.kubernetes.io/pod-deletion-cost");
  if (!cost.empty()) pod.deletion_cost = static_cast<int32_t>(api::ParseInt(cost).value_or(0));
  const JsonObject* status = ObjectAt(&document, "status");
  if (const JsonObject* ready = ConditionOf(status, "Ready")) {
    pod.ready = StringAt(ready, "status") == "True";
    pod.ready_since = TimeAt(ready, "lastTransitionTime").value_or(Instant{});
  }
  for (const JsonObject& container : ObjectsAt(status, "containerStatuses")) {
    pod.restarts += std::max<int64_t>(0, IntAt(&container, "restartCount").value_or(0));
  }
  pod.ended = pod.finished() || pod.deleting ? EndOf(pod, document) : pod.created;
  return pod;
}

}  // namespace

Amounts AmountsOf(const api::ResourceList& list) {
  Amounts amounts;
  for (const auto& [name, quantity] : list) {
    amounts.emplace_back(name, name == "cpu" ? quantity.MilliValue() : quantity.Value());
  }
  return amounts;
}

const std::string& PodRecord::node() const {
  static const size_t position = FieldPosition("spec.nodeName");
  return object->fields[position];
}

const std::string& PodRecord::phase() const {
  static const size_t position = FieldPosition("status.phase");
  return object->fields[position];
}

const std::string& PodRecord::ip() const {
  static const size_t position = FieldPosition("status.podIP");
  return object->fields[position];
}

std::string PodRecord::stable_name(const JsonObject& document) const {
  const std::string_view prefix = StringAt(ObjectAt(&document, "metadata"), "generateName");
  if (owner.empty() || prefix.empty()) return name().namespace_ + "/" + name().name;
  return fmt::format("{}/{}#{}", name().namespace_, prefix, number);
}

const std::string* PodRecord::Label(std::string_view key) const { return LabelOf(*object, key); }

std::optional<PodRecord> PodIndex::Put(apiserver::store::ObjectPtr object,
                                       const JsonObject& document) {
  const ObjectName name = object->key;
  PodRecord pod = ReadPod(std::move(object), document);
  std::optional<PodRecord> before = Take(name);
  if (before && before->uid() == pod.uid()) {
    pod.admitted = before->admitted;
    pod.number = before->number;
  } else if (!pod.owner.empty()) {
    pod.number = observed_[pod.owner]++;
  }
  const auto [at, added] = pods_.emplace(name, std::move(pod));
  Link(at->second);
  return before;
}

std::optional<PodRecord> PodIndex::Remove(const ObjectName& name) {
  std::optional<PodRecord> pod = Take(name);
  if (pod && !by_owner_.contains(pod->owner)) observed_.erase(pod->owner);
  return pod;
}

std::optional<PodRecord> PodIndex::Take(const ObjectName& name) {
  const auto found = pods_.find(name);
  if (found == pods_.end()) return std::nullopt;
  Unlink(found->second);
  PodRecord pod = std::move(found->second);
  pods_.erase(found);
  return pod;
}

void PodIndex::Admit(const ObjectName& name, AllocatedResources allocated) {
  const auto found = pods_.find(name);
  if (found != pods_.end()) found->second.admitted = std::move(allocated);
}

const PodRecord* PodIndex::Find(const ObjectName& name) const {
  const auto found = pods_.find(name);
  return found == pods_.end() ? nullptr : &found->second;
}

const PodIndex::Set& PodIndex::Get(const Groups& groups, const std::string& key) {
  static const Set kNone;
  const auto found = groups.find(key);
  return found == groups.end() ? kNone : found->second;
}

void PodIndex::Link(const PodRecord& pod) {
  if (!pod.owner.empty()) by_owner_[pod.owner].insert(&pod);
  if (pod.owner.empty()) orphans_[pod.name().namespace_].insert(&pod);
  if (!pod.node().empty()) by_node_[pod.node()].insert(&pod);
}

void PodIndex::Unlink(const PodRecord& pod) {
  const auto drop = [&](Groups& groups, const std::string& key) {
    const auto group = groups.find(key);
    if (group == groups.end()) return;
    group->second.erase(&pod);
    if (group->second.empty()) groups.erase(group);
  };
  if (!pod.owner.empty()) drop(by_owner_, pod.owner);
  if (pod.owner.empty()) drop(orphans_, pod.name().namespace_);
  if (!pod.node().empty()) drop(by_node_, pod.node());
}

size_t PodIndex::size() const {
  return pods_.size() + by_owner_.size() + by_node_.size() + orphans_.size() + observed_.size();
}

}  // namespace berth::localcluster
