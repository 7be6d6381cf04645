// Random stories told to engines: the same events give the same commands; no pod is lost, placed
// twice, or placed where there is no room. Each decision is also compared with one made from
// scratch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/cluster_dump.h"
#include "support/engine_world.h"
#include "support/random_objects.h"

namespace berth {
namespace {

std::string Describe(const Command& command) {
  const auto* bind = std::get_if<BindPod>(&command.write);
  if (bind == nullptr) return fmt::format("{}: another write", command.id.value);
  return fmt::format("{}: bind {} ({}) to {}", command.id.value, bind->pod.ToString(), bind->uid,
                     bind->node);
}

// Plays the API server towards any number of engines at a time.
class Story {
 public:
  explicit Story(uint64_t seed) : random_(seed), worlds_(2) {}

  void Step() {
    switch (random_.Below(12)) {
      case 0:
      case 1:
        return PutNode();
      case 2:
        return RemoveNode();
      case 3:
      case 4:
      case 5:
        return CreatePod();
      case 6:
        return DeletePod();
      case 7:
      case 8:
        return Schedule();
      case 9:
      case 10:
        return AnswerWrite();
      case 11:
        return ShowBoundPod();
    }
  }

  void Check(uint64_t seed) {
    const Cluster& cluster = worlds_[0].cluster();
    const NodeColumns& columns = cluster.nodes().columns();
    cluster.nodes().present().ForEach([&](size_t row) {
      EXPECT_LE(columns.requested_cpu[row], columns.allocatable_cpu[row]) << "seed " << seed;
      EXPECT_LE(columns.requested_memory[row], columns.allocatable_memory[row]) << "seed " << seed;
      EXPECT_LE(columns.pod_count[row], columns.allocatable_pods[row]) << "seed " << seed;
    });
    size_t pending = 0;
    cluster.pods().ForEach(
        [&](const PodRecord& pod) { pending += pod.state == PodState::kPending; });
    const Engine::QueueSizes waiting = worlds_[0].engine().queue_sizes();
    EXPECT_EQ(waiting.active + waiting.unschedulable + waiting.gated, pending) << "seed " << seed;
    EXPECT_EQ(Dump(cluster), Dump(worlds_[1].cluster())) << "seed " << seed;
  }

  size_t binds() const { return binds_; }

 private:
  // A node keeps its size for good: pods that were placed on it still fit when it comes back.
  api::Node NodeOf(uint64_t number) {
    Random size(number);
    return RandomNode(size, fmt::format("n{}", number));
  }

  void PutNode() {
    api::Node node = NodeOf(random_.Below(8));
    node.spec.unschedulable = random_.Chance(10);
    for (EngineWorld& world : worlds_) world.Put(std::make_shared<const api::Node>(node));
  }
  void RemoveNode() {
    const api::Node node = NodeOf(random_.Below(8));
    for (EngineWorld& world : worlds_) world.Remove(std::make_shared<const api::Node>(node));
  }

  void CreatePod() {
    const std::string name = fmt::format("p{}", random_.Below(30));
    if (pods_.contains(name)) return;
    api::Pod pod = RandomPod(random_, name);
    pod.metadata.uid = fmt::format("uid-{}", ++pods_made_);
    if (random_.Chance(10)) pod.spec.scheduling_gates = {"wait"};
    pods_[name] = pod;
    Show(pod);
  }
  void DeletePod() {
    if (pods_.empty()) return;
    auto entry = pods_.begin();
    std::advance(entry, random_.Below(pods_.size()));
    const auto gone = std::make_shared<const api::Pod>(entry->second);
    pods_.erase(entry);
    for (EngineWorld& world : worlds_) world.Remove(gone);
  }

  void Schedule() {
    const size_t limit = 1 + random_.Below(5);
    std::vector<size_t> tried;
    for (EngineWorld& world : worlds_) tried.push_back(world.Schedule(limit));
    EXPECT_EQ(tried[0], tried[1]);
    EXPECT_EQ(worlds_[0].Decisions(), worlds_[1].Decisions());
    TakeCommands();
  }

  void TakeCommands() {
    const std::vector<Command> commands = worlds_[0].Commands();
    std::vector<std::string> told, told_by_other;
    for (const Command& command : commands) told.push_back(Describe(command));
    for (const Command& command : worlds_[1].Commands()) told_by_other.push_back(Describe(command));
    EXPECT_EQ(told, told_by_other);
    under_way_.insert(under_way_.end(), commands.begin(), commands.end());
  }

  // Ends a write, the way the API server would: a pod that is gone or another one is not bound.
  void AnswerWrite() {
    if (under_way_.empty()) return;
    const size_t i = random_.Below(under_way_.size());
    const Command command = under_way_[i];
    under_way_.erase(under_way_.begin() + static_cast<ptrdiff_t>(i));
    const auto& bind = std::get<BindPod>(command.write);
    auto pod = pods_.find(bind.pod.name);
    WriteResult result;
    if (pod == pods_.end() || pod->second.metadata.uid != bind.uid) {
      result = {WriteResult::Kind::kNotFound, "no such pod"};
    } else if (random_.Chance(20)) {
      result = {WriteResult::Kind::kTimeout, "too late"};
    } else {
      EXPECT_EQ(pod->second.spec.node_name, "") << "bound twice";
      pod->second.spec.node_name = bind.node;
      ++binds_;
      if (random_.Chance(30)) Show(pod->second);  // The watch may be faster than the answer.
    }
    for (EngineWorld& world : worlds_) world.End(command, result);
    TakeCommands();
  }

  void ShowBoundPod() {
    for (const auto& [name, pod] : pods_) {
      if (!pod.spec.node_name.empty() && random_.Chance(50)) Show(pod);
    }
  }

  void Show(const api::Pod& pod) {
    for (EngineWorld& world : worlds_) world.Put(std::make_shared<const api::Pod>(pod));
  }

  Random random_;
  std::vector<EngineWorld> worlds_;
  std::map<std::string, api::Pod> pods_;  // As the API server has them.
  std::vector<Command> under_way_;
  uint64_t pods_made_ = 0;
  size_t binds_ = 0;
};

TEST(EngineProperty, SameEventsGiveSameCommandsAndNothingIsLostOrOvercommitted) {
  size_t binds = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Story story(seed);
    for (int step = 0; step < 200; ++step) {
      story.Step();
      if (step % 10 == 9) story.Check(seed);
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
    binds += story.binds();
  }
  EXPECT_GT(binds, 500u);
}

}  // namespace
}  // namespace berth
