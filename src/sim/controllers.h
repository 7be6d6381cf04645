// The controllers of a simulated world that scheduling depends on: one that binds claims and makes
// volumes, and the kubelets, which let terminating pods go.
#pragma once

#include "base/random.h"
#include "sim/api_model.h"

namespace berth::sim {

// Does one thing about claims and volumes, if there is anything to do; false if there is not. Now
// and then a volume cannot be made and the scheduler must choose again, unless `calm`.
bool RunVolumeController(ApiModel& api, bool calm, Random& random);

// Lets one terminating pod go; false if there is none.
bool FinishOneDeletion(ApiModel& api, Random& random);

}  // namespace berth::sim
