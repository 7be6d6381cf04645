#include "simulation/driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "simulation/population.h"

namespace berth::simulation {

Driver::Driver(const scheduler::framework::ProfileConfig& profile, const Options& options,
               const World& world)
    : profile_(profile),
      options_(options),
      world_(world),
      registry_(RegistryWith(world.book)),
      writes_(world.api, world.random) {
  world_.book.skip_unreserve = options.bug == PlantedBug::kSkippedUnreserve;
  StartEngine();
}

void Driver::StartEngine() {
  scheduler::engine::EngineOptions options;
  options.profiles = {profile_};
  options.features = options_.features;
  options.seed = options_.seed;
  options.paranoid = options_.paranoid;
  auto engine = scheduler::engine::Engine::Make(options, registry_);
  CHECK(engine.has_value());
  engine_ = *std::move(engine);
  engine_->Observe(this);
}

Now Driver::ClocksAt(Instant now) const {
  const Instant wall = now + wall_ahead_;
  return {options_.bug == PlantedBug::kWallClockIntervals ? wall : now, wall};
}

// --- events ---

bool Driver::Drops(const scheduler::engine::Event& event) const {
  if (options_.bug == PlantedBug::kLostGroup) {
    const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
    return put != nullptr && As<api::PodGroup>(put->object) != nullptr;
  }
  if (options_.bug == PlantedBug::kLeakedReservation) {
    const auto* done = std::get_if<scheduler::engine::WriteDone>(&event);
    return done != nullptr && !done->result.ok() && claim_writes_.contains(done->id);
  }
  if (options_.bug == PlantedBug::kDoubleAllocation) {
    const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
    const auto claim = put == nullptr ? nullptr : As<api::ResourceClaim>(put->object);
    return claim != nullptr && claim->status.allocation.has_value();
  }
  if (options_.bug == PlantedBug::kLeakedAssume) {
    const auto* done = std::get_if<scheduler::engine::WriteDone>(&event);
    return done != nullptr && !done->result.ok() && is_bind_.contains(done->id) &&
           is_bind_.at(done->id);
  }
  if (options_.bug != PlantedBug::kLostWakeUp) return false;
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  const auto pod = put == nullptr ? nullptr : As<api::Pod>(put->object);
  if (pod == nullptr) return false;
  const scheduler::model::PodId id =
      engine_->cluster().pods().Find(pod->metadata.namespace_, pod->metadata.name);
  if (!id.valid() || engine_->cluster().pod(id).uid() != pod->metadata.uid) return false;
  const bool was_gated = !engine_->cluster().pod(id).object->spec.scheduling_gates.empty();
  return was_gated && pod->spec.scheduling_gates.empty();
}

// These are: a pod that is assigned to a node or leaves one, and a new node.
bool Driver::RequeuesAll(const scheduler::engine::Event& event) const {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  const auto* deleted = std::get_if<scheduler::engine::ObjectDeleted>(&event);
  if (put == nullptr && deleted == nullptr) return false;
  const api::Object& object = put != nullptr ? put->object : deleted->object;
  const scheduler::model::Cluster& cluster = engine_->cluster();
  const api::ObjectKey key = api::KeyOf(object);
  if (const auto pod = As<api::Pod>(object)) {
    const scheduler::model::PodId id = cluster.pods().Find(key.namespace_, key.name);
    const bool was_bound =
        id.valid() && cluster.pod(id).state == scheduler::model::PodState::kBound;
    const bool is_bound = put != nullptr && !pod->spec.node_name.empty() && !pod->finished();
    return was_bound != is_bound;
  }
  if (!As<api::Node>(object) || put == nullptr) return false;
  const scheduler::model::NodeRow row = cluster.nodes().Find(cluster.symbols().Find(key.name));
  return !row.valid() || !cluster.nodes().present().Test(row.index());
}

namespace {

// Returns the event with requests of huge memory as the few bytes that are left of the sum of
// several in 64 bits.
scheduler::engine::Event Wrapped(const scheduler::engine::Event& event) {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  const auto pod = put == nullptr ? nullptr : As<api::Pod>(put->object);
  if (pod == nullptr || pod->spec.containers.empty()) return event;
  api::Pod wrapped = *pod;
  api::Quantity& memory = wrapped.spec.containers[0].resources.requests["memory"];
  if (memory == kHugeMemory) memory = api::Quantity::FromValue(1);
  return scheduler::engine::ObjectPut{std::make_shared<const api::Pod>(std::move(wrapped))};
}

// Returns the event with devices that consume no counters.
scheduler::engine::Event WithoutCounters(const scheduler::engine::Event& event) {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  const auto slice = put == nullptr ? nullptr : As<api::ResourceSlice>(put->object);
  if (slice == nullptr) return event;
  api::ResourceSlice free = *slice;
  for (api::Device& device : free.devices) device.consumes_counters.clear();
  return scheduler::engine::ObjectPut{std::make_shared<const api::ResourceSlice>(std::move(free))};
}

// Returns the event with a claim that seems not to be allocated.
scheduler::engine::Event WithoutAllocation(const scheduler::engine::Event& event) {
  const auto* done = std::get_if<scheduler::engine::WriteDone>(&event);
  if (done == nullptr || done->result.claim == nullptr) return event;
  scheduler::engine::WriteDone changed = *done;
  api::ResourceClaim claim = *done->result.claim;
  claim.status.allocation.reset();
  changed.result.claim = std::make_shared<const api::ResourceClaim>(std::move(claim));
  return changed;
}

// Returns the event with a gang that needs no more than one member.
scheduler::engine::Event WithoutMinCount(const scheduler::engine::Event& event) {
  const auto* put = std::get_if<scheduler::engine::ObjectPut>(&event);
  const auto group = put == nullptr ? nullptr : As<api::PodGroup>(put->object);
  if (group == nullptr || !group->min_count) return event;
  api::PodGroup easy = *group;
  easy.min_count = 1;
  return scheduler::engine::ObjectPut{std::make_shared<const api::PodGroup>(std::move(easy))};
}

}  // namespace

scheduler::engine::Event Driver::WithPlantedBug(const scheduler::engine::Event& event) const {
  switch (options_.bug) {
    case PlantedBug::kWrappedSums:
      return Wrapped(event);
    case PlantedBug::kLostCounter:
      return WithoutCounters(event);
    case PlantedBug::kDoubleAllocation:
      return WithoutAllocation(event);
    case PlantedBug::kHalfGang:
      return WithoutMinCount(event);
    default:
      return event;
  }
}

void Driver::Deliver(const scheduler::engine::Event& event, Instant now) {
  world_.trace.Add(Describe(event));
  const bool requeues_all = RequeuesAll(event);
  const bool dropped = Drops(event);
  if (const auto* done = std::get_if<scheduler::engine::WriteDone>(&event)) {
    world_.invariants.WriteEnded(*done);
    is_bind_.erase(done->id);
    claim_writes_.erase(done->id);
  }
  if (!dropped) engine_->Handle(WithPlantedBug(event), ClocksAt(now));
  // Count it afterwards: Handle first advances the time, and a pod that is rejected by that has not
  // seen the event.
  world_.book.requeue_all_events += requeues_all;
}

// A cycle that waits for a write defers what the engine receives: what the engine knows would lag
// behind what was delivered, which the invariants compare.
bool Driver::DeliverNext(Instant now) {
  if (world_.watch.idle() || engine_->cycle_waits()) return false;
  Deliver(world_.watch.Next(world_.random), now);
  return true;
}

void Driver::DeliverAgain(Instant now) {
  if (engine_->cycle_waits()) return;
  if (const auto event = world_.watch.Redeliver(world_.random)) Deliver(*event, now);
}

void Driver::Relist(Instant now) {
  if (engine_->cycle_waits()) return;
  world_.trace.Add("the watch is lost; all objects are listed again");
  for (const scheduler::engine::Event& event : world_.watch.Relist()) Deliver(event, now);
}

void Driver::Restart(Instant now) {
  ++restarts;
  world_.trace.Add("the scheduler restarts");
  writes_.Orphan();
  TakeOver(now);
}

void Driver::LoseLease(Instant now) {
  ++lost_leases;
  world_.trace.Add(fmt::format("the lease is lost with {} writes pending", writes_.size()));
  const bool sends_on = options_.bug == PlantedBug::kWriteAfterLoss;
  for (const scheduler::engine::WriteDone& done : writes_.EndTerm(now, sends_on)) {
    Deliver(done, now);
  }
  const scheduler::framework::WriteResult not_leading{
      .kind = scheduler::framework::WriteResult::Kind::kUnavailable, .message = "does not lead"};
  for (auto unsent = engine_->TakeCommands(); !unsent.empty(); unsent = engine_->TakeCommands()) {
    for (const scheduler::engine::Command& command : unsent) {
      Deliver(scheduler::engine::WriteDone{command.id, not_leading}, now);
    }
  }
  TakeOver(now);
}

void Driver::TakeOver(Instant now) {
  engine_.reset();
  is_bind_.clear();
  claim_writes_.clear();
  world_.invariants.EngineStopped();
  world_.book.reserved.clear();
  world_.book.bound.clear();
  world_.book.rejected.clear();
  world_.book.tried.clear();
  world_.book.last_rejected.clear();
  StartEngine();
  for (const scheduler::engine::Event& event : world_.watch.InitialList(world_.random))
    Deliver(event, now);
}

bool Driver::ResolvePermit(Instant now, bool always_allow) {
  const auto& waiting = engine_->waiting_pods().all();
  if (waiting.empty() || engine_->cycle_waits()) return false;
  const auto pod =
      std::next(waiting.begin(), static_cast<std::ptrdiff_t>(world_.random.Below(waiting.size())));
  const bool allow = always_allow || world_.random.Chance(60);
  Deliver(scheduler::engine::PermitDecision{pod->first, std::string(kReservations), allow,
                                            allow ? "" : "not today"},
          now);
  return true;
}

// --- commands ---

bool Driver::Schedule(Instant now, size_t limit, size_t commands) {
  bool busy = engine_->Schedule(ClocksAt(now), limit) > 0;
  for (const scheduler::engine::Command& command : engine_->TakeCommands(commands)) {
    busy = true;
    Send(command, now);
  }
  return busy;
}

namespace {

bool IsClaimWrite(const scheduler::framework::ApiWrite& write) {
  return std::holds_alternative<scheduler::framework::UpdateResourceClaim>(write) ||
         std::holds_alternative<scheduler::framework::UpdateResourceClaimStatus>(write);
}

}  // namespace

void Driver::Count(const scheduler::framework::ApiWrite& write) {
  const auto* update = std::get_if<scheduler::framework::UpdateResourceClaimStatus>(&write);
  if (update == nullptr) return;
  ++(update->object->status.allocation ? allocations : deallocations);
}

void Driver::Send(const scheduler::engine::Command& command, Instant now) {
  world_.trace.Add(fmt::format("command {}: {}", command.id.index(), Describe(command.write)));
  if (std::holds_alternative<scheduler::framework::RecordEvent>(command.write)) {
    return engine_->Handle(scheduler::engine::WriteDone{command.id, {}}, ClocksAt(now));
  }
  const bool is_bind = std::holds_alternative<scheduler::framework::BindPod>(command.write);
  binds += is_bind;
  is_bind_[command.id] = is_bind;
  if (IsClaimWrite(command.write)) claim_writes_.insert(command.id);
  Count(command.write);
  const int times = is_bind && options_.bug == PlantedBug::kDoubleBind ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    world_.invariants.CommandSent(command, *engine_);
    writes_.Send(WithPlantedBug(command), options_.faults, now);
  }
}

scheduler::engine::Command Driver::WithPlantedBug(scheduler::engine::Command command) const {
  auto* patch = std::get_if<scheduler::framework::PatchPodStatus>(&command.write);
  const bool clears = patch != nullptr && patch->nominated_node_name == "";
  if (clears && options_.bug == PlantedBug::kStaleNomination) patch->nominated_node_name.reset();
  return command;
}

bool Driver::ProgressWrites(Instant now) {
  if (writes_.idle(now)) return false;
  if (const auto done = writes_.Progress(now)) Deliver(*done, now);
  return true;
}

void Driver::OnDecision(const scheduler::engine::Decision& decision) {
  world_.trace.Add(Describe(decision));
  world_.invariants.Decided(decision, *engine_);
  ++decisions;
  placed += decision.kind == scheduler::engine::Decision::Kind::kPlaced;
  victims += decision.victims.size();
}

}  // namespace berth::simulation
