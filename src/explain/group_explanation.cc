#include "explain/group_explanation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "api/object.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::explain {

using scheduler::groups::GroupPreview;

std::string_view ToString(GroupPreview::Outcome outcome) {
  switch (outcome) {
    case GroupPreview::Outcome::kDone:
      return "Done";
    case GroupPreview::Outcome::kHeld:
      return "Held";
    case GroupPreview::Outcome::kFits:
      return "Fits";
    case GroupPreview::Outcome::kPreempts:
      return "Preempts";
    case GroupPreview::Outcome::kUnschedulable:
      return "Unschedulable";
    case GroupPreview::Outcome::kError:
      return "Error";
  }
  return "";
}

std::vector<StoppedMembers> StoppedMembersOf(const GroupPreview& decision) {
  std::vector<StoppedMembers> stopped;
  for (const GroupPreview::Member& member : decision.members) {
    if (member.message.empty()) continue;
    auto found = std::ranges::find(stopped, member.message, &StoppedMembers::message);
    if (found == stopped.end()) found = stopped.insert(stopped.end(), {member.message, {}});
    found->pods.push_back(member.pod);
  }
  std::ranges::stable_sort(stopped, std::greater<>(),
                           [](const StoppedMembers& one) { return one.pods.size(); });
  return stopped;
}

Result<GroupExplanation> ExplainGroup(scheduler::engine::Engine& engine,
                                      const api::ObjectKey& group) {
  auto decision = engine.PreviewGroup(group);
  if (!decision) return std::unexpected(decision.error());
  GroupExplanation explanation;
  explanation.group = group;
  explanation.decision = *std::move(decision);
  if (const auto* object = engine.cluster().objects<api::PodGroup>().Find(group)) {
    const auto found =
        std::ranges::find(object->conditions, "PodGroupScheduled", &api::PodCondition::type);
    if (found != object->conditions.end()) explanation.condition = *found;
  }
  return explanation;
}

}  // namespace berth::explain
