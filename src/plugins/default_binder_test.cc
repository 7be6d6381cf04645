#include "plugins/default_binder.h"

#include "framework/binding.h"
#include "plugins/testing.h"

namespace berth {
namespace BERTH_TEST_FILE {

// Records what is written and answers when told to.
class RecordingBinding final : public BindingContext {
 public:
  RecordingBinding(Cycle& cycle, NodeRow node) : cycle_(cycle), node_(node) {}

  Cycle& cycle() override { return cycle_; }
  NodeRow node() const override { return node_; }
  bool cancelled() const override { return false; }
  Instant now() const override { return {}; }

  void Answer(WriteResult result) {
    pending_->result = std::move(result);
    waiter_.resume();
  }

  std::vector<ApiWrite> writes;

 private:
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    writes.push_back(pending.write);
    pending_ = &pending;
    waiter_ = waiter;
  }
  void Wake(Duration, std::coroutine_handle<>) override { FAIL() << "nothing to wait for"; }

  Cycle& cycle_;
  const NodeRow node_;
  PendingWrite* pending_ = nullptr;
  std::coroutine_handle<> waiter_;
};

TEST(DefaultBinder, PostsOneBindingAndWaitsForTheAnswer) {
  World world{NodeYaml("a"), NodeYaml("b")};
  PluginTrial trial(world, MakePlugin("DefaultBinder"), PodYaml("web"));
  RecordingBinding binding(trial.cycle(), world.node("b"));
  Task<Verdict> task = trial.As<BindPlugin>().Bind(binding);
  EXPECT_TRUE(binding.writes.empty());

  task.Start();
  const BindPod want{{"default", "web"}, "uid-of-web", "b"};
  ASSERT_EQ(binding.writes, std::vector<ApiWrite>{want});
  EXPECT_FALSE(task.done());

  binding.Answer({});
  ASSERT_TRUE(task.done());
  EXPECT_EQ(Text(task.result()), "Success");
  EXPECT_EQ(binding.writes.size(), 1u);
}

TEST(DefaultBinder, EveryFailureIsAnErrorInTheWordsOfTheApi) {
  using enum WriteResult::Kind;
  for (const auto kind : {kConflict, kNotFound, kTimeout, kUnavailable, kRejected}) {
    World world{NodeYaml("a")};
    PluginTrial trial(world, MakePlugin("DefaultBinder"), PodYaml("web"));
    RecordingBinding binding(trial.cycle(), world.node("a"));
    Task<Verdict> task = trial.As<BindPlugin>().Bind(binding);
    task.Start();
    binding.Answer({kind, "pod web is already assigned"});
    ASSERT_TRUE(task.done());
    EXPECT_EQ(Text(task.result()), "Error: pod web is already assigned");
    EXPECT_EQ(binding.writes.size(), 1u) << "a failed binding is not tried again here";
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
