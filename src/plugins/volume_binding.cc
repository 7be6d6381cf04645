#include "plugins/volume_binding.h"

#include <algorithm>
#include <optional>

#include "framework/binding.h"
#include "framework/cycle.h"
#include "plugins/volume_plan.h"
#include "plugins/volume_reservation.h"

namespace berth {
namespace {

struct State final : CycleState {
  std::shared_ptr<const VolumePlan> plan;        // Until Reserve.
  std::optional<VolumeReservation> reservation;  // From Reserve on, if there is something to do.

  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<State>(*this); }
};

constexpr Duration kPollInterval = Duration::Seconds(1);
// Decades: longer ones would not fit into an Instant.
constexpr int64_t kLongestTimeoutSeconds = 1'000'000'000;

// Writes volumes first, then claims, until one fails.
Task<Verdict> WriteAll(BindingContext& binding, VolumeReservation& reservation) {
  for (VolumeReservation::Binding& bound : reservation.bindings()) {
    UpdatePersistentVolume update{bound.volume};
    WriteResult result = co_await binding.Write(std::move(update));
    if (!result.ok()) co_return Verdict::Error(result.message);
    bound.written = std::move(result.resource_version);
  }
  for (VolumeReservation::Provision& provision : reservation.provisions()) {
    UpdatePersistentVolumeClaim update{provision.claim};
    WriteResult result = co_await binding.Write(std::move(update));
    if (!result.ok()) co_return Verdict::Error(result.message);
    provision.written = std::move(result.resource_version);
  }
  co_return Verdict();
}

}  // namespace

Result<std::unique_ptr<Plugin>> VolumeBinding::Make(const VolumeBindingArgs& args) {
  const int64_t seconds = std::min(args.bind_timeout_seconds, kLongestTimeoutSeconds);
  return std::unique_ptr<Plugin>(new VolumeBinding(Duration::Seconds(seconds)));
}

PreFilterResult VolumeBinding::PreFilter(Cycle& cycle) const {
  if (!cycle.pod_class().uses_storage) return {Verdict::Skip(), {}};
  auto plan = VolumePlan::Make(cycle.cluster(), *cycle.pod().object);
  if (!plan) return {std::move(plan.error()), {}};
  if (*plan == nullptr) return {Verdict::Skip(), {}};
  auto state = std::make_unique<State>();
  state->plan = *std::move(plan);
  cycle.SetState(*this, std::move(state));
  return {};
}

Verdict VolumeBinding::Filter(const Cycle& cycle, NodeMask& nodes) const {
  if (cycle.state<State>(*this).plan->any_node()) return {};
  Verdict error;
  nodes.KeepIf([&](size_t row) {
    Verdict verdict = Explain(cycle, NodeRow{static_cast<uint32_t>(row)});
    if (verdict.ok()) return true;
    if (!verdict.rejected() && error.ok()) error = std::move(verdict);
    return false;
  });
  return error;
}

Verdict VolumeBinding::Explain(const Cycle& cycle, NodeRow node) const {
  return cycle.state<State>(*this).plan->For(node).verdict;
}

std::string VolumeBinding::Details(const Cycle& cycle, NodeRow node) const {
  return cycle.state<State>(*this).plan->DetailsFor(node);
}

Verdict VolumeBinding::PreScore(Cycle&, const NodeMask&) const { return Verdict::Skip(); }

Verdict VolumeBinding::Score(const Cycle&, const NodeMask& nodes, std::span<int64_t> out) const {
  nodes.ForEach([&](size_t row) { out[row] = 0; });
  return {};
}

Verdict VolumeBinding::Reserve(Cycle& cycle, NodeRow node) const {
  if (!cycle.has_state(*this)) return {};
  auto& state = cycle.state<State>(*this);
  const auto plan = std::exchange(state.plan, nullptr);  // It does not outlive the cluster's state.
  if (plan->all_bound()) return {};
  const VolumePlan::OnNode on_node = plan->For(node);
  if (!on_node.verdict.ok()) return on_node.verdict;
  state.reservation.emplace(cycle.mutable_cluster().mutable_storage(), on_node,
                            cycle.nodes().name(node));
  return {};
}

void VolumeBinding::Unreserve(Cycle& cycle, NodeRow) const {
  if (!cycle.has_state(*this)) return;
  auto& state = cycle.state<State>(*this);
  if (!state.reservation) return;
  state.reservation->Revert(cycle.mutable_cluster().mutable_storage());
  state.reservation.reset();
}

PreBindPlan VolumeBinding::PreBindPreFlight(const Cycle& cycle, NodeRow) const {
  const bool has_work = cycle.has_state(*this) && cycle.state<State>(*this).reservation;
  return {has_work ? Verdict() : Verdict::Skip(), /*may_run_in_parallel=*/true};
}

Task<Verdict> VolumeBinding::PreBind(BindingContext& binding) const {
  VolumeReservation& reservation = *binding.cycle().state<State>(*this).reservation;
  Verdict written = co_await WriteAll(binding, reservation);
  if (!written.ok()) co_return written;
  const Instant deadline = binding.now() + timeout_;
  while (binding.now() < deadline && !binding.cancelled()) {
    co_await binding.Sleep(std::min(kPollInterval, deadline - binding.now()));
    const Cycle& cycle = binding.cycle();
    const auto done = reservation.IsDone(cycle.cluster(), cycle.pod().key());
    if (!done) co_return Verdict::Error("binding volumes: " + done.error().message);
    if (*done) co_return Verdict();
  }
  co_return Verdict::Error("binding volumes: context deadline exceeded");
}

}  // namespace berth
