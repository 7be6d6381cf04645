#include "apiserver/crd/definition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/crd/crd_testing.h"
#include "apiserver/crd/custom_resource.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

api::Json Definition() {
  api::Json definition = Quoteless(
      "{'metadata':{'name':'crontabs.example.com'},"
      "'spec':{'group':'example.com','scope':'Namespaced',"
      "'names':{'plural':'crontabs','kind':'CronTab','shortNames':['ct']},"
      "'versions':[{'name':'v1','served':true,'storage':true,"
      "'schema':{'openAPIV3Schema':{'type':'object','properties':"
      "{'spec':{'type':'object','properties':{'replicas':{'type':'integer'}}}}}}}]}}");
  DefaultDefinition(definition.get_object());
  NoteStorageVersion(definition.get_object());
  return definition;
}

std::string ErrorsOf(const api::Json& definition, const api::Json* before = nullptr) {
  admission::FieldErrors errors;
  ValidateDefinition(definition.get_object(), before ? &before->get_object() : nullptr, errors);
  return Lines(errors);
}

TEST(DefinitionTest, DefaultsNamesAndConversion) {
  const api::Json definition = Definition();
  EXPECT_EQ(definition.at_pointer("/spec/names"),
            Quoteless("{'plural':'crontabs','kind':'CronTab','shortNames':['ct'],"
                      "'singular':'crontab','listKind':'CronTabList'}"));
  EXPECT_EQ(definition.at_pointer("/spec/conversion"), Quoteless("{'strategy':'None'}"));
  EXPECT_EQ(definition.at_pointer("/status/storedVersions"), Quoteless("['v1']"));
  EXPECT_EQ(ErrorsOf(definition), "");
}

struct DefinitionCase {
  const char* name;
  const char* pointer;  // What is replaced,
  const char* value;    // by this.
  const char* want;     // Part of the errors.
};

class ValidateDefinitionTest : public testing::TestWithParam<DefinitionCase> {};

TEST_P(ValidateDefinitionTest, ReportsWhatKubeApiserverReports) {
  api::Json definition = Definition();
  SetAt(definition, GetParam().pointer, Quoteless(GetParam().value));
  EXPECT_THAT(ErrorsOf(definition), HasSubstr(GetParam().want));
}

constexpr const char* kSchema = "/spec/versions/0/schema/openAPIV3Schema";
constexpr const char* kSpec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";

