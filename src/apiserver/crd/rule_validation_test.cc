#include "apiserver/crd/rule_validation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiserver/crd/rules_testing.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

std::string ErrorsOf(const Schema& schema, std::string_view object, std::string_view old = "",
                     std::vector<std::string>* warnings = nullptr) {
  admission::FieldErrors errors;
  const api::Json before = old.empty() ? api::Json() : Quoteless(old);
  ValidateByRules(schema, Quoteless(object), old.empty() ? nullptr : &before, errors, warnings);
  return Lines(errors);
}

struct RuleCase {
  const char* name;
  const char* schema;  // Of the property "x".
  const char* value;   // Of "x".
  const char* rule;    // Of "x".
  const char* want;    // The errors.
};

class RuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, ReportsWhatKubeApiserverReports) {
  const Schema schema = CompileWithRules(
      WithRule(fmt::format("{{'type':'object','properties':{{'x':{}}}}}", GetParam().schema),
               "/properties/x", Rule(GetParam().rule)));
  EXPECT_EQ(ErrorsOf(schema, fmt::format("{{'x':{}}}", GetParam().value)), GetParam().want);
}

constexpr const char* kTwoNumbers =
    "{'type':'object','properties':{'a':{'type':'integer'},'b':{'type':'integer',"
    "'nullable':true}}}";
constexpr const char* kTexts =
    "{'type':'array','maxItems':9,'items':{'type':'string','maxLength':9}}";
constexpr const char* kSet =
    "{'type':'array','x-kubernetes-list-type':'set','maxItems':9,'items':{'type':'string',"
    "'maxLength':9}}";
constexpr const char* kListMap =
    "{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n'],"
    "'maxItems':9,'items':{'type':'object','required':['n'],'properties':{"
    "'n':{'type':'string','maxLength':9},'v':{'type':'integer'}}}}";

