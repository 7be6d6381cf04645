#include "localcluster/deployment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.h"
#include "localcluster/deployment_rollout.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kDeploymentComponent = "deployment-controller";

bool IsPaused(const JsonObject& deployment) {
  return BoolAt(ObjectAt(&deployment, "spec"), "paused");
}

SetSizes SizesOf(const DeploymentReplicaSets& sets) {
  const auto size = [](const DeploymentReplicaSet& set) {
    return SetSize{set.replicas, set.available, set.annotated_max};
  };
  SetSizes sizes;
  for (const DeploymentReplicaSet& set : sets.old_sets) sizes.old_sets.push_back(size(set));
  if (sets.new_set) sizes.new_set = size(*sets.new_set);
  return sizes;
}

// Reports whether the Deployment's size changed since its sets were last sized.
bool IsScaled(const DeploymentReplicaSets& sets, int64_t replicas) {
  const auto stale = [&](const DeploymentReplicaSet& set) {
    return set.replicas > 0 && set.desired >= 0 && set.desired != replicas;
  };
  return std::ranges::any_of(sets.old_sets, stale) || (sets.new_set && stale(*sets.new_set));
}

}  // namespace

void DeploymentController::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Deployments()) {
    ObserveDeployment(change);
  } else if (&change.kind == &ReplicaSets()) {
    ObserveSet(change);
  } else if (&change.kind == &Pods() && change.deleted && change.pod) {
    // Recreate waits until all old pods are terminated.
    const auto known = owner_of_.find({name.namespace_, change.pod->owner_name});
    if (known != owner_of_.end()) queue_.Add({name.namespace_, known->second.name});
  }
}

void DeploymentController::ObserveDeployment(const Change& change) {
  const ObjectName& name = change.object.key;
  if (change.deleted) {
    selectors_.Remove(name);
    adopting_.erase(name);
    return queue_.Forget(name);
  }
  if (!change.previous) {
    selectors_.Put(Deployments(), name, change.document);
    adopting_.insert(name);
  }
  queue_.Add(name);
}

void DeploymentController::ObserveSet(const Change& change) {
  const ObjectName& name = change.object.key;
  const bool relabelled = change.previous && change.previous->labels != change.object.labels;
  orphans_.erase(name);
  const auto known = owner_of_.find(name);
  if (known != owner_of_.end()) {
    const ObjectName owner{name.namespace_, known->second.name};
    queue_.Add(owner);
    if (relabelled) adopting_.insert(owner);
    const auto sets = sets_of_.find(known->second.uid);
    sets->second.erase(name);
    if (sets->second.empty()) sets_of_.erase(sets);
    owner_of_.erase(known);
  }
  if (change.deleted) return;
  const JsonObject* owner = ControllerOf(ObjectAt(&change.document, "metadata"));
  if (!owner) {
    orphans_.insert(name);
    for (const ObjectName& deployment : selectors_.Matching(change.object)) {
      adopting_.insert(deployment);
      queue_.Add(deployment);
    }
  }
  if (StringAt(owner, "kind") != Deployments().kind) return;
  const Owner found{std::string(StringAt(owner, "uid")), std::string(StringAt(owner, "name"))};
  sets_of_[found.uid].insert(name);
  owner_of_.emplace(name, found);
  queue_.Add({name.namespace_, found.name});
}

