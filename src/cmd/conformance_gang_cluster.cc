#include "cmd/conformance_gang_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "api/json/document.h"
#include "scheduler/framework/status_patches.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::cmd {
namespace {

using scheduler::framework::WriteResult;

// Later than every timestamp in the cases.
constexpr Instant kStart = Instant::FromUnixSeconds(4'000'000'000);
// As in the recorded runs.
constexpr Duration kTermination = Duration::Millis(150);
constexpr Duration kRest = Duration::Millis(2700);
// A scheduler that backs off does not come close.
constexpr size_t kMaxSteps = 20'000;
constexpr std::string_view kScheduled = "PodGroupScheduled";

WriteResult NotFound() { return {WriteResult::Kind::kNotFound, "not found"}; }

bool IsMember(const api::Pod& pod, const api::PodGroup& group) {
  return pod.spec.pod_group_name == group.metadata.name &&
         pod.metadata.namespace_ == group.metadata.namespace_;
}

std::string KeyText(const api::ObjectMeta& meta) {
  return api::ObjectKey{meta.namespace_, meta.name}.ToString();
}

}  // namespace

GangCluster::GangCluster(std::unique_ptr<scheduler::engine::Engine> engine)
    : engine_(std::move(engine)), now_(kStart), changed_(kStart) {}

template <typename T>
std::shared_ptr<const T> GangCluster::Find(const api::ObjectKey& key) const {
  const auto found = objects_.find({std::string(api::KindOf<T>().kind), key});
  return found == objects_.end() ? nullptr : std::get<api::Ref<T>>(found->second);
}

void GangCluster::Put(const api::Object& object) {
  if (const auto* group = std::get_if<api::Ref<api::PodGroup>>(&object)) {
    const api::PodCondition* condition =
        scheduler::framework::FindCondition((*group)->conditions, kScheduled);
    if (condition != nullptr && condition->status == "True")
      scheduled_groups_.insert(KeyText((*group)->metadata));
  }
  objects_.insert_or_assign({std::string(api::KindOf(object).kind), api::KeyOf(object)}, object);
  engine_->Handle(scheduler::engine::ObjectPut{object}, now_);
  changed_ = now_;
}

template <typename T>
void GangCluster::Update(T object) {
  object.metadata.resource_version = std::to_string(++version_);
  Put(api::Ref<T>(std::make_shared<const T>(std::move(object))));
}

void GangCluster::Remove(const Key& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  const api::Object last = found->second;
  objects_.erase(found);
  engine_->Handle(scheduler::engine::ObjectDeleted{last}, now_);
  changed_ = now_;
}

void GangCluster::Terminate(const api::Pod& pod) {
  const Key key{"Pod", {pod.metadata.namespace_, pod.metadata.name}};
  if (pod.spec.node_name.empty()) return Remove(key);
  if (pod.metadata.deletion_timestamp) return;
  api::Pod going = pod;
  going.metadata.deletion_timestamp = now_;
  Update(std::move(going));
  terminating_.emplace(now_ + kTermination, key);
}

Status GangCluster::Delete(const std::string& name) {
  const size_t first = name.find('/'), second = name.find('/', first + 1);
  if (second == std::string::npos) return Fail(fmt::format("delete: \"{}\"", name));
  const Key key{name.substr(0, first),
                {name.substr(first + 1, second - first - 1), name.substr(second + 1)}};
  const auto found = objects_.find(key);
  if (found == objects_.end()) return Fail(fmt::format("delete: no {}", name));
  if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&found->second)) {
    Terminate(*api::Ref<api::Pod>(*pod));
  } else {
    Remove(key);
  }
  return {};
}

// --- writes ---

WriteResult GangCluster::Do(const scheduler::framework::BindPod& bind) {
  const auto pod = Find<api::Pod>(bind.pod);
  if (pod == nullptr) return NotFound();
  api::Pod bound = *pod;
  bound.spec.node_name = bind.node;
  bound.status.nominated_node_name.clear();
  scheduler::framework::SetCondition({.type = "PodScheduled",
                                      .status = "True",
                                      .reason = {},
                                      .message = {},
                                      .last_transition_time = now_,
                                      .observed_generation = {}},
                                     bound.status.conditions);
  Update(std::move(bound));
  return {};
}

WriteResult GangCluster::Do(const scheduler::framework::PatchPodStatus& patch) {
  const auto pod = Find<api::Pod>(patch.pod);
  if (pod == nullptr) return NotFound();
  api::Pod patched = *pod;
  scheduler::framework::Apply(patch, patched.status);
  if (patched != *pod) Update(std::move(patched));
  return {};
}

WriteResult GangCluster::Do(const scheduler::framework::PatchPodGroupStatus& patch) {
  const auto group = Find<api::PodGroup>(patch.group);
  if (group == nullptr) return NotFound();
  api::PodGroup patched = *group;
  scheduler::framework::Apply(patch, patched);
  if (patched != *group) Update(std::move(patched));
  return {};
}

WriteResult GangCluster::Do(const scheduler::framework::DeletePod& remove) {
  const auto pod = Find<api::Pod>(remove.pod);
  if (pod == nullptr) return NotFound();
  victims_.insert(remove.pod.ToString());
  Terminate(*pod);
  return {};
}

WriteResult GangCluster::Do(const scheduler::framework::RecordEvent& event) {
  if (event.reason != "Scheduled") {
    events_[event.pod.ToString()].insert(
        fmt::format("{} {} {}: {}", event.type, event.reason, event.action, event.note));
  }
  return {};
}

