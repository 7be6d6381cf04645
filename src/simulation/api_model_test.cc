#include "simulation/api_model.h"

#include <gtest/gtest.h>

namespace berth::simulation {
namespace BERTH_TEST_FILE {

using Kind = scheduler::framework::WriteResult::Kind;

const api::ObjectKey kPod{"default", "web"};
constexpr Instant kNow = Instant::FromUnixSeconds(1000);

class ApiModelTest : public testing::Test {
 protected:
  void SetUp() override {
    api::Pod pod;
    pod.metadata.name = kPod.name;
    pod.metadata.namespace_ = kPod.namespace_;
    api_.Create(std::move(pod));  // web-1
  }
  Kind Bind(const std::string& uid, const std::string& node = "n1") {
    return api_.Execute(scheduler::framework::BindPod{kPod, uid, node}, kNow).kind;
  }
  api::Ref<api::Pod> pod() const { return api_.Find<api::Pod>(kPod); }

  int changes_ = 0;
  ApiModel api_{[this](const Change&) { ++changes_; }};
};

TEST_F(ApiModelTest, BindsAPodOnce) {
  EXPECT_EQ(Bind("web-1"), Kind::kOk);
  EXPECT_EQ(pod()->spec.node_name, "n1");
  EXPECT_EQ(Bind("web-1", "n2"), Kind::kConflict);
  EXPECT_EQ(pod()->spec.node_name, "n1");
  EXPECT_EQ(changes_, 2);
}

TEST_F(ApiModelTest, RefusesToBindAnotherPodOfThatName) {
  EXPECT_EQ(Bind("web-9"), Kind::kConflict);
  api_.Remove<api::Pod>(kPod);
  EXPECT_EQ(Bind("web-1"), Kind::kNotFound);
}

TEST_F(ApiModelTest, RefusesToBindATerminatingPod) {
  api_.AddFinalizer(kPod);
  EXPECT_EQ(api_.Execute(scheduler::framework::DeletePod{kPod, "web-1"}, kNow).kind, Kind::kOk);
  ASSERT_NE(pod(), nullptr);
  EXPECT_TRUE(pod()->metadata.deletion_timestamp.has_value());
  EXPECT_EQ(Bind("web-1"), Kind::kConflict);
  api_.FinishDeletion(kPod);
  EXPECT_EQ(pod(), nullptr);
}

TEST_F(ApiModelTest, APodOnANodeTerminatesGracefully) {
  Bind("web-1");
  api_.Execute(scheduler::framework::DeletePod{kPod, "web-1"}, kNow);
  EXPECT_NE(pod(), nullptr);
  api_.FinishDeletion(kPod);
  EXPECT_EQ(pod(), nullptr);
}

TEST_F(ApiModelTest, APendingPodIsRemovedAtOnce) {
  EXPECT_EQ(api_.Execute(scheduler::framework::DeletePod{kPod, "web-9"}, kNow).kind,
            Kind::kConflict);
  api_.Execute(scheduler::framework::DeletePod{kPod, "web-1"}, kNow);
  EXPECT_EQ(pod(), nullptr);
}

TEST_F(ApiModelTest, APatchThatChangesNothingIsNoChange) {
  const scheduler::framework::PatchPodStatus patch{kPod, "web-1", std::nullopt, "n1"};
  EXPECT_EQ(api_.Execute(patch, kNow).kind, Kind::kOk);
  EXPECT_EQ(api_.Execute(patch, kNow).kind, Kind::kOk);
  EXPECT_EQ(changes_, 2);
  EXPECT_EQ(pod()->status.nominated_node_name, "n1");
}

TEST_F(ApiModelTest, AnUpdateOfAnOldVersionIsAConflict) {
  api::PersistentVolume volume;
  volume.metadata.name = "disk";
  api_.Create(volume);
  const auto old = api_.Find<api::PersistentVolume>({"", "disk"});
  const scheduler::framework::WriteResult first =
      api_.Execute(scheduler::framework::UpdatePersistentVolume{old}, kNow);
  EXPECT_EQ(first.kind, Kind::kOk);
  const auto written = api_.Find<api::PersistentVolume>({"", "disk"});
  EXPECT_EQ(first.resource_version, written->metadata.resource_version);
  EXPECT_EQ(api_.Execute(scheduler::framework::UpdatePersistentVolume{old}, kNow).kind,
            Kind::kConflict);
}

// --- ResourceClaims ---

class ClaimsInApiModelTest : public ApiModelTest {
 protected:
  ClaimsInApiModelTest() {
    api::ResourceClaim claim;
    claim.metadata.name = "c";
    claim.metadata.namespace_ = "default";
    api_.Create(claim);
  }
  api::Ref<api::ResourceClaim> claim() const { return api_.Find<api::ResourceClaim>(kKey); }
  // Changes a copy of the claim, and writes it.
  template <typename Write, typename Change>
  scheduler::framework::WriteResult Put(Change change) {
    auto changed = std::make_shared<api::ResourceClaim>(*claim());
    change(*changed);
    return api_.Execute(Write{changed}, kNow);
  }
  template <typename Change>
  scheduler::framework::WriteResult PutStatus(Change change) {
    return Put<scheduler::framework::UpdateResourceClaimStatus>(change);
  }
  void Allocate() {
    const auto result = PutStatus([](api::ResourceClaim& changed) {
      changed.status.allocation.emplace().results.emplace_back().device = "d";
      changed.status.reserved_for.push_back({"", "pods", "web", "u"});
    });
    ASSERT_EQ(result.kind, Kind::kOk);
    EXPECT_EQ(*result.claim, *claim());
  }

