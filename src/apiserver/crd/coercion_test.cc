#include "apiserver/crd/coercion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/crd/crd_testing.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

struct CoercionCase {
  const char* name;
  const char* schema;  // Of "spec".
  const char* object;
  const char* want;
};

std::string NameOf(const testing::TestParamInfo<CoercionCase>& info) { return info.param.name; }

std::string WithSpec(const char* spec) {
  return std::string("{'type':'object','properties':{'spec':") + spec + "}}";
}

class DefaultsTest : public testing::TestWithParam<CoercionCase> {};

TEST_P(DefaultsTest, FillsInWhatIsAbsent) {
  const Schema schema = SchemaFrom(WithSpec(GetParam().schema));
  api::Json object = Quoteless(GetParam().object);
  EXPECT_TRUE(ApplyDefaults(schema, object.get_object()));
  EXPECT_EQ(object, Quoteless(GetParam().want));
}

const CoercionCase kDefaults[] = {
    {"Absent", "{'type':'object','properties':{'a':{'type':'integer','default':3}}}", "{'spec':{}}",
     "{'spec':{'a':3}}"},
    {"Present", "{'type':'object','properties':{'a':{'type':'integer','default':3}}}",
     "{'spec':{'a':0}}", "{'spec':{'a':0}}"},
    {"NoParent", "{'type':'object','properties':{'a':{'type':'integer','default':3}}}", "{}", "{}"},
    {"ParentWithDefault",
     "{'type':'object','default':{},'properties':{'a':{'type':'integer','default':3}}}", "{}",
     "{'spec':{'a':3}}"},
    {"Null", "{'type':'object','properties':{'a':{'type':'integer','default':3}}}",
     "{'spec':{'a':null}}", "{'spec':{'a':3}}"},
    {"NullIfNullable",
     "{'type':'object','properties':{'a':{'type':'integer','nullable':true,'default':3}}}",
     "{'spec':{'a':null}}", "{'spec':{'a':null}}"},
    {"InElements",
     "{'type':'array','items':{'type':'object','properties':{'a':{'type':'string','default':'x'}}}"
     "}",
     "{'spec':[{},{'a':'y'}]}", "{'spec':[{'a':'x'},{'a':'y'}]}"},
    {"InValuesOfMaps",
     "{'type':'object','additionalProperties':{'type':'object',"
     "'properties':{'a':{'type':'string','default':'x'}}}}",
     "{'spec':{'k':{}}}", "{'spec':{'k':{'a':'x'}}}"},
};
INSTANTIATE_TEST_SUITE_P(All, DefaultsTest, testing::ValuesIn(kDefaults), NameOf);

TEST(DefaultsTest, AreLimited) {
  api::Json json = Quoteless(
      "{'type':'object','properties':{'list':{'type':'array','items':{'type':'object',"
      "'properties':{'a':{'type':'string'}}}}}}");
  json.at_pointer("/properties/list/items/properties/a").as_object()["default"] =
      std::string(1'000'000, 'x');
  SchemaBudget budget;
  const auto schema = CompileSchema(json.get_object(), budget);
  ASSERT_TRUE(schema.has_value());
  api::Json object = Quoteless("{'list':[{},{},{}]}");
  EXPECT_TRUE(ApplyDefaults(*schema, object.get_object()));
  object = Quoteless("{'list':[{},{},{},{},{},{},{}]}");
  EXPECT_FALSE(ApplyDefaults(*schema, object.get_object()));
}

class PruneTest : public testing::TestWithParam<CoercionCase> {};

TEST_P(PruneTest, DropsWhatTheSchemaLacks) {
  const Schema schema = SchemaFrom(WithSpec(GetParam().schema));
  api::Json object = Quoteless(GetParam().object);
  Prune(schema, object.get_object());
  EXPECT_EQ(object, Quoteless(GetParam().want));
}

const CoercionCase kPrunings[] = {
    {"UnknownMember", "{'type':'object','properties':{'a':{'type':'integer'}}}",
     "{'kind':'K','spec':{'a':1,'b':2},'other':3}", "{'kind':'K','spec':{'a':1}}"},
    {"UnknownMetadata", "{'type':'object'}", "{'metadata':{'name':'n','labels':{'a':'b'},'foo':1}}",
     "{'metadata':{'name':'n','labels':{'a':'b'}}}"},
    {"MembersOfMapsStay", "{'type':'object','additionalProperties':{'type':'string'}}",
     "{'spec':{'a':'x','b':'y'}}", "{'spec':{'a':'x','b':'y'}}"},
    {"InElements",
     "{'type':'array','items':{'type':'object','properties':{'a':{'type':'integer'}}}}",
     "{'spec':[{'a':1,'b':2},{'b':3}]}", "{'spec':[{'a':1},{}]}"},
    {"Preserved",
     "{'type':'object','x-kubernetes-preserve-unknown-fields':true,"
     "'properties':{'a':{'type':'object','properties':{'b':{'type':'integer'}}}}}",
     "{'spec':{'x':{'y':1},'a':{'b':1,'c':2}}}", "{'spec':{'x':{'y':1},'a':{'b':1}}}"},
    {"EmbeddedResource",
     "{'type':'object','x-kubernetes-embedded-resource':true,"
     "'properties':{'spec':{'type':'object'}}}",
     "{'spec':{'apiVersion':'v1','kind':'P','metadata':{'name':'n'},'x':1}}",
     "{'spec':{'apiVersion':'v1','kind':'P','metadata':{'name':'n'}}}"},
};
INSTANTIATE_TEST_SUITE_P(All, PruneTest, testing::ValuesIn(kPrunings), NameOf);

TEST(PruneTest, UnknownFieldsHaveTheirPaths) {
  const Schema schema = SchemaFrom(
      WithSpec("{'type':'object','properties':{'a':{'type':'array','items':{'type':'object',"
               "'properties':{'b':{'type':'string'}}}}}}"));
  const api::Json object = Quoteless(
      "{'metadata':{'name':'n','nam':1},'spec':{'a':[{'b':'x'},{'c':1}],'z':{'y':1}},'top':1}");
  EXPECT_THAT(UnknownFields(schema, object.get_object()),
              ElementsAre("metadata.nam", "spec.a[1].c", "spec.z", "top"));
}

TEST(PruneTest, NullsStayOnlyWhereTheSchemaAllowsThem) {
  const Schema schema =
      SchemaFrom(WithSpec("{'type':'object','properties':{'a':{'type':'string'},"
                          "'b':{'type':'string','nullable':true},"
                          "'list':{'type':'array','items':{'type':'object','properties':"
                          "{'c':{'type':'string'}}}}}}"));
  api::Json object = Quoteless("{'spec':{'a':null,'b':null,'list':[{'c':null}]}}");
  DropUnwantedNulls(schema, object.get_object());
  EXPECT_EQ(object, Quoteless("{'spec':{'b':null,'list':[{}]}}"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
