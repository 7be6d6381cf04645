#include "scheduler/plugins/volume_binding/volume_binding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/saturating.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/search_rules.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/storage_model.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/volume_binding/volume_plan.h"
#include "scheduler/plugins/volume_binding/volume_reservation.h"

namespace berth::scheduler::plugins {
namespace {

struct PlanState final : framework::CycleState {
  std::shared_ptr<const VolumePlan> plan;        // Until Reserve.
  std::optional<VolumeReservation> reservation;  // From Reserve on, if there is work to do.

  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<PlanState>(*this);
  }
};

constexpr Duration kPollInterval = Duration::Seconds(1);
// Decades: longer ones overflow an Instant.
constexpr int64_t kLongestTimeoutSeconds = 1'000'000'000;

void CountError(const framework::Cycle& cycle, framework::VolumeStage stage) {
  if (framework::Measurements* to = cycle.measurements()) to->VolumeStageFailed(stage);
}

framework::Verdict Canceled() { return framework::Verdict::Error("context canceled"); }

// Writes volumes first, then claims, until one fails.
Task<framework::Verdict> WriteAll(framework::BindingContext& binding,
                                  VolumeReservation& reservation) {
  for (VolumeReservation::Binding& bound : reservation.bindings()) {
    if (binding.cancelled()) co_return Canceled();
    framework::UpdatePersistentVolume update{bound.volume};
    framework::WriteResult result = co_await binding.Write(std::move(update));
    if (!result.ok()) co_return framework::Verdict::Error(result.message);
    bound.written = std::move(result.resource_version);
  }
  for (VolumeReservation::Provision& provision : reservation.provisions()) {
    if (binding.cancelled()) co_return Canceled();
    framework::UpdatePersistentVolumeClaim update{provision.claim};
    framework::WriteResult result = co_await binding.Write(std::move(update));
    if (!result.ok()) co_return framework::Verdict::Error(result.message);
    provision.written = std::move(result.resource_version);
  }
  co_return framework::Verdict();
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> VolumeBinding::Make(
    const framework::VolumeBindingArgs& args) {
  const int64_t seconds = std::min(args.bind_timeout_seconds, kLongestTimeoutSeconds);
  std::vector<framework::ShapePoint> shape = args.shape.value_or(framework::DefaultStorageShape());
  for (framework::ShapePoint& point : shape) point.score *= 10;  // Configured as 0..10.
  return std::unique_ptr<framework::Plugin>(
      new VolumeBinding(Duration::Seconds(seconds), std::move(shape)));
}

framework::PreFilterResult VolumeBinding::PreFilter(framework::Cycle& cycle) const {
  if (!cycle.pod_class().uses_storage) return {framework::Verdict::Skip(), {}};
  auto plan = VolumePlan::Make(cycle.cluster(), *cycle.pod().object);
  if (!plan) return {std::move(plan.error()), {}};
  if (*plan == nullptr) return {framework::Verdict::Skip(), {}};
  auto state = std::make_unique<PlanState>();
  state->plan = *std::move(plan);
  cycle.SetState(*this, std::move(state));
  return {};
}

framework::Conditions VolumeBinding::Require(const framework::Cycle& cycle) const {
  return cycle.state<PlanState>(*this).plan->Require(*this);
}

framework::Verdict VolumeBinding::FilterNode(const framework::Cycle& cycle,
                                             model::NodeRow node) const {
  return cycle.state<PlanState>(*this).plan->For(node).verdict;
}

framework::Verdict VolumeBinding::FilterNodes(const framework::Cycle& cycle,
                                              model::NodeMask& nodes) const {
  framework::Verdict error = NodeFilter::FilterNodes(cycle, nodes);
  if (!error.ok()) CountError(cycle, framework::VolumeStage::kPredicate);
  return error;
}

std::string VolumeBinding::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  return cycle.state<PlanState>(*this).plan->DetailsFor(node);
}

namespace {

// Reports whether scores depend on the storage that nodes have left.
bool ScoresStorage(const framework::Plugin& plugin, const framework::Cycle& cycle) {
  return cycle.cluster().features().storage_capacity_scoring && cycle.has_state(plugin) &&
         !cycle.state<PlanState>(plugin).plan->all_bound();
}

}  // namespace

framework::Verdict VolumeBinding::PreScore(framework::Cycle& cycle, const model::NodeMask&) const {
  return ScoresStorage(*this, cycle) ? framework::Verdict() : framework::Verdict::Skip();
}

framework::Described VolumeBinding::DescribeScore(const framework::Cycle& cycle, int32_t,
                                                  framework::SearchRules&) const {
  return ScoresStorage(*this, cycle) ? framework::Described::kNo : framework::Described::kSkip;
}

namespace {

int64_t UtilizationOf(const VolumePlan::StorageUse& use) {
  if (use.capacity == 0 || use.requested > use.capacity) return 100;
  return MultiplyDivide(use.requested, 100, use.capacity);
}

}  // namespace

framework::Verdict VolumeBinding::Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                                        std::span<int64_t> out) const {
  const VolumePlan& plan = *cycle.state<PlanState>(*this).plan;
  nodes.ForEach([&](size_t row) {
    const auto uses = plan.UseOn(model::NodeRow{static_cast<uint32_t>(row)});
    int64_t sum = 0;
    for (const auto& [storage_class, use] : uses)
      sum += framework::BrokenLinear(shape_, UtilizationOf(use));
    out[row] = uses.empty()
                   ? 0
                   : std::llround(static_cast<double>(sum) / static_cast<double>(uses.size()));
  });
  return {};
}

