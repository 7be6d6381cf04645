#include "apiserver/crd/validation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/crd/crd_testing.h"
#include "apiserver/crd/validation_work.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

struct ValueCase {
  const char* name;
  const char* schema;  // Of the property "x".
  const char* value;   // Of "x".
  const char* want;    // The errors.
};

class ValidateValueTest : public testing::TestWithParam<ValueCase> {};

TEST_P(ValidateValueTest, ReportsWhatKubeApiserverReports) {
  const Schema schema =
      SchemaFrom(fmt::format("{{'type':'object','properties':{{'x':{}}}}}", GetParam().schema));
  const api::Json object = Quoteless(fmt::format("{{'x':{}}}", GetParam().value));
  admission::FieldErrors errors;
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_EQ(Lines(errors), GetParam().want);
}

const ValueCase kValues[] = {
    {"String", "{'type':'string'}", "'a'", ""},
    {"NumberForString", "{'type':'string'}", "5",
     R"(x: Invalid value: "integer": x in body must be of type string: "integer")"},
    {"FractionForInteger", "{'type':'integer'}", "1.5",
     R"(x: Invalid value: "number": x in body must be of type integer: "number")"},
    {"WholeFractionForInteger", "{'type':'integer'}", "2.0", ""},
    {"IntegerForNumber", "{'type':'number'}", "2", ""},
    {"ObjectForBoolean", "{'type':'boolean'}", "{}",
     R"(x: Invalid value: "object": x in body must be of type boolean: "object")"},
    {"NullForString", "{'type':'string'}", "null",
     R"(x: Invalid value: "null": x in body must be of type string: "null")"},
    {"NullIfNullable", "{'type':'string','nullable':true}", "null", ""},
    {"IntOrStringTakesBoth", "{'x-kubernetes-int-or-string':true}", "'10%'", ""},
    {"IntOrStringTakesNoObject", "{'x-kubernetes-int-or-string':true}", "{}",
     R"(x: Invalid value: "object": x in body must be of type integer,string: "object")"},
    {"Maximum", "{'type':'integer','maximum':10}", "15",
     "x: Invalid value: 15: x in body should be less than or equal to 10"},
    {"ExclusiveMaximum", "{'type':'integer','maximum':10,'exclusiveMaximum':true}", "10",
     "x: Invalid value: 10: x in body should be less than 10"},
    {"Minimum", "{'type':'number','minimum':0.5}", "0.25",
     "x: Invalid value: 0.25: x in body should be greater than or equal to 0.5"},
    {"MultipleOf", "{'type':'integer','multipleOf':4}", "6",
     "x: Invalid value: 6: x in body should be a multiple of 4"},
    {"Int32", "{'type':'integer','format':'int32'}", "3000000000",
     "<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in x"},
    {"MaxLengthCountsCharacters", "{'type':'string','maxLength':2}", "'äö'", ""},
    {"MaxLength", "{'type':'string','maxLength':2}", "'abc'",
     "x: Too long: may not be more than 2 bytes"},
    {"MinLength", "{'type':'string','minLength':2}", "'a'",
     R"(x: Invalid value: "a": x in body should be at least 2 chars long)"},
    {"Pattern", "{'type':'string','pattern':'^a+$'}", "'ab'",
     R"(x: Invalid value: "ab": x in body should match '^a+$')"},
    {"PatternMatchesAnywhere", "{'type':'string','pattern':'b'}", "'abc'", ""},
    {"Enum", "{'type':'string','enum':['b','a']}", "'c'",
     R"(x: Unsupported value: "c": supported values: "b", "a")"},
    {"EnumOfNumbers", "{'type':'integer','enum':[1,2]}", "3",
     R"(x: Unsupported value: 3: supported values: "1", "2")"},
    {"Format", "{'type':'string','format':'date-time'}", "'yesterday'",
     R"(x: Invalid value: "yesterday": x in body must be of type date-time: "yesterday")"},
    {"UnknownFormatIsIgnored", "{'type':'string','format':'nonsense'}", "'a'", ""},
    {"MaxItems", "{'type':'array','items':{'type':'string'},'maxItems':1}", "['a','b']",
     "x: Too many: 2: must have at most 1 item"},
    {"MinItems", "{'type':'array','items':{'type':'string'},'minItems':2}", "['a']",
     "x: Invalid value: 1: x in body should have at least 2 items"},
    {"ItemsAreValidated", "{'type':'array','items':{'type':'string'}}", "['a',1]",
     R"(x[1]: Invalid value: "integer": x[1] in body must be of type string: "integer")"},
    {"Required", "{'type':'object','required':['y'],'properties':{'y':{'type':'string'}}}", "{}",
     "x.y: Required value"},
    {"MaxProperties",
     "{'type':'object','maxProperties':1,'additionalProperties':{'type':'string'}}",
     "{'a':'1','b':'2'}", "x: Too many: 2: must have at most 1 item"},
    {"MinProperties", "{'type':'object','minProperties':1}", "{}",
     "x: Invalid value: 0: x in body should have at least 1 properties"},
    {"AdditionalProperties", "{'type':'object','additionalProperties':{'type':'integer'}}",
     "{'a':'1'}", R"(x.a: Invalid value: "string": x.a in body must be of type integer: "string")"},
    {"NoAdditionalProperties", "{'type':'object','additionalProperties':false}", "{'a':1}",
     R"(x: Invalid value: "a": x.a in body is a forbidden property)"},
    {"AnyOfNone",
     "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},"
     "'anyOf':[{'required':['a']},{'required':['b']}]}",
     "{}",
     "<nil>: Invalid value: \"\": \"x\" must validate at least one schema (anyOf)\n"
     "x.a: Required value"},
    {"AnyOfBoth", "{'type':'object','anyOf':[{'required':['a']},{'required':['b']}]}",
     "{'a':1,'b':1}", ""},
    {"OneOfBoth", "{'type':'object','oneOf':[{'required':['a']},{'required':['b']}]}",
     "{'a':1,'b':1}",
     "<nil>: Invalid value: \"\": \"x\" must validate one and only one schema (oneOf). "
     "Found 2 valid alternatives"},
    {"OneOfNone", "{'type':'object','oneOf':[{'required':['a']},{'required':['b']}]}", "{}",
     "<nil>: Invalid value: \"\": \"x\" must validate one and only one schema (oneOf). "
     "Found none valid\nx.a: Required value"},
    {"AllOf", "{'type':'integer','allOf':[{'minimum':1},{'maximum':0}]}", "1",
     "x: Invalid value: 1: x in body should be less than or equal to 0\n"
     "<nil>: Invalid value: \"\": \"x\" must validate all the schemas (allOf)"},
    {"Not", "{'type':'string','not':{'enum':['a']}}", "'a'",
     "<nil>: Invalid value: \"\": \"x\" must not validate the schema (not)"},
};

