#include "scheduler/plugins/dynamic_resources/claim_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/framework/writes.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/dynamic_resources/bind_claim.h"

namespace berth::scheduler::plugins {
namespace {

// As kube-scheduler (retry.DefaultRetry).
constexpr int kMaxDeleteAttempts = 5;
constexpr Duration kDeleteConflictPause = Duration::Millis(10);

// Removes the finalizer, which is the scheduler's own, and retries after conflicts.
Task<framework::Verdict> RemoveFinalizer(framework::Async& async, model::ClaimRef claim) {
  for (int attempt = 1;; ++attempt) {
    auto next = std::make_shared<api::ResourceClaim>(*claim);
    auto& finalizers = next->metadata.finalizers;
    const auto found = std::ranges::find(finalizers, kClaimFinalizer);
    if (found != finalizers.end()) finalizers.erase(found);
    framework::ApiWrite write = framework::UpdateResourceClaim{std::move(next)};
    const framework::WriteResult result = co_await async.Write(std::move(write));
    if (result.ok()) co_return framework::Verdict();
    if (result.kind != framework::WriteResult::Kind::kConflict || attempt == kMaxDeleteAttempts) {
      co_return framework::Verdict::Error(fmt::format(
          "update resourceclaim {}: {}", model::ClaimKey(*claim).ToString(), result.message));
    }
    co_await async.Sleep(kDeleteConflictPause);
    framework::ApiWrite get = framework::GetResourceClaim{model::ClaimKey(*claim)};
    const framework::WriteResult latest = co_await async.Write(std::move(get));
    if (!latest.ok() || latest.claim == nullptr) {
      co_return framework::Verdict::Error(fmt::format(
          "get resourceclaim {}: {}", model::ClaimKey(*claim).ToString(), latest.message));
    }
    claim = latest.claim;
  }
}

Task<framework::Verdict> DeleteSpecialClaim(framework::Async& async, model::ClaimRef claim) {
  const api::ObjectKey key = model::ClaimKey(*claim);
  framework::Verdict removed = co_await RemoveFinalizer(async, std::move(claim));
  if (!removed.ok()) co_return removed;
  framework::ApiWrite write = framework::DeleteResourceClaim{key};
  const framework::WriteResult result = co_await async.Write(std::move(write));
  if (!result.ok()) co_return framework::Verdict::Error(result.message);
  co_return framework::Verdict();
}

// `cluster` must outlive the task.
Task<framework::Verdict> RemoveReservation(framework::Async& async, model::Cluster& cluster,
                                           framework::UnreserveResourceClaim unreserve) {
  framework::ApiWrite write = std::move(unreserve);
  const framework::WriteResult result = co_await async.Write(std::move(write));
  // The pod's next attempt must not count on the reservation.
  if (result.claim != nullptr) std::ignore = cluster.mutable_devices().Assume(result.claim);
  if (!result.ok()) co_return framework::Verdict::Error(result.message);
  co_return framework::Verdict();
}

// Another attempt may have its own allocation of the claim in flight: `claim.allocation` tells
// whether it is this one's.
void EndAllocation(model::Devices& devices, PodClaim& claim) {
  if (std::exchange(claim.allocation, nullptr) == nullptr) return;
  devices.RemoveInFlight(claim.object->metadata.uid, /*forced=*/false);
}

}  // namespace

std::string UnreserveTaskOf(const api::ResourceClaim& claim) {
  return "unreserve " + claim.metadata.uid;
}

void UnreserveClaims(framework::Cycle& cycle, PodClaims& pod) {
  model::Cluster& cluster = cycle.mutable_cluster();
  framework::Background* const background = cycle.background();
  const std::string& uid = cycle.pod().uid();
  for (PodClaim& claim : pod.claims) {
    EndAllocation(cluster.mutable_devices(), claim);
    if (background == nullptr) continue;
    framework::Async& async = background->async();
    if (claim.special) {
      if (claim.in_api())
        background->Run("delete " + claim.object->metadata.uid,
                        DeleteSpecialClaim(async, claim.object));
    } else if (claim.object->status.allocation && IsReservedFor(*claim.object, uid)) {
      framework::UnreserveResourceClaim unreserve{model::ClaimKey(*claim.object),
                                                  claim.object->metadata.uid, uid};
      background->Run(UnreserveTaskOf(*claim.object),
                      RemoveReservation(async, cluster, std::move(unreserve)));
    }
  }
}

Task<framework::Verdict> Deallocate(framework::Async* writes, model::Cluster& cluster,
                                    DeallocationPlan plan) {
  if (writes == nullptr) co_return plan.Verdict();
  if (plan.deallocate != nullptr) {
    auto next = std::make_shared<api::ResourceClaim>(*plan.deallocate);
    next->status = {};
    framework::ApiWrite write = framework::UpdateResourceClaimStatus{std::move(next)};
    const framework::WriteResult result = co_await writes->Write(std::move(write));
    if (!result.ok()) co_return framework::Verdict::Error(result.message);
    // DIFFERS: in kube-scheduler the pod's next attempt may find the claim as it was, and count on
    // a reservation that is gone.
    if (result.claim != nullptr) cluster.mutable_devices().AssumeAfterCycle(result.claim);
  } else if (plan.remove != nullptr) {
    framework::Verdict deleted = co_await DeleteSpecialClaim(*writes, plan.remove);
    if (!deleted.ok()) co_return deleted;
  }
  co_return plan.Verdict();
}

}  // namespace berth::scheduler::plugins
