// VolumeReservation is VolumeBinding's decision for a pod on a node: volumes that are to be bound
// to claims, and claims for which volumes are to be provisioned; and whether that has happened.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/plugins/volume_binding/volume_plan.h"

namespace berth::scheduler::plugins {

class VolumeReservation {
 public:
  // Assumes the writes of `plan`, so that other pods do not take the same volumes.
  VolumeReservation(model::Storage& storage, const VolumePlan::OnNode& plan, std::string node);

  // Reverts the assumptions.
  void Revert(model::Storage& storage) const;

  struct Binding {
    model::Storage::VolumeRef volume;  // As it will be written.
    model::Storage::ClaimRef claim;
    std::string written;  // Its resource version after the write.
  };
  struct Provision {
    model::Storage::ClaimRef claim;  // As it will be written.
    std::string written;
  };
  std::vector<Binding>& bindings() { return bindings_; }
  std::vector<Provision>& provisions() { return provisions_; }

  // Reports whether the API shows all claims of `pod` as bound. Fails if that cannot happen any
  // more.
  Result<bool> IsDone(const model::Cluster& cluster, const api::ObjectKey& pod) const;

 private:
  Result<bool> IsBound(const model::Cluster& cluster, const Binding& binding,
                       model::NodeRow node) const;
  Result<bool> IsProvisioned(const model::Cluster& cluster, const Provision& provision,
                             model::NodeRow node) const;

  std::string node_;
  std::vector<Binding> bindings_;
  std::vector<Provision> provisions_;
};

}  // namespace berth::scheduler::plugins