const DefinitionCase kDefinitions[] = {
    {"Name", "/metadata/name", "'x.example.com'",
     "metadata.name: Invalid value: \"x.example.com\": must be spec.names.plural+\".\"+spec.group"},
    {"GroupWithoutDot", "/spec/group", "'example'",
     "spec.group: Invalid value: \"example\": should be a domain with at least one dot"},
    {"Scope", "/spec/scope", "'Global'",
     "spec.scope: Unsupported value: \"Global\": supported values: \"Cluster\", \"Namespaced\""},
    {"Plural", "/spec/names/plural", "'CronTabs'",
     "spec.names.plural: Invalid value: \"CronTabs\""},
    {"ListKind", "/spec/names/listKind", "'CronTab'",
     "spec.names.listKind: Invalid value: \"CronTab\": kind and listKind may not be the same"},
    {"NoStorageVersion", "/spec/versions/0/storage", "false",
     "must have exactly one version marked as storage version"},
    {"VersionName", "/spec/versions/0/name", "'V1'",
     "spec.versions[0].name: Invalid value: \"V1\""},
    {"NoSchema", "/spec/versions/0/schema", "{}",
     "spec.versions[0].schema.openAPIV3Schema: Required value"},
    {"PreserveUnknownFields", "/spec/preserveUnknownFields", "true",
     "spec.preserveUnknownFields: Invalid value: true: cannot set to true"},
    {"RootType", kSchema, "{'type':'string'}",
     "openAPIV3Schema.type: Invalid value: \"string\": must be object at the root"},
    {"NoType", kSpec, "{}",
     "openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified "
     "object "
     "fields"},
    {"NoItems", kSpec, "{'type':'array'}",
     "openAPIV3Schema.properties[spec].items: Required value: must be specified"},
    {"UnknownType", kSpec, "{'type':'float'}",
     "properties[spec].type: Unsupported value: \"float\": supported values: \"array\", "
     "\"boolean\", "
     "\"integer\", \"number\", \"object\", \"string\""},
    {"Reference", kSpec, "{'type':'object','$ref':'#/definitions/x'}",
     "properties[spec].$ref: Forbidden: $ref is not supported"},
    {"UniqueItems", kSpec, "{'type':'array','uniqueItems':true,'items':{'type':'string'}}",
     "properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true"},
    {"PropertiesAndAdditional", kSpec,
     "{'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':false}",
     "additionalProperties and properties are mutual exclusive"},
    {"Pattern", kSpec, "{'type':'string','pattern':'a('}",
     "properties[spec].pattern: Invalid value: \"a(\": must be a valid regular expression, but "
     "isn't: "},
    {"TypeInAnyOf", kSpec, "{'type':'object','anyOf':[{'type':'object'}]}",
     "properties[spec].anyOf[0].type: Forbidden: must be empty to be structural"},
    {"DefaultInAllOf", kSpec, "{'type':'integer','allOf':[{'default':1}]}",
     "properties[spec].allOf[0].default: Forbidden: must be undefined to be structural"},
    {"IncompleteStructure", kSchema,
     "{'type':'object','properties':{'spec':{'type':'object'}},"
     "'anyOf':[{'properties':{'other':{'minimum':1}}}]}",
     "openAPIV3Schema.properties[other]: Required value: because it is defined in "
     "spec.versions[0].schema.openAPIV3Schema.anyOf[0].properties[other]"},
    {"MetadataRestricted", kSchema,
     "{'type':'object','properties':{'metadata':{'type':'object','properties':"
     "{'labels':{'type':'object'}}}}}",
     "must not specify anything other than name and generateName"},
    {"InvalidDefault", kSpec,
     "{'type':'object','properties':{'a':{'type':'integer','default':'x'}}}",
     "properties[spec].properties[a].default: Invalid value: \"string\""},
    {"DefaultWithUnknownField", kSpec,
     "{'type':'object','default':{'b':1},'properties':{'a':{'type':'integer'}}}",
     "properties[spec].default: Invalid value: {\"b\":1}: must not have unknown fields"},
    {"DefaultInMetadata", kSchema,
     "{'type':'object','properties':{'kind':{'type':'string','default':'x'}}}",
     "properties[kind].default: Forbidden: must not be set in top-level kind"},
    {"ListTypeOfObject", kSpec, "{'type':'object','x-kubernetes-list-type':'set'}",
     "properties[spec].type: Invalid value: \"object\": must be array if x-kubernetes-list-type is "
     "specified"},
    {"MapWithoutKeys", kSpec,
     "{'type':'array','x-kubernetes-list-type':'map','items':{'type':'object'}}",
     "x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is "
     "map"},
    {"MapKeyNotRequired", kSpec,
     "{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['n'],"
     "'items':{'type':'object','properties':{'n':{'type':'string'}}}}",
     "items.properties[n].default: Required value: this property is in x-kubernetes-list-map-keys, "
     "so it must have a default or be a required property"},
    {"IntOrStringThatPreserves", kSpec,
     "{'x-kubernetes-int-or-string':true,'x-kubernetes-preserve-unknown-fields':true}",
     "must be false if x-kubernetes-int-or-string is true"},
    {"ValidationRule", kSpec,
     "{'type':'object','properties':{'a':{'type':'integer'}},"
     "'x-kubernetes-validations':[{'rule':'self.b == 1'}]}",
     "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: "
     "Invalid value: {\"Rule\":\"self.b == 1\",\"Message\":\"\",\"MessageExpression\":\"\","
     "\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}: compilation failed: ERROR: "
     "<input>:1:5: undefined field 'b'"},
    {"ColumnType", "/spec/versions/0/additionalPrinterColumns",
     "[{'name':'A','type':'text','jsonPath':'.a'}]",
     "additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of "
     "boolean,date,integer,number,string"},
    {"ScalePath", "/spec/versions/0/subresources",
     "{'scale':{'specReplicasPath':'.status.replicas','statusReplicasPath':'.status.replicas'}}",
     "subresources.scale.specReplicasPath: Invalid value: \".status.replicas\": should be a json "
     "path under .spec"},
    {"SelectableField", "/spec/versions/0/selectableFields", "[{'jsonPath':'.spec.color'}]",
     "selectableFields[0].jsonPath: Invalid value: \".spec.color\": is an invalid path"},
    {"Conversion", "/spec/conversion", "{'strategy':'Magic'}",
     "spec.conversion.strategy: Unsupported value: \"Magic\""},
    {"StoredVersionRemoved", "/status/storedVersions", "['v1beta1','v1']",
     "status.storedVersions[0]: Invalid value: \"v1beta1\": missing from spec.versions"},
};

