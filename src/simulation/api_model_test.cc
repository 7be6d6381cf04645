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

}  // namespace BERTH_TEST_FILE
}  // namespace berth::simulation
