#include "scheduler/model/node_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/model/node_table.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

using Expressions = std::vector<api::NodeSelectorRequirement>;

class NodeAffinityTest : public testing::Test {
 protected:
  NodeAffinityTest() {
    nodes_.Put(MakeNode("n0").Label("zone", "a").Label("cores", "8"));
    nodes_.Put(MakeNode("n1").Label("zone", "b"));
    nodes_.Put(MakeNode("n2"));
  }

  // One character per node: '1' if it matches.
  std::string Match(const RequiredNodeAffinity& affinity) {
    std::string text;
    for (uint32_t row = 0; row < 3; ++row) {
      text += affinity.Matches(nodes_.info(NodeRow{row}), symbols_) ? '1' : '0';
    }
    return text;
  }
  std::string Match(std::vector<api::NodeSelectorTerm> terms) {
    return Match(RequiredNodeAffinity(api::NodeSelector{std::move(terms)}, holder_));
  }

  SymbolTable symbols_;
  SymbolHolder holder_{symbols_};
  ScalarNames scalars_;
  NodeTable nodes_{symbols_, scalars_};
};

TEST_F(NodeAffinityTest, TermsAreAlternativesAndRequirementsAddUp) {
  const Expressions in_a = {{"zone", "In", {"a"}}};
  const Expressions named_n1 = {{"metadata.name", "In", {"n1"}}};
  struct Case {
    const char* name;
    std::vector<api::NodeSelectorTerm> terms;
    const char* want;
  };
  const Case cases[] = {
      {"OneTerm", {{in_a, {}}}, "100"},
      {"TwoTerms", {{in_a, {}}, {{}, named_n1}}, "110"},
      {"LabelsAndFieldsOfOneTerm", {{in_a, named_n1}}, "000"},
      {"NotInMatchesNodesWithoutTheLabel", {{{{"zone", "NotIn", {"a"}}}, {}}}, "011"},
      {"Gt", {{{{"cores", "Gt", {"7"}}}, {}}}, "100"},
      {"NameNotIn", {{{}, {{"metadata.name", "NotIn", {"n1"}}}}}, "101"},
      {"NoTermsMatchNothing", {}, "000"},
      {"EmptyTermMatchesNothing", {{{}, {}}}, "000"},
      {"TermThatDoesNotParseMatchesNothing", {{{{"zone", "Near", {"a"}}}, {}}, {in_a, {}}}, "100"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Match(c.terms), c.want);
  }
}

TEST_F(NodeAffinityTest, PodWantsItsNodeSelectorAndItsAffinity) {
  EXPECT_EQ(Match(RequiredNodeAffinity(MakePod("p").object.spec, holder_)), "111");
  EXPECT_TRUE(RequiredNodeAffinity(MakePod("p").object.spec, holder_).empty());

  api::Pod pod = MakePod("p").NodeSelector("zone", "a");
  EXPECT_EQ(Match(RequiredNodeAffinity(pod.spec, holder_)), "100");
  pod.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{}, {{"metadata.name", "In", {"n1"}}}}};
  const RequiredNodeAffinity both(pod.spec, holder_);
  EXPECT_EQ(Match(both), "000");
  EXPECT_FALSE(both.empty());
}

TEST_F(NodeAffinityTest, WeightsOfMatchingPreferredTermsAddUp) {
  const auto preferred = PreferredNodeAffinity::Make(
      {
          {5, {{{"zone", "Exists", {}}}, {}}},
          {30, {{{"zone", "In", {"a"}}}, {}}},
          {0, {{{"zone", "Near", {}}}, {}}},  // Weight 0: not looked at.
          {7, {{}, {}}},                      // Says nothing.
      },
      holder_);
  ASSERT_TRUE(preferred.has_value());
  EXPECT_EQ(preferred->WeightOf(nodes_.info(NodeRow{0}), symbols_), 35);
  EXPECT_EQ(preferred->WeightOf(nodes_.info(NodeRow{1}), symbols_), 5);
  EXPECT_EQ(preferred->WeightOf(nodes_.info(NodeRow{2}), symbols_), 0);
}

TEST_F(NodeAffinityTest, PreferredTermThatDoesNotParseIsAnErrorThatNamesIt) {
  const auto preferred = PreferredNodeAffinity::Make(
      {{1, {{{"zone", "Exists", {}}}, {}}}, {1, {{{"zone", "Near", {}}}, {}}}}, holder_);
  ASSERT_FALSE(preferred.has_value());
  EXPECT_NE(preferred.error().message.find("[1].matchExpressions[0]"), std::string::npos)
      << preferred.error().message;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
