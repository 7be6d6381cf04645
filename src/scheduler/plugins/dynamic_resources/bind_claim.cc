#include "scheduler/plugins/dynamic_resources/bind_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/framework/measurements.h"
#include "scheduler/framework/status_retries.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::plugins {
namespace {

using ClaimWriteKind = framework::WriteResult::Kind;

// As kube-scheduler (retry.DefaultRetry).
constexpr int kMaxClaimAttempts = 5;
constexpr Duration kClaimConflictPause = Duration::Millis(10);
// While nobody knows whether a write took effect, pauses grow up to this.
constexpr Duration kLongestClaimPause = Duration::Seconds(5);
// How long a claim that was created may take to be seen.
constexpr Duration kSpecialClaimTimeout = Duration::Seconds(120);
constexpr Duration kLongestSpecialClaimPause = Duration::Seconds(1);
// How often one that took longer is looked for.
constexpr Duration kUnseenClaimPause = Duration::Seconds(60);

auto DeviceOf(const api::DeviceRequestAllocationResult& result) {
  return std::tie(result.request, result.driver, result.pool, result.device, result.share_id);
}
bool SameDevices(const api::AllocationResult& a, const api::AllocationResult& b) {
  return std::ranges::equal(a.results, b.results, {}, DeviceOf, DeviceOf);
}

// ClaimReservation writes that a claim is allocated and reserved for a pod.
//
// DIFFERS: a write without a response may have happened, or may still happen. kube-scheduler gives
// its devices up at once, and may give them to another pod; here the write is repeated, for the
// same version of the claim, until the claim shows what became of it: only one write can succeed
// for a version.
class ClaimReservation {
 public:
  // All must outlive this.
  ClaimReservation(framework::BindingContext& binding, const PodClaim& claim)
      : binding_(binding),
        pod_(*binding.cycle().pod().object),
        allocation_(claim.allocation),
        found_(claim.object),
        current_(claim.object) {}

  Task<framework::Verdict> Run() {
    for (int attempt = 1;; ++attempt) {
      Tried tried = co_await Try();
      if (!tried.again || (attempt >= kMaxClaimAttempts && !unknown_)) co_return tried.verdict;
      framework::Verdict refreshed = co_await Refresh();
      if (!refreshed.ok()) co_return refreshed;
    }
  }

  // What the API has stored; null if nothing was written.
  const model::ClaimRef& written() const { return written_; }

 private:
  struct Tried {
    framework::Verdict verdict;
    // After a conflict; or if an earlier write may have happened, unless this one, which is the
    // same, is invalid.
    bool again = false;
  };

  Tried Failed(std::string message) const {
    return {framework::Verdict::Error(std::move(message)), false};
  }
  Tried Failed(std::string_view step, const framework::WriteResult& result) const {
    return {framework::Verdict::Error(fmt::format("{} claim {}: {}", step, name(), result.message)),
            result.kind == ClaimWriteKind::kConflict ||
                (unknown_ && result.kind != ClaimWriteKind::kRejected)};
  }

  Task<Tried> Try() {
    if (unknown_ && IsWritten()) {
      written_ = current_;
      co_return Tried();
    }
    if (binding_.cancelled() && !unknown_) co_return Failed("context canceled");
    // DIFFERS: kube-scheduler takes another claim of the same name for this one.
    if (current_->metadata.deletion_timestamp || current_->metadata.uid != found_->metadata.uid)
      co_return Failed(fmt::format("claim {} got deleted in the meantime", name()));
    if (allocation_ != nullptr) {
      if (current_->status.allocation)
        co_return Failed(fmt::format("claim {} got allocated elsewhere in the meantime", name()));
      Tried protected_claim = co_await AddFinalizer();
      if (!protected_claim.verdict.ok()) co_return protected_claim;
    } else if (current_->status.allocation && !HaveSameDevices(*current_, *found_)) {
      // DIFFERS: kube-scheduler reserves devices that may be on another node than the pod.
      co_return Failed(DeallocatedElsewhere(*current_));
    }
    auto next = std::make_shared<api::ResourceClaim>(*current_);
    if (allocation_ != nullptr) next->status.allocation = *allocation_;
    next->status.reserved_for.push_back({.api_group = {},
                                         .resource = "pods",
                                         .name = pod_.metadata.name,
                                         .uid = pod_.metadata.uid});
    if (binding_.cycle().cluster().devices().gates().binding_conditions) {
      if (!next->status.allocation) co_return Failed(DeallocatedElsewhere(*current_));
      if (!next->status.allocation->allocation_timestamp)
        next->status.allocation->allocation_timestamp = WholeSeconds(binding_.wall_now());
    }
    framework::ApiWrite write = framework::UpdateResourceClaimStatus{std::move(next)};
    const framework::WriteResult result = co_await binding_.Write(std::move(write));
    if (result.ok() && result.claim != nullptr) {
      written_ = result.claim;
      co_return Tried();
    }
    unknown_ |= result.may_have_happened;
    co_return Failed(
        allocation_ != nullptr ? "add allocation and reservation to" : "add reservation to",
        result);
  }

