#include "localcluster/persistent_volume_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/json/decode.h"
#include "apiserver/admission/admission.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
constexpr std::string_view kVolumeController = "persistentvolume-controller";
constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

void SetReference(JsonObject& spec, const ObjectName& claim, const JsonObject* metadata) {
  JsonObject& reference = EnsureObject(spec, "claimRef");
  SetString(reference, "kind", "PersistentVolumeClaim");
  SetString(reference, "apiVersion", "v1");
  SetString(reference, "namespace", claim.namespace_);
  SetString(reference, "name", claim.name);
  SetString(reference, "uid", StringAt(metadata, "uid"));
}

// Restricts the volume to the nodes of one zone.
void RestrictToZone(JsonObject& spec, std::string_view zone) {
  JsonObject& required = EnsureObject(EnsureObject(spec, "nodeAffinity"), "required");
  JsonObject& term = EnsureArray(required, "nodeSelectorTerms")
                         .emplace_back(boost::json::object_kind)
                         .get_object();
  JsonObject& expression =
      EnsureArray(term, "matchExpressions").emplace_back(boost::json::object_kind).get_object();
  SetString(expression, "key", kZone);
  SetString(expression, "operator", "In");
  expression["values"].emplace_array().emplace_back(zone);
}

}  // namespace

void PersistentVolumeController::Observe(const Change& change) {
  const ObjectName& key = change.object.key;
  const JsonObject* spec = ObjectAt(&change.document, "spec");
  const std::string_view phase = StringAt(ObjectAt(&change.document, "status"), "phase");
  if (&change.kind == &Claims()) {
    const std::string volume(StringAt(spec, "volumeName"));
    if (change.deleted) {
      waiting_.erase(key);
      if (!volume.empty()) queue_.Add({"", volume});
      return queue_.Forget(key);
    }
    if (phase == "Bound") {
      waiting_.erase(key);
    } else {
      waiting_.insert(key);
      queue_.Add(key);
    }
  } else if (&change.kind == &Volumes()) {
    if (change.deleted) {
      free_.erase(key.name);
      const JsonObject* reference = ObjectAt(spec, "claimRef");
      if (!reference) return queue_.Forget(key);
      queue_.Add({std::string(StringAt(reference, "namespace")),
                  std::string(StringAt(reference, "name"))});
      return queue_.Forget(key);
    }
    const bool bound = phase == "Bound" || phase == "Released" || phase == "Failed";
    const bool known = free_.contains(key.name);
    free_.erase(key.name);
    if (!bound) {
      auto volume = api::DecodeJsonAs<api::PersistentVolume>(change.object.json);
      if (volume) free_.emplace(key.name, std::move(*volume));
    }
    queue_.Add(key);
    if (bound || known) return;
    for (const ObjectName& claim : waiting_) queue_.Add(claim);
  } else if (&change.kind == &StorageClasses() && !change.deleted) {
    for (const ObjectName& claim : waiting_) queue_.Add(claim);
  }
}

void PersistentVolumeController::Sync(const ObjectName& key) {
  if (key.namespace_.empty()) return SyncVolume(key);
  SyncClaim(key);
}

void PersistentVolumeController::SyncVolume(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Volumes().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject* spec = ObjectAt(AsObject(parsed), "spec");
  const JsonObject* reference = ObjectAt(spec, "claimRef");
  if (!reference) return SetPhase(Volumes(), key, "Available");
  const ObjectName name{std::string(StringAt(reference, "namespace")),
                        std::string(StringAt(reference, "name"))};
  const std::string_view uid = StringAt(reference, "uid");
  const apiserver::store::ObjectPtr claim = context_.store().Get(Claims().collection, name);
  if (claim && (uid.empty() || uid == claim->uid)) {
    const Json document = apiserver::store::Parse(*claim);
    const JsonObject* claim_spec = ObjectAt(AsObject(document), "spec");
    if (StringAt(claim_spec, "volumeName") == key.name && !uid.empty()) {
      return SetPhase(Volumes(), key, "Bound");
    }
    SetPhase(Volumes(), key, "Available");
    return queue_.Add(name);
  }
  if (uid.empty()) return SetPhase(Volumes(), key, "Available");
  if (StringAt(spec, "persistentVolumeReclaimPolicy") != "Delete") {
    return SetPhase(Volumes(), key, "Released");
  }
  // It may be protected while it is bound.
  SetPhase(Volumes(), key, "Released");
  (void)context_.api.Delete(Volumes(), key, {.uid = object->uid});
}

