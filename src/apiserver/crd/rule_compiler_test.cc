#include "apiserver/crd/rule_compiler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/crd/rules_testing.h"
#include "apiserver/crd/schema_rules.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

std::string ErrorsOf(const api::Json& json) {
  admission::FieldErrors errors;
  const admission::FieldPath path("schema");
  CheckSchemaRules(json.get_object(), path, false, errors);
  if (errors.empty()) CompileWithRules(json, errors);
  return Lines(errors);
}

struct CompileCase {
  const char* name;
  const char* pointer;  // The schema of the rule.
  const char* rule;
  const char* more;  // Of its members.
  const char* want;  // Part of the errors; "" for none.
};

constexpr const char* kSchema =
    "{'type':'object','properties':{'a':{'type':'integer'},'s':{'type':'string','maxLength':20},"
    "'p':{'x-kubernetes-preserve-unknown-fields':true},"
    "'l':{'type':'array','items':{'type':'integer'}},"
    "'m':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n'],"
    "'maxItems':10,'items':{'type':'object','required':['n'],'properties':{"
    "'n':{'type':'string','maxLength':20}}}}}}";

class CompileRuleTest : public testing::TestWithParam<CompileCase> {};

TEST_P(CompileRuleTest, ReportsWhatKubeApiserverReports) {
  const auto& [name, pointer, rule, more, want] = GetParam();
  const std::string errors = ErrorsOf(WithRule(kSchema, pointer, Rule(rule, more)));
  if (std::string_view(want).empty()) {
    EXPECT_EQ(errors, "");
  } else {
    EXPECT_THAT(errors, HasSubstr(want));
  }
}

const CompileCase kCases[] = {
    {"Valid", "", "self.a > 0 && self.metadata.name != ''", "{}", ""},
    {"Syntax", "", "self.a <", "{}",
     "schema.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self.a \\u003c\","
     "\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\","
     "\"OptionalOldSelf\":null}: compilation failed: ERROR: <input>:1:9: Syntax error: "},
    {"UndeclaredVariable", "/properties/a", "other == 1", "{}",
     "schema.properties[a].x-kubernetes-validations[0].rule: Invalid value: "},
    {"NameOfTheVariable", "", "other == 1", "{}",
     "compilation failed: ERROR: <input>:1:1: undeclared reference to 'other' (in container '')"},
    {"UndefinedField", "", "self.nosuch == 1", "{}", "undefined field 'nosuch'"},
    {"FieldWithoutASchema", "", "has(self.p)", "{}", "undefined field 'p'"},
    {"Types", "", "self.a == 'x'", "{}",
     "found no matching overload for '_==_' applied to '(int, string)'"},
    {"NotABool", "", "self.a", "{}", "}: cel expression must evaluate to a bool"},
    {"NotABoolIfDynamic", "", "dyn(true)", "{}", "}: cel expression must evaluate to a bool"},
    {"Constant", "", "int('x') == 1", "{}",
     "}: program instantiation failed: type conversion error from 'string' to 'int'"},
    {"BindIsForDevicesOnly", "", "cel.bind(x, 1, x == 1)", "{}",
     "undeclared reference to 'cel' (in container '')"},
    {"NothingSaysTheType", "/properties/p", "true", "{}",
     "schema.properties[p].x-kubernetes-validations: Internal error: internal error: failed to "
     "construct type information for x-kubernetes-validations rules: unable to convert structural "
     "schema to CEL declarations"},
    {"NoRule", "", " ", "{}",
     "schema.x-kubernetes-validations[0].rule: Required value: rule is not specified"},
    {"BlankMessage", "", "true", "{'message':' '}",
     "schema.x-kubernetes-validations[0].message: Invalid value: \" \": must be non-empty if "
     "specified"},
    {"MessageWithLineBreaks", "", "true", "{'message':'a\\nb'}",
     "[0].message: Invalid value: \"a\\nb\": must not contain line breaks"},
    {"RuleWithLineBreaks", "", "true\n&& true", "{}",
     "[0].message: Required value: message must be specified if rule contains line breaks"},
    {"BlankMessageExpression", "", "true", "{'messageExpression':' '}",
     "[0].messageExpression: Required value: messageExpression must be non-empty if specified"},
    {"MessageExpressionFails", "", "true", "{'messageExpression':'self.nosuch'}",
     "}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'nosuch'"},
    {"MessageExpressionIsNoText", "", "true", "{'messageExpression':'self.a'}",
     "}: messageExpression must evaluate to a string"},
    {"Reason", "", "true", "{'reason':'Other'}",
     "[0].reason: Unsupported value: \"Other\": supported values: \"FieldValueDuplicate\", "
     "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\""},
    {"FieldPath", "", "true", "{'fieldPath':'.s'}", ""},
    {"FieldPathOfNoField", "", "true", "{'fieldPath':'.t'}",
     "[0].fieldPath: Invalid value: \".t\": must be a valid path"},
    {"FieldPathWithoutADot", "", "true", "{'fieldPath':'s'}", "must be a valid path"},
    {"OldSelf", "/properties/m/items", "self.n == oldSelf.n", "{}", ""},
    {"OldSelfOfItemsThatCannotBeFound", "/properties/l/items", "self == oldSelf", "{}",
     "schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self == "
     "oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within "
     "schema.properties[l]"},
    {"OptionalOldSelf", "", "oldSelf.hasValue()", "{'optionalOldSelf':true}", ""},
    {"OptionalOldSelfUnused", "", "true", "{'optionalOldSelf':true}",
     "[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"},
    {"OptionalOldSelfIsNoValue", "", "oldSelf.a == 1", "{'optionalOldSelf':true}",
     "found no matching overload for '_==_' applied to '(optional_type(int), int)'"},
    {"CostWithoutLimits", "/properties/l", "self.all(x, self.all(y, x == y))", "{}",
     "schema.properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost "
     "exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, "
     "maxProperties, and maxLength where arrays, maps, and strings are declared)"},
    {"CostWithLimits", "/properties/m", "self.all(x, self.all(y, x.n == y.n || x != y))", "{}", ""},
    {"CostOfAMessage", "", "true",
     "{'messageExpression':'string(self.l.all(x, self.l.all(y, x == y)))'}",
     "[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by"},
};

