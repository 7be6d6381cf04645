#include "scheduler/framework/cycle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/fake_plugins.h"
#include "testing/object_builders.h"

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

class NodeAtATimeTest : public testing::Test {
 protected:
  NodeAtATimeTest() {
    for (const char* name : {"a", "b", "c"}) world_.cluster.Put(MakeNode(name));
    world_.cluster.Put(MakePod("p"));
  }
  model::NodeMask All() const { return world_.cluster.nodes().present(); }

  // The cycle needs a pod; the rules of these tests need nothing else of it.
  Cycle NewCycle() {
    const model::PodId pod = world_.cluster.pods().Find("default", "p");
    return Cycle(world_.cluster, world_.cluster.pod(pod), compiled_);
  }

  FakeCluster world_;
  const ClassStates compiled_{};
};

TEST_F(NodeAtATimeTest, FilterClearsTheNodesThatAreRejected) {
  const FakeRule rule("Rule", {.filter = [this](const Cycle&, model::NodeRow row) {
                        return world_.NameOf(row) == "b" ? Verdict(Code::kUnschedulable, "no")
                                                         : Verdict();
                      }});
  model::NodeMask nodes = All();
  EXPECT_TRUE(rule.Filter(NewCycle(), nodes).ok());
  EXPECT_EQ(world_.Names(nodes), std::vector<std::string>({"a", "c"}));
  EXPECT_EQ(rule.Explain(NewCycle(), world_.Row("b")).Message(), "no");
}

TEST_F(NodeAtATimeTest, FilterIsAskedAboutTheGivenNodesOnly) {
  std::vector<std::string> asked;
  const FakeRule rule("Rule", {.filter = [&](const Cycle&, model::NodeRow row) {
                        asked.push_back(world_.NameOf(row));
                        return Verdict();
                      }});
  model::NodeMask nodes(world_.cluster.nodes().rows());
  nodes.Set(world_.Row("c").index());
  EXPECT_TRUE(rule.Filter(NewCycle(), nodes).ok());
  EXPECT_EQ(asked, std::vector<std::string>({"c"}));
}

TEST_F(NodeAtATimeTest, FirstErrorIsTheAnswer) {
  const FakeRule rule("Rule", {.filter = [this](const Cycle&, model::NodeRow row) {
                        return Verdict::Error("cannot tell about " + world_.NameOf(row));
                      }});
  model::NodeMask nodes = All();
  EXPECT_EQ(rule.Filter(NewCycle(), nodes).Message(), "cannot tell about a");
}

TEST_F(NodeAtATimeTest, ScoreWritesTheGivenRows) {
  const FakeRule rule(
      "Rule", {.score = [](const Cycle&, model::NodeRow row) { return int64_t{row.value} + 10; }});
  std::vector<int64_t> scores(3, -7);
  model::NodeMask nodes = All();
  nodes.Clear(1);
  EXPECT_TRUE(rule.Score(NewCycle(), nodes, scores).ok());
  EXPECT_EQ(scores, std::vector<int64_t>({10, -7, 12}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
