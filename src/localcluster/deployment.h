// DeploymentController rolls out Deployments: a ReplicaSet for each version of the pod template,
// grown and shrunk within the limits of the strategy.
//
// A look at a Deployment parses its ReplicaSets, of which there are few, and no pods.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "localcluster/controller.h"
#include "localcluster/deployment_rollout.h"

namespace berth::localcluster {

class DeploymentController final : public Controller {
 public:
  explicit DeploymentController(Context& context) : Controller("deployments", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& deployment) override;
  size_t index_size() const override { return sets_of_.size() + owner_of_.size(); }

 private:
  DeploymentReplicaSets ReadSets(const JsonObject& deployment);
  // Makes the set of the present template. False if that must be tried again.
  bool CreateNewSet(const ObjectName& key, const JsonObject& deployment,
                    DeploymentReplicaSets& sets, int64_t replicas);
  // Sees to it that the new set has the highest revision, and the Deployment says so, too.
  void NumberRevision(const ObjectName& key, const JsonObject& deployment,
                      DeploymentReplicaSets& sets);
  void Resize(const ObjectName& key, DeploymentReplicaSet& set, int64_t replicas,
              const RolloutLimits& limits);
  void Roll(const ObjectName& key, const JsonObject& deployment, DeploymentReplicaSets& sets);
  void Recreate(const ObjectName& key, const JsonObject& deployment, DeploymentReplicaSets& sets);
  void ApplySizes(const ObjectName& key, DeploymentReplicaSets& sets, const SetSizes& sizes,
                  const RolloutLimits& limits);
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
};

}  // namespace berth::localcluster
