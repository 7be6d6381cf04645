// Unreserve and PostFilter of DynamicResources: how claims are given up.
#include "scheduler/plugins/dynamic_resources/claim_cleanup.h"

#include "scheduler/plugins/dynamic_resources/claims_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

class UnreserveTest : public ClaimsTest {
 protected:
  // The claim "c" is bound to the pod.
  void BindFreshClaim() {
    world_.Add(GpuClaimYaml("c"));
    Bind();
    Accept();
    Accept();
    ASSERT_EQ(Outcome(), "Success");
  }
  // What the API stores after the reservation was removed.
  model::ClaimRef Unreserved() {
    auto claim = std::make_shared<api::ResourceClaim>(*Claim());
    claim->metadata.resource_version = "9";
    claim->status.reserved_for.clear();
    return claim;
  }
};

TEST_F(UnreserveTest, BeforePreBindTheDevicesAreFree) {
  world_.Add(GpuClaimYaml("c"));
  Reserve(PodWithGpus({"c"}));
  EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
  Unreserve();
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
  EXPECT_EQ(Names(background_.writes()), "");
}

TEST_F(UnreserveTest, TheReservationIsRemovedAndTheAllocationStays) {
  BindFreshClaim();
  Unreserve();
  EXPECT_EQ(Names(background_.writes()), "unreserve");
  EXPECT_EQ(std::get<framework::UnreserveResourceClaim>(background_.writes()[0]),
            (framework::UnreserveResourceClaim{{"default", "c"}, "uid-of-c", "uid-of-web"}));
  background_.Complete(Holding(Unreserved()));
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for");
}

TEST_F(UnreserveTest, AFailureChangesNothing) {
  BindFreshClaim();
  Unreserve();
  background_.Complete({Kind::kUnavailable, "busy"});
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for uid-of-web");
  EXPECT_EQ(Text(background_.result(0)), "Error: busy");
}

// What the claim shows is about to change: the pod would be bound without a reservation.
TEST_F(UnreserveTest, TheNextAttemptWaitsForIt) {
  BindFreshClaim();
  Unreserve();
  Bind();
  EXPECT_EQ(Outcome(), "waiting");
  EXPECT_EQ(Writes(), "");
  binding_->Wait();
  background_.Complete(Holding(Unreserved()));
  binding_->Wait();
  EXPECT_EQ(Writes(), "status");
  EXPECT_EQ(Written()->metadata.resource_version, "9");
  EXPECT_EQ(StatusOf(*Written()), "gpu-0 for uid-of-web");
}

// The claim was deallocated meanwhile: the old reservation must be gone before there is a new one.
TEST_F(UnreserveTest, AnAttemptThatAllocatesAgainWaitsForIt) {
  BindFreshClaim();
  Unreserve();
  world_.Add(GpuClaimYaml("c", 8, ", finalizers: [resource.kubernetes.io/delete-protection]"));
  Bind();
  EXPECT_EQ(Outcome(), "waiting");
  EXPECT_EQ(Writes(), "");
  background_.Complete({Kind::kNotFound, "no such reservation"});
  binding_->Wait();
  EXPECT_EQ(Writes(), "status");
}

// The pod may have waited at Permit.
TEST_F(UnreserveTest, TheNextAttemptSeesItsResult) {
  BindFreshClaim();
  Unreserve();
  Reserve(PodWithGpus({"c"}));
  background_.Complete(Holding(Unreserved()));
  StartPreBind();
  EXPECT_EQ(Writes(), "status");
  EXPECT_EQ(StatusOf(*Written()), "gpu-0 for uid-of-web");
}

// A claim that nobody uses may be deallocated, and deleted, while the pod waits at Permit.
TEST_F(UnreserveTest, TheNextAttemptFailsIfTheClaimIsGone) {
  BindFreshClaim();
  Unreserve();
  Reserve(PodWithGpus({"c"}));
  background_.Complete(Holding(Unreserved()));
  world_.cluster().Remove<api::ResourceClaim>({"default", "c"});
  StartPreBind();
  EXPECT_EQ(Outcome(), "Error: claim default/c got deleted in the meantime");
  EXPECT_EQ(Writes(), "");
}

TEST_F(UnreserveTest, TheNextAttemptFailsIfTheClaimWasCreatedAgain) {
  BindFreshClaim();
  Unreserve();
  Reserve(PodWithGpus({"c"}));
  background_.Complete(Holding(Unreserved()));
  world_.cluster().Remove<api::ResourceClaim>({"default", "c"});
  std::string another = GpuClaimYaml("c", 12);
  another.replace(another.find("uid-of-c"), 8, "uid-of-d");
  world_.Add(another);
  StartPreBind();
  EXPECT_EQ(Outcome(), "Error: claim default/c got deleted in the meantime");
}

TEST_F(UnreserveTest, TheNextAttemptFailsIfTheClaimHasOtherDevices) {
  for (const std::string& status : {std::string(), AllocatedStatus("gpu-1")}) {
    world_.cluster().Remove<api::ResourceClaim>({"default", "c"});
    BindFreshClaim();
    Unreserve();
    Reserve(PodWithGpus({"c"}));
    background_.Complete(Holding(Unreserved()));
    world_.Add(GpuClaimYaml("c", 12, "", status));
    StartPreBind();
    EXPECT_EQ(Outcome(), "Error: claim default/c got deallocated elsewhere in the meantime");
    EXPECT_EQ(Writes(), "");
  }
}

