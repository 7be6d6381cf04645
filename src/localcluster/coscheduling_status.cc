#include "localcluster/coscheduling_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/coscheduling_labels.h"
#include "api/scheme/kind_set.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kApiGroup = "scheduling.x-k8s.io";
constexpr std::string_view kResource = "podgroups";

// A group whose scheduling started later than this after its creation is left alone: its pods may
// have been garbage-collected.
constexpr Duration kMaxStartDelay = Duration::Seconds(48 * 3600);

bool IsGroup(const Kind& kind) {
  return kind.custom && kind.resource == kResource && kind.group == kApiGroup;
}

// Returns the name of the pod's group, or "".
std::string_view GroupOf(const PodRecord& pod) {
  for (const std::string_view key : api::kCoschedulingLabels) {
    const std::string* label = pod.Label(key);
    if (label && !label->empty()) return *label;
  }
  return {};
}

bool IsFinal(std::string_view phase) { return phase == "Finished" || phase == "Failed"; }

bool StartedTooLate(const JsonObject& group) {
  const JsonObject* status = ObjectAt(&group, "status");
  const std::string_view phase = StringAt(status, "phase");
  if (phase != "Pending" && phase != "Scheduling") return false;
  if (IntAt(status, "running").value_or(0) != 0) return false;
  const auto started = TimeAt(status, "scheduleStartTime");
  const auto created = TimeAt(ObjectAt(&group, "metadata"), "creationTimestamp");
  return started && created && *started - *created > kMaxStartDelay;
}

}  // namespace

void CoschedulingStatus::Members::Count(const PodRecord& pod, int64_t step) {
  if (pod.phase() == "Running") running += step;
  if (pod.phase() == "Succeeded") succeeded += step;
  if (pod.phase() == "Failed") failed += step;
}

void CoschedulingStatus::Namespace::Add(std::string_view group, const PodRecord& pod) {
  if (group.empty()) return;
  Members& of = members[std::string(group)];
  if (of.pods.insert(pod.name().name).second) of.Count(pod, 1);
}

void CoschedulingStatus::Namespace::Remove(std::string_view group, const PodRecord& pod) {
  const auto found = members.find(group);
  if (found == members.end() || found->second.pods.erase(pod.name().name) == 0) return;
  found->second.Count(pod, -1);
  if (found->second.pods.empty()) members.erase(found);
}

size_t CoschedulingStatus::index_size() const {
  size_t size = 0;
  for (const auto& [name, known] : namespaces_) size += known.groups.size() + known.members.size();
  return size;
}

void CoschedulingStatus::Observe(const Change& change) {
  if (&change.kind == &Pods()) {
    ObservePod(change);
  } else if (IsGroup(change.kind)) {
    ObserveGroup(change);
  }
}

void CoschedulingStatus::ObserveGroup(const Change& change) {
  const ObjectName& name = change.object.key;
  if (change.deleted) {
    queue_.Forget(name);
    const auto known = namespaces_.find(name.namespace_);
    if (known == namespaces_.end()) return;
    known->second.groups.erase(name.name);
    if (known->second.groups.empty()) namespaces_.erase(known);
    return;
  }
  const auto [known, added] = namespaces_.try_emplace(name.namespace_);
  if (added) {
    context_.pods.ForEachIn(name.namespace_,
                            [&](const PodRecord& pod) { known->second.Add(GroupOf(pod), pod); });
  }
  known->second.groups.insert(name.name);
  queue_.Add(name);
}

void CoschedulingStatus::ObservePod(const Change& change) {
  const auto found = namespaces_.find(change.object.key.namespace_);
  if (found == namespaces_.end()) return;
  const PodRecord* before = change.previous_pod;
  const PodRecord* after = change.deleted ? nullptr : change.pod;
  // Labels may change.
  const std::string_view old_group = before ? GroupOf(*before) : "";
  const std::string_view new_group = after ? GroupOf(*after) : "";
  if (before && after && old_group == new_group && before->phase() == after->phase()) return;
  if (before) found->second.Remove(old_group, *before);
  if (after) found->second.Add(new_group, *after);
  QueueGroup(found->first, found->second, old_group);
  QueueGroup(found->first, found->second, new_group);
}

