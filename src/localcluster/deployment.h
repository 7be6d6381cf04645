// DeploymentController rolls out Deployments: one ReplicaSet per version of the pod template,
// scaled up and down within the limits of the strategy.
//
// A sync parses the Deployment's ReplicaSets, of which there are few, and no pods.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "localcluster/controller.h"
#include "localcluster/deployment_rollout.h"
#include "localcluster/pod_index.h"

namespace berth::localcluster {

class DeploymentController final : public Controller {
 public:
  explicit DeploymentController(Context& context) : Controller("deployments", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& deployment) override;
  size_t index_size() const override {
    return sets_of_.size() + owner_of_.size() + selectors_.size() + orphans_.size() +
           adopting_.size();
  }

 private:
  void ObserveDeployment(const Change& change);
  void ObserveSet(const Change& change);
  // Adopts orphaned sets that the selector matches and releases own ones that it does not match.
  // Returns the result of the last write, or null.
  apiserver::store::ObjectPtr AdoptSets(const ObjectName& key, const JsonObject& deployment);
  DeploymentReplicaSets ReadSets(const JsonObject& deployment);
  // Creates the ReplicaSet of the current template. Returns false if that must be retried.
  bool CreateNewSet(const ObjectName& key, const JsonObject& deployment,
                    DeploymentReplicaSets& sets, int64_t replicas);
  // Gives the new set the highest revision and annotates the Deployment with it.
  void NumberRevision(const ObjectName& key, const JsonObject& deployment,
                      DeploymentReplicaSets& sets);
  void Resize(const ObjectName& key, DeploymentReplicaSet& set, int64_t replicas,
              const RolloutLimits& limits);
  void Roll(const ObjectName& key, const JsonObject& deployment, DeploymentReplicaSets& sets);
  void Recreate(const ObjectName& key, const JsonObject& deployment, DeploymentReplicaSets& sets);
  void ApplySizes(const ObjectName& key, DeploymentReplicaSets& sets, const SetSizes& sizes,
                  const RolloutLimits& limits);
  // Deletes old sets beyond the revision history limit.
  void CleanUp(const ObjectName& key, const JsonObject& deployment,
               const DeploymentReplicaSets& sets);
  void WriteStatus(const ObjectName& key, const JsonObject& deployment,
                   const DeploymentReplicaSets& sets);

  std::unordered_map<std::string, std::set<ObjectName>> sets_of_;  // By the Deployment's uid.
  struct Owner {
    std::string uid;
    std::string name;
  };
  std::map<ObjectName, Owner> owner_of_;  // By the set's name.
  SelectorIndex selectors_;
  std::set<ObjectName> orphans_;  // Sets without a controller.
  // Deployments that may have to adopt or release sets.
  std::unordered_set<ObjectName, NameHash> adopting_;
};

}  // namespace berth::localcluster
