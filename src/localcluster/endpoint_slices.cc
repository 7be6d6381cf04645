#include "localcluster/endpoint_slices.h"

#include <algorithm>
#include <utility>

#include "api/json/writer.h"
#include "api/timestamp.h"
#include "localcluster/endpoint_slice_plan.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kServiceName = "kubernetes.io/service-name";
constexpr std::string_view kManagedBy = "endpointslice.kubernetes.io/managed-by";
constexpr std::string_view kManager = "endpointslice-controller.k8s.io";
constexpr std::string_view kOldManagedBy = "endpoints.kubernetes.io/managed-by";
constexpr std::string_view kOldManager = "endpoint-controller";
constexpr std::string_view kOverCapacity = "endpoints.kubernetes.io/over-capacity";

constexpr size_t kMaxInEndpoints = 1000;  // As in Kubernetes.

constexpr size_t kManyPods = 1000;
constexpr Duration kSyncInterval = Duration::Seconds(1);

const Kind& Services() {
  static const Kind& kind = api::scheme::KindOf("services");
  return kind;
}
const Kind& Slices() {
  static const Kind& kind = api::scheme::KindOf("endpointslices.discovery.k8s.io");
  return kind;
}
const Kind& OldEndpoints() {
  static const Kind& kind = api::scheme::KindOf("endpoints");
  return kind;
}

// Reports whether the change of a pod may change an endpoint.
bool ChangesEndpoint(const Change& change) {
  const PodRecord* before = change.previous_pod;
  const PodRecord* after = change.pod;
  if (change.deleted || !before) return after && !after->ip().empty();
  return before->ready != after->ready || before->deleting != after->deleting ||
         before->ip() != after->ip() || before->phase() != after->phase() ||
         before->object->labels != after->object->labels;
}

}  // namespace

void EndpointsController::Queue(const ObjectName& service) {
  const auto next = next_sync_.find(service);
  if (next == next_sync_.end() || next->second <= context_.now()) return queue_.Add(service);
  queue_.AddAt(service, next->second);
}

void EndpointsController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Services()) {
    const JsonObject* spec = ObjectAt(&change.document, "spec");
    const bool selects =
        !change.deleted && ObjectAt(spec, "selector") && StringAt(spec, "type") != "ExternalName";
    const bool selected = services_.Find(name) != nullptr;
    if (selects) {
      services_.Put(Services(), name, change.document);
    } else {
      services_.Remove(name);
    }
    if (selects || selected) queue_.Add(name);
  } else if (&change.kind == &Slices()) {
    const std::string* service = LabelOf(change.object, kServiceName);
    const std::string* manager = LabelOf(change.object, kManagedBy);
    if (!service || !manager || *manager != kManager) return;
    const ObjectName owner{name.namespace_, *service};
    if (!change.deleted) {
      slices_of_[owner].insert(name);
      return;
    }
    const auto known = slices_of_.find(owner);
    if (known == slices_of_.end()) return;
    known->second.erase(name);
    if (known->second.empty()) slices_of_.erase(known);
    if (services_.Find(owner)) Queue(owner);
  } else if (&change.kind == &Pods() && services_.size() > 0 && ChangesEndpoint(change)) {
    for (const ObjectName& service : services_.Matching(change.object)) Queue(service);
    const bool relabelled = change.previous && change.previous->labels != change.object.labels;
    if (!relabelled) return;
    for (const ObjectName& service : services_.Matching(*change.previous)) Queue(service);
  }
}

void EndpointsController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Services().collection, key);
  const api::Selector* selector = services_.Find(key);
  if (!object || !selector) return Remove(key);
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& service = parsed.get_object();
  if (At(ObjectAt(&service, "metadata"), "deletionTimestamp")) return;
  EndpointGroups groups = EndpointsOf(context_, service, *selector);
  size_t count = 0;
  for (const auto& [text, group] : groups) count += group.endpoints.size();
  if (count > kManyPods) {
    next_sync_[key] = context_.now() + kSyncInterval;
  } else {
    next_sync_.erase(key);
  }
  WriteEndpoints(key, service, groups);
  WriteSlices(key, service, std::move(groups));
}

// The garbage collector deletes the slices of a service that is gone.
void EndpointsController::Remove(const ObjectName& key) {
  next_sync_.erase(key);
  queue_.Forget(key);
  const apiserver::store::ObjectPtr service = context_.store().Get(Services().collection, key);
  if (service) {
    const auto slices = slices_of_.find(key);
    for (const ObjectName& slice :
         slices == slices_of_.end() ? std::set<ObjectName>() : slices->second) {
      (void)context_.api.Delete(Slices(), slice);
    }
  }
  const apiserver::store::ObjectPtr old = context_.store().Get(OldEndpoints().collection, key);
  const std::string* manager = old ? LabelOf(*old, kOldManagedBy) : nullptr;
  if (manager && *manager == kOldManager) {
    (void)context_.api.Delete(OldEndpoints(), key, {.uid = old->uid});
  }
}