framework::Verdict VolumeBinding::Reserve(framework::Cycle& cycle, model::NodeRow node) const {
  if (!cycle.has_state(*this)) return {};
  auto& state = cycle.state<PlanState>(*this);
  const auto plan = std::exchange(state.plan, nullptr);  // It is invalid once the cluster changes.
  if (plan->all_bound()) return {};
  const VolumePlan::OnNode on_node = plan->For(node);
  if (!on_node.verdict.ok()) {
    CountError(cycle, framework::VolumeStage::kAssume);
    return on_node.verdict;
  }
  state.reservation.emplace(cycle.mutable_cluster().mutable_storage(), on_node,
                            cycle.nodes().name(node));
  return {};
}

void VolumeBinding::Unreserve(framework::Cycle& cycle, model::NodeRow) const {
  if (!cycle.has_state(*this)) return;
  auto& state = cycle.state<PlanState>(*this);
  if (!state.reservation) return;
  state.reservation->Revert(cycle.mutable_cluster().mutable_storage());
  state.reservation.reset();
}

framework::PreBindPlan VolumeBinding::PreBindPreFlight(const framework::Cycle& cycle,
                                                       model::NodeRow) const {
  const bool has_work = cycle.has_state(*this) && cycle.state<PlanState>(*this).reservation;
  return {has_work ? framework::Verdict() : framework::Verdict::Skip(),
          /*may_run_in_parallel=*/true};
}

Task<framework::Verdict> VolumeBinding::PreBind(framework::BindingContext& binding) const {
  // Without the feature NominatedNodeNameForExpectation nothing asks PreBindPreFlight.
  if (PreBindPreFlight(binding.cycle(), binding.node()).verdict.skipped())
    co_return framework::Verdict();
  framework::Verdict verdict = co_await BindPodVolumes(binding);
  if (!verdict.ok()) CountError(binding.cycle(), framework::VolumeStage::kBind);
  co_return verdict;
}

