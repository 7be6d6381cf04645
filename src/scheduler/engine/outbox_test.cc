#include "scheduler/engine/outbox.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/task.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

const api::ObjectKey kPod{"default", "p"};

framework::ApiWrite Bind(std::string uid = "u") {
  return framework::BindPod{kPod, std::move(uid), "n1"};
}
framework::ApiWrite Nominate() { return framework::PatchPodStatus{kPod, "u", std::nullopt, "n1"}; }
framework::ApiWrite ClearNomination() {
  return framework::PatchPodStatus{kPod, "u", std::nullopt, ""};
}
framework::ApiWrite Condition(const char* type,
                              std::optional<std::string> nominated = std::nullopt) {
  api::PodCondition condition;
  condition.type = type;
  return framework::PatchPodStatus{kPod, "u", condition, std::move(nominated)};
}
framework::ApiWrite Delete() { return framework::DeletePod{kPod, "u"}; }
framework::ApiWrite Record() {
  framework::RecordEvent event;
  event.pod = kPod;
  return event;
}

struct LaneCase {
  const char* name;
  framework::ApiWrite write;
  framework::WriteLane want;
};

TEST(WriteLanes, UrgentWritesGoFirst) {
  const LaneCase cases[] = {
      {"Bind", Bind(), framework::WriteLane::kBind},
      {"Volume", framework::UpdatePersistentVolume{}, framework::WriteLane::kBind},
      {"Claim", framework::UpdatePersistentVolumeClaim{}, framework::WriteLane::kBind},
      {"ResourceClaim", framework::UpdateResourceClaim{}, framework::WriteLane::kBind},
      {"StatusOfAResourceClaim", framework::UpdateResourceClaimStatus{},
       framework::WriteLane::kBind},
      {"ReservationTakenBack", framework::UnreserveResourceClaim{}, framework::WriteLane::kBind},
      {"ExtendedResources",
       framework::PatchPodStatus{kPod, "u", std::nullopt, std::nullopt,
                                 api::PodExtendedResourceClaimStatus{{}, "c"}},
       framework::WriteLane::kBind},
      {"Nomination", Nominate(), framework::WriteLane::kNominate},
      {"NominationWithItsCondition", Condition("PodScheduled", "n1"),
       framework::WriteLane::kNominate},
      {"NominationTakenBack", ClearNomination(), framework::WriteLane::kNominate},
      {"Eviction", Delete(), framework::WriteLane::kEvict},
      {"MarkOfAVictim", Condition("DisruptionTarget"), framework::WriteLane::kEvict},
      {"Condition", Condition("PodScheduled"), framework::WriteLane::kStatus},
      {"ConditionWithoutNomination", Condition("PodScheduled", ""), framework::WriteLane::kStatus},
      {"Event", Record(), framework::WriteLane::kEvent},
  };
  for (const LaneCase& c : cases) EXPECT_EQ(framework::LaneOf(c.write), c.want) << c.name;
}

TEST(Outbox, TakesLaneByLaneAndTheOldestFirst) {
  Outbox outbox;
  const CommandId event = outbox.Post(Record());
  const CommandId status = outbox.Post(Condition("PodScheduled"));
  const CommandId evict = outbox.Post(Delete());
  const CommandId nominate = outbox.Post(Nominate());
  const CommandId first = outbox.Post(Bind("first"));
  const CommandId second = outbox.Post(Bind("second"));
  const CommandId last = outbox.Post(Record());
  std::vector<CommandId> order;
  for (const Command& command : outbox.TakeCommands(SIZE_MAX)) order.push_back(command.id);
  EXPECT_EQ(order, std::vector({first, second, nominate, evict, status, event, last}));
  EXPECT_TRUE(outbox.TakeCommands(SIZE_MAX).empty());
}

TEST(Outbox, ReturnsNoMoreThanRequested) {
  Outbox outbox;
  for (int i = 0; i < 3; ++i) outbox.Post(Condition("PodScheduled"));
  EXPECT_TRUE(outbox.TakeCommands(0).empty());
  EXPECT_EQ(outbox.TakeCommands(1).size(), 1u);
  const CommandId bind = outbox.Post(Bind());
  const auto taken = outbox.TakeCommands(2);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].id, bind);
  EXPECT_EQ(outbox.TakeCommands(SIZE_MAX).size(), 1u);
}

TEST(Outbox, OnlyUnsentWritesCanBeWithdrawn) {
  Outbox outbox;
  const CommandId stays = outbox.Post(Bind());
  const CommandId goes = outbox.Post(Delete());
  EXPECT_TRUE(outbox.Withdraw(framework::WriteLane::kEvict, goes));
  EXPECT_FALSE(outbox.Withdraw(framework::WriteLane::kEvict, goes));
  EXPECT_FALSE(outbox.Withdraw(framework::WriteLane::kBind, CommandId{99}));
  const auto taken = outbox.TakeCommands(SIZE_MAX);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].id, stays);
  EXPECT_FALSE(outbox.Withdraw(framework::WriteLane::kBind, stays));
}

Task<int> WriteTwo(Outbox& outbox, Lines& log) {
  for (const char* uid : {"one", "two"}) {
    framework::ApiWrite write = Bind(uid);
    const framework::WriteResult result = co_await outbox.Write(std::move(write));
    log.push_back(std::string(uid) + (result.ok() ? " ok" : " " + result.message));
  }
  co_return 0;
}

TEST(Outbox, ResumesTheCoroutineThatAwaitsAWrite) {
  Outbox outbox;
  Lines log;
  Task<int> task = WriteTwo(outbox, log);
  task.Start();
  const auto first = outbox.TakeCommands(SIZE_MAX);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(log.empty());
  outbox.WriteEnded(first[0].id, {});
  outbox.WriteEnded(first[0].id, {});
  EXPECT_EQ(log, Lines({"one ok"}));
  const auto second = outbox.TakeCommands(SIZE_MAX);
  outbox.WriteEnded(CommandId{99}, {});
  outbox.WriteEnded(second[0].id, {framework::WriteResult::Kind::kConflict, "no"});
  EXPECT_EQ(log, Lines({"one ok", "two no"}));
  EXPECT_TRUE(task.done());
}

TEST(Outbox, WithdrawnWriteResumesItsCoroutine) {
  Outbox outbox;
  Lines log;
  Task<int> task = WriteTwo(outbox, log);
  task.Start();
  EXPECT_TRUE(outbox.Withdraw(framework::WriteLane::kBind, CommandId{0}));
  EXPECT_EQ(log, Lines({"one ok"}));
}

TEST(Outbox, TimeNeverGoesBack) {
  Outbox outbox;
  outbox.PassTime(Instant::FromUnixSeconds(10));
  outbox.PassTime(Instant::FromUnixSeconds(5));
  EXPECT_EQ(outbox.now(), Instant::FromUnixSeconds(10));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