std::string NameOf(const testing::TestParamInfo<ValueCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, ValidateValueTest, testing::ValuesIn(kValues), NameOf);

TEST(ValidationTest, PartsThatAnUpdateLeavesAsTheyAreAreValid) {
  const Schema schema = SchemaFrom(
      "{'type':'object','properties':{'a':{'type':'integer','maximum':1},"
      "'b':{'type':'integer','maximum':1},"
      "'list':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n'],"
      "'items':{'type':'object','properties':{'n':{'type':'string'},"
      "'v':{'type':'integer','maximum':1}}}}}}");
  const api::Json before = Quoteless("{'a':5,'b':1,'list':[{'n':'p','v':7},{'n':'q','v':1}]}");
  const api::Json after = Quoteless("{'a':5,'b':2,'list':[{'n':'q','v':3},{'n':'p','v':7}]}");
  admission::FieldErrors errors;
  ValidateValue(schema, after, &before, "", errors);
  EXPECT_EQ(Lines(errors),
            "b: Invalid value: 2: b in body should be less than or equal to 1\n"
            "list[0].v: Invalid value: 3: list[0].v in body should be less than or equal to 1");
}

TEST(ValidationTest, ErrorsOfAStatusNameItsFields) {
  const Schema schema =
      SchemaFrom("{'type':'object','properties':{'phase':{'type':'string','enum':['a']}}}");
  admission::FieldErrors errors;
  ValidateValue(schema, Quoteless("{'phase':'b'}"), nullptr, "status", errors);
  EXPECT_EQ(Lines(errors), R"(status.phase: Unsupported value: "b": supported values: "a")");
}