  Task<Tried> AddFinalizer() {
    const auto& finalizers = current_->metadata.finalizers;
    if (std::ranges::find(finalizers, kClaimFinalizer) != finalizers.end()) co_return Tried();
    auto next = std::make_shared<api::ResourceClaim>(*current_);
    next->metadata.finalizers.emplace_back(kClaimFinalizer);
    framework::ApiWrite write = framework::UpdateResourceClaim{std::move(next)};
    const framework::WriteResult result = co_await binding_.Write(std::move(write));
    if (!result.ok() || result.claim == nullptr) co_return Failed("add finalizer to", result);
    current_ = result.claim;
    co_return Tried();
  }

  // Reads the claim again, after a pause.
  Task<framework::Verdict> Refresh() {
    for (;;) {
      co_await binding_.Sleep(pause_);
      if (unknown_) pause_ = std::min(pause_ * 2, kLongestClaimPause);
      framework::ApiWrite get = framework::GetResourceClaim{model::ClaimKey(*current_)};
      const framework::WriteResult result = co_await binding_.Write(std::move(get));
      if (result.ok() && result.claim != nullptr) {
        const bool changed =
            result.claim->metadata.resource_version != current_->metadata.resource_version;
        current_ = result.claim;
        // A write that has not happened cannot happen any more: its version is gone.
        if (changed && !IsWritten()) unknown_ = false;
        co_return framework::Verdict();
      }
      // Only a claim that is gone, or that was read, shows what became of the write.
      if (unknown_ && result.kind != ClaimWriteKind::kNotFound) continue;
      co_return framework::Verdict::Error(
          fmt::format("get updated claim {} after conflict: {}", name(), result.message));
    }
  }

  // Reports whether the claim has what this writes. Nobody else reserves it for a pod that has no
  // node.
  bool IsWritten() const {
    if (!IsReservedFor(*current_, pod_.metadata.uid)) return false;
    const auto& stored = current_->status.allocation;
    if (allocation_ == nullptr) return stored.has_value();
    return stored && SameDevices(*stored, *allocation_);
  }
  std::string name() const { return model::ClaimKey(*current_).ToString(); }
  // As the API stores times.
  static Instant WholeSeconds(Instant time) {
    return {time.nanos - ((time - Instant{}) % Duration::Seconds(1)).nanos};
  }

