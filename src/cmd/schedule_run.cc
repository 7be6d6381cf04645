#include "cmd/schedule_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/check.h"
#include "runtime/extender_calls.h"
#include "scheduler/framework/status_patches.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/recording/recording_engine.h"

namespace berth::cmd {
namespace {

using ClaimRef = api::Ref<api::ResourceClaim>;
using PodRef = api::Ref<api::Pod>;

const PodRef* AsPod(const api::Object& object) { return std::get_if<PodRef>(&object); }

// Records the last decision about each pod.
class OutcomeRecorder final : public scheduler::engine::DecisionObserver {
 public:
  explicit OutcomeRecorder(const scheduler::engine::Engine& engine) : engine_(engine) {}

  void OnDecision(const scheduler::engine::Decision& decision) override {
    PodOutcome outcome;
    outcome.pod = decision.key;
    outcome.node = decision.node;
    outcome.message = decision.message;
    // A preemptor is attempted again once its victims are gone: retain the victims.
    if (const PodOutcome* before = Find(decision.key)) outcome.victims = before->victims;
    outcome.victims.insert(outcome.victims.end(), decision.victims.begin(), decision.victims.end());
    switch (decision.kind) {
      case scheduler::engine::Decision::Kind::kPlaced:
        outcome.kind = PodOutcome::Kind::kScheduled;
        break;
      case scheduler::engine::Decision::Kind::kUnschedulable:
        outcome.kind = PodOutcome::Kind::kUnschedulable;
        break;
      case scheduler::engine::Decision::Kind::kFailed:
        outcome.kind = PodOutcome::Kind::kFailed;
        break;
    }
    if (decision.explanation) {
      outcome.explanation = explain::Summarize(*decision.explanation, decision.node,
                                               engine_.cluster().nodes().present_count());
    }
    if (!decision.victims.empty()) {
      first_attempts_[decision.key] = outcome.explanation;
    } else if (auto found = first_attempts_.find(decision.key); found != first_attempts_.end()) {
      outcome.first_attempt = found->second;
    }
    outcomes_.insert_or_assign(decision.key, std::move(outcome));
  }

  const PodOutcome* Find(const api::ObjectKey& pod) const {
    auto found = outcomes_.find(pod);
    return found == outcomes_.end() ? nullptr : &found->second;
  }

 private:
  const scheduler::engine::Engine& engine_;
  std::map<api::ObjectKey, PodOutcome> outcomes_;
  std::map<api::ObjectKey, std::optional<explain::ExplanationSummary>> first_attempts_;
};

// Extender calls, status patches and events cannot make another pod schedulable.
bool ChangesObjects(const scheduler::framework::ApiWrite& write) {
  const scheduler::framework::WriteLane lane = scheduler::framework::LaneOf(write);
  return !std::holds_alternative<scheduler::framework::CallExtender>(write) &&
         lane != scheduler::framework::WriteLane::kStatus &&
         lane != scheduler::framework::WriteLane::kEvent;
}

// Acts as the API server for the engine.
class FakeApiServer {
 public:
  FakeApiServer(scheduler::recording::RecordingEngine& engine, runtime::ExtenderCalls& extenders,
                Instant start)
      : engine_(engine), extenders_(extenders), now_(start) {}

  // Stores `object` and delivers it to the engine.
  void Put(const api::Object& object) {
    if (const PodRef* pod = AsPod(object)) pods_[api::KeyOf(object)] = *pod;
    if (const auto* claim = std::get_if<ClaimRef>(&object)) {
      PutClaim(**claim);
    } else {
      Deliver(object);
    }
  }

  const std::vector<EvictedPod>& evicted() const { return evicted_; }
  const std::map<api::ObjectKey, PodRef>& pods() const { return pods_; }

  // Schedules until nothing changes any more, even after backoffs have expired.
  void Run() {
    // podMaxBackoffSeconds by default, and the time until the pod leaves at a tick.
    constexpr Duration kLongestBackoff = Duration::Seconds(12);
    for (bool progress = true; progress; now_ = now_ + kLongestBackoff) {
      progress = false;
      for (bool busy = true; busy;) {
        busy = engine_.Schedule(now_) > 0;
        for (const scheduler::engine::Command& command : engine_.TakeCommands()) {
          std::visit([&](const auto& write) { Do(command.id, write); }, command.write);
          busy = true;
          progress |= ChangesObjects(command.write);
        }
      }
    }
  }

