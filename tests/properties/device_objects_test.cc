// The claims, classes and slices of the conformance vectors in JSON, protobuf and as structs: every
// way gives the same object.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <variant>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/protobuf/decode_object.h"
#include "api/protobuf/protobuf_testing.h"
#include "cmd/conformance_file.h"

namespace berth {
namespace BERTH_TEST_FILE {

template <typename T>
constexpr bool kIsOfDevices =
    std::is_same_v<T, api::ResourceClaim> || std::is_same_v<T, api::DeviceClass> ||
    std::is_same_v<T, api::ResourceSlice> || std::is_same_v<T, api::Pod>;

// Returns the text of a claim with sorted members, whose order depends on where it comes from, and
// without those that protobuf does not have if they are empty.
std::string Sorted(const api::ResourceClaim& claim) {
  api::Json document = api::ParseJson(*claim.text.json).value();
  api::EraseMembersIf(document.as_object(),
                      [](const auto& member) { return api::IsEmpty(&member.value()); });
  return api::ToCanonicalJson(document);
}

template <typename T>
T WithoutText(T object) {
  if constexpr (std::is_same_v<T, api::ResourceClaim>) object.text = {};
  return object;
}

template <typename T>
void ExpectEachWay(const std::string& json) {
  const auto want = api::DecodeJsonAs<T>(json);
  ASSERT_TRUE(want.has_value()) << want.error().message;
  const auto again = api::DecodeJsonAs<T>(api::EncodeJson(**want));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(WithoutText(**again), WithoutText(**want)) << json;

  const api::KindInfo& kind = api::KindOf<T>();
  const std::string message = api::protobuf::EncodeProtobufObject(api::ParseJson(json).value(),
                                                                  kind.api_version, kind.kind);
  const auto decoded = api::protobuf::DecodeAs<T>(message);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(WithoutText(**decoded), WithoutText(**want)) << json;
  if constexpr (std::is_same_v<T, api::ResourceClaim>) {
    EXPECT_EQ(Sorted(**decoded), Sorted(**want));
  }
}

size_t CheckObjects(const std::string& file) {
  const auto cases = cmd::CaseFile::Read(BERTH_SOURCE_DIR "/tests/conformance/" + file);
  EXPECT_TRUE(cases.has_value());
  size_t checked = 0;
  for (const cmd::CaseFile::Row& row : cases->rows()) {
    const auto document = api::ParseJson(row.text);
    for (const api::Json& object : document->at("objects").as_array()) {
      const std::string json = api::ToJsonText(object);
      const auto typed = api::DecodeJson(json);
      EXPECT_TRUE(typed.has_value()) << typed.error().message;
      if (!typed || typed->size() != 1) continue;
      std::visit(
          [&]<typename T>(const api::Ref<T>&) {
            using Kind = std::remove_const_t<T>;
            if constexpr (kIsOfDevices<Kind>) ExpectEachWay<Kind>(json), ++checked;
          },
          typed->front());
    }
  }
  return checked;
}

TEST(DeviceObjectsProperty, JsonAndProtobufGiveEqualObjects) {
  EXPECT_GT(CheckObjects("dra.jsonl.gz"), 500u);
  EXPECT_GT(CheckObjects("dra2.jsonl.gz"), 2000u);
}

// Fields that few objects have.
TEST(DeviceObjectsProperty, RareFields) {
  ExpectEachWay<api::ResourceClaim>(
      R"({"metadata":{"name":"c","namespace":"n","finalizers":["f"]},"spec":{"devices":{"requests":[
          {"name":"a","exactly":{"deviceClassName":"x","selectors":[{},{"cel":{"expression":"x"}}],
            "allocationMode":"All","capacity":{}}}],
          "config":[{"opaque":{"driver":"d","parameters":{"a":[1,"x y",null]}}}]}},
          "status":{"allocation":{"nodeSelector":{"nodeSelectorTerms":[{"matchFields":
          [{"key":"metadata.name","operator":"In","values":["n"]}]}]}},
          "devices":[{"driver":"d","pool":"p","device":"e","data":{"k":"v"},
          "conditions":[{"type":"t","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z",
          "reason":"r","message":"m"}]}]}})");
  ExpectEachWay<api::ResourceSlice>(
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","generation":0,
          "resourceSliceCount":1},"perDeviceNodeSelection":true,"devices":[{"name":"x","allNodes":true,
          "attributes":{"l":{"ints":[1,0],"bools":[true,false],"strings":[""],"versions":["1.0.0"]},
          "i":{"int":0},"b":{"bool":false},"s":{"string":""}},"bindsToNode":false,
          "bindingConditions":["c"],"bindingFailureConditions":["f"],
          "taints":[{"key":"k","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}]}]}})");
  ExpectEachWay<api::DeviceClass>(
      R"({"metadata":{"name":"c"},"spec":{"selectors":[{"cel":{"expression":"true"}}],
          "config":[{"opaque":{"driver":"d","parameters":{}}}],"extendedResourceName":"a.com/b"}})");
  ExpectEachWay<api::Pod>(
      R"({"metadata":{"name":"p","namespace":"n"},"spec":{"containers":[]},"status":{
          "extendedResourceClaimStatus":{"requestMappings":[{"containerName":"c","resourceName":"r",
          "requestName":"q"}],"resourceClaimName":"x"}}})");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
