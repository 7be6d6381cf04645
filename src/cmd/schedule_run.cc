#include "cmd/schedule_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/check.h"
#include "net/extender_calls.h"
#include "plugins/registry.h"
#include "record/recording_engine.h"

namespace berth {
namespace {

using PodRef = api::Ref<api::Pod>;

const PodRef* AsPod(const api::Object& object) { return std::get_if<PodRef>(&object); }

// Records the last decision about each pod.
class Recorder final : public DecisionObserver {
 public:
  explicit Recorder(const Engine& engine) : engine_(engine) {}

  void OnDecision(const Decision& decision) override {
    PodOutcome outcome;
    outcome.pod = decision.key;
    outcome.node = decision.node;
    outcome.message = decision.message;
    // A pod that waits for its victims to leave is tried again: keep who they were.
    if (const PodOutcome* before = Find(decision.key)) outcome.victims = before->victims;
    outcome.victims.insert(outcome.victims.end(), decision.victims.begin(), decision.victims.end());
    switch (decision.kind) {
      case Decision::Kind::kPlaced:
        outcome.kind = PodOutcome::Kind::kScheduled;
        break;
      case Decision::Kind::kUnschedulable:
        outcome.kind = PodOutcome::Kind::kUnschedulable;
        break;
      case Decision::Kind::kFailed:
        outcome.kind = PodOutcome::Kind::kFailed;
        break;
    }
    if (decision.explanation) {
      outcome.explanation = Summarize(*decision.explanation, decision.node,
                                      engine_.cluster().nodes().present_count());
    }
    if (!decision.victims.empty()) {
      made_room_[decision.key] = outcome.explanation;
    } else if (auto found = made_room_.find(decision.key); found != made_room_.end()) {
      outcome.made_room = found->second;
    }
    outcomes_.insert_or_assign(decision.key, std::move(outcome));
  }

  const PodOutcome* Find(const api::ObjectKey& pod) const {
    auto found = outcomes_.find(pod);
    return found == outcomes_.end() ? nullptr : &found->second;
  }

 private:
  const Engine& engine_;
  std::map<api::ObjectKey, PodOutcome> outcomes_;
  std::map<api::ObjectKey, std::optional<ExplanationSummary>> made_room_;
};

// What is only asked, or told to users, changes nothing.
bool ChangesTheWorld(const ApiWrite& write) {
  const WriteLane lane = LaneOf(write);
  return !std::holds_alternative<CallExtender>(write) && lane != WriteLane::kStatus &&
         lane != WriteLane::kEvent;
}

// Plays the API server towards the engine.
class World {
 public:
  World(RecordingEngine& engine, net::ExtenderCalls& extenders, Instant start)
      : engine_(engine), extenders_(extenders), now_(start) {}

  // Each object becomes known a millisecond after the one before.
  void Put(const api::Object& object) {
    if (const PodRef* pod = AsPod(object)) pods_[api::KeyOf(object)] = *pod;
    engine_.Handle(ObjectPut{object}, now_);
    now_ = now_ + Duration::Millis(1);
  }

  const std::vector<EvictedPod>& evicted() const { return evicted_; }

  // Schedules until nothing is left, also after waits are over.
  void Run() {
    // The longest a pod is held back before it is tried again.
    constexpr Duration kLongestBackoff = Duration::Seconds(10);
    for (bool progress = true; progress; now_ = now_ + kLongestBackoff) {
      progress = false;
      for (bool busy = true; busy;) {
        busy = engine_.Schedule(now_) > 0;
        for (const Command& command : engine_.TakeCommands()) {
          std::visit([&](const auto& write) { Do(command.id, write); }, command.write);
          busy = true;
          progress |= ChangesTheWorld(command.write);
        }
      }
    }
  }

 private:
  void Do(CommandId id, const BindPod& bind) {
    auto found = pods_.find(bind.pod);
    CHECK(found != pods_.end());  // The engine binds only pods that it was given.
    auto bound = api::CopyToChange(*found->second);
    bound->spec.node_name = bind.node;
    bound->status.start_time = now_;
    Put(PodRef(std::move(bound)));
    engine_.Handle(WriteDone{id, {}}, now_);
  }

