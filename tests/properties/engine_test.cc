// Random events for two engines: the same events give the same commands; no pod is lost, bound
// twice, or bound to a node without capacity. Each decision is also compared with the reference
// implementation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "scheduler/queue/scheduling_queue.h"
#include "testing/cluster_dump.h"
#include "testing/engine_harness.h"
#include "testing/small_cluster.h"

namespace berth {
namespace BERTH_TEST_FILE {

struct WriteText {
  std::string operator()(const scheduler::framework::BindPod& w) const {
    return fmt::format("bind {} ({}) to {}", w.pod.ToString(), w.uid, w.node);
  }
  std::string operator()(const scheduler::framework::PatchPodStatus& w) const {
    return fmt::format("patch {} ({}), nominated to {}", w.pod.ToString(), w.uid,
                       w.nominated_node_name.value_or("-"));
  }
  std::string operator()(const scheduler::framework::DeletePod& w) const {
    return fmt::format("delete {} ({})", w.pod.ToString(), w.uid);
  }
  std::string operator()(const auto&) const { return "another write"; }
};

std::string Describe(const scheduler::engine::Command& command) {
  return fmt::format("{}: {}", command.id.value, std::visit(WriteText(), command.write));
}

// A fake API server for two engines, which get the same random events.
class EnginePair {
 public:
  explicit EnginePair(uint64_t seed) : random_(seed), engines_(2) {}

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
        return RemovePod();
      case 7:
      case 8:
        return Schedule();
      case 9:
      case 10:
        return CompleteWrite();
      case 11:
        return ShowBoundPod();
    }
  }