// The API has shown the version that the write returned, so it shows it no second time.
TEST_F(UnreserveTest, TheClaimStaysAsItWasWritten) {
  BindFreshClaim();
  Unreserve();
  auto deallocated = std::make_shared<api::ResourceClaim>(*Unreserved());
  deallocated->status = {};
  background_.Complete(Holding(deallocated));
  Show(deallocated);
  Reserve(PodWithGpus({"c"}));
  EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
  Unreserve();
  EXPECT_EQ(Claim()->metadata.resource_version, "9");
}

// PreBind of this plugin may fail long before another plugin's ends.
TEST_F(UnreserveTest, AnAllocationOfAnotherPodStaysInFlight) {
  world_.Add(GpuClaimYaml("c"));
  Bind();
  binding_->Complete({Kind::kRejected, "no"});
  PluginHarness other(world_, MakePlugin(kPlugin), PodWithGpus({"c"}));
  ASSERT_EQ(other.Filter(), "1");
  ASSERT_TRUE(other.As<framework::ReservePlugin>().Reserve(other.cycle(), node()).ok());
  ASSERT_TRUE(devices().IsInFlight("uid-of-c"));
  Unreserve();
  EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
  other.As<framework::ReservePlugin>().Unreserve(other.cycle(), node());
}

// --- PostFilter ---

class DeallocateTest : public ClaimsTest {
 protected:
  // Carries out a plan; its writes are those of `background_`.
  void Run(DeallocationPlan plan) {
    plan.has_claims = true;
    task_.emplace(Deallocate(&background_.async(), world_.cluster(), std::move(plan)));
    task_->Start();
  }
  static model::ClaimRef Decoded(const std::string& yaml) {
    return std::get<api::Ref<api::ResourceClaim>>(DecodeOrFail(yaml).at(0));
  }
};

TEST_F(DeallocateTest, TheStatusIsEmptied) {
  DeallocationPlan plan;
  plan.deallocate =
      Decoded(GpuClaimYaml("c", 4, "", AllocatedStatus("gpu-0", ", reservedFor: []")));
  Run(plan);
  EXPECT_EQ(Names(background_.writes()), "status");
  EXPECT_EQ(ClaimOf(background_.writes()[0])->status, api::ResourceClaimStatus());
  EXPECT_EQ(ClaimOf(background_.writes()[0])->metadata.resource_version, "4");
  background_.Complete({});
  EXPECT_EQ(Outcome(), "Unschedulable: deallocation of ResourceClaim completed");
}

// Otherwise the pod's next attempt might count on a reservation that is gone. The cycle itself goes
// on with what it has found.
TEST_F(DeallocateTest, TheResultCountsAfterTheCycle) {
  world_.Add(GpuClaimYaml("c", 4, "", AllocatedStatus("gpu-0")));
  DeallocationPlan plan;
  plan.deallocate = Claim();
  Run(plan);
  background_.Complete(Accepted(ClaimOf(background_.writes()[0])));
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for");
  const std::vector<model::ClaimChange> changes = devices().TakeAssumedChanges();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(StatusOf(*changes[0].before), "gpu-0 for");
  EXPECT_EQ(StatusOf(*Claim()), "for");
  EXPECT_EQ(Claim()->metadata.resource_version, "5");
}

TEST_F(DeallocateTest, AConflictIsAnError) {
  DeallocationPlan plan;
  plan.deallocate = Decoded(GpuClaimYaml("c", 4, "", AllocatedStatus("gpu-0")));
  Run(plan);
  background_.Complete(Conflict());
  EXPECT_EQ(Outcome(), "Error: it was modified");
  EXPECT_EQ(Names(background_.writes()), "status");
}

TEST_F(DeallocateTest, ASpecialClaimIsDeleted) {
  DeallocationPlan plan;
  plan.remove =
      Decoded(GpuClaimYaml("c", 4, ", finalizers: [x, resource.kubernetes.io/delete-protection]"));
  Run(plan);
  EXPECT_EQ(Names(background_.writes()), "put");
  EXPECT_EQ(ClaimOf(background_.writes()[0])->metadata.finalizers, std::vector<std::string>{"x"});
  background_.Complete({});
  background_.Complete({});
  EXPECT_EQ(Names(background_.writes()), "put delete");
  EXPECT_EQ(Outcome(), "Unschedulable: deletion of ResourceClaim completed");

  Run(plan);
  for (int attempt = 1; attempt < 5; ++attempt) {
    background_.Complete(Conflict());
    background_.Complete(Holding(plan.remove));
  }
  background_.Complete(Conflict());
  EXPECT_EQ(Outcome(), "Error: update resourceclaim default/c: it was modified");
  Run(plan);
  background_.Complete(Conflict());
  background_.Complete({Kind::kNotFound, "gone"});
  EXPECT_EQ(Outcome(), "Error: get resourceclaim default/c: gone");
}

TEST_F(DeallocateTest, AnExplanationWritesNothing) {
  DeallocationPlan plan;
  plan.has_claims = true;
  plan.remove = Decoded(GpuClaimYaml("c"));
  Task<framework::Verdict> task = Deallocate(nullptr, world_.cluster(), plan);
  task.Start();
  EXPECT_EQ(Text(task.result()), "Unschedulable: deletion of ResourceClaim completed");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