  const api::ObjectKey kKey{"default", "c"};
};

TEST_F(ClaimsInApiModelTest, EachWriteChangesItsPart) {
  const auto result = Put<scheduler::framework::UpdateResourceClaim>([](auto& changed) {
    changed.metadata.finalizers = {"f"};
    changed.status.reserved_for.push_back({"", "pods", "web", "u"});
  });
  EXPECT_EQ(result.kind, Kind::kOk);
  EXPECT_EQ(*result.claim, *claim());
  EXPECT_EQ(claim()->metadata.finalizers, std::vector<std::string>{"f"});
  EXPECT_TRUE(claim()->status.reserved_for.empty());
}

TEST_F(ClaimsInApiModelTest, AnOldVersionIsAConflict) {
  const auto old = claim();
  Allocate();
  EXPECT_EQ(api_.Execute(scheduler::framework::UpdateResourceClaimStatus{old}, kNow).kind,
            Kind::kConflict);
  EXPECT_EQ(api_.Execute(scheduler::framework::UpdateResourceClaim{old}, kNow).kind,
            Kind::kConflict);
}

TEST_F(ClaimsInApiModelTest, TheStatusIsValidated) {
  EXPECT_EQ(PutStatus([](auto& changed) {
              changed.status.reserved_for.push_back({"", "pods", "web", "u"});
            }).kind,
            Kind::kRejected);
  Allocate();
  EXPECT_EQ(
      PutStatus([](auto& changed) { changed.status.allocation->results[0].device = "other"; }).kind,
      Kind::kRejected);
  EXPECT_EQ(PutStatus([](auto& changed) {
              changed.status.reserved_for.push_back({"", "pods", "web", "u"});
            }).kind,
            Kind::kRejected);
  EXPECT_EQ(PutStatus([](auto& changed) { changed.status = {}; }).kind, Kind::kOk);
}

TEST_F(ClaimsInApiModelTest, AReservationIsRemovedFromAnyVersion) {
  Allocate();
  EXPECT_EQ(
      api_.Execute(scheduler::framework::UnreserveResourceClaim{kKey, "other", "u"}, kNow).kind,
      Kind::kConflict);
  const auto result = api_.Execute(
      scheduler::framework::UnreserveResourceClaim{kKey, claim()->metadata.uid, "u"}, kNow);
  EXPECT_EQ(result.kind, Kind::kOk);
  EXPECT_TRUE(claim()->status.reserved_for.empty());
  EXPECT_TRUE(claim()->status.allocation.has_value());
}

TEST_F(ClaimsInApiModelTest, FinalizersDelayTheDeletion) {
  Put<scheduler::framework::UpdateResourceClaim>(
      [](auto& changed) { changed.metadata.finalizers = {"f"}; });
  api_.Execute(scheduler::framework::DeleteResourceClaim{kKey}, kNow);
  ASSERT_NE(claim(), nullptr);
  EXPECT_TRUE(claim()->metadata.deletion_timestamp.has_value());
  EXPECT_EQ(PutStatus([](auto& changed) { changed.status.allocation.emplace(); }).kind,
            Kind::kRejected);
  Put<scheduler::framework::UpdateResourceClaim>(
      [](auto& changed) { changed.metadata.finalizers.clear(); });
  EXPECT_EQ(claim(), nullptr);
  EXPECT_EQ(api_.Execute(scheduler::framework::GetResourceClaim{kKey}, kNow).kind, Kind::kNotFound);
}

TEST_F(ClaimsInApiModelTest, NamesAreCompleted) {
  auto special = std::make_shared<api::ResourceClaim>();
  special->metadata.name = "<extended-resources>";
  special->metadata.namespace_ = "default";
  const auto result =
      api_.Execute(scheduler::framework::CreateResourceClaim{special, "web-"}, kNow);
  ASSERT_EQ(result.kind, Kind::kOk);
  EXPECT_TRUE(result.claim->metadata.name.starts_with("web-"));
  EXPECT_EQ(api_.Find<api::ResourceClaim>({"default", result.claim->metadata.name}), result.claim);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::simulation
