#include "simulation/faulty_connection.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace berth::simulation {
namespace BERTH_TEST_FILE {

api::Pod PodNamed(std::string name) {
  api::Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = "default";
  return pod;
}

// Returns "p1 v2" or "p1 deleted".
std::string Text(const scheduler::engine::Event& event) {
  if (const auto* deleted = std::get_if<scheduler::engine::ObjectDeleted>(&event)) {
    return api::MetaOf(deleted->object).name + " deleted";
  }
  const api::ObjectMeta& meta = api::MetaOf(std::get<scheduler::engine::ObjectPut>(event).object);
  return meta.name + " v" + meta.resource_version;
}

std::vector<std::string> Texts(const std::vector<scheduler::engine::Event>& events) {
  std::vector<std::string> texts;
  for (const scheduler::engine::Event& event : events) texts.push_back(Text(event));
  return texts;
}

class WatchTest : public testing::Test {
 protected:
  void Touch(const std::string& name) { api_.Update(*api_.Find<api::Pod>({"default", name})); }

  Watch watch_;
  ApiModel api_{[this](const Change& change) { watch_.Append(change); }};
  Random random_{7};
};

TEST_F(WatchTest, DeliversEachObjectInOrder) {
  for (const char* name : {"a", "b", "c"}) api_.Create(PodNamed(name));  // v1, v2, v3
  for (int i = 0; i < 3; ++i) {
    for (const char* name : {"a", "b", "c"}) Touch(name);  // Up to v12.
  }
  std::map<std::string, std::vector<std::string>> received;
  std::string order;
  while (!watch_.idle()) {
    const std::string text = Text(watch_.Next(random_));
    received[text.substr(0, 1)].push_back(text);
    order += text[0];
  }
  using Lines = std::vector<std::string>;
  EXPECT_EQ(received["a"], Lines({"a v1", "a v4", "a v7", "a v10"}));
  EXPECT_EQ(received["b"], Lines({"b v2", "b v5", "b v8", "b v11"}));
  EXPECT_EQ(received["c"], Lines({"c v3", "c v6", "c v9", "c v12"}));
  EXPECT_NE(order, "abcabcabcabc");
}

TEST_F(WatchTest, ARelistDeliversLiveObjectsAndDeletionsOfKnownOnes) {
  api_.Create(PodNamed("a"));  // v1
  api_.Create(PodNamed("b"));  // v2
  while (!watch_.idle()) watch_.Next(random_);
  api_.Remove<api::Pod>({"default", "a"});
  api_.Create(PodNamed("c"));  // v4; created and deleted unseen.
  api_.Remove<api::Pod>({"default", "c"});
  api_.Create(PodNamed("d"));  // v6
  Touch("d");
  EXPECT_EQ(Texts(watch_.Relist()), std::vector<std::string>({"a deleted", "b v2", "d v7"}));
  EXPECT_TRUE(watch_.idle());
}

TEST_F(WatchTest, StaleObjectsOfTheInitialListFollow) {
  for (int i = 0; i < 20; ++i) api_.Create(PodNamed("p" + std::to_string(i)));
  size_t delivered = watch_.InitialList(random_).size();
  EXPECT_LT(delivered, 20u);
  for (; !watch_.idle(); ++delivered) watch_.Next(random_);
  EXPECT_EQ(delivered, 20u);
  EXPECT_EQ(watch_.delivered().size(), 20u);
}

TEST_F(WatchTest, RedeliversTheLastState) {
  EXPECT_FALSE(watch_.Redeliver(random_).has_value());
  api_.Create(PodNamed("a"));
  watch_.Next(random_);
  Touch("a");
  EXPECT_EQ(Text(*watch_.Redeliver(random_)), "a v1");
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

using Kind = scheduler::framework::WriteResult::Kind;

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
    channel_.Send(
        {scheduler::engine::CommandId{0}, scheduler::framework::BindPod{kPod, "web-1", "n1"}},
        faults, kStart);
  }
  bool is_bound() const { return !api_.Find<api::Pod>(kPod)->spec.node_name.empty(); }

  ApiModel api_{[](const Change&) {}};
  Random random_{1};
  WriteChannel channel_{api_, random_};
};

TEST_F(WriteChannelTest, ExecutesAWriteBeforeReportingIt) {
  SendBind({});
  EXPECT_FALSE(channel_.Progress(kStart).has_value());
  EXPECT_TRUE(is_bound());
  const auto done = channel_.Progress(kStart);
  ASSERT_TRUE(done.has_value());
  EXPECT_TRUE(done->result.ok());
  EXPECT_EQ(channel_.size(), 0u);
}

TEST_F(WriteChannelTest, DoesNotExecuteARefusedWrite) {
  SendBind({.refused = 100});
  const auto done = channel_.Progress(kStart);
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->result.ok());
  EXPECT_FALSE(is_bound());
}

// That an object is gone is the truth, if a read or an eviction reports it.
TEST_F(WriteChannelTest, ARefusedReadOrEvictionNeverReportsThatTheObjectIsGone) {
  api::PodCondition target;
  target.type = "DisruptionTarget";
  const std::vector<scheduler::framework::ApiWrite> writes = {
      scheduler::framework::GetResourceClaim{{"default", "c"}},
      scheduler::framework::PatchPodStatus{kPod, "uid", target, std::nullopt},
      scheduler::framework::DeletePod{kPod, "uid"}};
  for (uint32_t i = 0; i < 90; ++i) {
    channel_.Send({scheduler::engine::CommandId{i}, writes[i % writes.size()]}, {.refused = 100},
                  kStart);
    const auto done = channel_.Progress(kStart);
    ASSERT_TRUE(done.has_value());
    EXPECT_FALSE(done->result.ok());
    EXPECT_NE(done->result.kind, Kind::kNotFound);
  }
}

// A lost request, a lost result and a late request all end in a timeout.
TEST_F(WriteChannelTest, ALostWriteTimesOutAndMayBeExecuted) {
  std::set<bool> bound;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ApiModel api([](const Change&) {});
    api::Pod pod;
    pod.metadata.name = kPod.name;
    pod.metadata.namespace_ = kPod.namespace_;
    api.Create(std::move(pod));
    Random random(seed);
    WriteChannel channel(api, random);
    channel.Send(
        {scheduler::engine::CommandId{0}, scheduler::framework::BindPod{kPod, "web-1", "n1"}},
        {.lost = 100}, kStart);
    std::optional<scheduler::engine::WriteDone> done;
    while (!channel.idle(kStart)) EXPECT_FALSE(channel.Progress(kStart).has_value());
    done = channel.Progress(kStart + WriteChannel::kTimeout);
    ASSERT_TRUE(done.has_value());
    EXPECT_EQ(done->result.kind, Kind::kTimeout);
    while (channel.size() > 0) channel.Progress(kStart + WriteChannel::kTimeout);
    bound.insert(!api.Find<api::Pod>(kPod)->spec.node_name.empty());
  }
  EXPECT_EQ(bound, std::set<bool>({false, true}));
}

TEST_F(WriteChannelTest, DropsResultsOfOrphans) {
  for (int i = 0; i < 10; ++i) SendBind({});
  channel_.Orphan();
  while (channel_.size() > 0) EXPECT_FALSE(channel_.Progress(kStart).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::simulation
