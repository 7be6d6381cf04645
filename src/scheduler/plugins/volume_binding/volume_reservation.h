// VolumeReservation is what VolumeBinding decided for a pod on a node: volumes that are to be bound
// to claims, and claims for which volumes are to be made; and whether that has come about.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/volume_binding/volume_plan.h"

namespace berth::scheduler::plugins {

class VolumeReservation {
 public:
  // Assumes what `plan` says, so that others do not take the same volumes.
  VolumeReservation(model::Storage& storage, const VolumePlan::OnNode& plan, std::string node);

  // Takes the assumptions back.
  void Revert(model::Storage& storage) const;

  struct Binding {
    model::Storage::VolumeRef volume;  // As it is to be.
    model::Storage::ClaimRef claim;
    std::string written;  // The resource version that it was written with, once it is.
  };
  struct Provision {
    model::Storage::ClaimRef claim;  // As it is to be.
    std::string written;
  };
  std::vector<Binding>& bindings() { return bindings_; }
  std::vector<Provision>& provisions() { return provisions_; }

  // Whether the API shows all claims of `pod` as bound. Fails if that will not happen any more.
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