bool GangCluster::Execute() {
  const std::vector<scheduler::engine::Command> commands = engine_->TakeCommands();
  for (const scheduler::engine::Command& command : commands) {
    WriteResult result = std::visit([this](const auto& write) { return Do(write); }, command.write);
    engine_->Handle(scheduler::engine::WriteDone{command.id, std::move(result)}, now_);
  }
  return !commands.empty();
}

// --- time ---

void GangCluster::PassTime(Instant now) {
  now_ = std::max(now_, now);
  if (terminating_.empty() || terminating_.begin()->first > now_) return;
  const Key key = terminating_.begin()->second;
  terminating_.erase(terminating_.begin());
  Remove(key);
}

Status GangCluster::Settle() {
  changed_ = now_;
  for (size_t step = 0; step < kMaxSteps; ++step) {
    // One attempt, and all that follows from it: as in the recorded runs, the scheduler sees its
    // writes before the next.
    bool busy = engine_->Schedule(now_, 1) > 0;
    while (Execute()) busy = true;
    if (busy) continue;
    if (now_ >= changed_ + kRest) return {};
    Instant next = changed_ + kRest;
    if (const auto wake = engine_->next_wake()) next = std::min(next, *wake);
    if (!terminating_.empty()) next = std::min(next, terminating_.begin()->first);
    PassTime(std::max(next, now_ + Duration::Millis(1)));
  }
  return Fail(fmt::format("the scheduler did not come to rest in {} steps", kMaxSteps));
}

// --- state ---

api::Json GangCluster::GroupState(const api::PodGroup& group) const {
  api::JsonArray conditions;
  for (const api::PodCondition& condition : group.conditions) {
    conditions.push_back(api::JsonObject{{"type", condition.type},
                                         {"status", condition.status},
                                         {"reason", condition.reason},
                                         {"message", condition.message}});
  }
  int64_t placed = 0, members = 0;
  std::map<std::string, int64_t> nodes, domains, pending;
  for (const auto& [key, object] : objects_) {
    const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
    if (pod == nullptr || !IsMember(**pod, group)) continue;
    ++members;
    const std::string& node_name = (*pod)->spec.node_name;
    if (node_name.empty()) {
      const api::PodCondition* condition =
          scheduler::framework::FindCondition((*pod)->status.conditions, "PodScheduled");
      ++pending[condition == nullptr ? "(none)" : condition->reason + ": " + condition->message];
      continue;
    }
    ++placed;
    ++nodes[node_name];
    const auto node = Find<api::Node>({"", node_name});
    if (group.topology_keys.empty() || node == nullptr) continue;
    const auto label = node->metadata.labels.find(group.topology_keys.front());
    ++domains[label == node->metadata.labels.end() ? "" : label->second];
  }
  const auto counts = [](const std::map<std::string, int64_t>& by_name) {
    api::JsonObject object;
    for (const auto& [name, count] : by_name) object.emplace(name, count);
    return object;
  };
  return api::JsonObject{{"scheduled", scheduled_groups_.contains(KeyText(group.metadata))},
                         {"conditions", std::move(conditions)},
                         {"placed", placed},
                         {"members", members},
                         {"nodeCounts", counts(nodes)},
                         {"domains", counts(domains)},
                         {"domainCount", static_cast<int64_t>(domains.size())},
                         {"pendingConditionCounts", counts(pending)}};
}

api::Json GangCluster::PodState(const api::Pod& pod) const {
  const bool bound = !pod.spec.node_name.empty();
  api::JsonObject state{{"bound", bound}, {"condition", nullptr}};
  if (bound) {
    state.emplace("node", pod.spec.node_name);
    return state;
  }
  if (const auto* condition =
          scheduler::framework::FindCondition(pod.status.conditions, "PodScheduled")) {
    state["condition"] = api::JsonObject{{"status", condition->status},
                                         {"reason", condition->reason},
                                         {"message", condition->message}};
  }
  if (!pod.status.nominated_node_name.empty())
    state.emplace("nominatedNodeName", pod.status.nominated_node_name);
  const scheduler::model::PodId id =
      engine_->cluster().pods().Find(pod.metadata.namespace_, pod.metadata.name);
  const scheduler::queue::QueueEntry* entry = id.valid() ? engine_->queue().Find(id) : nullptr;
  if (entry != nullptr && entry->gate != nullptr)
    state.emplace("gatingPlugin", entry->gate->name());
  return state;
}

api::Json GangCluster::State(const std::set<std::string>& pods) const {
  api::JsonObject groups, pod_states, events;
  for (const auto& [key, object] : objects_) {
    if (const auto* group = std::get_if<api::Ref<api::PodGroup>>(&object)) {
      groups.emplace(key.second.ToString(), GroupState(**group));
    } else if (const auto* pod = std::get_if<api::Ref<api::Pod>>(&object)) {
      if (pods.contains(key.second.ToString()))
        pod_states.emplace(key.second.ToString(), PodState(**pod));
    }
  }
  const auto list = [](const std::set<std::string>& texts) {
    api::JsonArray array;
    for (const std::string& text : texts) array.emplace_back(text);
    return array;
  };
  for (const auto& [pod, texts] : events_) events.emplace(pod, list(texts));
  return api::JsonObject{{"groups", std::move(groups)},
                         {"pods", std::move(pod_states)},
                         {"victims", list(victims_)},
                         {"events", std::move(events)}};
}

}  // namespace berth::cmd
