// The controllers of a simulated world that scheduling depends on: one that binds claims and makes
// volumes, and the kubelets, which let terminating pods go.
#pragma once

#include <map>
#include <string>

#include "base/random.h"
#include "simulation/api_model.h"
#include "simulation/faults.h"

namespace berth::simulation {

// Does one thing about claims and volumes, if there is anything to do; false if there is not. Now
// and then a volume cannot be made and the scheduler must choose again, unless `calm`.
bool RunVolumeController(ApiModel& api, bool calm, Random& random);

// Lets one terminating pod go; false if there is none.
bool FinishOneDeletion(ApiModel& api, Random& random);

// WorldActivity is what users, controllers and machines do in a simulated world: pods and nodes
// come, change and go, whatever the scheduler is busy with.
class WorldActivity {
 public:
  // All must outlive it.
  WorldActivity(ApiModel& api, const FaultPlan& plan, Random& random)
      : api_(api), plan_(plan), random_(random) {}

  // The world as it is before anything happens.
  void Begin();
  // One thing happens, or none if the world is not ready for it.
  void Act(Instant now);
  // Nobody wants anything any more, but what is under way comes to its end; false if all has.
  bool WindDown();
  // All objects go.
  void End();

 private:
  void CreatePod();
  void DeletePod(Instant now);
  void RecreatePod(Instant now);
  void ChangePod(Instant now);
  void FinishPod();
  void ChangeSomeNode();
  void NodeComesOrGoes();
  void BindByIncumbent(Instant now);

  // nullptr if there is none.
  api::Ref<api::Pod> AnyPod();
  api::Ref<api::Node> AnyNode();
  std::string ClaimForNewPod();

  ApiModel& api_;
  const FaultPlan& plan_;
  Random& random_;
  std::map<std::string, api::Node> gone_nodes_;
  int last_claim_ = 0;
};

}  // namespace berth::simulation
