#include "api/selector.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace berth::api {
namespace BERTH_TEST_FILE {

using Values = std::vector<std::string>;
using Op = SelectorOp;

constexpr const char* kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string ErrorOf(const auto& result) { return result ? "" : result.error().message; }

struct MatchCase {
  const char* name;
  Op op;
  Values values;
  StringMap labels;
  bool want;
};

class RequirementMatchTest : public testing::TestWithParam<MatchCase> {};

TEST_P(RequirementMatchTest, Matches) {
  const Result<Requirement> requirement = Requirement::Make("k", GetParam().op, GetParam().values);
  ASSERT_TRUE(requirement.has_value()) << requirement.error().message;
  EXPECT_EQ(requirement->Matches(GetParam().labels), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, RequirementMatchTest,
    testing::Values(MatchCase{"InHolds", Op::kIn, {"b", "a"}, {{"k", "a"}}, true},
                    MatchCase{"InFails", Op::kIn, {"b", "a"}, {{"k", "c"}}, false},
                    MatchCase{"InNeedsTheLabel", Op::kIn, {""}, {{"j", "a"}}, false},
                    MatchCase{"InTakesTheEmptyValue", Op::kIn, {""}, {{"k", ""}}, true},
                    MatchCase{"NotInHolds", Op::kNotIn, {"a"}, {{"k", "c"}}, true},
                    MatchCase{"NotInFails", Op::kNotIn, {"a"}, {{"k", "a"}}, false},
                    MatchCase{"NotInHoldsWithoutTheLabel", Op::kNotIn, {"a"}, {}, true},
                    MatchCase{"ExistsHolds", Op::kExists, {}, {{"k", ""}}, true},
                    MatchCase{"ExistsFails", Op::kExists, {}, {{"j", ""}}, false},
                    MatchCase{"DoesNotExistHolds", Op::kDoesNotExist, {}, {{"j", ""}}, true},
                    MatchCase{"DoesNotExistFails", Op::kDoesNotExist, {}, {{"k", ""}}, false},
                    MatchCase{"GtHolds", Op::kGt, {"8"}, {{"k", "16"}}, true},
                    MatchCase{"GtIsStrict", Op::kGt, {"8"}, {{"k", "8"}}, false},
                    MatchCase{"GtNeedsANumber", Op::kGt, {"8"}, {{"k", "x"}}, false},
                    MatchCase{"GtNeedsAWholeNumber", Op::kGt, {"8"}, {{"k", "16.5"}}, false},
                    MatchCase{"GtNeedsTheLabel", Op::kGt, {"8"}, {}, false},
                    MatchCase{"GtIgnoresLeadingZeros", Op::kGt, {"08"}, {{"k", "009"}}, true},
                    MatchCase{"LtHolds", Op::kLt, {"8"}, {{"k", "-9"}}, true},
                    MatchCase{"LtIsStrict", Op::kLt, {"8"}, {{"k", "8"}}, false}),
    [](const auto& c) { return c.param.name; });

struct RequirementErrorCase {
  const char* key;
  Op op;
  Values values;
  std::string want;
};

TEST(Requirement, RejectsWhatUpstreamRejects) {
  const std::string value_rule =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
      "'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::vector<RequirementErrorCase> cases = {
      {"k",
       Op::kIn,
       {},
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {"k",
       Op::kNotIn,
       {},
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {"k",
       Op::kExists,
       {"y", "", "1"},
       "values: Invalid value: [\"y\",\"\",\"1\"]: values set must be empty for exists and does "
       "not exist"},
      {"k",
       Op::kDoesNotExist,
       {"x"},
       "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist"},
      {"k",
       Op::kGt,
       {},
       "values: Invalid value: null: for 'Gt', 'Lt' operators, exactly one value is required"},
      {"k",
       Op::kLt,
       {"1", "2"},
       "values: Invalid value: [\"1\",\"2\"]: for 'Gt', 'Lt' operators, exactly one value is "
       "required"},
      {"k",
       Op::kLt,
       {"4.5"},
       "values[0]: Invalid value: \"4.5\": for 'Gt', 'Lt' operators, the value must be an integer"},
      {"bad key!",
       Op::kExists,
       {},
       std::string("key: Invalid value: \"bad key!\": name part ") + kNameRule},
      {"k",
       Op::kIn,
       {"fine", "not valid!"},
       "values[1][k]: Invalid value: \"not valid!\": " + value_rule},
      // A negative number is an integer but not a label value; a quote is escaped.
      {"k", Op::kGt, {"-1"}, "values[0][k]: Invalid value: \"-1\": " + value_rule},
      {"k", Op::kIn, {"\""}, "values[0][k]: Invalid value: \"\\\"\": " + value_rule},
      {"",
       Op::kExists,
       {"x"},
       std::string("[key: Invalid value: \"\": name part must be non-empty; name part ") +
           kNameRule +
           ", values: Invalid value: [\"x\"]: values set must be empty for exists and does not "
           "exist]"},
  };
  for (const RequirementErrorCase& c : cases) {
    EXPECT_EQ(ErrorOf(Requirement::Make(c.key, c.op, c.values)), c.want);
  }
}

TEST(Requirement, SortsItsValuesAndDropsRepeats) {
  const Result<Requirement> requirement = Requirement::Make("k", Op::kIn, {"b", "a", "b"});
  EXPECT_EQ(requirement->values, (Values{"a", "b"}));
  EXPECT_EQ(*requirement, *Requirement::Make("k", Op::kIn, {"a", "b"}));
}

TEST(Selector, NoSelectorMatchesNothing) {
  const Result<Selector> selector = Selector::FromLabelSelector(std::nullopt);
  ASSERT_TRUE(selector.has_value());
  EXPECT_TRUE(selector->nothing());
  EXPECT_FALSE(selector->empty());
  EXPECT_FALSE(selector->Matches({}));
  EXPECT_FALSE(selector->Matches({{"a", "b"}}));
}

TEST(Selector, AnEmptySelectorMatchesEverything) {
  const Result<Selector> selector = Selector::FromLabelSelector(LabelSelector());
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(*selector, Selector::Everything());
  EXPECT_TRUE(selector->empty());
  EXPECT_TRUE(selector->Matches({}));
}

TEST(Selector, AllRequirementsMustHold) {
  const LabelSelector written{{{"app", "web"}, {"tier", "front"}},
                              {{"env", "NotIn", {"dev"}}, {"version", "Exists", {}}}};
  const Result<Selector> selector = Selector::FromLabelSelector(written);
  ASSERT_TRUE(selector.has_value());
  const StringMap fits = {{"app", "web"}, {"tier", "front"}, {"version", "1"}};
  EXPECT_TRUE(selector->Matches(fits));
  for (const auto& [key, value] : StringMap{{"app", "db"}, {"tier", ""}, {"env", "dev"}}) {
    StringMap labels = fits;
    labels[key] = value;
    EXPECT_FALSE(selector->Matches(labels)) << key;
  }
  StringMap unversioned = fits;
  unversioned.erase("version");
  EXPECT_FALSE(selector->Matches(unversioned));
}

TEST(Selector, RejectsOperatorsOfNodeSelectors) {
  EXPECT_EQ(ErrorOf(Selector::FromLabelSelector(LabelSelector{{}, {{"k", "Gt", {"1"}}}})),
            "\"Gt\" is not a valid label selector operator");
  EXPECT_EQ(ErrorOf(Selector::FromLabelSelector(LabelSelector{{}, {{"k", "in", {"1"}}}})),
            "\"in\" is not a valid label selector operator");
}

TEST(Selector, RejectsInvalidMatchLabels) {
  EXPECT_NE(ErrorOf(Selector::FromLabelSelector(LabelSelector{{{"a/b/c", "v"}}, {}})), "");
  EXPECT_NE(ErrorOf(Selector::FromLabelSelector(LabelSelector{{{"k", "-"}}, {}})), "");
}

TEST(Selector, APlainMapIsNotValidated) {
  const Selector selector = Selector::FromMap({{"bad key!", "not valid!"}});
  EXPECT_TRUE(selector.Matches({{"bad key!", "not valid!"}, {"more", ""}}));
  EXPECT_FALSE(selector.Matches({{"bad key!", "valid"}}));
  EXPECT_TRUE(Selector::FromMap({}).empty());
}

struct NodeCase {
  const char* name;
  NodeSelector selector;
  StringMap labels;
  const char* node;
  bool want;
};

NodeSelectorTerm Labels(std::vector<NodeSelectorRequirement> expressions) {
  return {std::move(expressions), {}};
}

NodeSelectorTerm Fields(std::vector<NodeSelectorRequirement> fields) {
  return {{}, std::move(fields)};
}

class NodeSelectorTest : public testing::TestWithParam<NodeCase> {};

TEST_P(NodeSelectorTest, Matches) {
  const NodeCase& c = GetParam();
  const Result<CompiledNodeSelector> selector = CompiledNodeSelector::Make(c.selector);
  ASSERT_TRUE(selector.has_value()) << selector.error().message;
  EXPECT_EQ(selector->Matches(c.labels, c.node), c.want);
}

const NodeSelector kNotOnN1{{Fields({{"metadata.name", "NotIn", {"n1"}}})}};
const NodeSelector kOnN1{{Fields({{"metadata.name", "In", {"n1"}}})}};

INSTANTIATE_TEST_SUITE_P(
    All, NodeSelectorTest,
    testing::Values(
        NodeCase{"NoTermMatchesNothing", {}, {{"a", "b"}}, "n1", false},
        NodeCase{"AnEmptyTermMatchesNothing", {{{}}}, {{"a", "b"}}, "n1", false},
        NodeCase{"ExpressionsAreAnded",
                 {{Labels({{"zone", "In", {"a", "b"}}, {"disk", "Exists", {}}})}},
                 {{"zone", "a"}},
                 "n1",
                 false},
        NodeCase{"TermsAreOred",
                 {{Labels({{"disk", "Exists", {}}}), {}, Labels({{"zone", "In", {"a"}}})}},
                 {{"zone", "a"}},
                 "n1",
                 true},
        NodeCase{"NotInHoldsWithoutTheLabel", {{Labels({{"k", "NotIn", {"v"}}})}}, {}, "n1", true},
        NodeCase{"GtCompares", {{Labels({{"cpu", "Gt", {"8"}}})}}, {{"cpu", "16"}}, "n1", true},
        NodeCase{"GtNeedsANumber", {{Labels({{"cpu", "Gt", {"8"}}})}}, {{"cpu", "x"}}, "n1", false},
        NodeCase{"FieldInHolds", kOnN1, {}, "n1", true},
        NodeCase{"FieldInFails", kOnN1, {}, "n2", false},
        NodeCase{"FieldNotInHolds", kNotOnN1, {}, "n2", true},
        NodeCase{"FieldNotInFails", kNotOnN1, {}, "n1", false},
        NodeCase{"FieldsDoNotCountForANamelessNode", kOnN1, {}, "", true},
        NodeCase{"OtherFieldsAreEmpty", {{Fields({{"spec.x", "In", {""}}})}}, {}, "n1", true},
        NodeCase{"OtherFieldsHaveNoValue", {{Fields({{"spec.x", "In", {"v"}}})}}, {}, "n1", false},
        NodeCase{"LabelsAndFieldsMustHold",
                 {{{{{"zone", "Exists", {}}}, {{"metadata.name", "In", {"n1"}}}}}},
                 {{"zone", "a"}},
                 "n2",
                 false}),
    [](const auto& c) { return c.param.name; });

TEST(NodeSelector, ATermWithAnErrorFailsStrictlyAndNeverMatchesLazily) {
  const NodeSelector selector{{Labels({{"cpu", "Gt", {"8", "9"}}}), Labels({{"a", "Exists", {}}})}};
  const char* error =
      "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"8\",\"9\"]: "
      "for 'Gt', 'Lt' operators, exactly one value is required";
  EXPECT_EQ(ErrorOf(CompiledNodeSelector::Make(selector)), error);

  const CompiledNodeSelector lazy = CompiledNodeSelector::MakeLazy(selector);
  ASSERT_TRUE(lazy.parse_error().has_value());
  EXPECT_EQ(lazy.parse_error()->message, error);
  EXPECT_EQ(lazy.terms().size(), 1u);
  EXPECT_TRUE(lazy.Matches({{"a", ""}}, "n1"));
  EXPECT_FALSE(lazy.Matches({{"cpu", "16"}}, "n1"));
}

TEST(NodeSelector, ListsAllErrorsUnderTheirIndexAsWritten) {
  const NodeSelector selector{
      {{},
       {{{"a", "Exists", {}}, {"b", "Bogus", {}}}, {{"metadata.name", "Exists", {}}}},
       Fields({{"metadata.name", "In", {"n1", "n2"}}})}};
  EXPECT_EQ(ErrorOf(CompiledNodeSelector::Make(selector)),
            "[nodeSelectorTerms[1].matchExpressions[1].operator: Unsupported value: \"Bogus\": "
            "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\", "
            "nodeSelectorTerms[1].matchFields[0].operator: Unsupported value: \"Exists\": "
            "supported values: \"In\", \"NotIn\", "
            "nodeSelectorTerms[2].matchFields[0].values: Invalid value: [\"n1\",\"n2\"]: "
            "must have one element]");
}

TEST(NodeSelector, ATermAloneNamesThePathItIsGiven) {
  const NodeSelectorTerm term = Labels({{"gen", "Gt", {"abc"}}});
  EXPECT_EQ(ErrorOf(CompiledNodeTerm::Make(term, "[3]")),
            "[3].matchExpressions[0].values[0]: Invalid value: \"abc\": "
            "for 'Gt', 'Lt' operators, the value must be an integer");
  EXPECT_EQ(ErrorOf(CompiledNodeTerm::Make(term)),
            "matchExpressions[0].values[0]: Invalid value: \"abc\": "
            "for 'Gt', 'Lt' operators, the value must be an integer");
}

struct TolerationCase {
  const char* name;
  Toleration toleration;
  Taint taint;
  bool want;
};

Toleration Tol(const char* key, const char* op, const char* value, const char* effect) {
  return {key, op, value, effect, std::nullopt};
}

class TolerationTest : public testing::TestWithParam<TolerationCase> {};

TEST_P(TolerationTest, Tolerates) {
  const TolerationCase& c = GetParam();
  EXPECT_EQ(Tolerates(c.toleration, c.taint), c.want);
  EXPECT_EQ(ToleratesAny({Tol("other", "Exists", "", ""), c.toleration}, c.taint), c.want);
}

INSTANTIATE_TEST_SUITE_P(
    All, TolerationTest,
    testing::Values(
        TolerationCase{"ExistsTakesAll", Tol("", "Exists", "", ""), {"a", "x", "NoExecute"}, true},
        TolerationCase{"NoOpIsEqual", Tol("a", "", "", ""), {"a", "", "NoSchedule"}, true},
        TolerationCase{"NoOpComparesValues", Tol("a", "", "", ""), {"a", "x", "NoSchedule"}, false},
        TolerationCase{"EqualNeedsTheEffect",
                       Tol("a", "Equal", "x", "NoExecute"),
                       {"a", "x", "NoSchedule"},
                       false},
        TolerationCase{"EqualNeedsTheKey", Tol("a", "Equal", "x", ""), {"b", "x", "E"}, false},
        TolerationCase{"NoKeyComparesValues", Tol("", "Equal", "x", ""), {"b", "x", "E"}, true},
        TolerationCase{"ExistsNeedsTheKey", Tol("a", "Exists", "", ""), {"b", "", "E"}, false},
        TolerationCase{"GtIsOff", Tol("a", "Gt", "5", ""), {"a", "7", "NoSchedule"}, false},
        TolerationCase{"LtIsOff", Tol("a", "Lt", "5", ""), {"a", "3", "NoSchedule"}, false},
        TolerationCase{"UnknownOp", Tol("a", "exists", "", ""), {"a", "", "NoSchedule"}, false}),
    [](const auto& c) { return c.param.name; });

struct ComparisonCase {
  const char* op;
  const char* bound;
  const char* value;
  bool want;
};

TEST(Toleration, ComparesNumbersIfTheGateIsOn) {
  const ComparisonCase cases[] = {
      {"Gt", "5", "7", true},
      {"Gt", "5", "5", false},
      {"Gt", "-5", "0", true},
      {"Lt", "5", "3", true},
      {"Lt", "5", "5", false},
      {"Lt", "0", "-9", true},
      {"Gt", "5", "", false},
      {"Gt", "5", "x", false},
      {"Gt", "x", "7", false},
      // Only the canonical form is a number.
      {"Gt", "5", "+7", false},
      {"Gt", "5", "07", false},
      {"Gt", "05", "7", false},
      {"Gt", "-1", "-0", false},
      {"Gt", "-", "7", false},
      // Too large for 64 bits.
      {"Gt", "5", "9223372036854775808", false},
      {"Lt", "9223372036854775807", "9223372036854775806", true},
      {"Ge", "5", "7", false},
  };
  for (const ComparisonCase& c : cases) {
    const Toleration toleration = Tol("a", c.op, c.bound, "");
    const Taint taint{"a", c.value, "NoSchedule"};
    EXPECT_EQ(Tolerates(toleration, taint, /*comparison_operators=*/true), c.want)
        << c.value << " " << c.op << " " << c.bound;
    EXPECT_FALSE(Tolerates(toleration, taint));
  }
  const Taint other{"b", "7", "NoSchedule"};
  EXPECT_FALSE(ToleratesAny({Tol("a", "Gt", "5", "")}, other, /*comparison_operators=*/true));
}

TEST(Toleration, NoneToleratesNothing) { EXPECT_FALSE(ToleratesAny({}, {"a", "", "NoSchedule"})); }

TEST(ParseInt, AcceptsWhatGoAccepts) {
  EXPECT_EQ(ParseInt("0"), 0);
  EXPECT_EQ(ParseInt("007"), 7);
  EXPECT_EQ(ParseInt("+5"), 5);
  EXPECT_EQ(ParseInt("-5"), -5);
  EXPECT_EQ(ParseInt("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseInt("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "+", "-", "+-5", "-+5", " 5", "5 ", "1_000", "0x10", "4.5", "1e3",
                           "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(ParseInt(text), std::nullopt) << text;
  }
}

TEST(LabelSyntax, AcceptsQualifiedNames) {
  const std::string longest(63, 'n');
  const std::string longest_prefix(253, 'p');
  for (const std::string& name :
       {std::string("a"), std::string("A_b-c.9"), std::string("example.com/MyName"),
        std::string("a-b.c0/x"), longest, longest_prefix + "/" + longest}) {
    EXPECT_EQ(ValidateQualifiedName(name), std::nullopt) << name;
  }
}

TEST(LabelSyntax, RejectsOtherNames) {
  for (const char* name : {"", "-a", "a-", "a b", "é", "a\n", "/a", "a/", "a/b/c", "Upper.com/a",
                           "-x.com/a", "x-.com/a", "x..com/a", ".com/a", "com./a", "x_y/a"}) {
    EXPECT_NE(ValidateQualifiedName(name), std::nullopt) << name;
  }
}

TEST(LabelSyntax, ReportsEachErrorOfAName) {
  const std::string rule = kNameRule;
  EXPECT_EQ(ValidateQualifiedName("/"),
            "prefix part must be non-empty; name part must be "
            "non-empty; name part " +
                rule);
  EXPECT_EQ(ValidateQualifiedName(std::string(64, 'n')), "name part must be no more than 63 bytes");
  EXPECT_EQ(ValidateQualifiedName(std::string(254, 'p') + "/n"),
            "prefix part must be no more than 253 bytes");
  EXPECT_EQ(ValidateQualifiedName("a/b/c"),
            "a qualified name " + rule +
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
}

TEST(LabelSyntax, ChecksValues) {
  EXPECT_EQ(ValidateLabelValue(""), std::nullopt);
  EXPECT_EQ(ValidateLabelValue("1.2_3-x"), std::nullopt);
  EXPECT_EQ(ValidateLabelValue(std::string(63, 'v')), std::nullopt);
  EXPECT_EQ(ValidateLabelValue(std::string(64, 'v')), "must be no more than 63 bytes");
  EXPECT_NE(ValidateLabelValue("a/b"), std::nullopt);
  EXPECT_NE(ValidateLabelValue(".x"), std::nullopt);
  EXPECT_NE(ValidateLabelValue("x_"), std::nullopt);
}

TEST(RequirementErrors, AreLimitedInNumberAndBytes) {
  std::vector<std::string> values;
  for (int i = 0; i < 100'000; ++i) values.push_back("-" + std::to_string(i));
  const auto made = Requirement::Make(std::string(100'000, 'k'), SelectorOp::kIn, values);
  ASSERT_FALSE(made);
  EXPECT_LT(made.error().message.size(), 1'000'000u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