const RuleCase kRules[] = {
    {"Integer", "{'type':'integer'}", "5", "self == 5", ""},
    {"IntegerFails", "{'type':'integer'}", "5", "self > 5",
     "x: Invalid value: 5: failed rule: self > 5"},
    {"NumbersAreDoubles", "{'type':'number'}", "2", "self == 2.0", ""},
    {"Boolean", "{'type':'boolean'}", "true", "self", ""},
    {"Text", "{'type':'string','maxLength':9}", "'ab'", "self.startsWith('a')", ""},
    {"TextFails", "{'type':'string','maxLength':9}", "'ab'", "self == 'b'",
     R"(x: Invalid value: "ab": failed rule: self == 'b')"},
    {"DateTime", "{'type':'string','format':'date-time'}", "'2024-01-02T03:04:05z'",
     "self > timestamp('2024-01-01T00:00:00Z') && self.getFullYear() == 2024", ""},
    {"Date", "{'type':'string','format':'date'}", "'2024-01-02'",
     "self == timestamp('2024-01-02T00:00:00Z')", ""},
    {"Duration", "{'type':'string','format':'duration'}", "'90m'", "self == duration('1h30m')", ""},
    {"DurationInWords", "{'type':'string','format':'duration'}", "'1 day 2 hours'",
     "self.getHours() == 26", ""},
    {"Bytes", "{'type':'string','format':'byte','maxLength':9}", "'YWI='",
     "self == b'ab' && string(self) == 'ab'", ""},
    {"IntOrStringIsDynamic", "{'x-kubernetes-int-or-string':true}", "5",
     "type(self) == int ? self == 5 : self == '5'", ""},
    {"IntOrStringAsText", "{'x-kubernetes-int-or-string':true,'maxLength':9}", "'50%'",
     "type(self) == string && self.matches(r'^[0-9]+%$')", ""},
    {"IntOrStringOfAnotherType", "{'x-kubernetes-int-or-string':true}", "'a'", "self > 5",
     "x: Invalid value: \"\": 'no such overload': call arguments did not match a supported "
     "operator, function or macro signature for rule: self > 5"},
    {"Object", kTwoNumbers, "{'a':1,'b':2}", "self.a < self.b", ""},
    {"ObjectsAreNotQuoted", kTwoNumbers, "{'a':1,'b':2}", "self.a > self.b",
     "x: Invalid value: failed rule: self.a > self.b"},
    {"AbsentField", kTwoNumbers, "{'a':1}", "self.b == 1",
     "x: Invalid value: \"object\": no such key: b evaluating rule: self.b == 1"},
    {"PresenceOfAField", kTwoNumbers, "{'a':1}", "has(self.a) && !has(self.b)", ""},
    {"OptionalField", kTwoNumbers, "{'a':1}", "self.?a.hasValue() && self.?b.orValue(7) == 7", ""},
    {"NullIsAbsent", kTwoNumbers, "{'a':1,'b':null}", "!has(self.b)", ""},
    {"NamesAreEscaped",
     "{'type':'object','properties':{'namespace':{'type':'integer'},'a-b':{'type':'integer'},"
     "'a.b':{'type':'integer'},'a/b':{'type':'integer'},'a__b':{'type':'integer'},"
     "'_x':{'type':'integer'}}}",
     "{'namespace':1,'a-b':2,'a.b':3,'a/b':4,'a__b':5,'_x':6}",
     "self.__namespace__ == 1 && self.a__dash__b == 2 && self.a__dot__b == 3 && "
     "self.a__slash__b == 4 && self.a__underscores__b == 5 && self._x == 6",
     ""},
    {"ReservedWordsAreFields",
     "{'type':'object','properties':{'namespace':{'type':'string'},'package':{'type':'string'}}}",
     "{'namespace':'a'}",
     "self.namespace == 'a' && self.__namespace__ == 'a' && has(self.namespace) && "
     "!has(self.package) && self.?namespace.hasValue() && !self.?package.hasValue()",
     ""},
    {"Map", "{'type':'object','maxProperties':9,'additionalProperties':{'type':'integer'}}",
     "{'a':1,'b-c':2}",
     "self.all(k, self[k] > 0) && self['b-c'] == 2 && 'a' in self && self.size() == 2", ""},
    {"List", kTexts, "['a','b']",
     "self.all(s, s.size() == 1) && self[1] == 'b' && self == ['a', 'b'] && self != ['b', 'a']",
     ""},
    {"ListsAreNotQuoted", kTexts, "['a','b']", "self.size() == 1",
     "x: Invalid value: failed rule: self.size() == 1"},
    {"IndexOutOfBounds", kTexts, "['a','b']", "self[2] == 'b'",
     "x: Invalid value: \"array\": index out of bounds: 2 evaluating rule: self[2] == 'b'"},
    {"SetsAreEqualInAnyOrder", kSet, "['a','b']", "self == ['b', 'a'] && self != ['a', 'c']", ""},
    {"SumsOfSetsAreUnions", kSet, "['a','b']",
     "self + ['c', 'b'] == ['c', 'a', 'b'] && (self + ['b', 'c'])[2] == 'c'", ""},
    {"ListMapsAreEqualInAnyOrder", kListMap, "[{'n':'a','v':1},{'n':'b','v':2}]",
     "self == self.filter(i, i.n == 'b') + self.filter(i, i.n == 'a')", ""},
    {"SumsOfListMapsReplaceItems", kListMap, "[{'n':'a','v':1},{'n':'b','v':2}]",
     "(self + self).size() == 2 && (self + self.filter(i, i.n == 'b'))[0].v == 1", ""},
    {"EmbeddedResource",
     "{'type':'object','x-kubernetes-embedded-resource':true,"
     "'x-kubernetes-preserve-unknown-fields':true}",
     "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p','labels':{}}}",
     "self.kind == 'Pod' && self.apiVersion == 'v1' && self.metadata.name == 'p'", ""},
    {"QuantitiesAndAddresses", "{'type':'string','maxLength':9}", "'1Gi'",
     "quantity(self).isGreaterThan(quantity('1Mi')) && !isIP(self) && "
     "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
     ""},
    {"OtherLibraries", "{'type':'string','maxLength':9}", "'a-b'",
     "!format.dns1123Label().validate(self).hasValue() && semver('1.2.3').major() == 1 && "
     "url('https://h/p').getHost() == 'h' && sets.contains([1, 2], [1]) && "
     "[3, 1].sort() == [1, 3] && {'k': 1}.all(k, v, v == 1) && self.find('[a-z]') == 'a' && "
     "'%s!'.format([self]) == 'a-b!' && self.split('-').size() == 2",
     ""},
};

