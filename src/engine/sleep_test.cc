// Binding cycles that wait for time to pass.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "framework/binding.h"
#include "plugins/registry.h"
#include "support/fake_plugins.h"
#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

// Sleeps twice before a pod is bound (its node is known already, and so not announced): as many
// seconds as the pod's priority, then one.
class Sleeper final : public PreBindPlugin {
 public:
  Sleeper(std::string name, std::shared_ptr<Lines> log)
      : name_(std::move(name)), log_(std::move(log)) {}
  std::string_view name() const override { return name_; }
  PreBindPlan PreBindPreFlight(const Cycle&, NodeRow) const override { return {}; }
  Task<Verdict> PreBind(BindingContext& binding) const override {
    const api::Pod& pod = *binding.cycle().pod().object;
    const Instant start = binding.now();
    co_await binding.Sleep(Duration::Seconds(pod.priority()));
    co_await binding.Sleep(Duration::Seconds(1));
    log_->push_back(pod.metadata.name + " slept " +
                    std::to_string((binding.now() - start).nanos / 1'000'000'000));
    co_return Verdict();
  }

 private:
  const std::string name_;
  const std::shared_ptr<Lines> log_;
};

class SleepTest : public testing::Test {
 protected:
  SleepTest() {
    Registry registry = InTreeRegistry();
    Offer<Sleeper>(registry, "Sleeper", log_);
    EngineOptions options;
    options.profiles = {ProfileOf({{"PrioritySort"}, {"DefaultBinder"}, {"Sleeper"}})};
    options.profiles[0].scheduler_name = "default-scheduler";
    engine_ = *Engine::Make(options, registry);
    engine_->Handle(ObjectPut{MakeNode("n").ref()}, At(0));
  }
  static Instant At(int64_t seconds) { return Instant::FromUnixSeconds(1000 + seconds); }

  const std::shared_ptr<Lines> log_ = std::make_shared<Lines>();
  std::unique_ptr<Engine> engine_;
};

TEST_F(SleepTest, NothingHappensBeforeTheTimeIsOver) {
  engine_->Handle(ObjectPut{MakePod("p").Nominated("n").Priority(5).ref()}, At(0));
  EXPECT_EQ(engine_->next_wake(), std::nullopt);
  engine_->Schedule(At(0));
  EXPECT_EQ(engine_->next_wake(), At(5));
  engine_->Schedule(At(4));
  EXPECT_EQ(engine_->next_wake(), At(5));
  engine_->Schedule(At(5));
  EXPECT_EQ(engine_->next_wake(), At(6));
  EXPECT_TRUE(engine_->TakeCommands().empty());
  engine_->Schedule(At(6));
  EXPECT_EQ(*log_, (Lines{"p slept 6"}));
  EXPECT_EQ(engine_->TakeCommands().size(), 1u);
  EXPECT_EQ(engine_->next_wake(), std::nullopt);
}

TEST_F(SleepTest, AnyEventLetsTimePass) {
  engine_->Handle(ObjectPut{MakePod("p").Nominated("n").Priority(1).ref()}, At(0));
  engine_->Schedule(At(0));
  engine_->Handle(ObjectPut{MakeNode("m").ref()}, At(1));
  engine_->Handle(ObjectPut{MakeNode("m").ref()}, At(2));
  EXPECT_EQ(*log_, (Lines{"p slept 2"}));
}

TEST_F(SleepTest, SleepersWakeInOrder) {
  for (const auto& [name, seconds] :
       std::vector<std::pair<const char*, int>>{{"a", 3}, {"b", 2}, {"c", 3}}) {
    engine_->Handle(ObjectPut{MakePod(name).Nominated("n").Priority(seconds).ref()}, At(0));
  }
  engine_->Schedule(At(0));
  for (int second = 1; second <= 4; ++second) engine_->Schedule(At(second));
  EXPECT_EQ(*log_, (Lines{"b slept 3", "a slept 4", "c slept 4"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