std::string NameOf(const testing::TestParamInfo<DefinitionCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, ValidateDefinitionTest, testing::ValuesIn(kDefinitions), NameOf);

TEST(DefinitionTest, GroupsOfTheCommunityNeedApproval) {
  api::Json definition = Definition();
  definition.at_pointer("/spec").as_object()["group"] = "x.k8s.io";
  definition.at_pointer("/metadata").as_object()["name"] = "crontabs.x.k8s.io";
  EXPECT_THAT(ErrorsOf(definition),
              HasSubstr("metadata.annotations[api-approved.kubernetes.io]: Required value"));
  definition.at_pointer("/metadata").as_object()["annotations"] =
      Quoteless("{'api-approved.kubernetes.io':'unapproved, for a test'}");
  EXPECT_EQ(ErrorsOf(definition), "");
}

TEST(DefinitionTest, EstablishedNamesAreImmutable) {
  api::Json before = Definition();
  AcceptNames(before.get_object(), {}, {});
  api::Json after = before;
  after.at_pointer("/spec").as_object()["scope"] = "Cluster";
  after.at_pointer("/spec/names").as_object()["kind"] = "Other";
  EXPECT_EQ(ErrorsOf(after, &before),
            "spec.scope: Invalid value: \"Cluster\": field is immutable\n"
            "spec.names.kind: Invalid value: \"Other\": field is immutable");
}

TEST(DefinitionTest, NamesThatOthersHaveAreNotAccepted) {
  api::Json other = Definition();
  AcceptNames(other.get_object(), {}, {});
  EXPECT_TRUE(HasCondition(other.get_object(), "Established"));
  TakenNames taken;
  taken.Add(other.get_object());
  api::Json definition = Definition();
  definition.at_pointer("/spec/names").as_object()["plural"] = "tabs";
  definition.at_pointer("/spec/names").as_object()["singular"] = "tab";
  AcceptNames(definition.get_object(), taken, {});
  EXPECT_FALSE(HasCondition(definition.get_object(), "Established"));
  EXPECT_EQ(definition.at_pointer("/status/acceptedNames"),
            Quoteless("{'plural':'tabs','singular':'tab'}"));
  EXPECT_EQ(definition.at_pointer("/status/conditions/0/reason"), "ListKindConflict");
  EXPECT_EQ(definition.at_pointer("/status/conditions/0/message"),
            "\"CronTabList\" is already in use");
}

TEST(DefinitionTest, ASchemaThatWasTooExpensiveMayStay) {
  api::Json before = Definition();
  SetAt(before, kSpec,
        Quoteless("{'type':'array','items':{'type':'string'},"
                  "'x-kubernetes-validations':[{'rule':'self.all(x, x.contains(x))'}]}"));
  EXPECT_THAT(ErrorsOf(before), HasSubstr("rule: Forbidden: estimated rule cost exceeds budget"));
  // Only the limit of the whole schema is left.
  EXPECT_THAT(ErrorsOf(before, &before),
              AllOf(HasSubstr("estimated rule cost total"),
                    Not(HasSubstr("rule: Forbidden: estimated rule cost exceeds"))));
}

