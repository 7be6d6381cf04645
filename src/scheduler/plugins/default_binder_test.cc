#include "scheduler/plugins/default_binder.h"

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/writes.h"
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// Records writes; results come on request.
class RecordingBinding final : public framework::BindingContext {
 public:
  RecordingBinding(framework::Cycle& cycle, model::NodeRow node) : cycle_(cycle), node_(node) {}

  framework::Cycle& cycle() override { return cycle_; }
  model::NodeRow node() const override { return node_; }
  bool cancelled() const override { return false; }
  Instant now() const override { return {}; }

  void Complete(framework::WriteResult result) {
    pending_->result = std::move(result);
    waiter_.resume();
  }

  std::vector<framework::ApiWrite> writes;

 private:
  void Issue(PendingWrite& pending, std::coroutine_handle<> waiter) override {
    writes.push_back(pending.write);
    pending_ = &pending;
    waiter_ = waiter;
  }
  void Wake(Duration, std::coroutine_handle<>) override { FAIL() << "nothing to wait for"; }

  framework::Cycle& cycle_;
  const model::NodeRow node_;
  PendingWrite* pending_ = nullptr;
  std::coroutine_handle<> waiter_;
};

TEST(DefaultBinder, PostsOneBindingAndWaitsForTheResponse) {
  TestCluster world{NodeYaml("a"), NodeYaml("b")};
  PluginHarness trial(world, MakePlugin("DefaultBinder"), PodYaml("web"));
  RecordingBinding binding(trial.cycle(), world.node("b"));
  Task<framework::Verdict> task = trial.As<framework::BindPlugin>().Bind(binding);
  EXPECT_TRUE(binding.writes.empty());

  task.Start();
  const framework::BindPod want{{"default", "web"}, "uid-of-web", "b"};
  ASSERT_EQ(binding.writes, std::vector<framework::ApiWrite>{want});
  EXPECT_FALSE(task.done());

  binding.Complete({});
  ASSERT_TRUE(task.done());
  EXPECT_EQ(Text(task.result()), "Success");
  EXPECT_EQ(binding.writes.size(), 1u);
}

TEST(DefaultBinder, EveryFailureIsAnErrorInTheWordsOfTheApi) {
  using enum framework::WriteResult::Kind;
  for (const auto kind : {kConflict, kNotFound, kTimeout, kUnavailable, kRejected}) {
    TestCluster world{NodeYaml("a")};
    PluginHarness trial(world, MakePlugin("DefaultBinder"), PodYaml("web"));
    RecordingBinding binding(trial.cycle(), world.node("a"));
    Task<framework::Verdict> task = trial.As<framework::BindPlugin>().Bind(binding);
    task.Start();
    binding.Complete({kind, "pod web is already assigned"});
    ASSERT_TRUE(task.done());
    EXPECT_EQ(Text(task.result()), "Error: pod web is already assigned");
    EXPECT_EQ(binding.writes.size(), 1u) << "a failed binding is not tried again here";
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
