#include "apiserver/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "api/json/view.h"
#include "api/json/writer.h"
#include "api/scheme/kind_set.h"
#include "api/scheme/scheme.h"

namespace berth::apiserver::openapi {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::StartsWith;

// Not a global variable: the table of kinds refers to others.
const api::scheme::KindSet& BuiltIn() {
  static const api::scheme::KindSet kinds({}, 0, /*alpha_workloads=*/true);
  return kinds;
}

api::Json Document(std::string_view path) {
  return boost::json::parse(OpenApiDocument(BuiltIn(), path).value_or("null"));
}

// Every "$ref" below `value`.
void CollectReferences(api::JsonView value, std::set<std::string>& found) {
  if (!value["$ref"].text().empty()) found.emplace(value["$ref"].text());
  for (const auto& [key, child] : value.fields()) CollectReferences(child, found);
  for (const api::JsonView child : value.items()) CollectReferences(child, found);
}

TEST(OpenApiV3Test, TheIndexListsOneDocumentPerVersion) {
  const api::Json index = boost::json::parse(OpenApiIndex(BuiltIn()));
  std::set<std::string_view> wanted;
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) wanted.insert(kind.api_version());
  const api::JsonView paths = api::JsonView(index)["paths"];
  EXPECT_EQ(paths.size(), wanted.size());
  EXPECT_THAT(std::string(paths["apis/apps/v1"]["serverRelativeURL"].text()),
              StartsWith("/openapi/v3/apis/apps/v1?hash="));
  for (const auto& [path, entry] : paths.fields()) {
    EXPECT_NE(OpenApiDocument(BuiltIn(), path), std::nullopt) << path;
  }
}

TEST(OpenApiV3Test, OtherPathsAreNotFound) {
  EXPECT_EQ(OpenApiDocument(BuiltIn(), "api/v2"), std::nullopt);
  EXPECT_EQ(OpenApiDocument(BuiltIn(), ""), std::nullopt);
}

TEST(OpenApiV3Test, EveryReferenceResolves) {
  const api::Json index = boost::json::parse(OpenApiIndex(BuiltIn()));
  for (const auto& [path, entry] : api::JsonView(index)["paths"].fields()) {
    const api::Json document = Document(path);
    std::set<std::string> references;
    CollectReferences(api::JsonView(document), references);
    const api::JsonView schemas = api::JsonView(document)["components"]["schemas"];
    for (const std::string& reference : references) {
      ASSERT_THAT(reference, StartsWith("#/components/schemas/"));
      EXPECT_TRUE(schemas[reference.substr(21)]) << path << " " << reference;
    }
  }
}

TEST(OpenApiV3Test, PatchDeclaresItsParameters) {
  const api::Json document = Document("api/v1");
  const api::JsonView patch =
      api::JsonView(document)["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
  EXPECT_EQ(api::ToJsonText(*patch["x-kubernetes-group-version-kind"].value()),
            R"({"group":"","kind":"Pod","version":"v1"})");
  std::set<std::string_view> names;
  for (const api::JsonView parameter : patch["parameters"].items()) {
    names.insert(parameter["name"].text());
    EXPECT_EQ(parameter["in"].text(), "query");
  }
  EXPECT_TRUE(names.contains("fieldValidation"));
  EXPECT_TRUE(names.contains("dryRun"));
  EXPECT_FALSE(patch["requestBody"]);
}

// kubectl explain finds the kind by an operation, then the schema by the kind.
TEST(OpenApiV3Test, EveryKindIsExplained) {
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    const api::Json document =
        Document((kind.group.empty() ? "api/" : "apis/") + std::string(kind.api_version()));
    int schemas = 0;
    for (const auto& [name, schema] : api::JsonView(document)["components"]["schemas"].fields()) {
      for (const api::JsonView gvk : schema["x-kubernetes-group-version-kind"].items()) {
        schemas += gvk["kind"].text() == kind.kind && gvk["group"].text() == kind.group;
      }
    }
    EXPECT_EQ(schemas, 1) << kind.kind;
  }
}