void PersistentVolumeController::SyncClaim(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Claims().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& document = parsed.get_object();
  const JsonObject* metadata = ObjectAt(&document, "metadata");
  const JsonObject* annotations = ObjectAt(metadata, "annotations");
  if (At(metadata, "deletionTimestamp")) return;
  const auto claim = api::DecodeJsonAs<api::PersistentVolumeClaim>(object->json);
  if (!claim || AssignDefaultClass(key, document)) return;
  const std::string class_name = (*claim)->storage_class_name.value_or("");
  const apiserver::store::ObjectPtr class_object =
      class_name.empty() ? nullptr
                         : context_.store().Get(StorageClasses().collection, {"", class_name});
  const Json cls = class_object ? apiserver::store::Parse(*class_object) : Json();
  const bool waits = StringAt(AsObject(cls), "volumeBindingMode") == "WaitForFirstConsumer";
  std::string volume = ChooseVolume(key, **claim, !waits);
  const bool may_provision = !waits || !StringAt(annotations, kSelectedNode).empty();
  if (volume.empty() && (*claim)->volume_name.empty() && may_provision && AsObject(cls)) {
    volume = Provision(key, document, *AsObject(cls));
  }
  if (!volume.empty()) return Bind(key, document, volume);
  const bool lost = !StringAt(annotations, kBindCompleted).empty();
  SetPhase(Claims(), key, lost ? "Lost" : "Pending");
  if (!lost) RecordPending(document, class_name, class_object != nullptr, waits);
}

bool PersistentVolumeController::AssignDefaultClass(const ObjectName& key,
                                                    const JsonObject& claim) {
  const JsonObject* spec = ObjectAt(&claim, "spec");
  if (At(spec, "storageClassName") || At(spec, "volumeName")) return false;
  const std::string name = apiserver::admission::DefaultStorageClass(context_.store());
  if (name.empty()) return false;
  const auto done = context_.api.Modify(Claims(), key, [&](Json& newest) {
    JsonObject& fields = EnsureObject(newest.get_object(), "spec");
    if (At(&fields, "storageClassName")) return false;
    SetString(fields, "storageClassName", name);
    return true;
  });
  if (done) Wrote(key, *done);
  return done.has_value();
}

void PersistentVolumeController::RecordPending(const JsonObject& claim,
                                               const std::string& class_name, bool class_exists,
                                               bool waits) {
  const auto record = [&](EventType type, std::string_view reason, std::string message) {
    context_.events.Record(InvolvedObject::Of(Claims(), claim), type, reason, std::move(message),
                           kVolumeController);
  };
  if (!StringAt(ObjectAt(&claim, "spec"), "volumeName").empty()) return;
  if (waits) {
    record(EventType::kNormal, "WaitForFirstConsumer",
           "waiting for first consumer to be created before binding");
  } else if (class_name.empty()) {
    record(EventType::kNormal, "FailedBinding",
           "no persistent volumes available for this claim and no storage class is set");
  } else if (!class_exists) {
    record(EventType::kWarning, "ProvisioningFailed",
           fmt::format("storageclass.storage.k8s.io \"{}\" not found", class_name));
  }
}

void EnsureDefaultStorageClass(apiserver::registry::Api& api) {
  if (!apiserver::admission::DefaultStorageClass(api.store()).empty()) return;
  JsonObject cls;
  JsonObject& metadata = EnsureObject(cls, "metadata");
  SetString(metadata, "name", "standard");
  SetString(EnsureObject(metadata, "annotations"), "storageclass.kubernetes.io/is-default-class",
            "true");
  SetString(cls, "provisioner", "berth.dev/fake");
  SetString(cls, "reclaimPolicy", "Delete");
  SetString(cls, "volumeBindingMode", "WaitForFirstConsumer");
  (void)api.Create(StorageClasses(), "", std::move(cls));
}

std::string PersistentVolumeController::ChooseVolume(const ObjectName& key,
                                                     const api::PersistentVolumeClaim& claim,
                                                     bool may_match) {
  const std::string& uid = claim.metadata.uid;
  if (!claim.volume_name.empty()) {
    const apiserver::store::ObjectPtr object =
        context_.store().Get(Volumes().collection, {"", claim.volume_name});
    if (!object) return {};
    const auto volume = api::DecodeJsonAs<api::PersistentVolume>(object->json);
    if (!volume) return {};
    const auto& reference = (*volume)->claim_ref;
    const bool ours =
        !reference || (reference->name == key.name && reference->namespace_ == key.namespace_ &&
                       (reference->uid.empty() || reference->uid == uid));
    return ours ? claim.volume_name : std::string();
  }
  const api::PersistentVolume* best = nullptr;
  for (const auto& [name, volume] : free_) {
    if (const auto& reference = volume->claim_ref) {
      const bool ours = reference->name == key.name && reference->namespace_ == key.namespace_ &&
                        (reference->uid.empty() || reference->uid == uid);
      if (ours) return name;
      continue;
    }
    if (!may_match || !Fits(*volume, claim)) continue;
    if (!best || StorageOf(*volume) < StorageOf(*best)) best = volume.get();
  }
  return best ? best->metadata.name : std::string();
}

