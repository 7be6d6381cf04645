// PreBind of DynamicResources: waiting for binding conditions, and claims for extended resources.
#include "scheduler/plugins/dynamic_resources/bind_claims.h"

#include "scheduler/framework/measurements.h"
#include "scheduler/plugins/dynamic_resources/claims_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using framework::DeviceBindingResult;

class CountedBindings final : public framework::Measurements {
 public:
  CountedBindings() : Measurements([]() -> int64_t { return 0; }) {}
  void ResourceClaimCreated(bool ok) override { text += ok ? "created " : "not created "; }
  void DeviceBindingWaited(std::string_view scheduler_name, std::string_view driver,
                           DeviceBindingResult result, Duration waited) override {
    text += fmt::format("{} {} {} after {}s ", scheduler_name, driver, static_cast<int>(result),
                        waited.seconds());
  }
  void DeviceBindingEnded(std::string_view, std::string_view, DeviceBindingResult) override {
    text += "counted ";
  }
  std::string text;
};

// --- binding conditions ---

class BindingConditionsTest : public ClaimsTest {
 protected:
  void SetUp() override {
    world_.Add(
        GpuSliceYaml("a", ", bindingConditions: [Attached], bindingFailureConditions: [Broken]"));
    world_.Add(GpuClaimYaml("c"));
    Reserve(PodWithGpus({"c"}));
    trial_->cycle().set_measurements(&counted_);
    StartPreBind();
    Accept();
    ASSERT_EQ(Writes(), "put status");
    Accept();
    ASSERT_EQ(Outcome(), "waiting");
  }
  // The driver reports a condition of the device.
  void Report(const char* type, const char* status) {
    auto claim = std::make_shared<api::ResourceClaim>(*Claim());
    claim->metadata.resource_version =
        std::to_string(*api::ParseInt(claim->metadata.resource_version) + 1);
    claim->status.devices = {{.driver = "gpu.example.com",
                              .pool = "a",
                              .device = "gpu-0",
                              .share_id = {},
                              .conditions = {{type, status, "Why", "a \"message\""}}}};
    Show(claim);
  }

  CountedBindings counted_;
};

TEST_F(BindingConditionsTest, AreWaitedFor) {
  ASSERT_EQ(binding_->events.size(), 1u);
  const framework::RecordEvent& event = binding_->events[0];
  EXPECT_EQ(event.type, "Normal");
  EXPECT_EQ(event.reason, "BindingConditionsPending");
  EXPECT_EQ(event.action, "Scheduling");
  EXPECT_EQ(event.note, "waiting for binding conditions for device on node a");
  binding_->Wait();
  Report("Attached", "False");
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting");
  Report("Attached", "True");
  EXPECT_EQ(Outcome(), "waiting");  // Until the next look.
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_EQ(counted_.text, fmt::format(" gpu.example.com {} after 15s counted ",
                                       static_cast<int>(DeviceBindingResult::kSuccess)));
  EXPECT_EQ(binding_->events.size(), 1u);
}

TEST_F(BindingConditionsTest, MayFail) {
  Report("Broken", "True");
  binding_->Wait();
  EXPECT_EQ(Outcome(),
            "Error: device binding failed: claim=c, reason=Why, message=\"a \\\"message\\\"\"");
  EXPECT_EQ(counted_.text, fmt::format(" gpu.example.com {} after 5s counted ",
                                       static_cast<int>(DeviceBindingResult::kFailure)));
  // The claim remains allocated: PostFilter frees it.
  EXPECT_EQ(StatusOf(*Claim()), "gpu-0 for uid-of-web");
}

TEST_F(BindingConditionsTest, HaveATimeout) {
  int polls = 0;
  for (; Outcome() == "waiting"; ++polls) binding_->Wait();
  EXPECT_EQ(polls, 120);  // 600 seconds.
  EXPECT_EQ(Outcome(), "Error: device binding timeout: context deadline exceeded");
}

TEST_F(BindingConditionsTest, HaveATimeoutThatBeginsWithTheAllocation) {
  auto claim = std::make_shared<api::ResourceClaim>(*Claim());
  claim->metadata.resource_version = "9";
  claim->status.allocation->allocation_timestamp = Instant::FromUnixSeconds(-499);
  Show(claim);
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: device binding timeout: claim=c");
}

