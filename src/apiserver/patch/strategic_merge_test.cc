// Strategic merge patches: document, patch and expected result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "apiserver/patch/patch_testing.h"
#include "apiserver/patch/patches.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using boost::json::serialize;
using testing::HasSubstr;

class StrategicPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(StrategicPatchTest, Applies) {
  const auto got = ApplyStrategicPatch(parse(GetParam().document), parse(GetParam().patch));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(*got, parse(GetParam().want)) << serialize(*got);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, StrategicPatchTest,
    testing::Values(
        PatchCase{"Merge", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                  R"({"metadata":{"labels":{"b":"3","c":"4"}}})",
                  R"({"metadata":{"labels":{"a":"1","b":"3","c":"4"}}})"},
        PatchCase{"NullRemoves", R"({"spec":{"unschedulable":true,"x":1}})",
                  R"({"spec":{"unschedulable":null,"y":null}})", R"({"spec":{"x":1}})"},
        PatchCase{"NewOnesLoseNulls", R"({})", R"({"spec":{"a":null,"b":{"c":null,"d":1}}})",
                  R"({"spec":{"b":{"d":1}}})"},
        PatchCase{"PatchReplace", R"({"spec":{"strategy":{"type":"Recreate","x":1}}})",
                  R"({"spec":{"strategy":{"$patch":"replace","type":"RollingUpdate"}}})",
                  R"({"spec":{"strategy":{"type":"RollingUpdate"}}})"},
        PatchCase{"PatchDelete", R"({"spec":{"strategy":{"type":"Recreate"}}})",
                  R"({"spec":{"strategy":{"$patch":"delete"}}})", R"({"spec":{"strategy":{}}})"},
        PatchCase{"PatchDeleteOfNothing", R"({"spec":{}})",
                  R"({"spec":{"strategy":{"$patch":"delete"}}})", R"({"spec":{}})"},
        PatchCase{"PatchMerge", R"({"spec":{"a":{"x":1}}})",
                  R"({"spec":{"a":{"$patch":"merge","y":2}}})", R"({"spec":{"a":{"x":1,"y":2}}})"},
        PatchCase{
            "RetainKeys",
            R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
            R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
            R"({"spec":{"strategy":{"type":"Recreate"}}})"},
        PatchCase{
            "RetainKeysWithNulls",
            R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
            R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate",
                      "rollingUpdate":null}}})",
            R"({"spec":{"strategy":{"type":"Recreate"}}})"},
        PatchCase{"RetainKeysWhereNothingWas", R"({"spec":{}})",
                  R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
                  R"({"spec":{"strategy":{"type":"Recreate"}}})"},
        PatchCase{
            "SelectorOfABudgetIsReplaced",
            R"({"kind":"PodDisruptionBudget","spec":{"selector":{"matchLabels":{"a":"b"}}}})",
            R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})",
            R"({"kind":"PodDisruptionBudget","spec":{"selector":{"matchLabels":{"c":"d"}}}})"},
        PatchCase{
            "OtherSelectorsMerge",
            R"({"kind":"Deployment","spec":{"selector":{"matchLabels":{"a":"b"}}}})",
            R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})",
            R"({"kind":"Deployment","spec":{"selector":{"matchLabels":{"a":"b","c":"d"}}}})"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    ListsByKey, StrategicPatchTest,
    testing::Values(
        PatchCase{"ElementsMerge",
                  R"({"spec":{"containers":[{"name":"a","image":"x","tty":true},{"name":"b"}]}})",
                  R"({"spec":{"containers":[{"name":"a","image":"y"}]}})",
                  R"({"spec":{"containers":[{"name":"a","image":"y","tty":true},{"name":"b"}]}})"},
        PatchCase{"NewElementsComeFirst", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"name":"b","tty":null,"image":"x"}]}})",
                  R"({"spec":{"containers":[{"name":"b","image":"x"},{"name":"a"}]}})"},
        PatchCase{"InTemplates",
                  R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
                  R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"y"}]}}}})",
                  R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"y"}]}}}})"},
        PatchCase{"PortsOfContainersByContainerPort",
                  R"({"spec":{"initContainers":[{"name":"a","ports":[{"containerPort":80}]}]}})",
                  R"({"spec":{"initContainers":[{"name":"a","ports":[{"containerPort":80,
                      "name":"web"}]}]}})",
                  R"({"spec":{"initContainers":[{"name":"a","ports":[{"containerPort":80,
                      "name":"web"}]}]}})"},
        PatchCase{"PortsOfServicesByPort",
                  R"({"spec":{"ports":[{"port":80,"nodePort":1},{"port":81}]}})",
                  R"({"spec":{"ports":[{"port":80,"name":"web"}]}})",
                  R"({"spec":{"ports":[{"port":80,"nodePort":1,"name":"web"},{"port":81}]}})"},
        PatchCase{"EnvByName",
                  R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]}})",
                  R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"2"}]}]}})",
                  R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"2"}]}]}})"},
        PatchCase{"MountsByPath",
                  R"({"spec":{"containers":[{"name":"a",
                      "volumeMounts":[{"mountPath":"/a","name":"v"}]}]}})",
                  R"({"spec":{"containers":[{"name":"a",
                      "volumeMounts":[{"mountPath":"/a","readOnly":true}]}]}})",
                  R"({"spec":{"containers":[{"name":"a",
                      "volumeMounts":[{"mountPath":"/a","name":"v","readOnly":true}]}]}})"},
        PatchCase{"ConditionsByType",
                  R"({"status":{"conditions":[{"type":"Ready","status":"True"},
                      {"type":"PodScheduled","status":"False"}]}})",
                  R"({"status":{"conditions":[{"type":"PodScheduled","status":"True"}]}})",
                  R"({"status":{"conditions":[{"type":"Ready","status":"True"},
                      {"type":"PodScheduled","status":"True"}]}})"},
        PatchCase{"OwnersByUid", R"({"metadata":{"ownerReferences":[{"uid":"1","name":"a"}]}})",
                  R"({"metadata":{"ownerReferences":[{"uid":"1","controller":true}]}})",
                  R"({"metadata":{"ownerReferences":[{"uid":"1","name":"a","controller":true}]}})"},
        PatchCase{"SpreadByTopologyKey",
                  R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":1}]}})",
                  R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":2}]}})",
                  R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":2}]}})"},
        PatchCase{"ReservedForByUid", R"({"status":{"reservedFor":[{"uid":"1","name":"a"}]}})",
                  R"({"status":{"reservedFor":[{"uid":"2","name":"b"}]}})",
                  R"({"status":{"reservedFor":[{"uid":"2","name":"b"},{"uid":"1","name":"a"}]}})"},
        PatchCase{"TaintsAreReplaced", R"({"spec":{"taints":[{"key":"a"},{"key":"b"}]}})",
                  R"({"spec":{"taints":[{"key":"c"}]}})", R"({"spec":{"taints":[{"key":"c"}]}})"},
        PatchCase{"ContainerStatusesAreReplaced",
                  R"({"status":{"containerStatuses":[{"name":"a","ready":true}]}})",
                  R"({"status":{"containerStatuses":[{"name":"a"}]}})",
                  R"({"status":{"containerStatuses":[{"name":"a"}]}})"},
        PatchCase{"ArgumentsAreReplaced",
                  R"({"spec":{"containers":[{"name":"a","args":["x","y"]}]}})",
                  R"({"spec":{"containers":[{"name":"a","args":["z"]}]}})",
                  R"({"spec":{"containers":[{"name":"a","args":["z"]}]}})"},
        PatchCase{"NullRemovesAList", R"({"spec":{"volumes":[{"name":"v"}]}})",
                  R"({"spec":{"volumes":null}})", R"({"spec":{}})"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Directives, StrategicPatchTest,
    testing::Values(
        PatchCase{"DeletesAnElement", R"({"spec":{"volumes":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"volumes":[{"$patch":"delete","name":"a"}]}})",
                  R"({"spec":{"volumes":[{"name":"b"}]}})"},
        PatchCase{"DeletesAnElementThatIsNot", R"({"spec":{"volumes":[{"name":"b"}]}})",
                  R"({"spec":{"volumes":[{"$patch":"delete","name":"a"}]}})",
                  R"({"spec":{"volumes":[{"name":"b"}]}})"},
        PatchCase{"DeleteInANewList", R"({"spec":{}})",
                  R"({"spec":{"volumes":[{"$patch":"delete","name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"volumes":[{"name":"b"}]}})"},
        PatchCase{"ReplacesAList", R"({"spec":{"volumes":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"volumes":[{"name":"c"},{"$patch":"replace"}]}})",
                  R"({"spec":{"volumes":[{"name":"c"}]}})"},
        PatchCase{"MergeInAnElementIsWhatHappensAnyway",
                  R"({"spec":{"volumes":[{"name":"a","x":1}]}})",
                  R"({"spec":{"volumes":[{"$patch":"merge","name":"a","y":2}]}})",
                  R"({"spec":{"volumes":[{"name":"a","x":1,"y":2}]}})"},
        PatchCase{"RetainKeysInAnElement",
                  R"({"spec":{"volumes":[{"name":"a","emptyDir":{}},{"name":"b"}]}})",
                  R"({"spec":{"volumes":[{"$retainKeys":["name","hostPath"],"name":"a",
                      "hostPath":{"path":"/x"}}]}})",
                  R"({"spec":{"volumes":[{"name":"a","hostPath":{"path":"/x"}},{"name":"b"}]}})"},
        PatchCase{"FinalizersMerge", R"({"metadata":{"finalizers":["a","b"]}})",
                  R"({"metadata":{"finalizers":["b","c"]}})",
                  R"({"metadata":{"finalizers":["a","b","c"]}})"},
        PatchCase{"PodCidrsMerge", R"({"spec":{"podCIDRs":["10.0.0.0/24"]}})",
                  R"({"spec":{"podCIDRs":["fd00::/64"]}})",
                  R"({"spec":{"podCIDRs":["fd00::/64","10.0.0.0/24"]}})"},
        PatchCase{"DeletesFromFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b","x"]}})",
                  R"({"metadata":{"finalizers":["a","c"]}})"},
        PatchCase{"DeletesFromNothing", R"({"metadata":{}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}})",
                  R"({"metadata":{}})"},
        PatchCase{"DeletesAndAdds", R"({"metadata":{"finalizers":["a","b"]}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],
                      "$setElementOrder/finalizers":["b","c"],"finalizers":["c"]}})",
                  R"({"metadata":{"finalizers":["b","c"]}})"},
        PatchCase{"DirectivesLeaveNoTraceInNewObjects", R"({})",
                  R"({"metadata":{"$setElementOrder/finalizers":["a"],"finalizers":["a"]}})",
                  R"({"metadata":{"finalizers":["a"]}})"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Order, StrategicPatchTest,
    testing::Values(
        PatchCase{"Alone", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"},
                      {"name":"b"}]}})",
                  R"({"spec":{"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]}})"},
        PatchCase{"WithAChange", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"c"},
                      {"name":"a"}],"containers":[{"name":"c","image":"x"}]}})",
                  R"({"spec":{"containers":[{"name":"b"},{"name":"c","image":"x"},
                      {"name":"a"}]}})"},
        PatchCase{"OthersKeepTheirPlaceBeforeAndAfter",
                  R"({"spec":{"containers":[{"name":"s1"},{"name":"a"},{"name":"s2"},{"name":"b"},
                      {"name":"s3"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"containers":[{"name":"s1"},{"name":"a"},{"name":"s2"},{"name":"b"},
                      {"name":"s3"}]}})"},
        PatchCase{"NewElementComesBeforeOthersThatFollowTheKnownOne",
                  R"({"spec":{"containers":[{"name":"a"},{"name":"s"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"n"}],
                      "containers":[{"name":"n"}]}})",
                  R"({"spec":{"containers":[{"name":"a"},{"name":"n"},{"name":"s"}]}})"},
        PatchCase{"OfFinalizers", R"({"metadata":{"finalizers":["a","b","c"]}})",
                  R"({"metadata":{"$setElementOrder/finalizers":["c","a"]}})",
                  R"({"metadata":{"finalizers":["b","c","a"]}})"},
        PatchCase{"OfAListThatIsNot", R"({"metadata":{}})",
                  R"({"metadata":{"$setElementOrder/finalizers":["c","a"]}})",
                  R"({"metadata":{}})"},
        PatchCase{"WithADeletion", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],
                      "containers":[{"$patch":"delete","name":"a"}]}})",
                  R"({"spec":{"containers":[{"name":"b"}]}})"}),
    NameOf);

class FailingStrategicPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(FailingStrategicPatchTest, ReportsTheReason) {
  const auto got = ApplyStrategicPatch(parse(GetParam().document), parse(GetParam().patch));
  ASSERT_FALSE(got.has_value()) << serialize(*got);
  EXPECT_EQ(got.error().code, 400);
  EXPECT_EQ(got.error().reason, "BadRequest");
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FailingStrategicPatchTest,
    testing::Values(
        PatchCase{"NotAnObject", "{}", "[]", "is an object"},
        PatchCase{"ElementWithoutKey", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"image":"x"}]}})", R"(lacks its key "name")"},
        PatchCase{"DeletionWithoutKey", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"$patch":"delete"}]}})", R"(lacks its key "name")"},
        PatchCase{"ElementThatIsNoObject", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":["a"]}})", "not an object"},
        PatchCase{"UnknownDirective", R"({"spec":{}})", R"({"spec":{"$patch":"burn"}})", "burn"},
        PatchCase{"UnknownDirectiveInAnElement", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"$patch":7,"name":"a"}]}})", "$patch is 7"},
        PatchCase{"RetainKeysIsNoList", R"({"spec":{}})", R"({"spec":{"$retainKeys":"a"}})",
                  "$retainKeys"},
        PatchCase{"RetainKeysOmitsWhatIsSet", R"({"spec":{}})",
                  R"({"spec":{"$retainKeys":["a"],"b":1}})", R"("b")"},
        PatchCase{"OrderIsNoList", R"({"metadata":{"finalizers":["a"]}})",
                  R"({"metadata":{"$setElementOrder/finalizers":1}})",
                  "$setElementOrder/finalizers"},
        PatchCase{"DeletionListIsNoList", R"({"metadata":{"finalizers":["a"]}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":"a"}})",
                  "$deleteFromPrimitiveList/finalizers"}),
    NameOf);

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
