#include "scheduler/framework/verdict.h"

#include <gtest/gtest.h>

namespace berth::scheduler::framework {
namespace BERTH_TEST_FILE {

TEST(Verdict, IsSuccessByDefault) {
  const Verdict verdict;
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.code(), Code::kSuccess);
  EXPECT_EQ(verdict.Message(), "");
}

TEST(Verdict, CodesHaveNamesAndClasses) {
  struct Case {
    Code code;
    const char* name;
    bool ok, skipped, rejected;
  };
  const Case cases[] = {
      {Code::kSuccess, "Success", true, false, false},
      {Code::kError, "Error", false, false, false},
      {Code::kUnschedulable, "Unschedulable", false, false, true},
      {Code::kUnschedulableAndUnresolvable, "UnschedulableAndUnresolvable", false, false, true},
      {Code::kWait, "Wait", false, false, false},
      {Code::kSkip, "Skip", false, true, false},
      {Code::kPending, "Pending", false, false, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Verdict verdict(c.code);
    EXPECT_EQ(ToString(c.code), c.name);
    EXPECT_EQ(verdict.ok(), c.ok);
    EXPECT_EQ(verdict.skipped(), c.skipped);
    EXPECT_EQ(verdict.rejected(), c.rejected);
  }
}

TEST(Verdict, JoinsItsReasons) {
  EXPECT_EQ(Verdict(Code::kUnschedulable, std::vector<std::string>{"no cpu", "no ports"}).Message(),
            "no cpu, no ports");
  EXPECT_EQ(Verdict::Error("broken").Message(), "broken");
}

TEST(Verdict, RecordsThePlugin) {
  const Verdict verdict = Verdict(Code::kUnschedulable, "no").By("Fit");
  EXPECT_EQ(verdict.plugin(), "Fit");
  EXPECT_NE(verdict, Verdict(Code::kUnschedulable, "no"));
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

TEST(VerdictTable, EqualVerdictsShareANumber) {
  VerdictTable table;
  const Verdict full(Code::kUnschedulable, "too full");
  EXPECT_EQ(table.Add(full), 0u);
  EXPECT_EQ(table.Add(Verdict(full).By("Fit")), 1u);
  EXPECT_EQ(table.Add(Verdict(Code::kUnschedulableAndUnresolvable, "too full")), 2u);
  EXPECT_EQ(table.Add(Verdict(Code::kUnschedulable, std::vector<std::string>{"too", " full"})), 3u);
  EXPECT_EQ(table.Add(full), 0u);
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table[1].plugin(), "Fit");
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

constexpr Code kNo = Code::kUnschedulable;
constexpr Code kNever = Code::kUnschedulableAndUnresolvable;

TEST(Diagnosis, CountsReasonsAndSortsTheLines) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 12;
  for (uint32_t row = 0; row < 10; ++row) diagnosis.Add(model::NodeRow{row}, {kNo, "too small"});
  diagnosis.Add(model::NodeRow{10}, {kNever, std::vector<std::string>{"wrong zone", "too small"}});
  diagnosis.Add(model::NodeRow{11}, {kNever, "cordoned"});
  // "11 too small" comes before "1 wrong zone" no more than texts sort: by character.
  EXPECT_EQ(diagnosis.Message(),
            "0/12 nodes are available: 1 cordoned, 1 wrong zone, 11 too small.");
}

TEST(Diagnosis, UnevaluatedNodesCountWithTheirCommonVerdict) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 5;
  diagnosis.absent = Verdict(kNever, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
  diagnosis.Add(model::NodeRow{3}, {kNo, "too small"});
  EXPECT_EQ(diagnosis.Message(),
            "0/5 nodes are available: 1 too small, 4 node(s) didn't satisfy plugin(s) "
            "[NodeAffinity].");
  EXPECT_EQ(diagnosis.Of(model::NodeRow{3}).Message(), "too small");
  EXPECT_EQ(diagnosis.Of(model::NodeRow{0}).code(), kNever);
}

TEST(Diagnosis, AbsentNodesWithoutReasonsAreNotMentioned) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 3;
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available:");
  diagnosis.Add(model::NodeRow{0}, {kNo, "too small"});
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: 1 too small.");
}

TEST(Diagnosis, PreFilterMessageReplacesTheCounts) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 3;
  diagnosis.Add(model::NodeRow{0}, {kNo, "too small"});
  diagnosis.pre_filter_message = "claim not found";
  EXPECT_EQ(diagnosis.Message(), "0/3 nodes are available: claim not found.");
}

TEST(Diagnosis, PostFilterMessageFollows) {
  Diagnosis diagnosis;
  diagnosis.all_nodes = 1;
  diagnosis.Add(model::NodeRow{0}, {kNo, "too small"});
  diagnosis.post_filter_message = "preemption: no victims";
  EXPECT_EQ(diagnosis.Message(), "0/1 nodes are available: 1 too small. preemption: no victims");
}

TEST(Diagnosis, ListsTheRejectingPlugins) {
  Diagnosis diagnosis;
  diagnosis.Add(model::NodeRow{0}, Verdict(kNo, "a").By("Fit"));
  diagnosis.Add(model::NodeRow{1}, Verdict(kNever, "b").By("Affinity"));
  diagnosis.Add(model::NodeRow{2}, Verdict(Code::kPending, "c").By("Outside"));
  diagnosis.AddRejector(Verdict(kNo, "nobody's"));
  EXPECT_EQ(diagnosis.rejected_by, (std::set<std::string, std::less<>>{"Affinity", "Fit"}));
  EXPECT_EQ(diagnosis.pending_on, (std::set<std::string, std::less<>>{"Outside"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::framework
