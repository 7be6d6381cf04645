// GroupExplanation answers "why" about a PodGroup: why its members are pending, and which of them
// stop it. It is data; docs/why.md describes its JSON form.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"
#include "base/result.h"
#include "scheduler/engine/engine.h"

namespace berth::explain {

struct GroupExplanation {
  api::ObjectKey group;
  std::optional<api::PodCondition> condition;  // PodGroupScheduled: what its scheduler says.
  scheduler::groups::GroupPreview decision;    // What would be decided now.
};

// As in JSON: "Unschedulable".
std::string_view ToString(scheduler::groups::GroupPreview::Outcome outcome);

// Members that go nowhere for the same reason.
struct StoppedMembers {
  std::string message;
  std::vector<api::ObjectKey> pods;
};
// Returns them by message, most members first.
std::vector<StoppedMembers> StoppedMembersOf(const scheduler::groups::GroupPreview& decision);

// Explains the group, of which the engine knows the members. Changes nothing in the engine, which
// must get no event meanwhile.
Result<GroupExplanation> ExplainGroup(scheduler::engine::Engine& engine,
                                      const api::ObjectKey& group);

}  // namespace berth::explain