TEST(OpenApiV3Test, SchemasHaveTypesAndDescriptions) {
  const std::string text = *OpenApiDocument(BuiltIn(), "api/v1");
  EXPECT_THAT(text, HasSubstr(R"("tolerations":{"type":"array","items":{"$ref":)"
                              R"("#/components/schemas/io.k8s.api.core.v1.Toleration"},)"
                              R"("description":"Taints that the pod tolerates."})"));
  EXPECT_THAT(text, HasSubstr(R"("affinity":{"allOf":[{"$ref":)"
                              R"("#/components/schemas/io.k8s.api.core.v1.Affinity"}],)"));
  EXPECT_THAT(text, HasSubstr(R"("priority":{"type":"integer","format":"int32",)"));
}

TEST(OpenApiV2Test, JsonHasDefinitionsWithMergeKeys) {
  const api::Json document = boost::json::parse(OpenApiV2(BuiltIn(), false));
  const api::JsonView view(document);
  EXPECT_EQ(view["swagger"].text(), "2.0");
  const api::JsonView containers =
      view["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
  EXPECT_EQ(containers["x-kubernetes-patch-merge-key"].text(), "name");
  EXPECT_EQ(containers["items"]["$ref"].text(), "#/definitions/io.k8s.api.core.v1.Container");
  std::set<std::string> references;
  CollectReferences(view, references);
  for (const std::string& reference : references) {
    ASSERT_THAT(reference, StartsWith("#/definitions/"));
    EXPECT_TRUE(view["definitions"][reference.substr(14)]) << reference;
  }
}

// Written by hand from the field numbers of openapi.v2.
TEST(OpenApiV2Test, ProtobufOfASmallDocument) {
  const api::Json document = boost::json::parse(R"({"swagger":"2.0",
      "info":{"title":"T","version":"v"},
      "paths":{"/p":{"patch":{"parameters":[{"name":"dryRun","in":"query","type":"string"}],
                              "x-a":1}}},
      "definitions":{"D":{"type":"object","description":"d","required":["r"],
                          "properties":{"r":{"$ref":"R"},
                                        "l":{"type":"array","items":{"type":"string"}},
                                        "m":{"type":"object",
                                             "additionalProperties":{"type":"string"}}},
                          "x-b":{"k":"v"}}}})");
  const std::string query =
      "\x12\x05query\x22\x06"
      "dryRun\x32\x06string";
  const std::string operation = std::string("\x42\x1d\x0a\x1b\x12\x19\x1a\x17") +
                                query +  // Wrappers around 23 bytes.
                                std::string(
                                    "\x6a\x0a\x0a\x03x-a\x12\x03\x12\x01"
                                    "1");
  const std::string string_type = "\xb2\x01\x08\x0a\x06string";
  const std::string properties = std::string("\x0a\x08\x0a\x01r\x12\x03\x0a\x01R") +
                                 "\x0a\x1f\x0a\x01l\x12\x1a\xb2\x01\x07\x0a\x05"
                                 "array\xba\x01\x0d\x0a\x0b" +
                                 string_type + "\x0a\x20\x0a\x01m\x12\x1b\xaa\x01\x0d\x0a\x0b" +
                                 string_type + "\xb2\x01\x08\x0a\x06object";
  const std::string schema = std::string(
                                 "\x22\x01"
                                 "d\x9a\x01\x01r\xb2\x01\x08\x0a\x06object") +
                             "\xca\x01\x4d" + properties +
                             "\xfa\x01\x12\x0a\x03x-b\x12\x0b\x12\x09{\"k\":\"v\"}";
  ASSERT_EQ(query.size(), 0x17u);
  ASSERT_EQ(operation.size(), 0x2bu);
  ASSERT_EQ(properties.size(), 0x4du);
  ASSERT_EQ(schema.size(), 0x77u);
  EXPECT_EQ(OpenApiV2Protobuf(document.get_object()),
            std::string("\x0a\x03"
                        "2.0\x12\x06\x0a\x01T\x12\x01v") +
                "\x42\x35\x12\x33\x0a\x02/p\x12\x2d\x42\x2b" + operation +
                "\x4a\x7e\x0a\x7c\x0a\x01"
                "D\x12\x77" +
                schema);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::openapi