apiserver::store::ObjectPtr DeploymentController::AdoptSets(const ObjectName& key,
                                                            const JsonObject& deployment) {
  const api::Selector* selector = selectors_.Find(key);
  const JsonObject* metadata = ObjectAt(&deployment, "metadata");
  if (adopting_.erase(key) == 0 || !selector || At(metadata, "deletionTimestamp")) return nullptr;
  const std::string uid(StringAt(metadata, "uid"));
  apiserver::store::ObjectPtr wrote;
  const auto change = [&](const ObjectName& name, bool matching, auto alter) {
    const apiserver::store::ObjectPtr set = context_.store().Get(ReplicaSets().collection, name);
    if (!set || Matches(*selector, *set) != matching) return;
    const auto done = context_.api.Modify(ReplicaSets(), name, [&](Json& document) {
      JsonObject& fields = EnsureObject(document.get_object(), "metadata");
      return StringAt(&fields, "uid") == set->uid && alter(fields);
    });
    if (done) wrote = *done;
  };
  if (const auto own = sets_of_.find(uid); own != sets_of_.end()) {
    for (const ObjectName& name : own->second) {
      change(name, false, [&](JsonObject& fields) {
        RemoveOwner(fields, uid);
        return true;
      });
    }
  }
  for (auto at = orphans_.lower_bound({key.namespace_, ""});
       at != orphans_.end() && at->namespace_ == key.namespace_; ++at) {
    change(*at, true, [&](JsonObject& fields) {
      if (ControllerOf(&fields) || At(&fields, "deletionTimestamp")) return false;
      SetController(fields, Deployments(), deployment);
      return true;
    });
  }
  return wrote;
}

DeploymentReplicaSets DeploymentController::ReadSets(const JsonObject& deployment) {
  DeploymentReplicaSets sets;
  const std::string uid(StringAt(ObjectAt(&deployment, "metadata"), "uid"));
  const std::string wanted = TemplateText(ObjectAt(ObjectAt(&deployment, "spec"), "template"));
  const auto known = sets_of_.find(uid);
  if (known == sets_of_.end()) return sets;
  for (const ObjectName& name : known->second) {
    apiserver::store::ObjectPtr object = context_.store().Get(ReplicaSets().collection, name);
    if (object) sets.old_sets.push_back(DeploymentReplicaSet::Read(std::move(object)));
  }
  std::ranges::stable_sort(
      sets.old_sets, [](const DeploymentReplicaSet& a, const DeploymentReplicaSet& b) {
        return a.created != b.created ? a.created < b.created : a.revision < b.revision;
      });
  const auto found = std::ranges::find(sets.old_sets, wanted, &DeploymentReplicaSet::template_text);
  if (found != sets.old_sets.end()) {
    sets.new_set = std::move(*found);
    sets.old_sets.erase(found);
  }
  return sets;
}

void DeploymentController::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Deployments().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  const JsonObject& deployment = parsed.get_object();
  if (const apiserver::store::ObjectPtr wrote = AdoptSets(key, deployment)) {
    Wrote(key, wrote);
    return queue_.Add(key);
  }
  DeploymentReplicaSets sets = ReadSets(deployment);
  if (!At(ObjectAt(&deployment, "metadata"), "deletionTimestamp")) {
    const RolloutLimits limits = LimitsOf(deployment);
    const std::string_view strategy =
        StringAt(ObjectAt(ObjectAt(&deployment, "spec"), "strategy"), "type");
    if (IsPaused(deployment) || IsScaled(sets, limits.replicas)) {
      SetSizes sizes = SizesOf(sets);
      if (IsScaled(sets, limits.replicas)) ScaleProportionally(limits, sizes);
      ApplySizes(key, sets, sizes, limits);
    } else if (strategy == "Recreate") {
      Recreate(key, deployment, sets);
    } else {
      Roll(key, deployment, sets);
    }
  }
  WriteStatus(key, deployment, sets);
  CleanUp(key, deployment, sets);
}

void DeploymentController::Roll(const ObjectName& key, const JsonObject& deployment,
                                DeploymentReplicaSets& sets) {
  const RolloutLimits limits = LimitsOf(deployment);
  SetSizes sizes = SizesOf(sets);
  RollForward(limits, sizes);
  if (!sets.new_set && !CreateNewSet(key, deployment, sets, sizes.new_set.replicas)) return;
  NumberRevision(key, deployment, sets);
  ApplySizes(key, sets, sizes, limits);
}

