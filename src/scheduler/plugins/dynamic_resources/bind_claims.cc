#include "scheduler/plugins/dynamic_resources/bind_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "scheduler/framework/measurements.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/dynamic_resources/bind_claim.h"
#include "scheduler/plugins/dynamic_resources/claim_cleanup.h"
#include "scheduler/plugins/dynamic_resources/pod_claims.h"

namespace berth::scheduler::plugins {
namespace {

using framework::DeviceBindingResult;

constexpr Duration kDevicePollInterval = Duration::Seconds(5);
// How often a binding looks whether another one has ended its writes to a claim.
constexpr Duration kClaimPollInterval = Duration::Millis(10);

struct Readiness {
  bool ended = false;
  DeviceBindingResult result = DeviceBindingResult::kSuccess;
  std::string error = {};  // Unless it is a success.

  static Readiness Failed(DeviceBindingResult result, std::string error) {
    return {true, result, std::move(error)};
  }
};

// Reads the claims again. The first one that is not ready decides.
Readiness CheckReadiness(const framework::BindingContext& binding, const model::Cluster& cluster,
                         PodClaims& pod, Duration timeout) {
  for (PodClaim& claim : pod.claims) {
    const api::ObjectKey key = model::ClaimKey(*claim.object);
    model::ClaimRef latest = cluster.devices().FindClaim(key);
    if (latest == nullptr) {
      return Readiness::Failed(DeviceBindingResult::kError,
                               fmt::format("could not find ResourceClaim \"{}\"", key.ToString()));
    }
    claim.object = std::move(latest);
    const auto ready = AreDevicesReady(*claim.object);
    if (!ready) return Readiness::Failed(DeviceBindingResult::kFailure, ready.error().message);
    if (*ready) continue;
    if (!BindingTimedOut(*claim.object, timeout, binding.wall_now())) return {};
    return Readiness::Failed(DeviceBindingResult::kTimeout,
                             "device binding timeout: claim=" + claim.object->metadata.name);
  }
  return {.ended = true};
}

Task<Readiness> PollReadiness(framework::BindingContext& binding, PodClaims& pod,
                              Duration timeout) {
  const Instant deadline = binding.now() + timeout;
  for (;;) {
    if (binding.cancelled())
      co_return Readiness::Failed(DeviceBindingResult::kError, "context canceled");
    if (binding.now() >= deadline) {
      co_return Readiness::Failed(DeviceBindingResult::kTimeout,
                                  "device binding timeout: context deadline exceeded");
    }
    Readiness readiness = CheckReadiness(binding, binding.cycle().cluster(), pod, timeout);
    if (readiness.ended) co_return readiness;
    co_await binding.Sleep(std::min(kDevicePollInterval, deadline - binding.now()));
  }
}

void MeasureWait(framework::Cycle& cycle, const PodClaims& pod, DeviceBindingResult result,
                 Duration waited) {
  framework::Measurements* to = cycle.measurements();
  if (to == nullptr) return;
  const std::string& scheduler = cycle.pod().object->spec.scheduler_name;
  for (const PodClaim& claim : pod.claims) {
    if (!claim.object->status.allocation) continue;
    for (const auto& device : claim.object->status.allocation->results) {
      to->DeviceBindingWaited(scheduler, device.driver, result, waited);
      if (!device.binding_conditions.empty())
        to->DeviceBindingEnded(scheduler, device.driver, result);
    }
  }
}

Task<framework::Verdict> WaitForDevices(framework::BindingContext& binding, PodClaims& pod,
                                        Duration timeout) {
  framework::Cycle& cycle = binding.cycle();
  const api::Pod& object = *cycle.pod().object;
  binding.Record({.pod = cycle.pod().key(),
                  .uid = object.metadata.uid,
                  .type = "Normal",
                  .reason = "BindingConditionsPending",
                  .action = "Scheduling",
                  .note = fmt::format("waiting for binding conditions for device on node {}",
                                      cycle.nodes().name(binding.node())),
                  .scheduler_name = object.spec.scheduler_name,
                  .resource_version = object.metadata.resource_version});
  const Instant start = binding.now();
  Readiness readiness = co_await PollReadiness(binding, pod, timeout);
  MeasureWait(cycle, pod, readiness.result, binding.now() - start);
  if (readiness.result == DeviceBindingResult::kSuccess) co_return framework::Verdict();
  co_return framework::Verdict::Error(std::move(readiness.error));
}

// Makes the claim, which is allocated, its latest version; fails if that is another claim, or has
// other devices.
framework::Verdict Refresh(const model::Cluster& cluster, PodClaim& claim) {
  const api::ObjectKey key = model::ClaimKey(*claim.object);
  model::ClaimRef latest = cluster.devices().FindClaim(key);
  if (latest == nullptr || latest->metadata.uid != claim.object->metadata.uid) {
    return framework::Verdict::Error(
        fmt::format("claim {} got deleted in the meantime", key.ToString()));
  }
  if (!HaveSameDevices(*latest, *claim.object))
    return framework::Verdict::Error(DeallocatedElsewhere(*latest));
  claim.object = std::move(latest);
  return {};
}

// An earlier attempt may still be removing its reservation, which must not meet the one that this
// attempt makes; or it may have removed, since PreFilter, the one that the claim shows. A claim
// that nobody uses may then have lost its devices, or be gone.
//
// DIFFERS: kube-scheduler binds a pod if PreFilter found its claim reserved for it.
Task<framework::Verdict> AwaitUnreserve(framework::BindingContext& binding, PodClaim& claim) {
  const framework::Background* background = binding.cycle().background();
  const std::string task = UnreserveTaskOf(*claim.object);
  while (background != nullptr && background->IsRunning(task) && !binding.cancelled())
    co_await binding.Sleep(kClaimPollInterval);
  if (!IsReservedFor(*claim.object, binding.cycle().pod().uid())) co_return framework::Verdict();
  co_return Refresh(binding.cycle().cluster(), claim);
}

// Waits until the member of the pod's group that allocates the claim has written that.
Task<framework::Verdict> AwaitAllocation(framework::BindingContext& binding, PodClaim& claim) {
  const model::Devices& devices = binding.cycle().cluster().devices();
  const api::ObjectKey key = model::ClaimKey(*claim.object);
  for (;;) {
    const model::ClaimRef latest = devices.FindClaim(key);
    const bool waits =
        latest != nullptr && !latest->status.allocation && devices.IsInFlight(latest->metadata.uid);
    if (!waits) break;
    if (binding.cancelled()) co_return framework::Verdict::Error("context canceled");
    co_await binding.Sleep(kClaimPollInterval);
  }
  framework::Verdict refreshed = Refresh(binding.cycle().cluster(), claim);
  if (refreshed.ok()) claim.joined = false;
  co_return refreshed;
}

// ClaimTurn lets the bindings of pods that share a claim write to it one after the other, each on
// the version that the one before has written.
//
// DIFFERS: in kube-scheduler they write at once; all but one fail by conflict, and of many pods
// some fail five times.
class ClaimTurn {
 public:
  ClaimTurn(model::Devices& devices, std::string uid) : devices_(devices), uid_(std::move(uid)) {}
  ClaimTurn(const ClaimTurn&) = delete;
  ClaimTurn& operator=(const ClaimTurn&) = delete;
  ~ClaimTurn() {
    if (has_begun_) devices_.being_written().erase(uid_);
  }

