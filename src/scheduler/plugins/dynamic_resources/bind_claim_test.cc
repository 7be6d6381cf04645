// PreBind of DynamicResources: how a claim is written that is allocated or shared.
#include "scheduler/plugins/dynamic_resources/bind_claim.h"

#include "scheduler/plugins/dynamic_resources/claims_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

class BindClaimTest : public ClaimsTest {};

TEST_F(BindClaimTest, AFreshClaimGetsItsFinalizerThenItsStatus) {
  world_.Add(GpuClaimYaml("c"));
  Bind();
  EXPECT_EQ(Writes(), "put");
  EXPECT_EQ(Written()->metadata.finalizers, std::vector<std::string>{std::string(kClaimFinalizer)});
  EXPECT_FALSE(Written()->status.allocation);
  Accept();
  EXPECT_EQ(Writes(), "put status");
  EXPECT_EQ(Written()->metadata.resource_version, "2");
  EXPECT_EQ(StatusOf(*Written()), "gpu-0 for uid-of-web");
  const api::ResourceClaimConsumerReference user = Written()->status.reserved_for[0];
  EXPECT_EQ(user, (api::ResourceClaimConsumerReference{"", "pods", "web", "uid-of-web"}));
  EXPECT_EQ(Written()->status.allocation->allocation_timestamp, Instant::FromUnixSeconds(100));
  EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
  Accept();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for uid-of-web");  // Before the API shows it.
  EXPECT_EQ(Claim()->metadata.resource_version, "3");
}

TEST_F(BindClaimTest, AnInterruptedAttemptHasLeftTheFinalizer) {
  world_.Add(GpuClaimYaml("c", 1, ", finalizers: [resource.kubernetes.io/delete-protection]"));
  Bind();
  EXPECT_EQ(Writes(), "status");
}

TEST_F(BindClaimTest, AClaimThatAnotherPodUsesIsReservedToo) {
  world_.Add(GpuClaimYaml(
      "c", 1, "",
      AllocatedStatus("gpu-1", ", reservedFor: [{resource: pods, name: other, uid: o}]")));
  Bind();
  EXPECT_EQ(Writes(), "status");
  EXPECT_EQ(StatusOf(*Written()), "gpu-1 for o uid-of-web");
  binding_->Complete({Kind::kRejected, "too many users"});
  EXPECT_EQ(Outcome(), "Error: add reservation to claim default/c: too many users");
}

TEST_F(BindClaimTest, AReservedClaimNeedsNoWrite) {
  world_.Add(GpuClaimYaml(
      "c", 1, "",
      AllocatedStatus("gpu-1", ", reservedFor: [{resource: pods, name: web, uid: uid-of-web}]")));
  Bind();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_EQ(Writes(), "");
}

TEST_F(BindClaimTest, ClaimsAreWrittenInOrderUntilOneFails) {
  world_.Add(GpuClaimYaml("c"));
  world_.Add(GpuClaimYaml("d"));
  Reserve(PodWithGpus({"c", "d"}));
  StartPreBind();
  binding_->Complete({Kind::kRejected, "no"});
  EXPECT_EQ(Outcome(), "Error: add finalizer to claim default/c: no");
  EXPECT_EQ(Writes(), "put");
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
  EXPECT_TRUE(devices().IsInFlight("uid-of-d"));
  Unreserve();
  EXPECT_FALSE(devices().IsInFlight("uid-of-d"));
}

// --- conflicts ---

TEST_F(BindClaimTest, AConflictIsRetriedWithTheLatestVersion) {
  world_.Add(GpuClaimYaml("c"));
  Bind();
  binding_->Complete(Conflict());
  EXPECT_TRUE(binding_->sleeping());
  binding_->Wait();
  EXPECT_EQ(Writes(), "put get");
  auto changed = std::make_shared<api::ResourceClaim>(*Claim());
  changed->metadata.resource_version = "7";
  changed->metadata.labels = {{"new", "label"}};
  binding_->Complete(Holding(changed));
  EXPECT_EQ(Writes(), "put get put");
  EXPECT_EQ(Written()->metadata.resource_version, "7");
  EXPECT_EQ(Written()->metadata.labels.at("new"), "label");
  Accept();
  Accept();
  EXPECT_EQ(Outcome(), "Success");
}

