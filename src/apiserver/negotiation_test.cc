#include "apiserver/negotiation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/json/writer.h"
#include "apiserver/negotiation.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

std::string Tell(const api::scheme::ApiResult<WantedForm>& form) {
  if (!form) return fmt::to_string(form.error().code);
  switch (form->form) {
    case Form::kPlain:
      return form->protobuf ? "protobuf" : "plain";
    case Form::kTable:
      return "table " + form->version;
    case Form::kPartialMetadata:
      return "metadata " + form->version;
    case Form::kDiscovery:
      return "discovery " + form->version;
  }
  return "";
}

struct AcceptCase {
  const char* name;
  const char* accept;
  const char* want;
};

class AcceptTest : public testing::TestWithParam<AcceptCase> {};

TEST_P(AcceptTest, SelectsTheFirstSupportedForm) {
  EXPECT_EQ(Tell(WantedObjectForm(GetParam().accept)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Clients, AcceptTest,
    testing::Values(
        AcceptCase{"Nothing", "", "plain"}, AcceptCase{"Anything", "*/*", "plain"},
        AcceptCase{"Json", "application/json", "plain"},
        AcceptCase{"JsonInCapitals", "Application/JSON; charset=utf-8", "plain"},
        AcceptCase{"Scheduler", "application/vnd.kubernetes.protobuf, */*", "plain"},
        AcceptCase{"KubectlTyped", "application/vnd.kubernetes.protobuf,application/json", "plain"},
        AcceptCase{"KubectlGet",
                   "application/json;as=Table;v=v1;g=meta.k8s.io,"
                   "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                   "table v1"},
        AcceptCase{"OldTable", "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
                   "table v1beta1"},
        AcceptCase{"ProtobufTableFirst",
                   "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,"
                   "application/json;as=Table;v=v1;g=meta.k8s.io",
                   "table v1"},
        AcceptCase{"Metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                   "metadata v1"},
        AcceptCase{"MetadataList",
                   "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;"
                   "v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                   "application/json",
                   "metadata v1"},
        AcceptCase{"UnknownFormThenJson", "application/json;as=Boat;v=v1;g=sea,application/json",
                   "plain"},
        AcceptCase{"QualityDecides",
                   "application/json;q=0.5,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9",
                   "table v1"},
        AcceptCase{"QualityZeroIsARefusal", "application/json;q=0", "406"},
        AcceptCase{"ProtobufOnly", "application/vnd.kubernetes.protobuf", "protobuf"},
        AcceptCase{"Html", "text/html", "406"},
        AcceptCase{"UnknownForm", "application/json;as=Boat;v=v1;g=sea", "406"},
        AcceptCase{"UnknownTableVersion", "application/json;as=Table;v=v9;g=meta.k8s.io", "406"},
        AcceptCase{"Garbage", ";;;,,,=", "406"}),
    [](const auto& test) { return test.param.name; });

TEST(DiscoveryFormTest, RecognizesTheAggregatedForm) {
  EXPECT_EQ(Tell(WantedDiscoveryForm(
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
                "application/json")),
            "discovery v2");
  EXPECT_EQ(Tell(WantedDiscoveryForm(
                "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,"
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList")),
            "discovery v2beta1");
  EXPECT_EQ(Tell(WantedDiscoveryForm("application/json, */*")), "plain");
  EXPECT_EQ(Tell(WantedDiscoveryForm("text/plain")), "406");
}

struct BodyCase {
  const char* name;
  const char* type;
  std::string body;
  const char* want;  // The document, or the error's code and a part of its message.
};

class BodyTest : public testing::TestWithParam<BodyCase> {};

TEST_P(BodyTest, IsParsedOrRejected) {
  const auto body = ParseBody(GetParam().type, GetParam().body, {});
  if (body) {
    EXPECT_EQ(api::ToJsonText(*body), GetParam().want);
    return;
  }
  const std::string error = fmt::format("{} {}", body.error().code, body.error().message);
  const std::string_view want = GetParam().want;
  EXPECT_TRUE(error.starts_with(want.substr(0, 3))) << error;
  EXPECT_NE(error.find(want.substr(4)), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Formats, BodyTest,
    testing::Values(
        BodyCase{"Json", "application/json", R"({"a":[1,2.5,"x"]})", R"({"a":[1,2.5,"x"]})"},
        BodyCase{"NoType", "", "{}", "{}"},
        BodyCase{"JsonWithCharset", "application/json; charset=utf-8", "{}", "{}"},
        BodyCase{"Yaml", "application/yaml", "a:\n- b: 1\n  c: yes\n",
                 R"({"a":[{"b":1,"c":true}]})"},
        BodyCase{"Empty", "application/json", "", "400 line 1, column 1"},
        BodyCase{"CutShort", "application/json", "{\n \"a\":", "400 line 2, column 6"},
        BodyCase{"TwoDocuments", "application/json", "{} {}", "400 line 1, column 4"},
        BodyCase{"NotUtf8", "application/json", "{\"a\":\"\xff\"}", "400 column"},
        BodyCase{"TooDeep", "application/json", std::string(1000, '['), "400 column"},
        BodyCase{"DeepYaml", "application/yaml", std::string(1000, '['), "400 not valid YAML"},
        BodyCase{"BadYaml", "application/yaml", "a: [", "400 not valid YAML"},
        BodyCase{"Text", "text/plain", "{}", "415 text/plain"},
        BodyCase{"Form", "application/x-www-form-urlencoded", "a=b", "415 application/json"}),
    [](const auto& test) { return test.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
