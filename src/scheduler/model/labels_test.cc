#include "scheduler/model/labels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

using enum api::SelectorOp;

TEST(Labels, AreSortedByKeySymbolAndFoundByIt) {
  SymbolTable symbols;
  SymbolHolder holder(symbols);
  holder.Intern("zone");  // Makes the order of symbols differ from that of texts.
  const Labels labels = InternLabels({{"app", "web"}, {"zone", "a"}}, holder);
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(symbols.Text(labels[0].key), "zone");
  EXPECT_EQ(symbols.Text(labels[1].key), "app");
  EXPECT_EQ(symbols.Text(FindLabel(labels, symbols.Find("app"))), "web");
  EXPECT_EQ(symbols.Text(FindLabel(labels, symbols.Find("zone"))), "a");
  EXPECT_FALSE(FindLabel(labels, symbols.Find("a")).valid());
  EXPECT_FALSE(FindLabel({}, symbols.Find("app")).valid());
}

struct RequirementCase {
  const char* name;
  api::SelectorOp op;
  std::vector<std::string> values;
  const char* want;  // For: no label, "1", "2", "10", "x" in turn; '1' if it matches.
};

TEST(LabelRequirement, MatchesByOperator) {
  const RequirementCase cases[] = {
      {"InWantsOneOfTheValues", kIn, {"2", "x"}, "00101"},
      {"NotInAllowsAbsentLabels", kNotIn, {"2", "x"}, "11010"},
      {"ExistsWantsAnyValue", kExists, {}, "01111"},
      {"DoesNotExistWantsNone", kDoesNotExist, {}, "10000"},
      {"GtComparesNumbersNotTexts", kGt, {"2"}, "00010"},
      {"LtFailsOnWhatIsNoNumber", kLt, {"2"}, "01000"},
  };
  for (const RequirementCase& c : cases) {
    SCOPED_TRACE(c.name);
    SymbolTable symbols;
    SymbolHolder holder(symbols);
    auto made = api::Requirement::Make("key", c.op, c.values);
    ASSERT_TRUE(made.has_value());
    const LabelRequirement requirement(*made, holder);
    std::string got = requirement.Matches({}, symbols) ? "1" : "0";
    for (const char* value : {"1", "2", "10", "x"}) {
      got += requirement.Matches(holder.Intern(value), symbols) ? '1' : '0';
    }
    EXPECT_EQ(got, c.want);
  }
}

TEST(LabelMatcher, WantsAllRequirements) {
  SymbolTable symbols;
  SymbolHolder holder(symbols);
  const LabelMatcher matcher(api::Selector::FromMap({{"app", "web"}, {"tier", "front"}}), holder);
  EXPECT_FALSE(matcher.empty());
  EXPECT_TRUE(matcher.Matches(InternLabels({{"app", "web"}, {"tier", "front"}}, holder), symbols));
  EXPECT_FALSE(matcher.Matches(InternLabels({{"app", "web"}}, holder), symbols));
}

TEST(LabelMatcher, EverythingIsEmptyAndNothingIsNot) {
  SymbolTable symbols;
  SymbolHolder holder(symbols);
  const LabelMatcher everything(api::Selector::Everything(), holder);
  const LabelMatcher nothing(api::Selector::Nothing(), holder);
  EXPECT_TRUE(everything.empty());
  EXPECT_TRUE(everything.Matches({}, symbols));
  EXPECT_FALSE(nothing.empty());
  EXPECT_FALSE(nothing.Matches({}, symbols));
}

TEST(LabelMatcher, CopyIsHeldByAnother) {
  SymbolTable symbols;
  SymbolHolder holder(symbols), another(symbols);
  auto requirement = api::Requirement::Make("app", kIn, {"web", "api"});
  ASSERT_TRUE(requirement.has_value());
  api::Selector selector;
  selector.Add(*requirement);
  const LabelMatcher matcher(selector, holder);
  matcher.HoldBy(another);
  holder.Clear();
  EXPECT_EQ(symbols.size(), 3u);
  EXPECT_TRUE(matcher.Matches(InternLabels({{"app", "api"}}, holder), symbols));
}

TEST(Namespaces, HoldTheirLabels) {
  SymbolTable symbols;
  Namespaces namespaces(symbols);
  EXPECT_TRUE(namespaces.Put("shop", {{"team", "x"}}));
  EXPECT_FALSE(namespaces.Put("shop", {{"team", "x"}}));
  EXPECT_EQ(symbols.size(), 3u);
  EXPECT_TRUE(namespaces.Put("shop", {{"team", "y"}}));
  EXPECT_FALSE(symbols.Find("x").valid());
  EXPECT_EQ(namespaces.LabelsOf(symbols.Find("shop")).size(), 1u);
  EXPECT_TRUE(namespaces.Remove("shop"));
  EXPECT_FALSE(namespaces.Remove("shop"));
  EXPECT_EQ(symbols.size(), 0u);
}

// Few keys and values, so that requirements and labels meet.
std::string AnyOf(const std::vector<std::string>& texts) { return *rc::gen::elementOf(texts); }

RC_GTEST_PROP(LabelMatcherProperty, MeansWhatTheSelectorMeans, ()) {
  const std::vector<std::string> keys = {"a", "b", "c"};
  const std::vector<std::string> values = {"1", "2", "30", "x", ""};
  api::Selector selector;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto op = *rc::gen::element(kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt);
    std::vector<std::string> wanted;
    if (op == kIn || op == kNotIn) wanted = {AnyOf(values), AnyOf(values)};
    if (op == kGt || op == kLt) wanted = {AnyOf({"1", "2", "30"})};
    auto requirement = api::Requirement::Make(AnyOf(keys), op, wanted);
    RC_ASSERT(requirement.has_value());
    selector.Add(*requirement);
  }
  api::StringMap labels;
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    labels[AnyOf(keys)] = AnyOf({"1", "2", "30", "-4", "x", ""});
  }

  SymbolTable symbols;
  SymbolHolder holder(symbols);
  const Labels interned = InternLabels(labels, holder);
  const LabelMatcher matcher(selector, holder);
  RC_ASSERT(matcher.Matches(interned, symbols) == selector.Matches(labels));
  RC_ASSERT(matcher.empty() == selector.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
