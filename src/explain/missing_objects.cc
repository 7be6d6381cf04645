#include "explain/missing_objects.h"

#include <fmt/format.h>

#include <string>

#include "api/object.h"
#include "base/suggestion.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/volume_claims.h"

namespace berth::explain {
namespace {

using scheduler::model::Cluster;
using Claim = api::PersistentVolumeClaim;

// Ends a sentence about an object of kind T that does not exist.
template <typename T>
std::string DoesNotExist(const Cluster& cluster, const api::ObjectKey& key) {
  Suggestion suggestion(key.name);
  for (const auto& [known, object] : cluster.objects<T>().all()) {
    if (known.namespace_ == key.namespace_) suggestion.Consider(known.name);
  }
  return "does not exist" + suggestion.Text();
}

bool HasDefaultClass(const Cluster& cluster) {
  for (const auto& [key, storage_class] : cluster.objects<api::StorageClass>().all()) {
    const auto& annotations = storage_class->metadata.annotations;
    const auto found = annotations.find("storageclass.kubernetes.io/is-default-class");
    if (found != annotations.end() && found->second == "true") return true;
  }
  return false;
}

// What is wrong with a claim that is not bound and waits for no pod: it should have been.
Sentence UnboundClaim(const Cluster& cluster, const Claim& claim) {
  const std::string& name = claim.metadata.name;
  if (!claim.volume_name.empty()) {
    const auto* volume = cluster.objects<api::PersistentVolume>().Find({"", claim.volume_name});
    const std::string what = volume == nullptr ? "does not exist" : "is not bound to it";
    return {fmt::format("PersistentVolumeClaim {} asks for volume {}, which {}", name,
                        claim.volume_name, what),
            "ClaimUnbound"};
  }
  const std::string class_name = claim.storage_class_name.value_or("");
  if (!claim.storage_class_name) {
    return {
        fmt::format("PersistentVolumeClaim {} names no StorageClass, and {}", name,
                    HasDefaultClass(cluster) ? "was created before there was a default one"
                                             : "there is no default one to provision its volume"),
        "ClaimWithoutClass"};
  }
  if (class_name.empty()) {
    return {fmt::format("PersistentVolumeClaim {} has an empty storageClassName, so that none is "
                        "provisioned for it, and no PersistentVolume is bound to it",
                        name),
            "ClaimWithoutClass"};
  }
  const auto* storage_class = cluster.objects<api::StorageClass>().Find({"", class_name});
  if (storage_class == nullptr) {
    return {fmt::format("StorageClass {} of PersistentVolumeClaim {} {}", class_name, name,
                        DoesNotExist<api::StorageClass>(cluster, {"", class_name})),
            "StorageClassMissing"};
  }
  if (storage_class->provisioner == "kubernetes.io/no-provisioner") {
    return {fmt::format("PersistentVolumeClaim {} waits for a PersistentVolume: StorageClass {} "
                        "provisions none",
                        name, class_name),
            "ClaimUnbound"};
  }
  return {fmt::format("PersistentVolumeClaim {} waits for {} to provision its volume", name,
                      storage_class->provisioner),
          "ClaimUnbound"};
}

std::optional<Sentence> ProblemOfClaim(const Cluster& cluster, const api::Pod& pod,
                                       const api::Volume& volume) {
  const auto wanted = scheduler::model::ClaimOf(pod.metadata.name, volume);
  if (!wanted) return std::nullopt;
  const api::ObjectKey key{pod.metadata.namespace_, wanted->name};
  const auto claim = cluster.objects<Claim>().FindRef(key);
  if (claim == nullptr) {
    if (wanted->ephemeral) {
      return Sentence{fmt::format("PersistentVolumeClaim {} of its ephemeral volume {} is not "
                                  "created yet",
                                  wanted->name, volume.name),
                      "ClaimMissing"};
    }
    return Sentence{
        fmt::format("PersistentVolumeClaim {} {}", wanted->name, DoesNotExist<Claim>(cluster, key)),
        "ClaimMissing"};
  }
  const std::string& name = wanted->name;
  if (claim->phase == "Lost") {
    return Sentence{
        fmt::format("PersistentVolumeClaim {} is lost: its volume {} does not exist any "
                    "more",
                    name, claim->volume_name),
        "ClaimLost"};
  }
  if (claim->metadata.deletion_timestamp) {
    return Sentence{fmt::format("PersistentVolumeClaim {} is being deleted", name), "ClaimDeleted"};
  }
  if (wanted->ephemeral && scheduler::model::NotMadeFor(pod, *claim)) {
    return Sentence{fmt::format("PersistentVolumeClaim {} was not created for this pod's ephemeral "
                                "volume {}",
                                name, volume.name),
                    "ClaimMissing"};
  }
  if (scheduler::model::IsFullyBound(*claim)) {
    if (cluster.objects<api::PersistentVolume>().Find({"", claim->volume_name}) != nullptr) {
      return std::nullopt;
    }
    return Sentence{fmt::format("PersistentVolumeClaim {} is bound to volume {}, which does not "
                                "exist",
                                name, claim->volume_name),
                    "ClaimLost"};
  }
  const auto* storage_class =
      cluster.objects<api::StorageClass>().Find({"", scheduler::model::StorageClassOf(*claim)});
  const bool waits = storage_class != nullptr && claim->volume_name.empty() &&
                     storage_class->volume_binding_mode == "WaitForFirstConsumer";
  if (waits) return std::nullopt;
  return UnboundClaim(cluster, *claim);
}

std::optional<Sentence> ProblemOfClasses(const Cluster& cluster, const api::ResourceClaim& claim) {
  const auto check = [&](const std::string& name) -> std::optional<Sentence> {
    if (name.empty() || cluster.objects<api::DeviceClass>().Find({"", name}) != nullptr) {
      return std::nullopt;
    }
    return Sentence{fmt::format("DeviceClass {} of ResourceClaim {} {}", name, claim.metadata.name,
                                DoesNotExist<api::DeviceClass>(cluster, {"", name})),
                    "DeviceClassMissing"};
  };
  for (const api::DeviceRequest& request : claim.spec.requests) {
    if (request.exactly) {
      if (auto problem = check(request.exactly->device_class_name)) return problem;
    }
  }
  return std::nullopt;
}

std::optional<Sentence> ProblemOfDevices(const Cluster& cluster, const api::Pod& pod) {
  for (const api::PodResourceClaim& wanted : pod.spec.resource_claims) {
    std::optional<std::string> name = wanted.resource_claim_name;
    if (!name) {
      for (const api::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
        if (status.name == wanted.name) name = status.resource_claim_name;
      }
    }
    if (!name) {
      return Sentence{fmt::format("The ResourceClaim of template {} is not created yet",
                                  wanted.resource_claim_template_name.value_or("")),
                      "ResourceClaimMissing"};
    }
    const auto* claim =
        cluster.objects<api::ResourceClaim>().Find({pod.metadata.namespace_, *name});
    if (claim == nullptr) {
      return Sentence{
          fmt::format("ResourceClaim {} {}", *name,
                      DoesNotExist<api::ResourceClaim>(cluster, {pod.metadata.namespace_, *name})),
          "ResourceClaimMissing"};
    }
    if (auto problem = ProblemOfClasses(cluster, *claim)) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Sentence> MissingObjectOf(const Cluster& cluster, const api::Pod& pod) {
  for (const api::Volume& volume : pod.spec.volumes) {
    if (auto problem = ProblemOfClaim(cluster, pod, volume)) return problem;
  }
  return ProblemOfDevices(cluster, pod);
}

}  // namespace berth::explain
