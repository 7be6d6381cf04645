#include "simulation/group_activity.h"

#include <algorithm>
#include <array>

#include "api/object.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

constexpr std::array kGroups = {"job0", "job1"};

}  // namespace

void GroupActivity::Begin() {
  for (const char* name : kGroups) Create(name);
}

void GroupActivity::Create(const std::string& name) {
  api::PodGroup group;
  group.metadata.namespace_ = kNamespace;
  group.metadata.name = name;
  if (random_.Chance(85)) group.min_count = static_cast<int32_t>(1 + random_.Below(4));
  if (random_.Chance(30)) group.topology_keys = {kZoneLabel};
  if (random_.Chance(50)) group.disruption_mode = "PodGroup";
  group.priority_value = static_cast<int32_t>(random_.Below(4) * 100);
  api_.Create(std::move(group));
}

void GroupActivity::Join(api::Pod& pod) {
  if (random_.Chance(55)) pod.spec.pod_group_name = kGroups[random_.Below(kGroups.size())];
}

// A finalizer protects groups that have members.
bool GroupActivity::HasMembers(const std::string& name) const {
  return std::ranges::any_of(api_.All<api::Pod>(), [&](const auto& pod) {
    return pod->spec.pod_group_name == name && !pod->finished();
  });
}

void GroupActivity::Act() {
  const std::string name = kGroups[random_.Below(kGroups.size())];
  const api::ObjectKey key{kNamespace, name};
  if (api_.Find<api::PodGroup>(key) == nullptr) {
    Create(name);
  } else if (!HasMembers(name)) {
    api_.Remove<api::PodGroup>(key);
  }
}

}  // namespace berth::simulation