TEST(DefinitionTest, WarnsOfWhatIsNotExecuted) {
  api::Json definition = Definition();
  definition.at_pointer("/spec").as_object()["conversion"] = Quoteless(
      "{'strategy':'Webhook','webhook':{'clientConfig':{'url':'https://x'},"
      "'conversionReviewVersions':['v1']}}");
  SetAt(definition, kSpec, Quoteless("{'type':'string','format':'color'}"));
  EXPECT_EQ(ErrorsOf(definition), "");
  EXPECT_THAT(
      WarningsOf(definition.get_object()),
      ElementsAre(
          "spec.conversion: Berth calls no webhooks; objects are converted as with strategy "
          "None",
          "unrecognized format \"color\""));
}

// The limits of schemas.

std::string ErrorsWithSpec(api::Json spec) {
  api::Json definition = Definition();
  SetAt(definition, kSpec, std::move(spec));
  return ErrorsOf(definition);
}

TEST(SchemaLimitsTest, Depth) {
  api::Json schema = Quoteless("{'type':'string'}");
  for (size_t i = 0; i + 2 < kMaxSchemaDepth; ++i) {
    schema = api::JsonObject{{"type", "array"}, {"items", std::move(schema)}};
  }
  EXPECT_EQ(ErrorsWithSpec(schema), "");
  schema = api::JsonObject{{"type", "array"}, {"items", std::move(schema)}};
  EXPECT_THAT(ErrorsWithSpec(schema),
              HasSubstr("Forbidden: schemas may not be nested more than 64 levels deep"));
}

TEST(SchemaLimitsTest, Nodes) {
  api::JsonObject properties;
  for (size_t i = 0; i < kMaxSchemaNodes; ++i) {
    properties[fmt::format("p{}", i)] = api::JsonObject{{"type", "string"}};
  }
  EXPECT_THAT(ErrorsWithSpec(api::JsonObject{{"type", "object"}, {"properties", properties}}),
              HasSubstr("Forbidden: a definition may not have more than 100000 schemas"));
}

TEST(SchemaLimitsTest, Patterns) {
  api::JsonObject properties;
  for (size_t i = 0; i <= kMaxPatterns; ++i) {
    properties[fmt::format("p{}", i)] =
        api::JsonObject{{"type", "string"}, {"pattern", fmt::format("^{}$", i)}};
  }
  EXPECT_THAT(ErrorsWithSpec(api::JsonObject{{"type", "object"}, {"properties", properties}}),
              HasSubstr("Forbidden: a definition may not have more than 200 different patterns"));
}

TEST(SchemaLimitsTest, SizeOfPatterns) {
  EXPECT_THAT(ErrorsWithSpec(Quoteless("{'type':'string','pattern':'((a{100}){100}){100}'}")),
              HasSubstr("must be a valid regular expression, but isn't: error parsing regexp: "));
  api::JsonObject properties;
  for (size_t i = 0; i < 100; ++i) {
    properties[fmt::format("p{}", i)] =
        api::JsonObject{{"type", "string"}, {"pattern", fmt::format("(abcdefghij){{1000}}{}", i)}};
  }
  EXPECT_THAT(ErrorsWithSpec(api::JsonObject{{"type", "object"}, {"properties", properties}}),
              HasSubstr("Forbidden: the patterns of the definition are too large"));
}

TEST(SchemaLimitsTest, PatternsMatchInLinearTime) {
  const Schema schema = SchemaFrom("{'type':'string','pattern':'^(a+)+$'}");
  const std::string text = std::string(100'000, 'a') + "b";
  EXPECT_FALSE(schema.constraints->pattern->Matches(text));
}

TEST(SchemaLimitsTest, Columns) {
  api::Json definition = Definition();
  api::JsonArray columns;
  for (size_t i = 0; i <= kMaxPrinterColumns; ++i) {
    columns.push_back(Quoteless("{'name':'A','type':'string','jsonPath':'.a'}"));
  }
  SetAt(definition, "/spec/versions/0/additionalPrinterColumns", std::move(columns));
  EXPECT_THAT(ErrorsOf(definition), HasSubstr("Too many: 101: must have at most 100 items"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