std::string NameOf(const testing::TestParamInfo<RuleCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, RuleTest, testing::ValuesIn(kRules), NameOf);

TEST(RuleValidationTest, TheRootSeesItsNames) {
  const Schema schema = CompileWithRules(
      WithRule("{'type':'object','properties':{'x':{'type':'string','maxLength':9}}}", "",
               Rule("self.metadata.name == self.x && self.kind == 'Tab' && "
                    "!has(self.metadata.generateName)")));
  EXPECT_EQ(ErrorsOf(schema, "{'kind':'Tab','metadata':{'name':'a','uid':'u'},'x':'a'}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'kind':'Tab','metadata':{'name':'b','uid':'u'},'x':'a'}"),
            "<nil>: Invalid value: failed rule: self.metadata.name == self.x && "
            "self.kind == 'Tab' && !has(self.metadata.generateName)");
}

TEST(RuleValidationTest, ErrorsNameTheFieldOfTheirRule) {
  const Schema schema = CompileWithRules(
      Quoteless("{'type':'object','properties':{'m':{'type':'object','maxProperties':9,"
                "'additionalProperties':{'type':'array','maxItems':9,'items':{'type':'integer',"
                "'x-kubernetes-validations':[{'rule':'self < 3'}]}}}}}"));
  EXPECT_EQ(ErrorsOf(schema, "{'m':{'a':[1,3],'b-c':[4]}}"),
            "m[a][1]: Invalid value: 3: failed rule: self < 3\n"
            "m[b-c][0]: Invalid value: 4: failed rule: self < 3");
}

struct MessageCase {
  const char* name;
  const char* rule;  // All but the expression, which fails.
  const char* want;
};

class RuleMessageTest : public testing::TestWithParam<MessageCase> {};

TEST_P(RuleMessageTest, SaysWhatTheRuleSays) {
  const Schema schema =
      CompileWithRules(WithRule("{'type':'object','properties':{'x':{'type':'object','properties':{"
                                "'a':{'type':'integer'},'b.c':{'type':'integer'}}}}}",
                                "/properties/x", Rule("self.a > 5", GetParam().rule)));
  EXPECT_EQ(ErrorsOf(schema, "{'x':{'a':1}}"), GetParam().want);
}

const MessageCase kMessages[] = {
    {"Message", "{'message':' too small '}", "x: Invalid value: too small"},
    {"MessageExpression", R"({'message':'m','messageExpression':'\'got %d\'.format([self.a])'})",
     "x: Invalid value: got 1"},
    {"MessageOfAFailedExpression",
     R"({'message':'m','messageExpression':'string(1 / (self.a - 1))'})", "x: Invalid value: m"},
    {"MessageOfAnEmptyExpression", R"({'messageExpression':'self.a > 1 ? \'x\' : \' \''})",
     "x: Invalid value: failed rule: self.a > 5"},
    {"MessageWithLineBreaks", R"({'message':'m','messageExpression':'\'a\\nb\''})",
     "x: Invalid value: m"},
    {"FieldPath", "{'fieldPath':'.a','message':'m'}", "x.a: Invalid value: m"},
    {"QuotedFieldPath", R"({'fieldPath':'[\u0027b.c\u0027]','message':'m'})",
     "x.b.c: Invalid value: m"},
    {"Required", "{'reason':'FieldValueRequired','message':'m'}", "x: Required value: m"},
    {"Forbidden", "{'reason':'FieldValueForbidden','message':'m'}", "x: Forbidden: m"},
    {"Duplicate", "{'reason':'FieldValueDuplicate','message':'m'}", "x: Duplicate value"},
    {"InvalidAsReason", "{'reason':'FieldValueInvalid','message':'m'}", "x: Invalid value: m"},
};

std::string NameOfMessage(const testing::TestParamInfo<MessageCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(All, RuleMessageTest, testing::ValuesIn(kMessages), NameOfMessage);

// Updates.

TEST(RuleValidationTest, RulesAboutOldSelfApplyToUpdates) {
  const Schema schema =
      CompileWithRules(WithRule("{'type':'object','properties':{'x':{'type':'integer'}}}",
                                "/properties/x", Rule("self >= oldSelf")));
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}", "{}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}", "{'x':1}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}", "{'x':2}"),
            "x: Invalid value: 1: failed rule: self >= oldSelf");
}