void DeploymentController::Recreate(const ObjectName& key, const JsonObject& deployment,
                                    DeploymentReplicaSets& sets) {
  const RolloutLimits limits = LimitsOf(deployment);
  bool all_terminated = true;
  for (DeploymentReplicaSet& set : sets.old_sets) {
    Resize(key, set, 0, limits);
    const PodIndex::Set& pods = context_.pods.OwnedBy(set.object->uid);
    all_terminated &=
        std::ranges::all_of(pods, [](const PodRecord* pod) { return pod->finished(); });
  }
  if (!all_terminated) return;
  if (!sets.new_set && !CreateNewSet(key, deployment, sets, limits.replicas)) return;
  NumberRevision(key, deployment, sets);
  Resize(key, *sets.new_set, limits.replicas, limits);
}

bool DeploymentController::CreateNewSet(const ObjectName& key, const JsonObject& deployment,
                                        DeploymentReplicaSets& sets, int64_t replicas) {
  const JsonObject* pod_template = ObjectAt(ObjectAt(&deployment, "spec"), "template");
  const int64_t collisions = IntAt(ObjectAt(&deployment, "status"), "collisionCount").value_or(0);
  const std::string text = TemplateText(pod_template);
  const std::string hash = SafeHash(collisions == 0 ? text : fmt::format("{}{}", text, collisions));
  const auto created = context_.api.Create(
      ReplicaSets(), key.namespace_,
      MakeReplicaSet(deployment, hash, replicas, SaturatingAdd(sets.MaxOldRevision(), 1)));
  const auto record = [&](EventType type, std::string_view reason, std::string message) {
    context_.events.Record(InvolvedObject::Of(Deployments(), deployment), type, reason,
                           std::move(message), kDeploymentComponent);
  };
  if (!created) {
    if (created.error().code != 409) {
      record(EventType::kWarning, "ReplicaSetCreateError",
             fmt::format("Failed to create new replica set \"{}-{}\": {}", key.name, hash,
                         created.error().message));
    } else {
      // Another owner's set, or an own one that is not observed yet: retry under another name.
      const auto counted = context_.api.Modify(Deployments(), key, [&](Json& newest) {
        SetInt(EnsureObject(newest.get_object(), "status"), "collisionCount", collisions + 1);
        return true;
      });
      if (counted) Wrote(key, *counted);
    }
    queue_.AddAfterFailure(key, context_.now());
    return false;
  }
  queue_.Succeeded(key);
  Wrote(key, created->object);
  sets.new_set = DeploymentReplicaSet::Read(created->object);
  if (replicas > 0) {
    record(
        EventType::kNormal, "ScalingReplicaSet",
        fmt::format("Scaled up replica set {} from 0 to {}", created->object->key.name, replicas));
  }
  return true;
}

void DeploymentController::NumberRevision(const ObjectName& key, const JsonObject& deployment,
                                          DeploymentReplicaSets& sets) {
  DeploymentReplicaSet& set = *sets.new_set;
  const int64_t revision = std::max(set.revision, SaturatingAdd(sets.MaxOldRevision(), 1));
  if (revision > set.revision) {
    const auto done = context_.api.Modify(ReplicaSets(), set.object->key, [&](Json& newest) {
      JsonObject& annotations =
          EnsureObject(EnsureObject(newest.get_object(), "metadata"), "annotations");
      if (set.revision > 0) {
        std::string history(StringAt(&annotations, kRevisionHistory));
        if (!history.empty()) history += ',';
        SetString(annotations, kRevisionHistory, history + fmt::format("{}", set.revision));
      }
      SetString(annotations, kRevision, fmt::format("{}", revision));
      return true;
    });
    if (done) Wrote(key, *done);
    set.revision = revision;
  }
  const std::string text = fmt::format("{}", revision);
  const JsonObject* metadata = ObjectAt(&deployment, "metadata");
  if (StringAt(ObjectAt(metadata, "annotations"), kRevision) == text) return;
  const auto done = context_.api.Modify(Deployments(), key, [&](Json& newest) {
    JsonObject& own = EnsureObject(newest.get_object(), "metadata");
    if (StringAt(&own, "uid") != StringAt(metadata, "uid")) return false;
    SetString(EnsureObject(own, "annotations"), kRevision, text);
    return true;
  });
  if (done) Wrote(key, *done);
}

