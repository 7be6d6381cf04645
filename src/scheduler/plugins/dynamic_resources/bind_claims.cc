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
constexpr Duration kUnreservePollInterval = Duration::Millis(10);

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

// An earlier attempt may still be removing its reservation, which must not meet the one that this
// attempt makes; or it may have removed, since PreFilter, the one that the claim shows. A claim
// that nobody uses may then have lost its devices, or be gone.
//
// DIFFERS: kube-scheduler binds a pod if PreFilter found its claim reserved for it.
Task<framework::Verdict> AwaitUnreserve(framework::BindingContext& binding, PodClaim& claim) {
  const framework::Background* background = binding.cycle().background();
  const std::string task = UnreserveTaskOf(*claim.object);
  while (background != nullptr && background->IsRunning(task) && !binding.cancelled())
    co_await binding.Sleep(kUnreservePollInterval);
  if (!IsReservedFor(*claim.object, binding.cycle().pod().uid())) co_return framework::Verdict();
  const api::ObjectKey key = model::ClaimKey(*claim.object);
  model::ClaimRef latest = binding.cycle().cluster().devices().FindClaim(key);
  if (latest == nullptr || latest->metadata.uid != claim.object->metadata.uid) {
    co_return framework::Verdict::Error(
        fmt::format("claim {} got deleted in the meantime", key.ToString()));
  }
  if (!HaveSameDevices(*latest, *claim.object))
    co_return framework::Verdict::Error(DeallocatedElsewhere(*latest));
  claim.object = std::move(latest);
  co_return framework::Verdict();
}

}  // namespace

Task<framework::Verdict> BindClaims(framework::BindingContext& binding, PodClaims& pod,
                                    Duration timeout) {
  const std::string& uid = binding.cycle().pod().uid();
  for (PodClaim& claim : pod.claims) {
    framework::Verdict verdict = co_await AwaitUnreserve(binding, claim);
    if (verdict.ok() && !IsReservedFor(*claim.object, uid))
      verdict = co_await BindClaim(binding, pod, claim);
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