Task<framework::Verdict> VolumeBinding::BindPodVolumes(framework::BindingContext& binding) const {
  VolumeReservation& reservation = *binding.cycle().state<PlanState>(*this).reservation;
  framework::Verdict written = co_await WriteAll(binding, reservation);
  if (!written.ok()) co_return written;
  const Instant deadline = binding.now() + timeout_;
  while (binding.now() < deadline && !binding.cancelled()) {
    co_await binding.Sleep(std::min(kPollInterval, deadline - binding.now()));
    if (binding.cancelled()) break;
    const framework::Cycle& cycle = binding.cycle();
    const auto done = reservation.IsDone(cycle.cluster(), cycle.pod().key());
    if (!done) co_return framework::Verdict::Error("binding volumes: " + done.error().message);
    if (*done) co_return framework::Verdict();
  }
  if (binding.cancelled()) co_return Canceled();
  co_return framework::Verdict::Error("binding volumes: context deadline exceeded");
}

// --- queueing hints ---

namespace {

// The in-tree plugins that the node has migrated to CSI drivers.
std::string_view MigratedPlugins(const api::CsiNode& node) {
  const auto found = node.metadata.annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  return found == node.metadata.annotations.end() ? std::string_view() : found->second;
}

// The size of the largest volume that can be provisioned.
const std::optional<api::Quantity>& LimitOf(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

bool LimitGrew(const api::CsiStorageCapacity& before, const api::CsiStorageCapacity& after) {
  if (!LimitOf(after)) return false;
  return !LimitOf(before) || *LimitOf(after) > *LimitOf(before);
}

bool HasInlineVolumeOf(const api::CsiDriver& driver, const api::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [&](const api::Volume& volume) {
    const auto* csi = std::get_if<api::CsiInlineSource>(&volume.source);
    return csi != nullptr && csi->driver == driver.metadata.name;
  });
}

// Reports whether the event added the object, or changed it in a way that `helps` accepts.
template <typename T, typename Helps>
Result<bool> AddedOr(const framework::ClusterEvent& event, Helps&& helps) {
  const auto change = UpdateOf<T>(event);
  if (!change) return std::unexpected(change.error());
  return change->before == nullptr || helps(*change->before, *change->after);
}

}  // namespace

std::vector<framework::ClusterEventWithHint> VolumeBinding::EventsToRegister() const {
  return {{{framework::Resource::kStorageClass, framework::kAdd | framework::kUpdate}},
          {{framework::Resource::kPersistentVolumeClaim, framework::kAdd | framework::kUpdate}},
          {{framework::Resource::kPersistentVolume, framework::kAdd | framework::kUpdate},
           /*conditional=*/false},
          {{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel},
           /*conditional=*/false},
          {{framework::Resource::kCsiNode, framework::kAdd | framework::kUpdate}},
          {{framework::Resource::kCsiDriver, framework::kUpdate}},
          {{framework::Resource::kCsiStorageCapacity, framework::kAdd | framework::kUpdate}}};
}

Result<bool> VolumeBinding::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                         const framework::ClusterEvent& event) const {
  switch (KindOf(event)) {
    case framework::Resource::kStorageClass:
      return AddedOr<api::StorageClass>(event, [](const auto& before, const auto& after) {
        return before.allowed_topologies != after.allowed_topologies;
      });
    case framework::Resource::kCsiNode:
      return AddedOr<api::CsiNode>(event, [](const auto& before, const auto& after) {
        return MigratedPlugins(before) != MigratedPlugins(after);
      });
    case framework::Resource::kCsiStorageCapacity:
      return AddedOr<api::CsiStorageCapacity>(event, LimitGrew);
    case framework::Resource::kCsiDriver: {
      const auto driver = ChangeOf<api::CsiDriver>(event);
      if (!driver) return std::unexpected(driver.error());
      if (driver->before == nullptr || driver->after == nullptr) return false;
      return driver->before->storage_capacity == true && driver->after->storage_capacity != true &&
             HasInlineVolumeOf(*driver->after, pod.object->spec);
    }
    default: {
      const auto claim = UpdateOf<api::PersistentVolumeClaim>(event);
      if (!claim) return std::unexpected(claim.error());
      return UsesClaim(*pod.object, *claim->after);
    }
  }
}

}  // namespace berth::scheduler::plugins
