#include "apiserver/patch/managed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "apiserver/patch/apply_merge.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using boost::json::serialize;
using testing::ElementsAre;
using testing::IsEmpty;

FieldSet Set(const char* json) { return FieldSet::FromJson(parse(json).get_object()); }

TEST(FieldSet, RoundTripsFieldsV1) {
  const api::Json json = parse(R"j({
    "f:metadata":{"f:labels":{".":{},"f:app":{}},"f:finalizers":{"v:\"a\"":{}}},
    "f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:ports":{
      "k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}})j");
  const FieldSet set = FieldSet::FromJson(json.get_object());
  EXPECT_EQ(api::Json(set.ToJson()), json) << serialize(set.ToJson());
  EXPECT_THAT(
      set.Paths(100),
      ElementsAre(
          ".metadata.labels", R"(.metadata.finalizers[="a"])", ".metadata.labels.app",
          R"(.spec.containers[name="a"])", R"(.spec.containers[name="a"].image)",
          R"(.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"])",
          R"(.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].containerPort)"));
}

TEST(FieldSet, SkipsInvalidParts) {
  EXPECT_THAT(Set(R"({"f:a":1,"x":{},"k":{},"g:a":{},"f:b":{}})").Paths(100), ElementsAre(".b"));
  // Keys that are not JSON still have a text.
  EXPECT_THAT(Set(R"({"f:a":{"k:{bad":{},"i:3":{}}})").Paths(100),
              ElementsAre(".a[3]", ".a[{bad]"));
}

struct AlgebraCase {
  const char* name;
  const char* a;
  const char* b;
  const char* union_;
  const char* difference;  // a without b
  const char* intersection;
};

class FieldSetAlgebra : public testing::TestWithParam<AlgebraCase> {};

TEST_P(FieldSetAlgebra, Holds) {
  const AlgebraCase& c = GetParam();
  const FieldSet a = Set(c.a);
  const FieldSet b = Set(c.b);
  FieldSet both = a;
  both.Add(b);
  EXPECT_EQ(api::Json(both.ToJson()), parse(c.union_));
  FieldSet reversed = b;
  reversed.Add(a);
  EXPECT_EQ(both, reversed);
  EXPECT_EQ(api::Json(a.Difference(b).ToJson()), parse(c.difference));
  EXPECT_EQ(api::Json(a.Intersection(b).ToJson()), parse(c.intersection));
  EXPECT_EQ(a.Intersection(b), b.Intersection(a));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FieldSetAlgebra,
    testing::Values(
        AlgebraCase{"Disjoint", R"({"f:a":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{}})",
                    R"({"f:a":{}})", "{}"},
        AlgebraCase{"Equal", R"({"f:a":{"f:b":{}}})", R"({"f:a":{"f:b":{}}})",
                    R"({"f:a":{"f:b":{}}})", "{}", R"({"f:a":{"f:b":{}}})"},
        AlgebraCase{"SiblingsBelow", R"({"f:a":{"f:b":{},"f:c":{}}})", R"({"f:a":{"f:c":{}}})",
                    R"({"f:a":{"f:b":{},"f:c":{}}})", R"({"f:a":{"f:b":{}}})",
                    R"({"f:a":{"f:c":{}}})"},
        AlgebraCase{"APathIsNotWhatLiesBelowIt", R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{}})",
                    R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{"f:b":{}}})", R"({"f:a":{}})"},
        AlgebraCase{"WithNothing", R"({"f:a":{}})", "{}", R"({"f:a":{}})", R"({"f:a":{}})", "{}"}),
    [](const auto& instance) { return instance.param.name; });

FieldSet Fields(const char* document) { return FieldsOf({"", ""}, parse(document).get_object()); }

TEST(FieldsOf, CountsScalarsAndAtomicValues) {
  EXPECT_THAT(Fields(R"({"spec":{"replicas":1,"paused":false,"template":{"metadata":{}},
                         "selector":{"matchLabels":{"a":"b"}},
                         "taints":[{"key":"a"}],"nodeSelector":{"x":"y"}}})")
                  .Paths(100),
              ElementsAre(".spec.nodeSelector", ".spec.paused", ".spec.replicas", ".spec.selector",
                          ".spec.taints", ".spec.template.metadata"));
}

TEST(FieldsOf, CountsElementsOfListsByTheirKeys) {
  EXPECT_THAT(
      Fields(R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","valueFrom":
                 {"fieldRef":{"fieldPath":"p"}}}],"ports":[{"containerPort":80}],
                 "resources":{"limits":{"cpu":"1"}}}]}})")
          .Paths(100),
      ElementsAre(
          R"(.spec.containers[name="a"])", R"(.spec.containers[name="a"].name)",
          R"(.spec.containers[name="a"].env[name="X"])",
          R"(.spec.containers[name="a"].env[name="X"].name)",
          R"(.spec.containers[name="a"].env[name="X"].valueFrom.fieldRef)",
          R"(.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"])",
          R"(.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].containerPort)",
          R"(.spec.containers[name="a"].resources.limits.cpu)"));
  EXPECT_THAT(Fields(R"({"metadata":{"finalizers":["a","b"],"ownerReferences":[
                         {"uid":"1","name":"x"}]}})")
                  .Paths(100),
              ElementsAre(R"(.metadata.finalizers[="a"])", R"(.metadata.finalizers[="b"])",
                          R"(.metadata.ownerReferences[uid="1"])"));
  EXPECT_THAT(Fields(R"({"spec":{"ports":[{"port":80,"protocol":"UDP"}],
                         "topologySpreadConstraints":[
                           {"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]}})")
                  .Paths(100),
              testing::Contains(R"(.spec.ports[port=80,protocol="UDP"])"));
}

TEST(CompareFields, ReportsAddedModifiedAndRemovedFields) {
  const api::Json before = parse(R"({"spec":{"a":1,"b":2,"containers":[{"name":"x","image":"1"},
                                {"name":"y"}]},"metadata":{"finalizers":["f"]}})");
  const api::Json after = parse(R"({"spec":{"b":3,"c":{"d":4},"containers":[{"name":"z"},
                               {"name":"x","image":"2"}]},"metadata":{"finalizers":["f","g"]}})");
  const FieldChanges changes = CompareFields({"", ""}, before.get_object(), after.get_object());
  EXPECT_THAT(changes.added.Paths(100),
              ElementsAre(R"(.metadata.finalizers[="g"])", ".spec.c.d",
                          R"(.spec.containers[name="z"])", R"(.spec.containers[name="z"].name)"));
  EXPECT_THAT(changes.modified.Paths(100),
              ElementsAre(".spec.b", R"(.spec.containers[name="x"].image)"));
  EXPECT_THAT(changes.removed.Paths(100), ElementsAre(".spec.a", R"(.spec.containers[name="y"])",
                                                      R"(.spec.containers[name="y"].name)"));
}

TEST(CompareFields, ElementsThatRepeatCountAsOne) {
  const api::Json before =
      parse(R"({"spec":{"containers":[{"name":"x"},{"name":"x","image":"1"}]}})");
  const api::Json after =
      parse(R"({"spec":{"containers":[{"name":"x"},{"name":"x","image":"2"}]}})");
  const FieldChanges changes = CompareFields({"", ""}, before.get_object(), after.get_object());
  EXPECT_THAT(changes.modified.Paths(100), ElementsAre(R"(.spec.containers[name="x"])"));
  EXPECT_THAT(changes.added.Paths(100), IsEmpty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
