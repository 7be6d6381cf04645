// How users make a fix: patches for kubectl, objects to create, and pods to evict.
#pragma once

#include <string>
#include <vector>

#include "api/json/json.h"
#include "explain/fixes.h"
#include "explain/workload.h"

namespace berth::explain {

// One step of a fix.
struct Step {
  std::string text;     // What it does.
  ObjectName object;    // That is changed or created.
  std::string command;  // For a shell with kubectl. Empty if there is none.
  std::string remark;
  std::string body;  // JSON: the operations of a JSON patch, or an object. Empty if there is none.
};

// Returns the steps in order. Changes to the pod are made in `workload`, since most fields of pods
// cannot be changed.
std::vector<Step> StepsOf(const Fix& fix, const Workload& workload);

}  // namespace berth::explain