 private:
  // One millisecond after the previous one.
  void Deliver(const api::Object& object) {
    engine_.Handle(scheduler::engine::ObjectPut{object}, now_);
    now_ = now_ + Duration::Millis(1);
  }

  void Do(scheduler::engine::CommandId id, const scheduler::framework::BindPod& bind) {
    auto found = pods_.find(bind.pod);
    CHECK(found != pods_.end());  // The engine binds only pods that were delivered to it.
    auto bound = api::CopyToChange(*found->second);
    bound->spec.node_name = bind.node;
    bound->status.start_time = now_;
    Put(PodRef(std::move(bound)));
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }

  void Do(scheduler::engine::CommandId id, const scheduler::framework::PatchPodStatus& patch) {
    if (auto found = pods_.find(patch.pod); found != pods_.end()) {
      auto patched = api::CopyToChange(*found->second);
      scheduler::framework::Apply(patch, patched->status);
      Put(PodRef(std::move(patched)));
    }
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }

  void Do(scheduler::engine::CommandId id, const scheduler::framework::PatchPodGroupStatus& patch) {
    const auto& groups = engine_.engine().cluster().objects<api::PodGroup>();
    if (const api::PodGroup* found = groups.Find(patch.group)) {
      auto patched = std::make_shared<api::PodGroup>(*found);
      scheduler::framework::Apply(patch, *patched);
      Put(api::Ref<api::PodGroup>(std::move(patched)));
    }
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }
  void Do(scheduler::engine::CommandId id, const scheduler::framework::CallExtender& call) {
    engine_.Handle(scheduler::engine::WriteDone{id, extenders_.ExecuteAndWait(call)}, now_);
  }
  void Do(scheduler::engine::CommandId id, const scheduler::framework::RecordEvent&) {
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }

  // Claims of files may lack versions, by which the engine knows which one is newer.
  ClaimRef PutClaim(api::ResourceClaim claim) {
    claim.metadata.resource_version = std::to_string(++claim_version_);
    if (claim.metadata.uid.empty())
      claim.metadata.uid = fmt::format("claim-{}", claim.metadata.resource_version);
    auto stored = std::make_shared<const api::ResourceClaim>(std::move(claim));
    claims_[{stored->metadata.namespace_, stored->metadata.name}] = stored;
    Deliver(stored);
    return stored;
  }
  void EndWithClaim(scheduler::engine::CommandId id, const ClaimRef& claim) {
    scheduler::framework::WriteResult result;
    if (claim == nullptr) {
      result = {scheduler::framework::WriteResult::Kind::kNotFound, "there is no such claim"};
    } else {
      result.resource_version = claim->metadata.resource_version;
      result.claim = claim;
    }
    engine_.Handle(scheduler::engine::WriteDone{id, std::move(result)}, now_);
  }
  ClaimRef FindClaim(const api::ObjectKey& claim) const {
    const auto found = claims_.find(claim);
    return found == claims_.end() ? nullptr : found->second;
  }

  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::CreateResourceClaim& create) {
    api::ResourceClaim claim = *create.object;
    claim.metadata.name = fmt::format("{}{}", create.generate_name, claim_version_ + 1);
    claim.metadata.uid.clear();
    claim.metadata.finalizers.clear();
    claim.status = {};
    EndWithClaim(id, PutClaim(std::move(claim)));
  }
  void Do(scheduler::engine::CommandId id, const scheduler::framework::GetResourceClaim& get) {
    EndWithClaim(id, FindClaim(get.claim));
  }
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::UpdateResourceClaim& update) {
    EndWithClaim(id, PutClaim(*update.object));
  }
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::UpdateResourceClaimStatus& update) {
    EndWithClaim(id, PutClaim(*update.object));
  }
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::UnreserveResourceClaim& unreserve) {
    ClaimRef claim = FindClaim(unreserve.claim);
    if (claim != nullptr) {
      api::ResourceClaim free = *claim;
      scheduler::framework::Apply(unreserve, free);
      claim = PutClaim(std::move(free));
    }
    EndWithClaim(id, claim);
  }
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::DeleteResourceClaim& remove) {
    if (const ClaimRef claim = FindClaim(remove.claim)) {
      claims_.erase(remove.claim);
      engine_.Handle(scheduler::engine::ObjectDeleted{claim}, now_);
    }
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }

  // Pods are deleted at once, without a grace period.
  void Do(scheduler::engine::CommandId id, const scheduler::framework::DeletePod& remove) {
    if (auto found = pods_.find(remove.pod); found != pods_.end()) {
      const PodRef gone = std::move(found->second);
      pods_.erase(found);
      evicted_.push_back({remove.pod, gone->spec.node_name});
      engine_.Handle(scheduler::engine::ObjectDeleted{gone}, now_);
    }
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }

  // Binds volumes at once, and provisions a new one where the engine selected a node for a claim.
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::UpdatePersistentVolume& update) {
    auto volume = std::make_shared<api::PersistentVolume>(*update.object);
    const api::ObjectReference claim = *volume->claim_ref;
    volume->phase = "Bound";
    Put(api::Ref<api::PersistentVolume>(volume));
    const auto& claims = engine_.engine().cluster().objects<api::PersistentVolumeClaim>();
    BindClaim(*claims.Find({claim.namespace_, claim.name}), volume->metadata.name);
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }
  void Do(scheduler::engine::CommandId id,
          const scheduler::framework::UpdatePersistentVolumeClaim& update) {
    const api::PersistentVolumeClaim& claim = *update.object;
    auto volume = std::make_shared<api::PersistentVolume>();
    volume->metadata.name =
        fmt::format("new-for-{}-{}", claim.metadata.namespace_, claim.metadata.name);
    volume->capacity = claim.requests;
    volume->access_modes = claim.access_modes;
    volume->storage_class_name = claim.storage_class_name.value_or("");
    volume->volume_mode = claim.volume_mode;
    volume->claim_ref = api::ObjectReference{.api_version = "v1",
                                             .kind = "PersistentVolumeClaim",
                                             .namespace_ = claim.metadata.namespace_,
                                             .name = claim.metadata.name,
                                             .uid = claim.metadata.uid,
                                             .resource_version = claim.metadata.resource_version};
    volume->phase = "Bound";
    Put(api::Ref<api::PersistentVolume>(volume));
    BindClaim(claim, volume->metadata.name);
    engine_.Handle(scheduler::engine::WriteDone{id, {}}, now_);
  }
  void BindClaim(const api::PersistentVolumeClaim& claim, const std::string& volume) {
    auto bound = std::make_shared<api::PersistentVolumeClaim>(claim);
    bound->metadata.annotations.insert_or_assign("pv.kubernetes.io/bind-completed", "yes");
    bound->volume_name = volume;
    bound->phase = "Bound";
    Put(api::Ref<api::PersistentVolumeClaim>(std::move(bound)));
  }

  scheduler::recording::RecordingEngine& engine_;
  runtime::ExtenderCalls& extenders_;
  Instant now_;
  std::map<api::ObjectKey, PodRef> pods_;
  std::map<api::ObjectKey, ClaimRef> claims_;
  int64_t claim_version_ = 0;
  std::vector<EvictedPod> evicted_;
};

PodOutcome OutcomeOf(const api::Pod& pod, const scheduler::engine::EngineOptions& options,
                     const OutcomeRecorder& recorder) {
  PodOutcome outcome;
  outcome.pod = {pod.metadata.namespace_, pod.metadata.name};
  const bool ours = std::ranges::find(options.profiles, pod.spec.scheduler_name,
                                      &scheduler::framework::ProfileConfig::scheduler_name) !=
                    options.profiles.end();
  if (!ours) {
    outcome.kind = PodOutcome::Kind::kOtherScheduler;
    outcome.message = fmt::format("schedulerName is \"{}\"", pod.spec.scheduler_name);
  } else if (pod.metadata.deletion_timestamp) {
    outcome.kind = PodOutcome::Kind::kTerminating;
    outcome.message = "being deleted";
  } else if (!pod.spec.scheduling_gates.empty()) {
    outcome.kind = PodOutcome::Kind::kGated;
    outcome.message = fmt::format("waiting for scheduling gates: [{}]",
                                  fmt::join(pod.spec.scheduling_gates, " "));
  } else if (const PodOutcome* recorded = recorder.Find(outcome.pod)) {
    return *recorded;
  } else {
    outcome.message = "not attempted";
  }
  return outcome;
}