void EndpointsController::WriteSlices(const ObjectName& key, const JsonObject& service,
                                      EndpointGroups groups) {
  if (groups.empty()) groups["[]"] = {JsonArray()};
  std::vector<apiserver::store::ObjectPtr> existing;
  if (const auto known = slices_of_.find(key); known != slices_of_.end()) {
    for (const ObjectName& name : known->second) {
      apiserver::store::ObjectPtr object = context_.store().Get(Slices().collection, name);
      if (object) existing.push_back(std::move(object));
    }
  }
  const SlicePlan plan = PlanSlices(groups, existing);
  bool keeps_empty = groups.begin()->second.endpoints.empty();
  for (const PlannedSlice& slice : plan.slices) {
    const bool wanted =
        slice.group && (!slice.endpoints.empty() || std::exchange(keeps_empty, false));
    if (wanted) {
      WriteSlice(key, service, slice.name, slice.group->ports, slice.endpoints);
    } else if (slice.name) {
      const auto deleted = context_.api.Delete(Slices(), *slice.name);
      if (deleted) Wrote(key, deleted->object);
    }
  }
}

void EndpointsController::WriteSlice(const ObjectName& key, const JsonObject& service,
                                     const std::optional<ObjectName>& slice, const Json& ports,
                                     const std::vector<const ServiceEndpoint*>& endpoints) {
  const auto fill = [&](JsonObject& fields) {
    JsonObject& metadata = EnsureObject(fields, "metadata");
    metadata.erase("labels");
    CopyServiceLabels(service, metadata);
    JsonObject& labels = EnsureObject(metadata, "labels");
    SetString(labels, kServiceName, key.name);
    SetString(labels, kManagedBy, kManager);
    SetString(fields, "addressType", "IPv4");
    JsonArray list;
    for (const ServiceEndpoint* endpoint : endpoints) list.push_back(endpoint->InSlice());
    fields["endpoints"] = std::move(list);
    fields["ports"] = ports;
  };
  if (slice) {
    const auto done = context_.api.Modify(Slices(), *slice, [&](Json& newest) {
      fill(newest.get_object());
      return true;
    });
    if (done) Wrote(key, *done);
    return;
  }
  JsonObject fresh;
  JsonObject& metadata = EnsureObject(fresh, "metadata");
  SetString(metadata, "generateName", key.name + "-");
  SetController(metadata, Services(), service);
  fill(fresh);
  const auto created = context_.api.Create(Slices(), key.namespace_, std::move(fresh));
  if (!created) return queue_.AddAfterFailure(key, context_.now());
  queue_.Succeeded(key);
  Wrote(key, created->object);
}

void EndpointsController::WriteEndpoints(const ObjectName& key, const JsonObject& service,
                                         const EndpointGroups& groups) {
  JsonArray subsets;
  size_t count = 0;
  bool truncated = false;
  for (const auto& [text, group] : groups) {
    JsonObject subset;
    for (const ServiceEndpoint& endpoint : group.endpoints) {
      if (endpoint.pod->deleting) continue;
      truncated = count == kMaxInEndpoints;
      if (truncated) break;
      ++count;
      EnsureArray(subset, endpoint.ready ? "addresses" : "notReadyAddresses")
          .push_back(endpoint.InEndpoints());
    }
    if (subset.empty()) continue;
    if (!group.ports.get_array().empty()) subset["ports"] = group.ports;
    subsets.emplace_back(std::move(subset));
  }
  const auto fill = [&](JsonObject& fields) {
    JsonObject& metadata = EnsureObject(fields, "metadata");
    metadata.erase("labels");
    CopyServiceLabels(service, metadata);
    SetString(EnsureObject(metadata, "labels"), kOldManagedBy, kOldManager);
    if (truncated) {
      SetString(EnsureObject(metadata, "annotations"), kOverCapacity, "truncated");
    } else if (JsonObject* annotations = ObjectAt(&metadata, "annotations")) {
      annotations->erase(kOverCapacity);
    }
    if (subsets.empty()) {
      fields.erase("subsets");
    } else {
      fields["subsets"] = subsets;
    }
  };
  if (context_.store().Get(OldEndpoints().collection, key)) {
    const auto done = context_.api.Modify(OldEndpoints(), key, [&](Json& newest) {
      fill(newest.get_object());
      return true;
    });
    if (done) Wrote(key, *done);
    return;
  }
  JsonObject fresh;
  SetString(EnsureObject(fresh, "metadata"), "name", key.name);
  fill(fresh);
  const auto created = context_.api.Create(OldEndpoints(), key.namespace_, std::move(fresh));
  if (created) Wrote(key, created->object);
}

}  // namespace berth::localcluster
