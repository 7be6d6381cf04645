#include "api/scheme/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "api/field_errors.h"
#include "api/scheme/scheme.h"

namespace berth::api::scheme {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SchemaTest, EveryStoredKindHasOne) {
  for (const Kind& kind : Kinds()) {
    EXPECT_EQ(SchemaOf(kind.api_version(), kind.kind) != nullptr, kind.stored) << kind.kind;
  }
}

TEST(SchemaTest, NamesAreUniqueAndFieldsToo) {
  std::set<std::string> names;
  for (const Schema& schema : Schemas()) {
    EXPECT_TRUE(names.insert(schema.name).second) << schema.name;
    std::set<std::string_view> fields;
    for (const SchemaField& field : schema.fields) {
      EXPECT_FALSE(field.name.empty()) << schema.name;
      EXPECT_TRUE(fields.insert(field.name).second) << schema.name << " " << field.name;
      EXPECT_EQ(field.type == SchemaField::Type::kSchema, field.schema != nullptr) << field.name;
    }
  }
}

TEST(SchemaTest, FieldsAreAsTheTableSays) {
  const Schema* pod = SchemaOf("v1", "Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->name, "io.k8s.api.core.v1.Pod");
  ASSERT_NE(pod->Find("metadata"), nullptr);
  EXPECT_EQ(pod->Find("metadata")->schema->name, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  ASSERT_NE(pod->Find("spec"), nullptr);
  const Schema& spec = *pod->Find("spec")->schema;

  const SchemaField* containers = spec.Find("containers");
  ASSERT_NE(containers, nullptr);
  EXPECT_TRUE(containers->required);
  EXPECT_EQ(containers->shape, SchemaField::Shape::kList);
  EXPECT_EQ(containers->schema->name, "io.k8s.api.core.v1.Container");
  EXPECT_EQ(containers->patch_strategy, "merge");
  EXPECT_EQ(containers->merge_key, "name");
  EXPECT_EQ(containers->description, "Containers of the pod; at least one.");

  const SchemaField* volumes = spec.Find("volumes");
  ASSERT_NE(volumes, nullptr);
  EXPECT_EQ(volumes->patch_strategy, "merge,retainKeys");
  EXPECT_EQ(volumes->merge_key, "name");

  const SchemaField* overhead = spec.Find("overhead");
  ASSERT_NE(overhead, nullptr);
  EXPECT_EQ(overhead->shape, SchemaField::Shape::kMap);
  EXPECT_EQ(overhead->type, SchemaField::Type::kQuantity);

  const SchemaField* rare = spec.Find("shareProcessNamespace");
  ASSERT_NE(rare, nullptr);
  EXPECT_EQ(rare->type, SchemaField::Type::kBool);
  EXPECT_EQ(rare->description, "");
  EXPECT_EQ(spec.Find("nodNam"), nullptr);
}

TEST(SchemaTest, EventsOfBothGroupsDiffer) {
  EXPECT_NE(SchemaOf("v1", "Event")->Find("involvedObject"), nullptr);
  EXPECT_EQ(SchemaOf("v1", "Event")->Find("regarding"), nullptr);
  EXPECT_NE(SchemaOf("events.k8s.io/v1", "Event")->Find("regarding"), nullptr);
}

std::vector<std::string> Unknown(const char* resource, const char* json) {
  return UnknownFields(KindOf(resource), boost::json::parse(json));
}

TEST(UnknownFieldsTest, NoneInAWholePod) {
  EXPECT_THAT(Unknown("pods",
                      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"d",
                 "labels":{"any/thing":"x"},"annotations":{"what.ever":"y"},
                 "managedFields":[{"manager":"m","fieldsV1":{"f:spec":{"f:x":{}}}}]},
                 "spec":{"nodeSelector":{"free":"text"},"overhead":{"cpu":1},
                 "containers":[{"name":"c","image":"i","resources":{"requests":{"x.y/z":1}},
                 "env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}],
                 "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
                 "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}],
                 "volumes":[{"name":"v","csi":{"driver":"d","volumeAttributes":{"k":"v"}}}]},
                 "status":{"phase":"Pending"}})"),
              IsEmpty());
}

TEST(UnknownFieldsTest, AreNamedByTheirPath) {
  EXPECT_THAT(
      Unknown("pods",
              R"({"speck":{},"metadata":{"nam":"a"},"spec":{"nodNam":"n",
                         "containers":[{"name":"c"},{"name":"d","imag":"i",
                         "ports":[{"containerPort":1,"hostport":2}]}]}})"),
      ElementsAre(R"(unknown field "speck")", R"(unknown field "metadata.nam")",
                  R"(unknown field "spec.nodNam")", R"(unknown field "spec.containers[1].imag")",
                  R"(unknown field "spec.containers[1].ports[0].hostport")"));
}

TEST(UnknownFieldsTest, CaseMatters) {
  EXPECT_THAT(Unknown("pods", R"({"spec":{"nodename":"n"}})"),
              ElementsAre(R"(unknown field "spec.nodename")"));
}

TEST(UnknownFieldsTest, AreFoundInTemplates) {
  EXPECT_THAT(Unknown("deployments.apps",
                      R"({"spec":{"template":{"spec":{"tolerations":[{"kee":"a"}]}}}})"),
              ElementsAre(R"(unknown field "spec.template.spec.tolerations[0].kee")"));
}

TEST(UnknownFieldsTest, WrongTypesAreIgnored) {
  EXPECT_THAT(Unknown("pods", R"({"metadata":null,"spec":[],"status":"x"})"), IsEmpty());
  EXPECT_THAT(Unknown("pods", R"({"spec":{"containers":{"a":1}}})"), IsEmpty());
  EXPECT_THAT(Unknown("pods", "[]"), IsEmpty());
}

TEST(UnknownFieldsTest, KindsWithoutSchemaAreNotChecked) {
  EXPECT_THAT(Unknown("tokenreviews.authentication.k8s.io", R"({"any":{"x":1}})"), IsEmpty());
}

TEST(UnknownFieldsTest, AreLimitedInNumberAndBytes) {
  Json pod = boost::json::parse(R"({"spec":{"containers":[{}]}})");
  JsonObject& container =
      pod.get_object()["spec"].get_object()["containers"].get_array()[0].get_object();
  container[std::string(1'000'000, 'k')] = 1;
  for (int i = 0; i < 100'000; ++i) container[std::to_string(i)] = 1;
  const std::vector<std::string> unknown = UnknownFields(KindOf("pods"), pod);
  EXPECT_EQ(unknown.size(), kMaxReportedErrors);
  for (const std::string& field : unknown) EXPECT_LT(field.size(), kMaxQuotedBytes + 30);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::scheme