  framework::BindingContext& binding_;
  const api::Pod& pod_;
  const std::shared_ptr<const api::AllocationResult>& allocation_;
  const model::ClaimRef found_;  // The version that the attempt is based on.
  model::ClaimRef current_;      // The version to be written on.
  model::ClaimRef written_;
  bool unknown_ = false;  // An earlier write may have happened.
  Duration pause_ = kClaimConflictPause;
};

Task<framework::Verdict> CreateSpecialClaim(framework::BindingContext& binding, PodClaim& claim) {
  const api::ObjectMeta& pod = binding.cycle().pod().object->metadata;
  if (binding.cancelled()) co_return framework::Verdict::Error("context canceled");
  framework::ApiWrite write =
      framework::CreateResourceClaim{claim.object, pod.name + "-extended-resources-"};
  const framework::WriteResult result = co_await binding.Write(std::move(write));
  const bool ok = result.ok() && result.claim != nullptr;
  if (framework::Measurements* to = binding.cycle().measurements()) to->ResourceClaimCreated(ok);
  if (!ok) {
    co_return framework::Verdict::Error(
        fmt::format("create claim for extended resources {}/: {}", pod.namespace_, result.message));
  }
  claim.object = result.claim;
  co_return framework::Verdict();
}

// Writes which request of the special claim serves which extended resource.
Task<framework::Verdict> PatchPod(framework::BindingContext& binding, const PodClaims& claims,
                                  const std::string& claim_name) {
  const api::Pod& pod = *binding.cycle().pod().object;
  const std::string pod_name = pod.metadata.namespace_ + "/" + pod.metadata.name;
  if (claims.mappings.empty()) {
    co_return framework::Verdict::Error(fmt::format(
        "nil or empty request mappings, no update of pod {} ExtendedResourceClaimStatus",
        pod_name));
  }
  api::PodExtendedResourceClaimStatus status;
  for (const ExtendedResourceMapping& mapping : claims.mappings) {
    status.request_mappings.push_back(
        {mapping.container_name, mapping.resource_name, mapping.request_name});
  }
  status.resource_claim_name = claim_name;
  const auto& before = pod.status.extended_resource_claim_status;
  if (before == status) co_return framework::Verdict();
  if (before && before->request_mappings == status.request_mappings)
    status.request_mappings.clear();
  framework::PatchPodStatus patch{.pod = binding.cycle().pod().key(),
                                  .uid = pod.metadata.uid,
                                  .condition = {},
                                  .nominated_node_name = {}};
  patch.extended_resource_claim_status = std::move(status);
  const framework::WriteResult result = co_await framework::WriteStatus(binding, patch);
  if (result.ok()) co_return framework::Verdict();
  co_return framework::Verdict::Error(
      fmt::format("update pod {} ExtendedResourceClaimStatus: {}", pod_name, result.message));
}

// Waits until the model knows the claim; returns whether it does. That it does not is no failure:
// the claim is written.
//
// DIFFERS: also if the binding is cancelled. kube-scheduler then gives the claim's devices up at
// once and may allocate them again, although the claim exists until it is deleted.
Task<bool> AssumeSpecialClaim(framework::BindingContext& binding, model::ClaimRef claim) {
  const api::ObjectKey key = model::ClaimKey(*claim);
  const Instant deadline = binding.now() + kSpecialClaimTimeout;
  Duration pause = kClaimConflictPause;
  for (;;) {
    model::Devices& devices = binding.cycle().mutable_cluster().mutable_devices();
    if (devices.FindClaim(key) != nullptr) {
      std::ignore = devices.Assume(claim);
      co_return true;
    }
    if (binding.now() >= deadline) co_return false;
    co_await binding.Sleep(pause);
    pause = std::min(pause * 2, kLongestSpecialClaimPause);
  }
}

// Keeps the allocation in flight until the model knows the claim, or the claim is gone. `cluster`
// must outlive the task.
//
// DIFFERS: kube-scheduler gives the devices up although the claim has them.
Task<framework::Verdict> HoldDevices(framework::Async& async, model::Cluster& cluster,
                                     model::ClaimRef claim) {
  const api::ObjectKey key = model::ClaimKey(*claim);
  for (bool ended = false; !ended;) {
    co_await async.Sleep(kUnseenClaimPause);
    ended = cluster.devices().FindClaim(key) != nullptr;
    if (ended) {
      std::ignore = cluster.mutable_devices().Assume(claim);
    } else {
      framework::ApiWrite get = framework::GetResourceClaim{key};
      const framework::WriteResult result = co_await async.Write(std::move(get));
      ended = result.kind == ClaimWriteKind::kNotFound;
    }
  }
  cluster.mutable_devices().RemoveInFlight(claim->metadata.uid, /*forced=*/false);
  co_return framework::Verdict();
}

struct WrittenClaim {
  framework::Verdict verdict;
  model::ClaimRef claim;  // What was stored last, also if a later step failed; null if nothing was.
};

Task<WrittenClaim> WriteClaim(framework::BindingContext& binding, const PodClaims& pod,
                              PodClaim& claim) {
  WrittenClaim written;
  if (claim.special && !claim.in_api()) {
    written.verdict = co_await CreateSpecialClaim(binding, claim);
    if (!written.verdict.ok()) co_return written;
    written.claim = claim.object;
  }
  ClaimReservation reservation(binding, claim);
  written.verdict = co_await reservation.Run();
  if (reservation.written() != nullptr) written.claim = reservation.written();
  if (written.verdict.ok() && claim.special)
    written.verdict = co_await PatchPod(binding, pod, written.claim->metadata.name);
  co_return written;
}

}  // namespace

bool IsReservedFor(const api::ResourceClaim& claim, const std::string& pod_uid) {
  const auto& users = claim.status.reserved_for;
  return std::ranges::find(users, pod_uid, &api::ResourceClaimConsumerReference::uid) !=
         users.end();
}

bool HaveSameDevices(const api::ResourceClaim& a, const api::ResourceClaim& b) {
  return a.status.allocation && b.status.allocation &&
         SameDevices(*a.status.allocation, *b.status.allocation);
}

std::string DeallocatedElsewhere(const api::ResourceClaim& claim) {
  return fmt::format("claim {} got deallocated elsewhere in the meantime",
                     model::ClaimKey(claim).ToString());
}

Task<framework::Verdict> BindClaim(framework::BindingContext& binding, const PodClaims& pod,
                                   PodClaim& claim) {
  // A device plugin serves the pod's extended resources.
  if (claim.special && claim.allocation == nullptr && claim.object->spec.requests.empty())
    co_return framework::Verdict();
  const std::string in_flight = claim.object->metadata.uid;
  const WrittenClaim written = co_await WriteClaim(binding, pod, claim);
  model::Cluster& cluster = binding.cycle().mutable_cluster();
  bool assumed = false, unseen = false;
  if (written.claim != nullptr && claim.special) {
    unseen = !co_await AssumeSpecialClaim(binding, written.claim);
  } else if (written.claim != nullptr) {
    assumed = cluster.mutable_devices().Assume(written.claim).has_value();
  }
  framework::Background* const background = binding.cycle().background();
  if (claim.allocation != nullptr && unseen && written.claim->status.allocation &&
      background != nullptr) {
    // Under the uid that the API gave it: the pod's next attempt may allocate other devices to
    // another claim, under the uid that this one had in memory.
    cluster.mutable_devices().AddInFlight(written.claim);
    background->Run("hold " + written.claim->metadata.uid,
                    HoldDevices(background->async(), cluster, written.claim));
  }
  if (claim.allocation != nullptr) cluster.mutable_devices().RemoveInFlight(in_flight, assumed);
  claim.allocation.reset();
  if (written.verdict.ok()) claim.object = written.claim;
  co_return written.verdict;
}

}  // namespace berth::scheduler::plugins