void CoschedulingStatus::QueueGroup(const std::string& namespace_, const Namespace& known,
                                    std::string_view group) {
  std::string name(group);
  if (known.groups.contains(name)) queue_.Add({namespace_, std::move(name)});
}

const CoschedulingStatus::Members& CoschedulingStatus::MembersOf(const ObjectName& group) const {
  static const Members kNone;
  const auto known = namespaces_.find(group.namespace_);
  if (known == namespaces_.end()) return kNone;
  const auto found = known->second.members.find(group.name);
  return found == known->second.members.end() ? kNone : found->second;
}

void CoschedulingStatus::Sync(const ObjectName& group) {
  const api::scheme::KindPtr kind = context_.api.kinds()->Find(kApiGroup, "v1alpha1", kResource);
  if (!kind) return;
  bool too_late = false;
  const auto done = context_.api.Modify(StoredKind(*kind), group, [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    too_late = StartedTooLate(fields);
    return !too_late && UpdateStatus(group, fields);
  });
  if (!done) return;
  Wrote(group, *done);
  if (!too_late) return;
  InvolvedObject involved = InvolvedObject::Of(*kind, **done);
  involved.owned_kind = kind;
  context_.events.Record(std::move(involved), EventType::kWarning, "Timeout",
                         "schedule time longer than 48 hours", "PodGroupController");
}

std::string_view CoschedulingStatus::NextPhase(std::string_view phase, const Members& members,
                                               int64_t min_member) {
  const bool complete = members.size() >= min_member;
  // One step at a time, so that watchers see every phase.
  if (phase.empty()) return "Pending";
  if (phase == "Pending") return complete ? "Scheduling" : "Pending";
  if (!complete) return "Pending";
  if (members.succeeded >= min_member) return "Finished";
  const int64_t started = members.running + members.succeeded;
  if (members.failed > 0 && started + members.failed >= min_member) return "Failed";
  return started >= min_member ? "Running" : "Scheduling";
}

bool CoschedulingStatus::UpdateStatus(const ObjectName& name, JsonObject& group) const {
  if (IsFinal(StringAt(ObjectAt(&group, "status"), "phase"))) return false;
  const int64_t min_member = IntAt(ObjectAt(&group, "spec"), "minMember").value_or(0);
  const Members& members = MembersOf(name);
  JsonObject& status = EnsureObject(group, "status");
  const JsonObject before = status;
  const std::string phase(StringAt(&status, "phase"));
  const std::string_view next = NextPhase(phase, members, min_member);
  SetString(status, "phase", next);
  if (phase == "Pending" && next == "Scheduling" && !members.pods.empty()) {
    const std::string owners = OwnersOf({name.namespace_, *members.pods.begin()});
    if (!owners.empty()) SetString(status, "occupiedBy", owners);
  }
  // Those of a pending group are of the time when it became so.
  if (!phase.empty() && phase != "Pending") {
    SetCount(status, "running", members.running);
    SetCount(status, "succeeded", members.succeeded);
    SetCount(status, "failed", members.failed);
  }
  return status != before;
}

std::string CoschedulingStatus::OwnersOf(const ObjectName& pod) const {
  const PodRecord* record = context_.pods.Find(pod);
  if (!record) return "";
  const Json document = apiserver::store::Parse(*record->object);
  std::vector<std::string> owners;
  for (const JsonObject& owner :
       ObjectsAt(ObjectAt(AsObject(document), "metadata"), "ownerReferences")) {
    owners.push_back(fmt::format("{}/{}", pod.namespace_, StringAt(&owner, "name")));
  }
  std::ranges::sort(owners);
  return fmt::format("{}", fmt::join(owners, ","));
}

}  // namespace berth::localcluster