TEST_F(BindClaimTest, FiveConflictsAreEnough) {
  world_.Add(GpuClaimYaml("c", 1, ", finalizers: [resource.kubernetes.io/delete-protection]"));
  Bind();
  for (int attempt = 1; attempt < 5; ++attempt) {
    binding_->Complete(Conflict());
    binding_->Wait();
    binding_->Complete(Holding(Claim()));
  }
  EXPECT_EQ(Outcome(), "waiting");
  binding_->Complete(Conflict());
  EXPECT_EQ(Outcome(), "Error: add allocation and reservation to claim default/c: it was modified");
  EXPECT_EQ(Writes(), "status get status get status get status get status");
}

struct MeantimeCase {
  const char* latest;  // The claim after the conflict.
  const char* want;
};

TEST_F(BindClaimTest, WhatHappenedInTheMeantimeEndsIt) {
  world_.Add(GpuClaimYaml("c"));
  const std::string deleted =
      GpuClaimYaml("c", 7, ", deletionTimestamp: 2026-01-01T00:00:00Z, finalizers: [x]");
  const std::string allocated = GpuClaimYaml("c", 7, "", AllocatedStatus("gpu-1"));
  std::string another = GpuClaimYaml("c", 7);
  another.replace(another.find("uid-of-c"), 8, "uid-of-d");
  for (const MeantimeCase& one :
       {MeantimeCase{deleted.c_str(), "Error: claim default/c got deleted in the meantime"},
        MeantimeCase{another.c_str(), "Error: claim default/c got deleted in the meantime"},
        MeantimeCase{allocated.c_str(),
                     "Error: claim default/c got allocated elsewhere in the meantime"}}) {
    Bind();
    binding_->Complete(Conflict());
    binding_->Wait();
    binding_->Complete(
        Holding(std::get<api::Ref<api::ResourceClaim>>(DecodeOrFail(one.latest).at(0))));
    EXPECT_EQ(Outcome(), one.want);
    EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
  }
  Bind();
  binding_->Complete(Conflict());
  binding_->Wait();
  binding_->Complete({Kind::kNotFound, "gone"});
  EXPECT_EQ(Outcome(), "Error: get updated claim default/c after conflict: gone");
}

TEST_F(BindClaimTest, ASharedClaimMayBeDeallocatedInTheMeantime) {
  world_.Add(GpuClaimYaml("c", 1, "", AllocatedStatus("gpu-1")));
  Bind();
  binding_->Complete(Conflict());
  binding_->Wait();
  binding_->Complete(
      Holding(std::get<api::Ref<api::ResourceClaim>>(DecodeOrFail(GpuClaimYaml("c", 7)).at(0))));
  EXPECT_EQ(Outcome(), "Error: claim default/c got deallocated elsewhere in the meantime");
}

// The devices of another allocation may be on another node.
TEST_F(BindClaimTest, ASharedClaimMayBeAllocatedAgainInTheMeantime) {
  world_.Add(GpuClaimYaml("c", 1, "", AllocatedStatus("gpu-1")));
  Bind();
  binding_->Complete(Conflict());
  binding_->Wait();
  binding_->Complete(Holding(std::get<api::Ref<api::ResourceClaim>>(
      DecodeOrFail(GpuClaimYaml("c", 7, "", AllocatedStatus("gpu-0"))).at(0))));
  EXPECT_EQ(Outcome(), "Error: claim default/c got deallocated elsewhere in the meantime");
  EXPECT_EQ(Writes(), "status get");
}

// --- results that nobody knows ---

class UnknownResultTest : public ClaimsTest {
 protected:
  // The status of the claim is being written, on version 1.
  void SetUp() override {
    world_.Add(GpuClaimYaml("c", 1, ", finalizers: [resource.kubernetes.io/delete-protection]"));
    Bind();
    ASSERT_EQ(Writes(), "status");
    written_ = Accepted(Written()).claim;
  }
  // The result is not known; the claim is read.
  void Lose() {
    binding_->Complete(Unknown());
    ASSERT_TRUE(binding_->sleeping());
    EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
    binding_->Wait();
  }

