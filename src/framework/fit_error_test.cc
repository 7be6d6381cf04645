#include "framework/fit_error.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

constexpr Code kNo = Code::kUnschedulable;
constexpr Code kNever = Code::kUnschedulableAndUnresolvable;

TEST(Diagnosis, CountsReasonsAndSortsTheLines) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 12;
  for (uint32_t row = 0; row < 10; ++row) diagnosis.Add(NodeRow{row}, {kNo, "too small"});
  diagnosis.Add(NodeRow{10}, {kNever, std::vector<std::string>{"wrong zone", "too small"}});
  diagnosis.Add(NodeRow{11}, {kNever, "cordoned"});
  // "11 too small" comes before "1 wrong zone" no more than texts sort: by character.
  EXPECT_EQ(diagnosis.Message(),
            "0/12 nodes are available: 1 cordoned, 1 wrong zone, 11 too small.");
}

TEST(Diagnosis, NodesThatWereNotJudgedCountWithWhatHoldsForThem) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 5;
  diagnosis.absent = Verdict(kNever, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
  diagnosis.Add(NodeRow{3}, {kNo, "too small"});
  EXPECT_EQ(diagnosis.Message(),
            "0/5 nodes are available: 1 too small, 4 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity].");
  EXPECT_EQ(diagnosis.Of(NodeRow{3}).Message(), "too small");
  EXPECT_EQ(diagnosis.Of(NodeRow{0}).code(), kNever);
}

TEST(Diagnosis, AbsentNodesWithoutReasonsAreNotMentioned) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 3;
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available:");
  diagnosis.Add(NodeRow{0}, {kNo, "too small"});
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: 1 too small.");
}

TEST(Diagnosis, PreFilterMessageReplacesTheCounts) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 3;
  diagnosis.Add(NodeRow{0}, {kNo, "too small"});
  diagnosis.pre_filter_message = "claim not found";
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: claim not found.");
}

TEST(Diagnosis, PostFilterMessageFollows) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 1;
  diagnosis.Add(NodeRow{0}, {kNo, "too small"});
  diagnosis.post_filter_message = "preemption: no victims";
  EXPECT_EQ(diagnosis.Message(), "0/1 nodes are available: 1 too small. preemption: no victims");
}

TEST(Diagnosis, BlamesThePluginsThatSaidNo) {
  Diagnosis diagnosis;
  diagnosis.Add(NodeRow{0}, Verdict(kNo, "a").By("Fit"));
  diagnosis.Add(NodeRow{1}, Verdict(kNever, "b").By("Affinity"));
  diagnosis.Add(NodeRow{2}, Verdict(Code::kPending, "c").By("Outside"));
  diagnosis.Blame(Verdict(kNo, "nobody's"));
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"Affinity", "Fit"}));
  EXPECT_EQ(diagnosis.pending_on, (std::set<std::string, std::less<>>{"Outside"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