TEST(RuleValidationTest, AnOptionalOldSelfIsAbsentInNewObjects) {
  const Schema schema = CompileWithRules(
      WithRule("{'type':'object','properties':{'x':{'type':'integer'}}}", "/properties/x",
               Rule("oldSelf.hasValue() ? self >= oldSelf.value() : self == 0",
                    "{'optionalOldSelf':true,'message':'m'}")));
  EXPECT_EQ(ErrorsOf(schema, "{'x':0}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}"), "x: Invalid value: 1: m");
  EXPECT_EQ(ErrorsOf(schema, "{'x':2}", "{'x':1}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':2}", "{'x':3}"), "x: Invalid value: 2: m");
}

TEST(RuleValidationTest, ItemsOfListMapsAreFoundByTheirKeys) {
  const Schema schema = CompileWithRules(
      WithRule(fmt::format("{{'type':'object','properties':{{'x':{}}}}}", kListMap),
               "/properties/x/items", Rule("self.v >= oldSelf.v")));
  constexpr const char* kOld = "{'x':[{'n':'a','v':1},{'n':'b','v':5}]}";
  EXPECT_EQ(ErrorsOf(schema, "{'x':[{'n':'c','v':0},{'n':'b','v':5},{'n':'a','v':2}]}", kOld), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':[{'n':'b','v':4},{'n':'a','v':1}]}", kOld),
            "x[0]: Invalid value: failed rule: self.v >= oldSelf.v");
}

TEST(RuleValidationTest, DataWithoutASchemaCountsInComparisons) {
  const Schema schema = CompileWithRules(
      WithRule("{'type':'object','properties':{'x':{'type':'object',"
               "'x-kubernetes-preserve-unknown-fields':true,'properties':{"
               "'a':{'type':'integer'},'1':{'type':'integer'},"
               "'u':{'x-kubernetes-preserve-unknown-fields':true}}}}}",
               "/properties/x", Rule("self == oldSelf", "{'message':'immutable'}")));
  constexpr const char* kOld = "{'x':{'a':1,'1':1,'u':[{'p':1}],'more':{'q':[true]}}}";
  EXPECT_EQ(ErrorsOf(schema, "{'x':{'more':{'q':[true]},'a':1,'1':1,'u':[{'p':1}]}}", kOld), "");
  for (const char* changed : {"{'x':{'a':1,'1':1,'u':[{'p':1}],'more':{'q':[false]}}}",
                              "{'x':{'a':1,'1':1,'u':[{'p':2}],'more':{'q':[true]}}}",
                              "{'x':{'a':1,'1':2,'u':[{'p':1}],'more':{'q':[true]}}}",
                              "{'x':{'a':1,'1':1,'u':[{'p':1}]}}"}) {
    EXPECT_EQ(ErrorsOf(schema, changed, kOld), "x: Invalid value: immutable") << changed;
  }
}

TEST(RuleValidationTest, WhatAnUpdateLeavesAsItIsOnlyWarns) {
  const Schema schema = CompileWithRules(
      Quoteless("{'type':'object','properties':{"
                "'x':{'type':'integer','x-kubernetes-validations':[{'rule':'self < 3'}]},"
                "'list':{'type':'array','maxItems':9,'items':{'type':'integer',"
                "'x-kubernetes-validations':[{'rule':'self < 3'}]}},"
                "'still':{'type':'integer','x-kubernetes-validations':["
                "{'rule':'self < 3 || self != oldSelf'}]}}}"));
  std::vector<std::string> warnings;
  EXPECT_EQ(ErrorsOf(schema, "{'x':5,'list':[4],'y':1}", "{'x':5,'list':[4]}", &warnings), "");
  EXPECT_THAT(warnings, ElementsAre("x: Invalid value: 5: failed rule: self < 3",
                                    "list[0]: Invalid value: 4: failed rule: self < 3"));
  warnings.clear();
  EXPECT_EQ(ErrorsOf(schema, "{'x':6,'list':[4,1]}", "{'x':5,'list':[4]}", &warnings),
            "x: Invalid value: 6: failed rule: self < 3\n"
            "list[0]: Invalid value: 4: failed rule: self < 3");
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_EQ(ErrorsOf(schema, "{'still':5}", "{'still':5}", &warnings),
            "still: Invalid value: 5: failed rule: self < 3 || self != oldSelf");
}

