// How the engine carries writes of claims: PreBind awaits them, PostFilter awaits them within the
// scheduling cycle, and Unreserve leaves them to the background.
#include <gtest/gtest.h>

#include "api/json/decode.h"
#include "scheduler/model/device_model.h"
#include "testing/engine_harness.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

api::Object Decoded(std::string_view json) {
  auto objects = api::DecodeJson(json);
  EXPECT_TRUE(objects.has_value()) << objects.error().message;
  return objects->at(0);
}

// The node n1 with one device, the claim "c" for it, and the pod "web" that uses it.
class ClaimWritesTest : public testing::Test {
 protected:
  ClaimWritesTest() {
    EngineOptions options;
    options.profiles = {DefaultProfile()};
    harness_ = std::make_unique<EngineHarness>(options);
    harness_->Put(MakeNode("n1"));
    harness_->Put(Decoded(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"}})"));
    harness_->Put(Decoded(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s"},)"
        R"("spec":{"driver":"d","nodeName":"n1","pool":{"name":"n1","generation":1,)"
        R"("resourceSliceCount":1},"devices":[{"name":"gpu-0"}]}})"));
  }
  void PutClaim(const std::string& status = "", const std::string& version = "1") {
    harness_->Put(Decoded(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",)"
        R"("namespace":"default","uid":"cu","resourceVersion":")" +
        version +
        R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",)"
        R"("allocationMode":"ExactCount","count":1}}]}},"status":{)" +
        status + "}}"));
  }
  void PutPod() {
    api::Pod pod = MakePod("web");
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "c"}};
    harness_->Put(std::make_shared<const api::Pod>(pod));
  }
  // Returns the only command, which must be a T; skips the announcement of the node.
  template <typename T>
  Command Next() {
    for (const Command& command : harness_->Commands()) {
      if (std::holds_alternative<T>(command.write)) return command;
      EXPECT_TRUE(std::holds_alternative<framework::PatchPodStatus>(command.write));
      harness_->End(command);
    }
    for (const Command& command : harness_->Commands()) {
      if (std::holds_alternative<T>(command.write)) return command;
    }
    ADD_FAILURE() << "no such command";
    return {};
  }
  // Ends a write of a claim as the API does.
  template <typename T>
  void Accept(const Command& command, const char* version) {
    auto stored = std::make_shared<api::ResourceClaim>(*std::get<T>(command.write).object);
    stored->metadata.resource_version = version;
    framework::WriteResult result;
    result.claim = std::move(stored);
    harness_->End(command, std::move(result));
  }

  std::unique_ptr<EngineHarness> harness_;
};

TEST_F(ClaimWritesTest, ThePodIsBoundAfterItsClaim) {
  PutClaim();
  PutPod();
  harness_->Schedule();
  EXPECT_EQ(harness_->Decisions(), Lines{"web -> n1"});
  Accept<framework::UpdateResourceClaim>(Next<framework::UpdateResourceClaim>(), "2");
  Accept<framework::UpdateResourceClaimStatus>(Next<framework::UpdateResourceClaimStatus>(), "3");
  harness_->End(Next<framework::BindPod>());
  EXPECT_EQ(harness_->Where("web"), "assumed on n1");
  EXPECT_EQ(harness_->engine().bindings_under_way(), 0u);
  EXPECT_EQ(harness_->cluster().devices().FindClaim({"default", "c"})->metadata.resource_version,
            "3");
}

TEST_F(ClaimWritesTest, AFailedBindingUnreservesInTheBackground) {
  PutClaim();
  PutPod();
  harness_->Schedule();
  Accept<framework::UpdateResourceClaim>(Next<framework::UpdateResourceClaim>(), "2");
  Accept<framework::UpdateResourceClaimStatus>(Next<framework::UpdateResourceClaimStatus>(), "3");
  harness_->Fail(Next<framework::BindPod>(), "no");
  EXPECT_EQ(harness_->engine().bindings_under_way(), 0u);
  EXPECT_EQ(harness_->engine().background_tasks(), 1u);
  const Command unreserve = Next<framework::UnreserveResourceClaim>();
  EXPECT_EQ(std::get<framework::UnreserveResourceClaim>(unreserve.write).uid, "cu");
  harness_->End(unreserve);
  EXPECT_EQ(harness_->engine().background_tasks(), 0u);
}

// The claim is allocated where the pod cannot run.
TEST_F(ClaimWritesTest, PostFilterDeallocatesWithinTheCycle) {
  PutClaim(R"("allocation":{"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{)"
           R"("key":"metadata.name","operator":"In","values":["n9"]}]}]}})");
  PutPod();
  harness_->Schedule();
  EXPECT_TRUE(harness_->engine().cycle_waits());
  EXPECT_EQ(harness_->engine().next_wake(), std::nullopt);  // It would be called in vain.
  const Command deallocate = Next<framework::UpdateResourceClaimStatus>();
  EXPECT_FALSE(
      std::get<framework::UpdateResourceClaimStatus>(deallocate.write).object->status.allocation);
  harness_->Put(MakePod("other"));  // Deferred.
  EXPECT_EQ(harness_->Where("other"), "unknown");
  Accept<framework::UpdateResourceClaimStatus>(deallocate, "2");
  EXPECT_FALSE(harness_->engine().cycle_waits());
  EXPECT_EQ(harness_->Where("other"), "pending");
  EXPECT_EQ(harness_->cluster().devices().FindClaim({"default", "c"})->metadata.resource_version,
            "2");  // Before the watch shows it.
  ASSERT_EQ(harness_->all_decisions().size(), 1u);
  EXPECT_NE(harness_->all_decisions()[0].message.find("deallocation of ResourceClaim completed"),
            std::string::npos)
      << harness_->all_decisions()[0].message;
}

TEST_F(ClaimWritesTest, AnExplanationChangesNothing) {
  PutClaim(R"("allocation":{"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{)"
           R"("key":"metadata.name","operator":"In","values":["n9"]}]}]}})");
  api::Pod pod = MakePod("web");
  pod.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "c"}};
  const auto explanation =
      harness_->engine().Explain(std::make_shared<const api::Pod>(pod), harness_->now());
  ASSERT_TRUE(explanation.has_value()) << explanation.error().message;
  EXPECT_NE(explanation->fit_error.find("deallocation of ResourceClaim completed"),
            std::string::npos);
  EXPECT_TRUE(harness_->Commands().empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
