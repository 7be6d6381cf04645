// ResourceClaimController manages the ResourceClaims of pods, as the controller of that name in
// kube-controller-manager does.
//
// It creates claims from the templates that pods name, reserves claims for pods that were bound by
// hand, and takes claims back from pods that are done: it removes their reservation, deallocates
// the claim with the last one, and deletes it if it was made for the pod.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "localcluster/controller.h"
#include "localcluster/pod_claims.h"

namespace berth::localcluster {

// The scheduler adds it to claims that it allocates; without it a claim in use could be removed.
inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";

// Returns the generateName of a claim for an entry of a pod. Both names are shortened in proportion
// if they leave no room for the generated characters.
std::string ClaimPrefix(std::string_view pod, std::string_view entry);

// The key of a pod is "pod:<name>", that of a claim "claim:<name>".
class ResourceClaimController final : public Controller {
 public:
  explicit ResourceClaimController(Context& context) : Controller("resource-claims", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;
  size_t index_size() const override {
    return uses_.size() + users_of_claim_.size() + users_of_template_.size() + made_for_.size();
  }

 private:
  // What a pod refers to.
  struct Uses {
    std::set<ObjectName> claims;
    std::set<ObjectName> templates;
  };
  using Users = std::map<ObjectName, std::set<ObjectName>>;

  void ObservePod(const Change& change);
  void ObserveClaim(const Change& change);
  // Replaces what the pod uses.
  void SetUses(const ObjectName& pod, Uses uses);

  void SyncPod(const ObjectName& name);
  // Returns the name of the claim for the entry, created unless it exists; "" after a failure,
  // which `problem` then describes.
  std::string EnsureClaim(const JsonObject& pod, const PodClaims::Entry& entry,
                          std::string& problem);
  // Returns the claim that was made for the entry but is not recorded in the pod's status, or "".
  std::string FindClaim(const JsonObject& pod, const PodClaims::Entry& entry) const;
  std::string CreateClaim(const JsonObject& pod, const PodClaims::Entry& entry,
                          std::string& problem);
  void Record(const ObjectName& pod, std::string_view uid,
              const std::map<std::string, std::string>& claims);
  void Reserve(const ObjectName& pod, std::string_view uid, const std::string& claim);

  void SyncClaim(const ObjectName& name);
  // Reports whether the pod exists and is not done.
  bool IsInUse(const ObjectName& pod, std::string_view uid) const;
  // Removes consumers that are done. Returns whether that changed the claim.
  bool Release(const ObjectName& name, JsonObject& claim) const;

  std::map<ObjectName, Uses> uses_;  // By pod.
  Users users_of_claim_;
  Users users_of_template_;
  std::unordered_map<std::string, std::set<ObjectName>> made_for_;  // Claims by the pod's uid.
};

}  // namespace berth::localcluster