TEST(RuleValidationTest, NullsHaveNoRules) {
  const Schema schema =
      CompileWithRules(WithRule("{'type':'object','properties':{'x':{'type':'integer',"
                                "'nullable':true}}}",
                                "/properties/x", Rule("self > oldSelf")));
  EXPECT_EQ(ErrorsOf(schema, "{'x':null}", "{'x':1}"), "");
  EXPECT_EQ(ErrorsOf(schema, "{'x':1}", "{'x':null}"), "");
}

// Limits.

// Compiles without the limits of a new definition.
Schema Stored(const api::Json& json) {
  SchemaBudget budget;
  auto schema = CompileSchema(json.get_object(), budget);
  EXPECT_TRUE(schema.has_value());
  CompileRules(*schema, budget, nullptr);
  return *std::move(schema);
}

std::string ObjectWithList(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", i);
  return "{'x':[" + text + "]}";
}

constexpr const char* kNumbers =
    "{'type':'object','properties':{'x':{'type':'array','items':{'type':'integer'}}}}";

TEST(RuleLimitsTest, OneEvaluation) {
  const Schema schema = Stored(
      WithRule(kNumbers, "/properties/x", Rule("self.all(a, self.all(b, a == b || a != b))")));
  EXPECT_EQ(ErrorsOf(schema, ObjectWithList(100)), "");
  EXPECT_EQ(ErrorsOf(schema, ObjectWithList(1'000)),
            "x: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': no "
            "further validation rules will be run due to call cost exceeds limit for rule: "
            "self.all(a, self.all(b, a == b || a != b))");
}

TEST(RuleLimitsTest, AllEvaluationsOfAnObject) {
  const Schema schema =
      Stored(WithRule(kNumbers, "/properties/x/items", Rule("lists.range(20000).all(i, i >= 0)")));
  EXPECT_EQ(ErrorsOf(schema, ObjectWithList(50)), "");
  EXPECT_EQ(ErrorsOf(schema, ObjectWithList(100)),
            "x[83]: Invalid value: \"integer\": validation failed due to running out of cost "
            "budget, no further validation rules will be run");
}

TEST(RuleLimitsTest, WorkWithoutCost) {
  // Each comparison of two lists of lists costs three units and looks at 10,000 numbers.
  std::string numbers;
  for (int i = 0; i < 10'000; ++i) numbers += fmt::format("{}1", i == 0 ? "" : ",");
  const std::string object = "{'x':[[" + numbers + "]]}";
  const Schema schema =
      Stored(WithRule("{'type':'object','properties':{'x':{'type':'array','items':{'type':'array',"
                      "'items':{'type':'integer'}}}}}",
                      "/properties/x", Rule("lists.range(5000).all(i, self == self)")));
  EXPECT_EQ(ErrorsOf(schema, object),
            "x: Invalid value: \"array\": 'operation cancelled: more than 20000000 steps': no "
            "further validation rules will be run due to call cost exceeds limit for rule: "
            "lists.range(5000).all(i, self == self)");
}

TEST(RuleLimitsTest, EndsAfterAHundredErrors) {
  const Schema schema = Stored(WithRule(kNumbers, "/properties/x/items", Rule("self < 0")));
  admission::FieldErrors errors;
  ValidateByRules(schema, Quoteless(ObjectWithList(50'000)), nullptr, errors, nullptr);
  EXPECT_EQ(errors.Take().size(), api::kMaxReportedErrors);
}

TEST(RuleLimitsTest, ARuleThatDoesNotCompileIsReportedByObjects) {
  const Schema schema = Stored(WithRule(kNumbers, "/properties/x", Rule("self.nosuch")));
  EXPECT_EQ(ErrorsOf(schema, "{}"), "");
  EXPECT_THAT(ErrorsOf(schema, "{'x':[]}"),
              testing::HasSubstr("x: Invalid value: \"array\": rule compile error: compilation "
                                 "failed: ERROR: <input>:1:5: type 'list(int)' does not support "
                                 "field selection"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