  void Check(uint64_t seed) {
    const scheduler::model::Cluster& cluster = engines_[0].cluster();
    const scheduler::model::NodeColumns& columns = cluster.nodes().columns();
    cluster.nodes().present().ForEach([&](size_t row) {
      EXPECT_LE(columns.requested_cpu[row], columns.allocatable_cpu[row]) << "seed " << seed;
      EXPECT_LE(columns.requested_memory[row], columns.allocatable_memory[row]) << "seed " << seed;
      EXPECT_LE(columns.pod_count[row], columns.allocatable_pods[row]) << "seed " << seed;
    });
    size_t pending = 0;
    cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      pending += pod.state == scheduler::model::PodState::kPending;
    });
    const scheduler::queue::SchedulingQueue::Sizes waiting = engines_[0].engine().queue().sizes();
    EXPECT_EQ(waiting.active + waiting.backoff + waiting.unschedulable + waiting.gated, pending)
        << "seed " << seed;
    EXPECT_EQ(Dump(cluster), Dump(engines_[1].cluster())) << "seed " << seed;
  }

  size_t binds() const { return binds_; }
  size_t evictions() const { return evictions_; }

 private:
  // The capacity depends on the number alone: pods on a node still fit when it is created again.
  api::Node NodeOf(uint64_t number) {
    Random size(number);
    return SmallNode(size, fmt::format("n{}", number));
  }

  void PutNode() {
    api::Node node = NodeOf(random_.Below(8));
    node.spec.unschedulable = random_.Chance(10);
    for (EngineHarness& engine : engines_) engine.Put(std::make_shared<const api::Node>(node));
  }
  void RemoveNode() {
    const api::Node node = NodeOf(random_.Below(8));
    for (EngineHarness& engine : engines_) engine.Remove(std::make_shared<const api::Node>(node));
  }

  void CreatePod() {
    const std::string name = fmt::format("p{}", random_.Below(30));
    if (pods_.contains(name)) return;
    api::Pod pod = SmallPod(random_, name);
    pod.metadata.uid = fmt::format("uid-{}", ++pods_made_);
    if (random_.Chance(10)) pod.spec.scheduling_gates = {"wait"};
    pods_[name] = pod;
    Show(pod);
  }
  void RemovePod() {
    if (pods_.empty()) return;
    auto entry = pods_.begin();
    std::advance(entry, random_.Below(pods_.size()));
    const auto gone = std::make_shared<const api::Pod>(entry->second);
    pods_.erase(entry);
    for (EngineHarness& engine : engines_) engine.Remove(gone);
  }

  void Schedule() {
    const size_t limit = 1 + random_.Below(5);
    std::vector<size_t> tried;
    for (EngineHarness& engine : engines_) tried.push_back(engine.Schedule(limit));
    EXPECT_EQ(tried[0], tried[1]);
    EXPECT_EQ(engines_[0].Decisions(), engines_[1].Decisions());
    TakeCommands();
  }

  void TakeCommands() {
    const std::vector<scheduler::engine::Command> commands = engines_[0].Commands();
    std::vector<std::string> first, second;
    for (const scheduler::engine::Command& command : commands) first.push_back(Describe(command));
    for (const scheduler::engine::Command& command : engines_[1].Commands())
      second.push_back(Describe(command));
    EXPECT_EQ(first, second);
    under_way_.insert(under_way_.end(), commands.begin(), commands.end());
  }

  // Completes a write as the API server would: it has no effect on a pod that was deleted or
  // replaced.
  void CompleteWrite() {
    if (under_way_.empty()) return;
    const size_t i = random_.Below(under_way_.size());
    const scheduler::engine::Command command = under_way_[i];
    under_way_.erase(under_way_.begin() + static_cast<ptrdiff_t>(i));
    const scheduler::framework::WriteResult result =
        random_.Chance(20)
            ? scheduler::framework::WriteResult{scheduler::framework::WriteResult::Kind::kTimeout,
                                                "too late"}
            : Execute(command);
    for (EngineHarness& engine : engines_) engine.End(command, result);
    TakeCommands();
  }

  scheduler::framework::WriteResult Execute(const scheduler::engine::Command& command) {
    const scheduler::framework::WriteResult no_such_pod{
        scheduler::framework::WriteResult::Kind::kNotFound, "no such pod"};
    if (const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write)) {
      api::Pod* pod = Find(bind->pod, bind->uid);
      if (pod == nullptr) return no_such_pod;
      EXPECT_EQ(pod->spec.node_name, "") << "bound twice";
      pod->spec.node_name = bind->node;
      ++binds_;
      if (random_.Chance(30)) Show(*pod);  // The watch may be faster than the response.
    } else if (const auto* removal = std::get_if<scheduler::framework::DeletePod>(&command.write)) {
      const api::Pod* pod = Find(removal->pod, removal->uid);
      if (pod == nullptr) return no_such_pod;
      ++evictions_;
      const auto gone = std::make_shared<const api::Pod>(*pod);
      pods_.erase(removal->pod.name);
      for (EngineHarness& engine : engines_) engine.Remove(gone);
    }
    return {};
  }

  api::Pod* Find(const api::ObjectKey& key, const std::string& uid) {
    auto found = pods_.find(key.name);
    return found == pods_.end() || found->second.metadata.uid != uid ? nullptr : &found->second;
  }

  void ShowBoundPod() {
    for (const auto& [name, pod] : pods_) {
      if (!pod.spec.node_name.empty() && random_.Chance(50)) Show(pod);
    }
  }

  void Show(const api::Pod& pod) {
    for (EngineHarness& engine : engines_) engine.Put(std::make_shared<const api::Pod>(pod));
  }

  Random random_;
  std::vector<EngineHarness> engines_;
  std::map<std::string, api::Pod> pods_;  // As stored by the API server.
  std::vector<scheduler::engine::Command> under_way_;
  uint64_t pods_made_ = 0;
  size_t binds_ = 0;
  size_t evictions_ = 0;
};

TEST(EngineProperty, SameEventsGiveSameCommandsAndNothingIsLostOrOvercommitted) {
  size_t binds = 0, evictions = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    EnginePair engines(seed);
    for (int step = 0; step < 200; ++step) {
      engines.Step();
      if (step % 10 == 9) engines.Check(seed);
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
    binds += engines.binds();
    evictions += engines.evictions();
  }
  EXPECT_GT(binds, 500u);
  EXPECT_GT(evictions, 5u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
