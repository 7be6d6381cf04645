// ReplicaSetController maintains the number of pods of ReplicaSets; a second instance does so for
// ReplicationControllers.
#pragma once

#include <string>

#include "api/scheme/api_error.h"
#include "localcluster/controller.h"
#include "localcluster/pod_adoption.h"

namespace berth::localcluster {

class ReplicaSetController final : public Controller {
 public:
  // `kind` is ReplicaSets() or ReplicationControllers().
  ReplicaSetController(Context& context, const Kind& kind);

  void Observe(const Change& change) override;
  void Sync(const ObjectName& set) override;
  size_t index_size() const override { return adoption_.size(); }

 private:
  // Creates or deletes pods; returns the error if creation fails.
  std::optional<api::scheme::ApiError> Scale(const ObjectName& key, const JsonObject& document,
                                             std::vector<const PodRecord*> active);
  void WriteStatus(const ObjectName& key, const JsonObject& document,
                   const std::vector<const PodRecord*>& active,
                   const std::optional<api::scheme::ApiError>& failure);

  const Kind& kind_;
  PodAdoption adoption_;
};

}  // namespace berth::localcluster
