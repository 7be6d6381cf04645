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
    for (const char* name : {"a", "b", "c"}) fake_.cluster.Put(MakeNode(name));
    fake_.cluster.Put(MakePod("p"));
  }
  model::NodeMask All() const { return fake_.cluster.nodes().present(); }

  // The cycle needs a pod; the rules of these tests need nothing else of it.
  Cycle NewCycle() {
    const model::PodId pod = fake_.cluster.pods().Find("default", "p");
    return Cycle(fake_.cluster, fake_.cluster.pod(pod), compiled_);
  }

  FakeCluster fake_;
  const ClassStates compiled_{};
};

TEST_F(NodeAtATimeTest, FilterClearsTheNodesThatAreRejected) {
  const FakeRule rule("Rule", {.filter = [this](const Cycle&, model::NodeRow row) {
                        return fake_.NameOf(row) == "b" ? Verdict(Code::kUnschedulable, "no")
                                                        : Verdict();
                      }});
  model::NodeMask nodes = All();
  EXPECT_TRUE(rule.Filter(NewCycle(), nodes).ok());
  EXPECT_EQ(fake_.Names(nodes), std::vector<std::string>({"a", "c"}));
  EXPECT_EQ(rule.Judge(NewCycle(), fake_.Row("b")).Message(), "no");
}

TEST_F(NodeAtATimeTest, FilterIsCalledForTheGivenNodesOnly) {
  std::vector<std::string> evaluated;
  const FakeRule rule("Rule", {.filter = [&](const Cycle&, model::NodeRow row) {
                        evaluated.push_back(fake_.NameOf(row));
                        return Verdict();
                      }});
  model::NodeMask nodes(fake_.cluster.nodes().rows());
  nodes.Set(fake_.Row("c").index());
  EXPECT_TRUE(rule.Filter(NewCycle(), nodes).ok());
  EXPECT_EQ(evaluated, std::vector<std::string>({"c"}));
}

TEST_F(NodeAtATimeTest, ReturnsTheFirstError) {
  const FakeRule rule("Rule", {.filter = [this](const Cycle&, model::NodeRow row) {
                        return Verdict::Error("cannot tell about " + fake_.NameOf(row));
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
