// A recording of ten thousand pods, with preemption and failed binds, replays exactly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/print.h"
#include "scheduler/model/features.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/recording/recording_engine.h"
#include "scheduler/recording/recording_testing.h"
#include "scheduler/recording/replay.h"
#include "testing/object_builders.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr uint64_t kPods = 10'000;
constexpr uint64_t kNodes = 50;
constexpr size_t kRunning = 1'500;  // Above this number, the oldest pods are deleted.

// Acts as the API server of a recorded engine.
class TenThousandPods {
 public:
  explicit TenThousandPods(scheduler::recording::RecordingEngine& engine) : engine_(engine) {}

  void Run() {
    for (uint64_t i = 0; i < kNodes; ++i) Put(Node(i));
    for (uint64_t i = 0; i < kPods; ++i) {
      Store(NewPod(i));
      if (i % 10 == 9) Schedule();
      while (running_.size() > kRunning) DeleteOldest();
    }
    for (int round = 0; round < 20; ++round) {
      now_ = now_ + Duration::Seconds(30);
      Schedule();
    }
  }

  size_t bound() const { return bound_; }
  size_t failed_binds() const { return failed_binds_; }
  size_t evicted() const { return evicted_; }

 private:
  api::Ref<api::Node> Node(uint64_t number) {
    MakeNode node(fmt::format("node-{:02}", number));
    node.Cpu("32").Memory("128Gi").Pods("110").Zone(fmt::format("zone-{}", number % 3));
    node.Label("kubernetes.io/hostname", fmt::format("node-{:02}", number));
    if (number % 10 == 0) node.Taint("dedicated", "batch", "NoSchedule");
    return node.ref();
  }