std::vector<GroupOutcome> OutcomesOfGroups(const scheduler::model::Cluster& cluster,
                                           const std::map<api::ObjectKey, PodRef>& pods) {
  std::vector<GroupOutcome> outcomes;
  if (!cluster.features().has_groups()) return outcomes;
  std::map<api::ObjectKey, std::vector<const api::Pod*>> members;
  for (const auto& [key, pod] : pods) {
    if (pod->spec.pod_group_name && !pod->finished())
      members[{key.namespace_, *pod->spec.pod_group_name}].push_back(pod.get());
  }
  for (const auto& [key, group] : cluster.objects<api::PodGroup>().all()) {
    GroupOutcome& outcome = outcomes.emplace_back();
    outcome.group = key;
    outcome.members = members[key].size();
    for (const api::Pod* pod : members[key]) outcome.placed += pod->spec.node_name.empty() ? 0 : 1;
    if (!group->conditions.empty()) outcome.condition = group->conditions.front();
  }
  return outcomes;
}

}  // namespace

std::string_view ToString(PodOutcome::Kind kind) {
  switch (kind) {
    case PodOutcome::Kind::kScheduled:
      return "Scheduled";
    case PodOutcome::Kind::kUnschedulable:
      return "Unschedulable";
    case PodOutcome::Kind::kFailed:
      return "Failed";
    case PodOutcome::Kind::kGated:
      return "Gated";
    case PodOutcome::Kind::kOtherScheduler:
      return "NotOurs";
    case PodOutcome::Kind::kTerminating:
      return "Terminating";
    case PodOutcome::Kind::kPreempted:
      return "Preempted";
    case PodOutcome::Kind::kPending:
      return "Pending";
  }
  return "Unknown";
}

size_t ScheduleReport::Count(PodOutcome::Kind kind) const {
  return static_cast<size_t>(std::ranges::count(pods, kind, &PodOutcome::kind));
}

Result<ScheduleReport> ScheduleAll(const std::vector<api::Object>& objects,
                                   const scheduler::engine::EngineOptions& options,
                                   const scheduler::framework::Registry& registry, Instant start,
                                   scheduler::recording::Recorder* record) {
  auto made = scheduler::engine::Engine::Make(options, registry);
  if (!made) return std::unexpected(made.error());
  scheduler::recording::RecordingEngine engine(**made, record);
  OutcomeRecorder recorder(**made);
  engine.Observe(&recorder);
  auto extenders = runtime::ExtenderCalls::Make(options.extenders);
  if (!extenders) return std::unexpected(extenders.error());
  FakeApiServer api_server(engine, **extenders, start);
  for (const api::Object& object : objects) {
    if (AsPod(object) == nullptr) api_server.Put(object);
  }
  for (const api::Object& object : objects) {
    if (AsPod(object) != nullptr) api_server.Put(object);
  }
  api_server.Run();

  ScheduleReport report;
  report.evicted = api_server.evicted();
  report.groups = OutcomesOfGroups((*made)->cluster(), api_server.pods());
  report.nodes = (*made)->cluster().nodes().present_count();
  for (const api::Object& object : objects) {
    const PodRef* pod = AsPod(object);
    if (pod == nullptr || (*pod)->finished()) continue;
    if ((*pod)->spec.node_name.empty()) {
      PodOutcome& outcome = report.pods.emplace_back(OutcomeOf(**pod, options, recorder));
      const bool evicted = std::ranges::count(report.evicted, outcome.pod, &EvictedPod::pod) > 0;
      if (evicted) outcome.kind = PodOutcome::Kind::kPreempted;
    } else {
      ++report.running;
    }
  }
  engine.Observe(nullptr);
  return report;
}

}  // namespace berth::cmd