TEST(ValidationTest, EndsAfterAHundredErrors) {
  const Schema schema =
      SchemaFrom("{'type':'object','properties':{'x':{'type':'array','items':{'type':'string'}}}}");
  api::Json object = Quoteless("{'x':[]}");
  for (int i = 0; i < 100'000; ++i) object.at("x").as_array().emplace_back(i);
  admission::FieldErrors errors;
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_EQ(errors.Take().size(), api::kMaxReportedErrors);
}

TEST(ValidationTest, AnObjectTimesItsAlternativesIsLimited) {
  // Each of 2,000 elements is compared with 5,000 alternatives: ten million steps.
  api::JsonArray alternatives;
  for (int i = 0; i < 5'000; ++i) {
    alternatives.push_back(api::JsonObject{{"required", api::JsonArray{fmt::format("m{}", i)}}});
  }
  api::Json json =
      Quoteless("{'type':'object','properties':{'x':{'type':'array','items':{'type':'object'}}}}");
  json.at_pointer("/properties/x/items").as_object()["anyOf"] = std::move(alternatives);
  SchemaBudget budget;
  const auto schema = CompileSchema(json.get_object(), budget);
  ASSERT_TRUE(schema.has_value());
  api::Json object = Quoteless("{'x':[]}");
  for (int i = 0; i < 2'000; ++i) {
    object.at("x").as_array().push_back(api::JsonObject{{"m4999", true}});
  }
  admission::FieldErrors errors;
  ValidateValue(*schema, object, nullptr, "", errors);
  EXPECT_EQ(Lines(errors),
            "<nil>: Forbidden: the object takes more than 5000000 steps to validate by its schema");
}

constexpr const char* kTooManyMatches =
    "<nil>: Forbidden: matching the strings of the object with the patterns of its schema takes "
    "more than 100000000 steps (bytes times the size of the pattern)";

TEST(ValidationTest, MatchingALongStringWithALargePatternIsLimited) {
  const Schema schema =
      SchemaFrom("{'type':'object','properties':{'x':{'type':'string','pattern':'[a-z]{500}0'}}}");
  api::Json object = Quoteless("{'x':''}");
  object.at("x") = std::string(250'000, 'a');
  admission::FieldErrors errors;
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_EQ(Lines(errors), kTooManyMatches);
}

TEST(ValidationTest, PatternsOfOneObjectShareALimit) {
  // Ten matches of a million steps each for each of 20 strings: a tenth of them is not attempted.
  std::string all = "{'pattern':'[a-z]{500}0'}";
  for (int i = 1; i < 10; ++i) all += fmt::format(",{{'pattern':'[a-z]{{500}}{}'}}", i);
  const Schema schema = SchemaFrom(
      "{'type':'object','properties':{'x':{'type':'array','items':{'type':'string','not':{'allOf':"
      "[" +
      all + "]}}}}}");
  api::Json object = Quoteless("{'x':[]}");
  for (int i = 0; i < 20; ++i) object.at("x").as_array().emplace_back(std::string(2'000, 'a'));
  admission::FieldErrors errors;
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_EQ(Lines(errors), kTooManyMatches);
}

TEST(ValidationTest, ALongStringMatchesAnOrdinaryPattern) {
  const Schema schema = SchemaFrom(
      "{'type':'object','properties':{'x':{'type':'string','format':'byte',"
      "'pattern':'^([A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2}==$'}}}");
  api::Json object = Quoteless("{'x':''}");
  object.at("x") = std::string(1'399'998, 'a') + "==";
  admission::FieldErrors errors;
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_EQ(Lines(errors), "");
}

TEST(ValidationTest, TheWorkOfTheThreadEndsIt) {
  const Schema schema =
      SchemaFrom("{'type':'object','properties':{'x':{'type':'string','pattern':'^[a-z]+$'}}}");
  api::Json object = Quoteless("{'x':''}");
  object.at("x") = std::string(10'000, 'a');
  admission::FieldErrors errors;
  ValidationWork work(5'000);
  ValidateValue(schema, object, nullptr, "", errors);
  EXPECT_TRUE(work.exceeded());
  EXPECT_EQ(Lines(errors), "<nil>: Forbidden: the object takes too long to validate by its schema");
}

class ValidateStructureTest : public testing::TestWithParam<ValueCase> {};

TEST_P(ValidateStructureTest, ReportsWhatKubeApiserverReports) {
  const Schema schema =
      SchemaFrom(fmt::format("{{'type':'object','properties':{{'x':{}}}}}", GetParam().schema));
  const api::Json object = Quoteless(fmt::format("{{'x':{}}}", GetParam().value));
  admission::FieldErrors errors;
  ValidateStructure(schema, object.get_object(), errors);
  EXPECT_EQ(Lines(errors), GetParam().want);
}

const ValueCase kStructures[] = {
    {"SetWithoutRepeats",
     "{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}}", "['a','b']", ""},
    {"SetReportsEachRepeatOnce",
     "{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}}",
     "['a','b','a','a','b']", "x[2]: Duplicate value: \"a\"\nx[4]: Duplicate value: \"b\""},
    {"MapByOneKey",
     "{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n'],"
     "'items':{'type':'object','properties':{'n':{'type':'string'}}}}",
     "[{'n':'a','v':1},{'n':'a','v':2}]", "x[1]: Duplicate value: {\"n\":\"a\"}"},
    {"MapByTwoKeys",
     "{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n','p'],"
     "'items':{'type':'object','properties':{'n':{'type':'string'},'p':{'type':'string'}}}}",
     "[{'n':'a','p':'x'},{'n':'a','p':'y'},{'p':'y','n':'a'}]",
     "x[2]: Duplicate value: {\"n\":\"a\",\"p\":\"y\"}"},
    {"EmbeddedResourceNeedsAKind",
     "{'type':'object','x-kubernetes-embedded-resource':true,"
     "'x-kubernetes-preserve-unknown-fields':true}",
     "{'apiVersion':'v1'}", "x.kind: Required value"},
    {"EmbeddedResourceWithLabels",
     "{'type':'object','x-kubernetes-embedded-resource':true,"
     "'x-kubernetes-preserve-unknown-fields':true}",
     "{'apiVersion':'v1','kind':'Pod','metadata':{'labels':{'a':'b'}}}", ""},
};

INSTANTIATE_TEST_SUITE_P(All, ValidateStructureTest, testing::ValuesIn(kStructures), NameOf);

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