  bool TryBegin() {
    has_begun_ = devices_.being_written().insert(uid_).second;
    return has_begun_;
  }

 private:
  model::Devices& devices_;
  const std::string uid_;
  bool has_begun_ = false;
};

Task<framework::Verdict> BindInTurn(framework::BindingContext& binding, const PodClaims& pod,
                                    PodClaim& claim) {
  model::Cluster& cluster = binding.cycle().mutable_cluster();
  ClaimTurn turn(cluster.mutable_devices(), claim.object->metadata.uid);
  bool has_waited = false;
  while (!turn.TryBegin()) {
    if (binding.cancelled()) co_return framework::Verdict::Error("context canceled");
    has_waited = true;
    co_await binding.Sleep(kClaimPollInterval);
  }
  if (has_waited && claim.object->status.allocation) {
    framework::Verdict refreshed = Refresh(cluster, claim);
    if (!refreshed.ok()) co_return refreshed;
  }
  co_return co_await BindClaim(binding, pod, claim);
}

}  // namespace

Task<framework::Verdict> BindClaims(framework::BindingContext& binding, PodClaims& pod,
                                    Duration timeout) {
  const std::string& uid = binding.cycle().pod().uid();
  for (PodClaim& claim : pod.claims) {
    framework::Verdict verdict = co_await AwaitUnreserve(binding, claim);
    if (verdict.ok() && claim.joined) verdict = co_await AwaitAllocation(binding, claim);
    if (verdict.ok() && !IsReservedFor(*claim.object, uid))
      verdict = co_await BindInTurn(binding, pod, claim);
    if (!verdict.ok()) co_return verdict;
  }
  const bool waits = binding.cycle().cluster().devices().gates().binding_conditions &&
                     std::ranges::any_of(pod.claims, [](const PodClaim& claim) {
                       return HasBindingConditions(*claim.object);
                     });
  if (!waits) co_return framework::Verdict();
  co_return co_await WaitForDevices(binding, pod, timeout);
}

}  // namespace berth::scheduler::plugins