  api::Pod NewPod(uint64_t number) {
    MakePod pod(fmt::format("pod-{:05}", number));
    switch (random_.Below(6)) {
      case 0:
        pod.Request("cpu", "100m").Label("app", "small");
        break;
      case 1:
        pod.Request("cpu", "500m").Request("memory", "1Gi").Label("app", "web");
        break;
      case 2:
        pod.Request("cpu", "2").Request("memory", "4Gi").Label("app", "batch");
        pod.Tolerates("dedicated", "batch", "NoSchedule");
        break;
      case 3:
        pod.Request("cpu", "250m").Label("app", "spread");
        pod.object.spec.topology_spread_constraints.push_back(
            {.max_skew = 5,
             .topology_key = "topology.kubernetes.io/zone",
             .when_unsatisfiable = "DoNotSchedule",
             .label_selector = api::LabelSelector{{{"app", "spread"}}, {}}});
        break;
      case 4:
        pod.Request("cpu", "1").Label("app", "zoned");
        pod.NodeSelector("topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3));
        break;
      case 5:
        pod.Request("cpu", "200m").HostPort(static_cast<int32_t>(8000 + number % 50));
        break;
    }
    // Some fit only if others are preempted.
    if (number % 500 == 499) pod.Request("cpu", "30").Priority(1000);
    return pod;
  }

  void Schedule() {
    while (engine_.Schedule(Tick(), 25) > 0) {
      for (bool more = true; more;) {
        more = false;
        for (const scheduler::engine::Command& command : engine_.TakeCommands()) {
          more = true;
          const scheduler::framework::WriteResult result =
              std::visit([this](const auto& write) { return Execute(write); }, command.write);
          engine_.Handle(scheduler::engine::WriteDone{command.id, result}, Tick());
        }
      }
    }
  }

  scheduler::framework::WriteResult Execute(const scheduler::framework::BindPod& bind) {
    if (random_.Chance(3)) {
      ++failed_binds_;
      return random_.Chance(50)
                 ? scheduler::framework::
                       WriteResult{scheduler::framework::WriteResult::Kind::kConflict,
                                   "changed meanwhile"}
                 : scheduler::framework::WriteResult{
                       scheduler::framework::WriteResult::Kind::kTimeout, "no response"};
    }
    api::Pod pod = *pods_.at(bind.pod.name);
    pod.spec.node_name = bind.node;
    pod.status.start_time = now_;
    ++bound_;
    running_.push_back(bind.pod.name);
    Store(std::move(pod));
    return {};
  }
  scheduler::framework::WriteResult Execute(const scheduler::framework::PatchPodStatus& patch) {
    const auto found = pods_.find(patch.pod.name);
    if (found == pods_.end())
      return {scheduler::framework::WriteResult::Kind::kNotFound, "no such pod"};
    api::Pod pod = *found->second;
    if (patch.nominated_node_name) pod.status.nominated_node_name = *patch.nominated_node_name;
    if (patch.condition) pod.status.conditions = {*patch.condition};
    Store(std::move(pod));
    return {};
  }
  scheduler::framework::WriteResult Execute(const scheduler::framework::DeletePod& removal) {
    if (!pods_.contains(removal.pod.name))
      return {scheduler::framework::WriteResult::Kind::kNotFound, "no such pod"};
    ++evicted_;
    Remove(removal.pod.name);
    return {};
  }
  // This run has no other writes.
  scheduler::framework::WriteResult Execute(const auto&) {
    return {scheduler::framework::WriteResult::Kind::kRejected, "not in this test"};
  }

  void DeleteOldest() {
    const std::string name = std::move(running_.front());
    running_.pop_front();
    if (pods_.contains(name)) Remove(name);
  }

  void Store(api::Pod pod) {
    auto stored = std::make_shared<const api::Pod>(std::move(pod));
    pods_[stored->metadata.name] = stored;
    Put(stored);
  }
  void Put(const api::Object& object) {
    engine_.Handle(scheduler::engine::ObjectPut{object}, Tick());
  }
  void Remove(const std::string& name) {
    const auto found = pods_.find(name);
    engine_.Handle(scheduler::engine::ObjectDeleted{found->second}, Tick());
    pods_.erase(found);
  }

  Instant Tick() { return now_ = now_ + Duration::Millis(1); }

  scheduler::recording::RecordingEngine& engine_;
  Random random_{7};
  Instant now_ = Instant::FromUnixSeconds(1'767'225'600);
  std::map<std::string, api::Ref<api::Pod>> pods_;
  std::deque<std::string> running_;
  size_t bound_ = 0, failed_binds_ = 0, evicted_ = 0;
};

// With each feature gate as it is by default, or the other way round.
class RecordingProperty : public testing::TestWithParam<bool> {};

TEST_P(RecordingProperty, TenThousandPodsReplayExactly) {
  scheduler::recording::RecordingHeader header = scheduler::recording::DefaultHeader(/*seed=*/42);
  if (GetParam()) {
    for (const auto& [name, field] : scheduler::model::kNamedFeatures)
      header.features.*field = !(header.features.*field);
    header.configuration = scheduler::config::ToYaml(scheduler::config::Default(header.features));
  }
  std::string bytes;
  scheduler::recording::RecordWriter writer(header, scheduler::recording::AppendTo(bytes));
  auto options = scheduler::recording::OptionsFor(header);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  auto engine = scheduler::engine::Engine::Make(*options, scheduler::plugins::InTreeRegistry());
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  scheduler::recording::RecordingEngine recording(**engine, &writer);
  TenThousandPods run(recording);
  run.Run();
  writer.Close();
  ASSERT_TRUE(writer.status().has_value());
  EXPECT_GT(run.bound(), kPods * 9 / 10);
  EXPECT_GT(run.failed_binds(), 100u);
  EXPECT_GT(run.evicted(), 5u);
  // At least four records per pod, in less than 500 bytes.
  EXPECT_LT(bytes.size(), kPods * 500);

  const auto reader = scheduler::recording::MustOpen(bytes);
  const auto report = scheduler::recording::Replay(*reader, scheduler::plugins::InTreeRegistry());
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->identical()) << report->mismatch->ToString();
  EXPECT_EQ(report->end.kind, scheduler::recording::RecordingEnd::Kind::kClosed)
      << report->end.ToString();
  EXPECT_EQ(report->end.records, writer.records());
  EXPECT_EQ(report->placed, run.bound() + run.failed_binds());
  RecordProperty("bytes", static_cast<int>(bytes.size()));
  RecordProperty("records", static_cast<int>(writer.records()));
}

INSTANTIATE_TEST_SUITE_P(Gates, RecordingProperty, testing::Bool());

}  // namespace BERTH_TEST_FILE
}  // namespace berth
