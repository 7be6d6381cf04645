// The types of fields, and unknown fields.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

struct Case {
  const char* name;
  const char* spec;
  const char* want;  // After "Pod in version ... as a Pod: json: cannot unmarshal ".
};
class FieldTypes : public ::testing::TestWithParam<Case> {};

TEST_P(FieldTypes, AreChecked) {
  ApiFixture fixture;
  const std::string text = fmt::format("{{'metadata':{{'name':'a'}},'spec':{}}}", GetParam().spec);
  EXPECT_EQ(ErrorOf(fixture.Create("pods", text)),
            fmt::format("400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: {}",
                        GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Table, FieldTypes,
    ::testing::Values(
        Case{"NoList", "{'containers':{}}",
             "json: cannot unmarshal object into field spec.containers of type array"},
        Case{"NoObjectInAList", "{'containers':[5]}",
             "json: cannot unmarshal number into field spec.containers[0] of type object"},
        Case{"NoText", "{'containers':[{'name':5}]}",
             "json: cannot unmarshal number into field spec.containers[0].name of type string"},
        Case{"NoNumber", "{'priority':'high'}",
             "json: cannot unmarshal string into field spec.priority of type int32"},
        Case{"ANumberTooLarge", "{'priority':3000000000}",
             "json: cannot unmarshal number into field spec.priority of type int32"},
        Case{"NoFlag", "{'hostNetwork':'yes'}",
             "json: cannot unmarshal string into field spec.hostNetwork of type bool"},
        Case{"NoMap", "{'nodeSelector':{'a':1}}",
             "json: cannot unmarshal number into field spec.nodeSelector[a] of type string"}),
    [](const auto& test) { return test.param.name; });

TEST(FieldTypes, AreCheckedInPatches) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(fixture.Merge("pods", "a", "{'status':{'conditions':3}}", "status")),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: json: cannot "
            "unmarshal number into field status.conditions of type array");
}

TEST(UnknownFields, AreRejectedWarnedAboutOrIgnored) {
  ApiFixture fixture;
  const auto create = [&](const char* name, FieldValidation validation,
                          std::vector<std::string>* warnings) {
    WriteOptions options;
    options.field_validation = validation;
    options.warnings = warnings;
    return fixture.api.Create(api::scheme::KindOf("pods"), "default",
                              Doc(fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'nodNam':'n',"
                                              "'containers':[{{'name':'c','image':'i'}}]}}}}",
                                              name)),
                              options);
  };
  std::vector<std::string> warnings;
  EXPECT_EQ(ErrorOf(create("a", FieldValidation::kStrict, nullptr)),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: strict decoding "
            "error: unknown field \"spec.nodNam\"");
  EXPECT_EQ(ErrorOf(create("a", FieldValidation::kWarn, &warnings)), "ok");
  EXPECT_EQ(warnings, std::vector<std::string>{"unknown field \"spec.nodNam\""});
  EXPECT_EQ(ErrorOf(create("b", FieldValidation::kIgnore, &warnings)), "ok");
  EXPECT_EQ(warnings.size(), 1U);
  // Unknown fields are stored.
  EXPECT_HOLDS(fixture.Get("pods", "b"), "{'spec':{'nodNam':'n'}}");
}

TEST(UnknownFields, AreRejectedInAnApply) {
  ApiFixture fixture;
  const auto apply = [&](const char* text) {
    WriteOptions options;
    options.field_validation = FieldValidation::kStrict;
    options.field_manager = "test";
    return ErrorOf(fixture.api.Patch(api::scheme::KindOf("configmaps"), {"default", "a"}, "",
                                     patch::PatchType::kApply, Doc(text), options));
  };
  constexpr const char* kWrong =
      "400 BadRequest: failed to create typed patch object (default/a; v1, Kind=ConfigMap): ";
  EXPECT_EQ(apply("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'},'boat':1}"),
            std::string(kWrong) + ".boat: field not declared in schema");
  EXPECT_EQ(apply("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','sail':2},"
                  "'boat':1}"),
            std::string(kWrong) +
                "errors:\n  .metadata.sail: field not declared in schema\n  .boat: field not "
                "declared in schema");
  EXPECT_EQ(apply("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'}}"), "ok");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