std::string NameOfCase(const testing::TestParamInfo<CompileCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, CompileRuleTest, testing::ValuesIn(kCases), NameOfCase);

TEST(RuleCompilerTest, RulesOfItemsCostAsOftenAsTheyOccur) {
  const auto errors = [](std::string_view limits) {
    return ErrorsOf(Quoteless(fmt::format(
        "{{'type':'object','properties':{{'l':{{'type':'array'{},'items':{{'type':'string',"
        "'maxLength':1000,'x-kubernetes-validations':[{{'rule':'self.contains(self)'}}]}}}}}}}}",
        limits)));
  };
  EXPECT_EQ(errors(",'maxItems':50"), "");
  // Two names, and 400 times 400 units for each of 100 items.
  EXPECT_EQ(errors(",'maxItems':100"),
            "schema.properties[l].items.x-kubernetes-validations[0].rule: Forbidden: estimated "
            "rule cost exceeds budget by factor of 1.6x (try simplifying the rule, or adding "
            "maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)");
  EXPECT_THAT(errors(""), HasSubstr("more than 100x"));
}

TEST(RuleCompilerTest, TheCostsOfASchemaAreLimitedTogether) {
  api::Json json = Quoteless("{'type':'object','properties':{}}");
  for (int i = 0; i < 13; ++i) {
    json.at("properties").as_object()[fmt::format("p{}", i)] = Quoteless(
        "{'type':'array','maxItems':2000000,'items':{'type':'integer'},"
        "'x-kubernetes-validations':[{'rule':'self.all(x, x == 5)'}]}");
  }
  const std::string errors = ErrorsOf(json);
  EXPECT_THAT(errors, HasSubstr("schema.properties[p0].x-kubernetes-validations[0].rule: "
                                "Forbidden: contributed to estimated rule cost total exceeding "
                                "cost limit for entire OpenAPIv3 schema\n"));
  // A name, four units for each item, and the result.
  EXPECT_THAT(errors, HasSubstr("schema: Forbidden: x-kubernetes-validations estimated rule cost "
                                "total for entire OpenAPIv3 schema exceeds budget by factor of "
                                "1.040000x"));
  EXPECT_EQ(std::ranges::count(errors, '\n'), 4);
}

TEST(RuleCompilerTest, TheNumberOfRulesIsLimited) {
  api::Json json = Quoteless("{'type':'object','properties':{'a':{'type':'integer'}}}");
  api::JsonArray rules(kMaxRules + 1, Rule("true"));
  json.as_object()["x-kubernetes-validations"] = std::move(rules);
  SchemaBudget budget;
  const auto schema = CompileSchema(json.get_object(), budget);
  ASSERT_FALSE(schema.has_value());
  EXPECT_EQ(schema.error().path, "x-kubernetes-validations");
  EXPECT_EQ(schema.error().message, "a definition may not have more than 5000 rules");
}

TEST(RuleCompilerTest, TheSizeOfAllRulesIsLimited) {
  std::string rule = "true";
  for (int i = 0; i < 1'200; ++i) rule += " && true";
  api::Json json = Quoteless("{'type':'object','properties':{'a':{'type':'integer'}}}");
  json.as_object()["x-kubernetes-validations"] = api::JsonArray(300, Rule(rule));
  EXPECT_THAT(ErrorsOf(json),
              HasSubstr("compilation failed: the rules of the definition are too large"));
}

TEST(RuleCompilerTest, ThePatternsOfRulesAreLimited) {
  constexpr std::string_view kTooLarge =
      "compilation failed: the rules of the definition are too large";
  const auto errors = [](size_t count, std::string_view pattern) {
    api::Json json =
        Quoteless("{'type':'object','properties':{'s':{'type':'string','maxLength':9}}}");
    json.as_object()["x-kubernetes-validations"] =
        api::JsonArray(count, Rule(fmt::format("self.s.matches('{}')", pattern)));
    return ErrorsOf(json);
  };
  EXPECT_EQ(errors(200, "a+"), "");
  EXPECT_THAT(errors(300, "a+"), HasSubstr(kTooLarge));
  EXPECT_THAT(errors(100, "(abcdefghij){1000}"), HasSubstr(kTooLarge));
}

TEST(RuleCompilerTest, DefaultsObserveTheRules) {
  admission::FieldErrors errors;
  const Schema schema =
      CompileWithRules(Quoteless("{'type':'object','properties':{'a':{'type':'integer','default':1,"
                                 "'x-kubernetes-validations':[{'rule':'self > 1'},"
                                 "{'rule':'oldSelf.hasValue()','optionalOldSelf':true}]}}}"));
  CheckDefaults(schema, admission::FieldPath("schema"), errors);
  EXPECT_EQ(Lines(errors), "schema.properties[a].default: Invalid value: 1: failed rule: self > 1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
