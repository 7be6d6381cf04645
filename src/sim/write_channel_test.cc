#include "sim/write_channel.h"

#include <gtest/gtest.h>

#include <set>

namespace berth::sim {
namespace BERTH_TEST_FILE {

using Kind = WriteResult::Kind;

constexpr Instant kStart = Instant::FromUnixSeconds(1000);
const api::ObjectKey kPod{"default", "web"};

class WriteChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    api::Pod pod;
    pod.metadata.name = kPod.name;
    pod.metadata.namespace_ = kPod.namespace_;
    api_.Create(std::move(pod));
  }
  void SendBind(WriteChannel::Faults faults) {
    channel_.Send({CommandId{0}, BindPod{kPod, "web-1", "n1"}}, faults, kStart);
  }
  bool is_bound() const { return !api_.Find<api::Pod>(kPod)->spec.node_name.empty(); }

  ApiModel api_{[](const Change&) {}};
  Random random_{1};
  WriteChannel channel_{api_, random_};
};

TEST_F(WriteChannelTest, IsCarriedOutBeforeItsEndIsKnown) {
  SendBind({});
  EXPECT_FALSE(channel_.Progress(kStart).has_value());
  EXPECT_TRUE(is_bound());
  const auto done = channel_.Progress(kStart);
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->result.ok());
  EXPECT_EQ(channel_.size(), 0u);
}

TEST_F(WriteChannelTest, ARefusedWriteIsNotCarriedOut) {
  SendBind({.refused = 100});
  const auto done = channel_.Progress(kStart);
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->result.ok());
  EXPECT_FALSE(is_bound());
}

// Lost on the way there, on the way back, or late: all end in a time-out.
TEST_F(WriteChannelTest, ALostWriteTimesOutAndMayHaveBeenDone) {
  std::set<bool> bound;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ApiModel api([](const Change&) {});
    api::Pod pod;
    pod.metadata.name = kPod.name;
    pod.metadata.namespace_ = kPod.namespace_;
    api.Create(std::move(pod));
    Random random(seed);
    WriteChannel channel(api, random);
    channel.Send({CommandId{0}, BindPod{kPod, "web-1", "n1"}}, {.lost = 100}, kStart);
    std::optional<WriteDone> done;
    while (!channel.idle(kStart)) EXPECT_FALSE(channel.Progress(kStart).has_value());
    done = channel.Progress(kStart + WriteChannel::kTimeout);
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(done->result.kind, Kind::kTimeout);
    while (channel.size() > 0) channel.Progress(kStart + WriteChannel::kTimeout);
    bound.insert(!api.Find<api::Pod>(kPod)->spec.node_name.empty());
  }
  EXPECT_EQ(bound, std::set<bool>({false, true}));
}

TEST_F(WriteChannelTest, NobodyHearsOfTheEndsOfOrphans) {
  for (int i = 0; i < 10; ++i) SendBind({});
  channel_.Orphan();
  while (channel_.size() > 0) EXPECT_FALSE(channel_.Progress(kStart).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::sim
