#include "scheduler/devices/selectors.h"

#include <gtest/gtest.h>

namespace berth::scheduler::devices {
namespace BERTH_TEST_FILE {

cel::Device MakeDevice(int64_t number) {
  const cel::Device::Attribute attributes[] = {{.name = "n", .value = number}};
  return cel::Device({.driver = "d", .attributes = attributes, .capacity = {}});
}

using Outcome = Selector::Outcome;

TEST(Selectors, AreSharedByText) {
  SelectorTable table;
  {
    const auto one = table.Use("true");
    EXPECT_EQ(one, table.Use("true"));
    EXPECT_NE(one, table.Use("false"));
    EXPECT_EQ(table.size(), 1u) << "those that nobody uses are gone";
  }
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.bytes(), 0u);
}

TEST(Selectors, ResultsAreCachedWithTheirCost) {
  SelectorTable table;
  const auto selector = table.Use("device.attributes[\"d\"].n == 1");
  const cel::Device yes = MakeDevice(1), no = MakeDevice(2);
  const uint32_t a = table.AddDevice(), b = table.AddDevice();
  const auto first = selector->Evaluate({a, yes});
  EXPECT_EQ(first.outcome, Outcome::kYes);
  EXPECT_EQ(selector->Evaluate({b, no}).outcome, Outcome::kNo);
  const auto again = selector->Evaluate({a, no});
  EXPECT_EQ(again.outcome, Outcome::kYes) << "not evaluated again";
  EXPECT_EQ(again.work, first.work);

  table.ReleaseDevice(a);
  EXPECT_EQ(table.AddDevice(), a);
  EXPECT_EQ(selector->Evaluate({a, no}).outcome, Outcome::kNo);
}

// It takes a million units of cost, which kube-scheduler allows.
TEST(Selectors, AnExpressionThatTakesTooLongHasNoResult) {
  SelectorTable table;
  const cel::Device device = MakeDevice(1);
  const std::string ten = "[0,1,2,3,4,5,6,7,8,9]";
  const auto selector = table.Use(ten + ".all(a, " + ten + ".all(b, " + ten + ".all(c, " + ten +
                                  ".all(d, a + b + c + d >= 0))))");
  const auto evaluated = selector->Evaluate({table.AddDevice(), device});
  EXPECT_EQ(evaluated.outcome, Outcome::kTooCostly);
  EXPECT_GE(evaluated.work, Selector::kMaxCost);
}

TEST(Selectors, ErrorsHaveTheirMessage) {
  SelectorTable table;
  const cel::Device device = MakeDevice(1);
  const uint32_t slot = table.AddDevice();
  const auto broken = table.Use("device.");
  EXPECT_EQ(broken->Evaluate({slot, device}).outcome, Outcome::kError);
  EXPECT_TRUE(broken->ErrorFor(device).starts_with("CEL compile error: "))
      << broken->ErrorFor(device);
  const auto failing = table.Use("device.attributes[\"d\"].m == 1");
  EXPECT_EQ(failing->Evaluate({slot, device}).outcome, Outcome::kError);
  EXPECT_TRUE(failing->ErrorFor(device).starts_with("CEL runtime error: "))
      << failing->ErrorFor(device);
}

TEST(Selectors, ResultsAreLimitedInMemory) {
  SelectorTable table;
  const cel::Device device = MakeDevice(1);
  // As many devices as need a sixteenth of the limit for each selector.
  uint32_t last = 0;
  while (last < SelectorTable::kMaxResultBytes / 16) last = table.AddDevice();
  std::vector<std::shared_ptr<Selector>> selectors;
  for (int i = 0; i < 40; ++i) {
    selectors.push_back(table.Use("device.attributes[\"d\"].n == " + std::to_string(i)));
    selectors.back()->Evaluate({last, device});
    EXPECT_LE(table.bytes(), SelectorTable::kMaxResultBytes * 9 / 8);
  }
  EXPECT_EQ(selectors[1]->Evaluate({last, device}).outcome, Outcome::kYes);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::devices
