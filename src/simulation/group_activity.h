// GroupActivity is what users do about PodGroups in a simulated world: groups come and go, and pods
// are members of them.
//
// It has random numbers of its own: worlds without groups are the same as without it.
#pragma once

#include <cstdint>
#include <string>

#include "api/pod.h"
#include "base/random.h"
#include "simulation/api_model.h"

namespace berth::simulation {

class GroupActivity {
 public:
  // `api` must outlive this.
  GroupActivity(ApiModel& api, uint64_t seed) : api_(api), random_(seed) {}

  // Creates all groups.
  void Begin();
  // Makes a new pod a member of a group, which need not exist, or leaves it alone.
  void Join(api::Pod& pod);
  // Reports whether the next action is one about groups.
  bool IsNext() { return random_.Chance(6); }
  // Creates a group that does not exist, or deletes one.
  void Act();

 private:
  void Create(const std::string& name);
  bool HasMembers(const std::string& name) const;

  ApiModel& api_;
  Random random_;
};

}  // namespace berth::simulation
