#include "apiserver/selectors.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

// One character per object of the test: '1' if it matches.
std::string Matching(const api::scheme::ApiResult<ObjectSelector>& selector,
                     const std::vector<store::Object>& objects) {
  if (!selector) return selector.error().message;
  std::string out;
  for (const store::Object& object : objects) out += selector->Matches(object) ? '1' : '0';
  return out;
}

store::Object WithLabels(std::vector<std::pair<std::string, std::string>> labels) {
  store::Object object;
  object.labels = std::move(labels);
  return object;
}

struct LabelCase {
  const char* name;
  const char* selector;
  const char* want;
};

class LabelSelectorTest : public testing::TestWithParam<LabelCase> {};

TEST_P(LabelSelectorTest, MatchesLikeKubernetes) {
  const std::vector<store::Object> objects = {
      WithLabels({}),
      WithLabels({{"app", "web"}}),
      WithLabels({{"app", "db"}, {"size", "7"}}),
      WithLabels({{"app", ""}, {"in", "x"}}),
  };
  EXPECT_EQ(
      Matching(ObjectSelector::Make(api::scheme::KindOf("pods"), GetParam().selector, ""), objects),
      GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, LabelSelectorTest,
    testing::Values(
        LabelCase{"Everything", "", "1111"}, LabelCase{"Spaces", "  ", "1111"},
        LabelCase{"Exists", "app", "0111"}, LabelCase{"ExistsNot", "!app", "1000"},
        LabelCase{"ExistsNotWithSpace", "! app", "1000"}, LabelCase{"Equals", "app=web", "0100"},
        LabelCase{"DoubleEquals", "app==web", "0100"},
        LabelCase{"SpacesAround", " app = web ", "0100"},
        LabelCase{"EqualsNothing", "app=", "0001"},
        LabelCase{"EqualsNothingThenMore", "app=,in", "0001"},
        LabelCase{"NotEquals", "app!=web", "1011"}, LabelCase{"In", "app in (web,db)", "0110"},
        LabelCase{"InWithoutSpaces", "app in(web,db)", "0110"},
        LabelCase{"InNothing", "app in ()", "0001"},
        LabelCase{"InEmptyToo", "app in (web,)", "0101"},
        LabelCase{"InEmptyFirst", "app in (,web)", "0101"},
        LabelCase{"NotIn", "app notin (web, db)", "1001"}, LabelCase{"Greater", "size>6", "0010"},
        LabelCase{"NotGreater", "size>7", "0000"}, LabelCase{"Less", "size<8", "0010"},
        LabelCase{"And", "app,size", "0010"}, LabelCase{"AndNot", "app,!size", "0101"},
        LabelCase{"KeyNamedIn", "in", "0001"},
        LabelCase{"KeyNamedInWithValue", "in in (x)", "0001"}),
    [](const auto& test) { return test.param.name; });

struct BadCase {
  const char* name;
  const char* labels;
  const char* fields;
};

class BadSelectorTest : public testing::TestWithParam<BadCase> {};

TEST_P(BadSelectorTest, IsABadRequest) {
  const auto selector =
      ObjectSelector::Make(api::scheme::KindOf("pods"), GetParam().labels, GetParam().fields);
  ASSERT_FALSE(selector);
  EXPECT_EQ(selector.error().code, 400);
  EXPECT_FALSE(selector.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, BadSelectorTest,
    testing::Values(BadCase{"CommaFirst", ",a", ""}, BadCase{"CommaLast", "a,", ""},
                    BadCase{"TwoCommas", "a,,b", ""}, BadCase{"NotAndEquals", "!a=b", ""},
                    BadCase{"NotAlone", "!", ""}, BadCase{"TwoWords", "a b", ""},
                    BadCase{"InWithoutSet", "a in", ""}, BadCase{"InOpen", "a in (b", ""},
                    BadCase{"InTwoWords", "a in (b c)", ""}, BadCase{"InNested", "a in ((b))", ""},
                    BadCase{"OpenAlone", "(", ""}, BadCase{"EqualsTwice", "a=b=c", ""},
                    BadCase{"NoKey", "=a", ""}, BadCase{"GreaterThanWord", "a>b", ""},
                    BadCase{"GreaterThanNothing", "a>", ""}, BadCase{"BadKey", "a/b/c=d", ""},
                    BadCase{"BadValue", "a=b$c", ""}, BadCase{"BadCharacter", "\x01", ""},
                    BadCase{"FieldWithoutOperator", "", "metadata.name"},
                    BadCase{"UnknownField", "", "spec.boat=x"},
                    BadCase{"FieldBadEscape", "", "metadata.name=a\\b"},
                    BadCase{"FieldEndsInBackslash", "", "metadata.name=a\\"},
                    BadCase{"FieldTwoEquals", "", "metadata.name=a=b"},
                    BadCase{"FieldNoName", "", "=a"}),
    [](const auto& test) { return test.param.name; });

store::Object WithFields(std::string name, std::string namespace_,
                         std::vector<std::string> fields) {
  store::Object object;
  object.key = {std::move(namespace_), std::move(name)};
  object.fields = std::move(fields);
  return object;
}

TEST(FieldSelectorTest, MatchesNamesAndStoredFields) {
  // nodeName, restartPolicy, schedulerName, serviceAccountName, hostNetwork, phase, ...
  const std::vector<store::Object> pods = {
      WithFields("a", "x", {"n1", "Always", "s", "", "false", "Running", "", ""}),
      WithFields("b", "y", {"", "Never", "s", "", "false", "Pending", "", ""}),
      WithFields("c", "y", {"n1", "Never", "s", "", "false", "Failed", "", ""}),
  };
  const auto matching = [&](std::string_view selector) {
    return Matching(ObjectSelector::Make(api::scheme::KindOf("pods"), "", selector), pods);
  };
  EXPECT_EQ(matching("metadata.name=a"), "100");
  EXPECT_EQ(matching("metadata.name!=a"), "011");
  EXPECT_EQ(matching("metadata.namespace==y"), "011");
  EXPECT_EQ(matching("spec.nodeName=n1"), "101");
  EXPECT_EQ(matching("spec.nodeName="), "010");
  EXPECT_EQ(matching("status.phase!=Succeeded,status.phase!=Failed"), "110");
  EXPECT_EQ(matching(",spec.nodeName=n1,,status.phase=Failed,"), "001");
}

TEST(FieldSelectorTest, BothKindsOfEventsSelectTheSameFields) {
  store::Object event = WithFields("e", "x", {"Pod", "x", "a"});
  const auto core =
      ObjectSelector::Make(api::scheme::KindOf("events"), "", "involvedObject.name=a");
  const auto grouped =
      ObjectSelector::Make(api::scheme::KindOf("events.events.k8s.io"), "", "regarding.name=a");
  ASSERT_TRUE(core);
  ASSERT_TRUE(grouped);
  EXPECT_TRUE(core->Matches(event));
  EXPECT_TRUE(grouped->Matches(event));
}

TEST(FieldSelectorTest, MetadataNamespaceRequiresANamespacedKind) {
  EXPECT_FALSE(ObjectSelector::Make(api::scheme::KindOf("nodes"), "", "metadata.namespace=x"));
}

TEST(FieldSelectorTest, UnescapesValues) {
  const auto terms = ParseFieldSelector(R"(a=b\,c\=d\\,e!=f)");
  ASSERT_TRUE(terms);
  EXPECT_EQ(*terms, (std::vector<FieldTerm>{{"a", true, R"(b,c=d\)"}, {"e", false, "f"}}));
}

TEST(FieldSelectorTest, KnowsTheOnlyNameThatCanMatch) {
  EXPECT_EQ(ObjectSelector::Make(api::scheme::KindOf("pods"), "", "metadata.name=a")->name(), "a");
  EXPECT_EQ(ObjectSelector::Make(api::scheme::KindOf("pods"), "", "metadata.name!=a")->name(), "");
}

TEST(LabelSelectorTest, CombinesRequirementsOfOneKey) {
  const std::vector<store::Object> objects = {WithLabels({}), WithLabels({{"a", "1"}}),
                                              WithLabels({{"a", "2"}, {"b", "x"}}),
                                              WithLabels({{"a", "3"}, {"c", "y"}})};
  const auto matching = [&](std::string_view selector) {
    return Matching(ObjectSelector::Make(api::scheme::KindOf("pods"), selector, ""), objects);
  };
  EXPECT_EQ(matching("a in (1,2),a in (2,3)"), "0010");
  EXPECT_EQ(matching("a=1,a=2"), "0000");
  EXPECT_EQ(matching("a!=1,a!=3"), "1010");
  EXPECT_EQ(matching("a!=1,a notin (1,2),a!=1"), "1001");
  EXPECT_EQ(matching("a>0,a>1,a<9,a<3"), "0010");
  EXPECT_EQ(matching("a,a,!b,!b"), "0101");
  EXPECT_EQ(matching("!a,!b,!c,!d,!e"), "1000");
  EXPECT_EQ(matching("!b,!c,!d,!e,a!=1,a!=2,a!=3"), "1000");
  EXPECT_EQ(matching("!d,!e,!f,b!=x,c!=z"), "1101");
}

TEST(FieldSelectorTest, CombinesTermsOfOneField) {
  const std::vector<store::Object> pods = {
      WithFields("a", "x", {"n1"}), WithFields("b", "x", {"n2"}), WithFields("c", "x", {"n3"})};
  const auto matching = [&](std::string_view selector) {
    return Matching(ObjectSelector::Make(api::scheme::KindOf("pods"), "", selector), pods);
  };
  EXPECT_EQ(matching("spec.nodeName!=n3,spec.nodeName!=n1"), "010");
  EXPECT_EQ(matching("spec.nodeName=n1,spec.nodeName=n1"), "100");
  EXPECT_EQ(matching("spec.nodeName=n1,spec.nodeName=n2"), "000");
  EXPECT_EQ(matching("metadata.name=a,metadata.name=b"), "000");
  EXPECT_EQ(matching("metadata.name!=a,metadata.name!=b,spec.nodeName!=x"), "001");
}

// Evaluating every requirement for every object would take hours.
TEST(LabelSelectorTest, LongSelectorsCostNoMoreThanTheLabelsOfAnObject) {
  std::string labels;
  for (int i = 0; i < 100'000; ++i)
    labels += "!k" + std::to_string(i) + ",a!=" + std::to_string(i) + ",";
  std::string fields;
  for (int i = 0; i < 100'000; ++i) fields += "spec.nodeName!=n" + std::to_string(i) + ",";
  const auto selector = ObjectSelector::Make(api::scheme::KindOf("pods"), labels + "a", fields);
  ASSERT_TRUE(selector);
  store::Object object = WithFields("p", "x", {"node"});
  object.labels = {{"a", "x"}, {"b", "y"}};
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(selector->Matches(object));
  object.labels[0].second = "77777";
  EXPECT_FALSE(selector->Matches(object));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
