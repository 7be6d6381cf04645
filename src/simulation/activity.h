// WorldActivity is what users, controllers and machines do in a simulated world, independently of
// the scheduler: pods and nodes are created, changed and deleted, claims are bound and terminating
// pods end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/random.h"
#include "simulation/api_model.h"
#include "simulation/device_activity.h"
#include "simulation/faults.h"
#include "simulation/group_activity.h"

namespace berth::simulation {

// Processes one claim or volume; returns false if there is none to process. Provisioning fails
// occasionally, so that the scheduler must choose again, unless `calm`.
bool RunVolumeController(ApiModel& api, bool calm, Random& random);

// Removes one terminating pod; returns false if there is none.
bool FinishOneDeletion(ApiModel& api, Random& random);

class WorldActivity {
 public:
  // The arguments must outlive the WorldActivity.
  WorldActivity(ApiModel& api, const FaultPlan& plan, uint64_t seed, Random& random)
      : api_(api), plan_(plan), random_(random), devices_(api, seed), groups_(api, ~seed) {}

  // Creates the initial objects.
  void Begin();
  // Performs one random action, or none if it does not apply.
  void Act(Instant now);
  // Completes one pending deletion or volume operation; returns false if none is left.
  bool WindDown();
  // Deletes all objects.
  void End();

 private:
  void CreatePod();
  api::Pod MakePod(const std::string& name);
  void DeletePod(Instant now);
  void RecreatePod(Instant now);
  void ChangePod(Instant now);
  void FinishPod();
  void ChangeSomeNode();
  void AddOrRemoveNode();
  void BindByIncumbent(Instant now);
  void StartHugePod();

  // Return nullptr if there is none.
  api::Ref<api::Pod> AnyPod();
  api::Ref<api::Node> AnyNode();
  std::string ClaimForNewPod();

  ApiModel& api_;
  const FaultPlan& plan_;
  Random& random_;
  DeviceActivity devices_;
  GroupActivity groups_;
  std::map<std::string, api::Node> removed_nodes_;
  int last_claim_ = 0;
};

}  // namespace berth::simulation