TEST_F(BindingConditionsTest, EndWithTheClaimOrTheBinding) {
  world_.cluster().Remove<api::ResourceClaim>({"default", "c"});
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: could not find ResourceClaim \"default/c\"");
}

TEST_F(BindingConditionsTest, EndIfTheBindingIsCancelled) {
  binding_->is_cancelled = true;
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: context canceled");
}

// --- extended resources ---

constexpr const char* kPodWithExtendedResource =
    "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default, uid: uid-of-web}, "
    "spec: {containers: [{name: main, resources: {requests: {example.com/gpu: 1}}}]}}";

class SpecialClaimTest : public ClaimsTest {
 protected:
  void SetUp() override {
    world_.Add(GpuClassYaml("example.com/gpu"));
    Reserve(kPodWithExtendedResource);
    trial_->cycle().set_measurements(&counted_);
    StartPreBind();
  }
  // What the API stores of the claim that is created.
  model::ClaimRef Created() const {
    auto claim = std::make_shared<api::ResourceClaim>(*Written());
    claim->metadata.name = "web-extended-resources-x";
    claim->metadata.uid = "created";
    claim->metadata.resource_version = "5";
    return claim;
  }
  // Creates the claim and writes its finalizer and its status; the pod is next.
  void Write() {
    created_ = Created();
    in_memory_ = Written()->metadata.uid;
    binding_->Complete(Holding(created_));
    Accept();
    Accept();
    ASSERT_EQ(Writes(), "create put status pod");
  }

  CountedBindings counted_;
  model::ClaimRef created_;
  std::string in_memory_;  // The uid under which the allocation is in flight.
};

TEST_F(SpecialClaimTest, IsCreatedAllocatedAndShownByThePod) {
  EXPECT_EQ(Writes(), "create");
  const auto& create = std::get<framework::CreateResourceClaim>(binding_->writes[0]);
  EXPECT_EQ(create.generate_name, "web-extended-resources-");
  EXPECT_EQ(create.object->spec.requests.size(), 1u);
  Write();
  EXPECT_EQ(counted_.text, "created ");
  EXPECT_EQ(StatusOf(*ClaimOf(binding_->writes[2])), "gpu-0 for uid-of-web");
  const auto& patch = std::get<framework::PatchPodStatus>(binding_->writes[3]);
  ASSERT_TRUE(patch.extended_resource_claim_status);
  EXPECT_EQ(patch.extended_resource_claim_status->resource_claim_name, "web-extended-resources-x");
  ASSERT_EQ(patch.extended_resource_claim_status->request_mappings.size(), 1u);
  EXPECT_EQ(
      patch.extended_resource_claim_status->request_mappings[0],
      (api::ContainerExtendedResourceRequest{"main", "example.com/gpu", "container-0-request-0"}));
  binding_->Complete({});
  // Its devices count as in flight until the API shows the claim.
  EXPECT_EQ(Outcome(), "waiting");
  EXPECT_TRUE(devices().IsInFlight(in_memory_));
  binding_->Wait();
  EXPECT_EQ(Outcome(), "waiting");
  Show(created_);
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_FALSE(devices().IsInFlight(in_memory_));
  EXPECT_EQ(StatusOf(*Claim("web-extended-resources-x")), "gpu-0 for uid-of-web");
}

// The claim exists, and has its devices, until it is deleted.
TEST_F(SpecialClaimTest, KeepsItsDevicesIfTheBindingIsCancelled) {
  Write();
  binding_->is_cancelled = true;
  binding_->Complete({Kind::kRejected, "no"});
  EXPECT_EQ(Outcome(), "waiting");
  EXPECT_TRUE(devices().IsInFlight(in_memory_));
  Show(created_);
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: update pod default/web ExtendedResourceClaimStatus: no");
  EXPECT_FALSE(devices().IsInFlight(in_memory_));
  EXPECT_EQ(StatusOf(*Claim("web-extended-resources-x")), "gpu-0 for uid-of-web");
}

