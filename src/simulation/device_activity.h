// DeviceActivity is what users, drivers and the resourceclaim controller do about devices in a
// simulated world, independently of the scheduler.
//
// It has random numbers of its own: worlds without devices are the same as without it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/pod.h"
#include "base/random.h"
#include "simulation/api_model.h"

namespace berth::simulation {

class DeviceActivity {
 public:
  // `api` must outlive this.
  DeviceActivity(ApiModel& api, uint64_t seed) : api_(api), random_(seed) {}

  // Creates classes, the slices of all nodes, and claims that pods share.
  void Begin();
  // Gives a new pod claims, or an extended resource that devices provide, or nothing.
  void Equip(api::Pod& pod);
  // Reports whether the next action is one about devices.
  bool IsNext() { return random_.Chance(25); }
  // Performs one random action, or none if it does not apply.
  void Act(Instant now);
  // Does one thing that controllers and drivers have left to do; returns false if there is none.
  // Devices do not fail.
  bool WindDown();

 private:
  // What the resourceclaim controller of kube-controller-manager does, one step at a time: claims
  // of templates are made, and what pods that are gone or finished have left is freed.
  bool RunClaimController();
  bool CreateClaimOf(const api::Pod& pod);
  bool SyncClaim(const api::ResourceClaim& claim);
  // The driver reports the binding conditions of an allocated device.
  bool ReportConditions(bool calm);
  void ChangeSlice();
  void ChangeSharedClaim();

  ApiModel& api_;
  Random random_;
  Instant now_;
  int last_claim_ = 0;
  std::vector<api::ResourceSlice> removed_slices_;
};

// Reports whether the pod of that uid exists and is not finished.
bool IsAlive(const ApiModel& api, const std::string& name, const std::string& uid);

}  // namespace berth::simulation