void DeploymentController::Resize(const ObjectName& key, DeploymentReplicaSet& set,
                                  int64_t replicas, const RolloutLimits& limits) {
  const int64_t max_replicas = limits.replicas + limits.max_surge;
  const bool annotated = set.desired == limits.replicas && set.annotated_max == max_replicas;
  // Leave empty old sets unchanged.
  if (set.replicas == replicas && (annotated || replicas == 0)) return;
  const auto done = context_.api.Modify(ReplicaSets(), set.object->key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    SetInt(EnsureObject(fields, "spec"), "replicas", replicas);
    JsonObject& annotations = EnsureObject(EnsureObject(fields, "metadata"), "annotations");
    SetString(annotations, kDesiredReplicas, fmt::format("{}", limits.replicas));
    SetString(annotations, kMaxReplicas, fmt::format("{}", max_replicas));
    return true;
  });
  if (!done) return;
  Wrote(key, *done);
  if (const auto deployment = context_.store().Get(Deployments().collection, key);
      deployment && set.replicas != replicas) {
    context_.events.Record(InvolvedObject::Of(Deployments(), *deployment), EventType::kNormal,
                           "ScalingReplicaSet",
                           fmt::format("Scaled {} replica set {} from {} to {}",
                                       replicas > set.replicas ? "up" : "down",
                                       set.object->key.name, set.replicas, replicas),
                           kDeploymentComponent);
  }
  set.replicas = replicas;
  set.observed = false;
}

void DeploymentController::ApplySizes(const ObjectName& key, DeploymentReplicaSets& sets,
                                      const SetSizes& sizes, const RolloutLimits& limits) {
  for (size_t i = 0; i < sets.old_sets.size(); ++i) {
    Resize(key, sets.old_sets[i], sizes.old_sets[i].replicas, limits);
  }
  if (sets.new_set) Resize(key, *sets.new_set, sizes.new_set.replicas, limits);
}

void DeploymentController::CleanUp(const ObjectName& key, const JsonObject& deployment,
                                   const DeploymentReplicaSets& sets) {
  const JsonObject* spec = ObjectAt(&deployment, "spec");
  const auto limit =
      static_cast<size_t>(std::max<int64_t>(0, IntAt(spec, "revisionHistoryLimit").value_or(10)));
  if (sets.old_sets.size() <= limit || !IsRolledOut(LimitsOf(deployment), sets)) return;
  std::vector<const DeploymentReplicaSet*> oldest;
  for (const DeploymentReplicaSet& set : sets.old_sets) oldest.push_back(&set);
  std::ranges::stable_sort(oldest, {}, &DeploymentReplicaSet::revision);
  oldest.resize(oldest.size() - limit);
  for (const DeploymentReplicaSet* set : oldest) {
    if (set->replicas != 0 || set->present != 0 || !set->observed || set->deleting) continue;
    const auto deleted =
        context_.api.Delete(ReplicaSets(), set->object->key, {.uid = set->object->uid});
    if (deleted) Wrote(key, deleted->object);
  }
}

void DeploymentController::WriteStatus(const ObjectName& key, const JsonObject& deployment,
                                       const DeploymentReplicaSets& sets) {
  const Instant now = context_.now();
  std::optional<Instant> due;
  const JsonObject* metadata = ObjectAt(&deployment, "metadata");
  const auto done = context_.api.Modify(Deployments(), key, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != StringAt(metadata, "uid")) return false;
    JsonObject& status = EnsureObject(fields, "status");
    SetInt(status, "observedGeneration", IntAt(metadata, "generation").value_or(0));
    due = SetDeploymentStatus(deployment, sets, now, status);
    return true;
  });
  if (due) queue_.AddAt(key, *due);
  if (done) Wrote(key, *done);
}

}  // namespace berth::localcluster