// The watch may be far behind: the pod is bound, and the devices stay in flight.
TEST_F(SpecialClaimTest, KeepsItsDevicesUntilItIsSeen) {
  Write();
  binding_->Complete({});
  while (Outcome() == "waiting") binding_->Wait();
  EXPECT_EQ(Outcome(), "Success");
  EXPECT_FALSE(devices().IsInFlight(in_memory_));
  EXPECT_TRUE(devices().IsInFlight("created"));
  EXPECT_EQ(Names(background_.writes()), "get");
  background_.Complete({Kind::kUnavailable, "busy"});
  EXPECT_TRUE(devices().IsInFlight("created"));
  Show(created_);
  background_.Complete(Holding(created_));
  EXPECT_FALSE(devices().IsInFlight("created"));
  EXPECT_EQ(StatusOf(*Claim("web-extended-resources-x")), "gpu-0 for uid-of-web");
}

TEST_F(SpecialClaimTest, GivesItsDevicesUpIfItIsGone) {
  Write();
  binding_->Complete({});
  while (Outcome() == "waiting") binding_->Wait();
  background_.Complete({Kind::kNotFound, "gone"});
  EXPECT_FALSE(devices().IsInFlight("created"));
}

// The claim was created and never seen, and it got no devices: nothing is held for it.
TEST_F(SpecialClaimTest, GivesItsDevicesUpIfTheyWereNotWritten) {
  in_memory_ = Written()->metadata.uid;
  created_ = Created();
  binding_->Complete(Holding(created_));
  Accept();
  binding_->Complete({Kind::kNotFound, "gone"});
  while (Outcome() == "waiting") binding_->Wait();
  EXPECT_FALSE(devices().IsInFlight(in_memory_));
  EXPECT_FALSE(devices().IsInFlight("created"));
}

// Both attempts have a device, so that none is left for another pod.
TEST_F(SpecialClaimTest, OfAnEarlierAttemptThatIsNotSeenKeepsItsDevices) {
  Write();
  binding_->Complete({Kind::kRejected, "no"});
  while (Outcome() == "waiting") binding_->Wait();
  Reserve(kPodWithExtendedResource);
  EXPECT_TRUE(devices().IsInFlight("created"));
  EXPECT_TRUE(devices().IsInFlight(in_memory_));
  std::string other(kPodWithExtendedResource);
  other.replace(other.find("web"), 3, "other");
  other.replace(other.find("uid-of-web"), 10, "uid-of-other");
  PluginHarness harness(world_, MakePlugin(kPlugin), other);
  EXPECT_EQ(harness.Filter(), "0");
}

TEST_F(SpecialClaimTest, MayNotBeCreated) {
  in_memory_ = Written()->metadata.uid;
  binding_->Complete({Kind::kRejected, "forbidden"});
  EXPECT_EQ(Outcome(), "Error: create claim for extended resources default/: forbidden");
  EXPECT_EQ(counted_.text, "not created ");
  EXPECT_FALSE(devices().IsInFlight(in_memory_));
  Unreserve();
  EXPECT_EQ(Names(background_.writes()), "");  // There is nothing to delete.
}

TEST_F(SpecialClaimTest, IsDeletedIfThePodCannotBePatched) {
  Write();
  for (int tries = 1; tries <= 4; ++tries) {
    binding_->Complete({Kind::kUnavailable, "busy"});
    if (tries < 4) binding_->Wait();
  }
  EXPECT_EQ(Writes(), "create put status pod pod pod pod");
  Show(created_);
  binding_->Wait();
  EXPECT_EQ(Outcome(), "Error: update pod default/web ExtendedResourceClaimStatus: busy");
  Unreserve();
  EXPECT_EQ(Names(background_.writes()), "put");
  background_.Complete(Conflict());
  EXPECT_EQ(Names(background_.writes()), "put get");
  background_.Complete(Holding(Claim("web-extended-resources-x")));
  EXPECT_EQ(Names(background_.writes()), "put get put");
  EXPECT_TRUE(ClaimOf(background_.writes()[2])->metadata.finalizers.empty());
  background_.Complete({});
  EXPECT_EQ(Names(background_.writes()), "put get put delete");
  EXPECT_EQ(std::get<framework::DeleteResourceClaim>(background_.writes()[3]).claim.name,
            "web-extended-resources-x");
  background_.Complete({});
  EXPECT_EQ(Text(background_.result(0)), "Success");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