std::string PersistentVolumeController::Provision(const ObjectName& key, const JsonObject& claim,
                                                  const JsonObject& cls) {
  const std::string provisioner(StringAt(&cls, "provisioner"));
  if (provisioner.empty() || provisioner == kNoProvisioner) return {};
  const JsonObject* metadata = ObjectAt(&claim, "metadata");
  const JsonObject* claim_spec = ObjectAt(&claim, "spec");
  std::string name = "pvc-" + std::string(StringAt(metadata, "uid"));
  JsonObject volume;
  JsonObject& own = EnsureObject(volume, "metadata");
  SetString(own, "name", name);
  SetString(EnsureObject(own, "annotations"), kProvisionedBy, provisioner);
  JsonObject& spec = EnsureObject(volume, "spec");
  const JsonObject* requests = ObjectAt(ObjectAt(claim_spec, "resources"), "requests");
  SetString(EnsureObject(spec, "capacity"), "storage", StringAt(requests, "storage"));
  for (const std::string_view field : {"accessModes", "volumeMode", "storageClassName"}) {
    if (const Json* value = At(claim_spec, field)) spec[field] = *value;
  }
  const std::string_view policy = StringAt(&cls, "reclaimPolicy");
  SetString(spec, "persistentVolumeReclaimPolicy", policy.empty() ? "Delete" : policy);
  JsonObject& source = EnsureObject(spec, "csi");
  SetString(source, "driver", provisioner);
  SetString(source, "volumeHandle", name);
  SetReference(spec, key, metadata);
  const std::string_view selected = StringAt(ObjectAt(metadata, "annotations"), kSelectedNode);
  if (const NodeRecord* node = context_.nodes.Find(std::string(selected))) {
    const std::string* zone = LabelOf(*node->object, kZone);
    if (zone) RestrictToZone(spec, *zone);
  }
  const auto created = context_.api.Create(Volumes(), "", std::move(volume));
  if (!created && created.error().code != 409) {
    queue_.AddAfterFailure(key, context_.now());
    return {};
  }
  queue_.Succeeded(key);
  context_.events.Record(InvolvedObject::Of(Claims(), claim), EventType::kNormal,
                         "ProvisioningSucceeded", "Successfully provisioned volume " + name,
                         provisioner);
  (void)context_.api.Modify(Claims(), key, [&](Json& newest) {
    JsonObject& fields = EnsureObject(newest.get_object(), "metadata");
    SetString(EnsureObject(fields, "annotations"), kProvisioner, provisioner);
    return true;
  });
  return name;
}

void PersistentVolumeController::Bind(const ObjectName& key, const JsonObject& claim,
                                      const std::string& volume) {
  const JsonObject* metadata = ObjectAt(&claim, "metadata");
  Json capacity;
  Json modes;
  bool taken = false;
  const auto reserved = context_.api.Modify(Volumes(), {"", volume}, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    JsonObject& spec = EnsureObject(fields, "spec");
    const JsonObject* reference = ObjectAt(&spec, "claimRef");
    taken = reference && (StringAt(reference, "name") != key.name ||
                          StringAt(reference, "namespace") != key.namespace_);
    if (taken) return false;
    if (!reference) {
      SetString(EnsureObject(EnsureObject(fields, "metadata"), "annotations"), kBoundByController,
                "yes");
    }
    SetReference(spec, key, metadata);
    // Copy: the document's memory does not outlive this call.
    capacity = Json(spec.contains("capacity") ? spec["capacity"] : Json(), {});
    modes = Json(spec.contains("accessModes") ? spec["accessModes"] : Json(), {});
    SetString(EnsureObject(fields, "status"), "phase", "Bound");
    return true;
  });
  if (!reserved || taken) return queue_.AddAfterFailure(key, context_.now());
  free_.erase(volume);
  waiting_.erase(key);
  const auto done = context_.api.Modify(Claims(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != StringAt(metadata, "uid")) return false;
    JsonObject& annotations = EnsureObject(EnsureObject(fields, "metadata"), "annotations");
    JsonObject& spec = EnsureObject(fields, "spec");
    if (StringAt(&spec, "volumeName").empty()) SetString(annotations, kBoundByController, "yes");
    SetString(annotations, kBindCompleted, "yes");
    SetString(spec, "volumeName", volume);
    JsonObject& status = EnsureObject(fields, "status");
    SetString(status, "phase", "Bound");
    if (!capacity.is_null()) status["capacity"] = capacity;
    if (!modes.is_null()) status["accessModes"] = modes;
    return true;
  });
  queue_.Succeeded(key);
  Wrote(key, *reserved);
  if (done) Wrote(key, *done);
}

void PersistentVolumeController::SetPhase(const Kind& kind, const ObjectName& key,
                                          std::string_view phase) {
  const auto done = context_.api.Modify(kind, key, [&](Json& newest) {
    JsonObject& status = EnsureObject(newest.get_object(), "status");
    if (StringAt(&status, "phase") == phase) return false;
    SetString(status, "phase", phase);
    return true;
  });
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