  void Do(CommandId id, const PatchPodStatus& patch) {
    if (auto found = pods_.find(patch.pod); found != pods_.end()) {
      auto patched = api::CopyToChange(*found->second);
      if (patch.nominated_node_name)
        patched->status.nominated_node_name = *patch.nominated_node_name;
      if (patch.condition) {
        std::erase_if(patched->status.conditions, [&](const api::PodCondition& condition) {
          return condition.type == patch.condition->type;
        });
        patched->status.conditions.push_back(*patch.condition);
      }
      Put(PodRef(std::move(patched)));
    }
    engine_.Handle(WriteDone{id, {}}, now_);
  }

  void Do(CommandId id, const CallExtender& call) {
    engine_.Handle(WriteDone{id, extenders_.CarryAndWait(call)}, now_);
  }
  void Do(CommandId id, const RecordEvent&) { engine_.Handle(WriteDone{id, {}}, now_); }

  // Pods leave at once: there is no grace period to wait for.
  void Do(CommandId id, const DeletePod& remove) {
    if (auto found = pods_.find(remove.pod); found != pods_.end()) {
      const PodRef gone = std::move(found->second);
      pods_.erase(found);
      evicted_.push_back({remove.pod, gone->spec.node_name});
      engine_.Handle(ObjectGone{gone}, now_);
    }
    engine_.Handle(WriteDone{id, {}}, now_);
  }

  // Volumes are bound as soon as the engine asks for it, and made where it wants new ones.
  void Do(CommandId id, const UpdatePersistentVolume& update) {
    auto volume = std::make_shared<api::PersistentVolume>(*update.object);
    const api::ObjectReference claim = *volume->claim_ref;
    volume->phase = "Bound";
    Put(api::Ref<api::PersistentVolume>(volume));
    const auto& claims = engine_.engine().cluster().objects<api::PersistentVolumeClaim>();
    BindClaim(*claims.Find({claim.namespace_, claim.name}), volume->metadata.name);
    engine_.Handle(WriteDone{id, {}}, now_);
  }
  void Do(CommandId id, const UpdatePersistentVolumeClaim& update) {
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
    engine_.Handle(WriteDone{id, {}}, now_);
  }
  void BindClaim(const api::PersistentVolumeClaim& claim, const std::string& volume) {
    auto bound = std::make_shared<api::PersistentVolumeClaim>(claim);
    bound->metadata.annotations.insert_or_assign("pv.kubernetes.io/bind-completed", "yes");
    bound->volume_name = volume;
    bound->phase = "Bound";
    Put(api::Ref<api::PersistentVolumeClaim>(std::move(bound)));
  }

  RecordingEngine& engine_;
  net::ExtenderCalls& extenders_;
  Instant now_;
  std::map<api::ObjectKey, PodRef> pods_;
  std::vector<EvictedPod> evicted_;
};

PodOutcome OutcomeOf(const api::Pod& pod, const EngineOptions& options, const Recorder& recorder) {
  PodOutcome outcome;
  outcome.pod = {pod.metadata.namespace_, pod.metadata.name};
  const bool ours = std::ranges::find(options.profiles, pod.spec.scheduler_name,
                                      &ProfileConfig::scheduler_name) != options.profiles.end();
  if (!ours) {
    outcome.kind = PodOutcome::Kind::kNotOurs;
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
    outcome.message = "was not tried";
  }
  return outcome;
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
    case PodOutcome::Kind::kNotOurs:
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
                                   const EngineOptions& options, Instant start,
                                   RecordWriter* record) {
  auto made = Engine::Make(options, InTreeRegistry());
  if (!made) return std::unexpected(made.error());
  RecordingEngine engine(**made, record);
  Recorder recorder(**made);
  engine.Observe(&recorder);
  auto extenders = net::ExtenderCalls::Make(options.extenders);
  if (!extenders) return std::unexpected(extenders.error());
  World world(engine, **extenders, start);
  for (const api::Object& object : objects) {
    if (AsPod(object) == nullptr) world.Put(object);
  }
  for (const api::Object& object : objects) {
    if (AsPod(object) != nullptr) world.Put(object);
  }
  world.Run();

  ScheduleReport report;
  report.evicted = world.evicted();
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

}  // namespace berth