  model::ClaimRef written_;  // As the API stores it.
};

TEST_F(UnknownResultTest, TheWriteHappened) {
  Lose();
  EXPECT_EQ(Writes(), "status get");
  binding_->Complete(Holding(written_));
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for uid-of-web");
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
}

// Only one write can succeed for a version: if the first one arrives late, it is a conflict.
TEST_F(UnknownResultTest, TheWriteIsRepeatedForTheSameVersion) {
  Lose();
  binding_->Complete(Holding(Claim()));
  EXPECT_EQ(Writes(), "status get status");
  EXPECT_EQ(Written()->metadata.resource_version, "1");
  Accept();
  EXPECT_EQ(Outcome(), "Success");
}

TEST_F(UnknownResultTest, TheFirstWriteArrivesBeforeTheSecond) {
  Lose();
  binding_->Complete(Holding(Claim()));
  binding_->Complete(Conflict());
  binding_->Wait();
  binding_->Complete(Holding(written_));
  EXPECT_EQ(Outcome(), "Success");
}

TEST_F(UnknownResultTest, TheDevicesStayInFlightWhileTheApiIsAway) {
  Lose();
  for (int i = 0; i < 20; ++i) {
    binding_->Complete({Kind::kUnavailable, "not sent"});
    EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
    binding_->Wait();
    EXPECT_EQ(Outcome(), "waiting");
  }
  binding_->is_cancelled = true;  // Does not help: the devices may be allocated.
  binding_->Complete({Kind::kUnavailable, "not sent"});
  EXPECT_EQ(Outcome(), "waiting");
  binding_->Wait();
  binding_->Complete(Holding(written_));
  EXPECT_EQ(Outcome(), "Success");
}

// Whatever else the API responds says nothing about the first write.
TEST_F(UnknownResultTest, OnlyTheClaimShowsWhatBecameOfTheWrite) {
  Lose();
  for (const Kind kind : {Kind::kConflict, Kind::kRejected, Kind::kTimeout, Kind::kUnavailable}) {
    binding_->Complete({kind, "not read"});
    EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
    binding_->Wait();
  }
  for (const Kind kind : {Kind::kConflict, Kind::kNotFound, Kind::kTimeout, Kind::kUnavailable}) {
    binding_->Complete(Holding(Claim()));
    binding_->Complete({kind, "not written"});
    EXPECT_TRUE(devices().IsInFlight("uid-of-c"));
    binding_->Wait();
  }
  binding_->Complete(Holding(written_));
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for uid-of-web");
}

TEST_F(UnknownResultTest, AClaimThatIsGoneHasNoDevices) {
  Lose();
  binding_->Complete({Kind::kNotFound, "gone"});
  EXPECT_EQ(Outcome(), "Error: get updated claim default/c after conflict: gone");
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
}

// The first one was the same.
TEST_F(UnknownResultTest, AnInvalidWriteFails) {
  Lose();
  binding_->Complete(Holding(Claim()));
  binding_->Complete({Kind::kRejected, "too many users"});
  EXPECT_EQ(Outcome(), "Error: add allocation and reservation to claim default/c: too many users");
}

TEST_F(UnknownResultTest, AnotherWriteCameFirst) {
  Lose();
  auto changed = std::make_shared<api::ResourceClaim>(*Claim());
  changed->metadata.resource_version = "7";
  binding_->Complete(Holding(changed));
  EXPECT_EQ(Writes(), "status get status");  // The first one cannot happen any more.
  binding_->Complete({Kind::kUnavailable, "busy"});
  EXPECT_EQ(Outcome(), "Error: add allocation and reservation to claim default/c: busy");
  EXPECT_FALSE(devices().IsInFlight("uid-of-c"));
}

TEST_F(BindClaimTest, ARefusedWriteFailsAtOnce) {
  world_.Add(GpuClaimYaml("c", 1, ", finalizers: [resource.kubernetes.io/delete-protection]"));
  Bind();
  binding_->Complete({Kind::kUnavailable, "busy"});
  EXPECT_EQ(Outcome(), "Error: add allocation and reservation to claim default/c: busy");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
