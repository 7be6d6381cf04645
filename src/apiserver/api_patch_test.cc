// Stories of patches.
#include <gtest/gtest.h>

#include "apiserver/api_world.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

TEST(ApiPatch, TheSchedulersStatusPatchMergesConditionsByType) {
  ApiWorld world;
  world.Make("pods", kPodA);
  const ObjectName name{"default", "a"};
  const auto patch = [&](std::string_view text) {
    return world.api.Patch(KindOf("pods"), name, "status", PatchType::kStrategic, Doc(text));
  };
  EXPECT_EQ(ErrorOf(patch("{'status':{'conditions':[{'type':'Ready','status':'False'}]}}")), "ok");
  EXPECT_EQ(ErrorOf(patch(R"({'status':{'conditions':[{'type':'PodScheduled','status':'False',
      'reason':'Unschedulable','message':'0/2','lastProbeTime':null,
      'lastTransitionTime':'2026-01-01T00:00:00Z','observedGeneration':1}],
      'nominatedNodeName':'n'}})")),
            "ok");
  EXPECT_HOLDS(world.Get("pods", "a"), R"({'metadata':{'generation':1},
      'status':{'phase':'Pending','nominatedNodeName':'n'}})");
  const Json pod = world.Get("pods", "a");
  const JsonArray* conditions = ArrayAt(ObjectAt(AsObject(pod), "status"), "conditions");
  EXPECT_EQ(conditions ? conditions->size() : 0, 2U);
}

TEST(ApiPatch, TheStatusPatchLeavesTheSpecAlone) {
  ApiWorld world;
  const Json before = world.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'spec':{'nodeName':'n'}}", "status")), "ok");
  EXPECT_EQ(world.Get("pods", "a"), before);
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'status':{'phase':'Running'}}")), "ok");
  EXPECT_EQ(world.Get("pods", "a"), before);
}

TEST(ApiPatch, AVersionInThePatchIsAPrecondition) {
  ApiWorld world;
  const Json pod = world.Make("pods", kPodA);
  const std::string version(StringAt(ObjectAt(AsObject(pod), "metadata"), "resourceVersion"));
  const std::string good =
      fmt::format("{{'metadata':{{'resourceVersion':'{}','labels':{{'x':'1'}}}}}}", version);
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", good)), "ok");
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", good)),
            "409 Conflict: Operation cannot be fulfilled on pods \"a\": the object has been "
            "modified; please apply your changes to the latest version and try again");
}

TEST(ApiPatch, WhatIsNotThereIsNotPatched) {
  ApiWorld world;
  EXPECT_EQ(ErrorOf(world.Merge("pods", "x", "{}")), "404 NotFound: pods \"x\" not found");
  world.Make("pods", kPodA);
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'metadata':{'name':'b'}}")),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'metadata':{'labels':{'x':1}}}")),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: metadata.labels "
            "must be a map of strings");
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'metadata':7}")),
            "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: metadata must be a "
            "object");
}

TEST(ApiPatch, APatchThatSaysNothingNewWritesNothing) {
  ApiWorld world;
  world.Make("pods", kPodA);
  const store::Version before = world.store->version();
  EXPECT_EQ(ErrorOf(world.Merge("pods", "a", "{'spec':{'schedulerName':'default-scheduler'}}")),
            "ok");
  EXPECT_EQ(world.store->version(), before);
}

TEST(ApiPatch, CordonAndUncordon) {
  ApiWorld world;
  world.Make("nodes", R"({'metadata':{'name':'n'},
      'status':{'conditions':[{'type':'Ready','status':'True'}]}})");
  const ObjectName name{"", "n"};
  for (const auto& [patch, want] :
       {std::pair{"{'spec':{'unschedulable':true}}", "{'spec':{'unschedulable':true}}"},
        std::pair{"{'spec':{'unschedulable':null}}", "{'spec':{'unschedulable':null}}"}}) {
    EXPECT_EQ(
        ErrorOf(world.api.Patch(KindOf("nodes"), name, "", PatchType::kStrategic, Doc(patch))),
        "ok");
    EXPECT_HOLDS(world.Get("nodes", "n"), want);
  }
}

TEST(ApiPatch, NestingHasAnEnd) {
  ApiWorld world;
  world.Make("configmaps", "{'metadata':{'name':'m'}}");
  std::string deep = "1";
  for (int i = 0; i < 25; ++i) deep = "{'x':" + deep + "}";
  ApiResult<Written> last;
  for (int i = 0; i < 10; ++i) {
    std::string patch = deep;
    // Each patch hangs another 25 levels below the last ones.
    for (int k = 0; k < 25 * i; ++k) patch = "{'x':" + patch + "}";
    boost::json::parse_options options;
    options.max_depth = 1000;
    std::ranges::replace(patch, '\'', '"');
    boost::json::error_code error;
    const Json parsed = boost::json::parse("{\"extra\":" + patch + "}", error, {}, options);
    ASSERT_FALSE(error);
    last = world.api.Patch(KindOf("configmaps"), {"default", "m"}, "", PatchType::kMerge, parsed);
    if (!last) break;
  }
  EXPECT_EQ(ErrorOf(last), "400 BadRequest: the object is nested more than 128 levels deep");
  EXPECT_TRUE(world.Get("configmaps", "m").is_object());
}

TEST(ApiPatch, AnApplyNeedsAManager) {
  ApiWorld world;
  EXPECT_EQ(
      ErrorOf(world.api.Patch(KindOf("pods"), {"default", "a"}, "", PatchType::kApply, Doc(kPodA))),
      "422 Invalid: PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: "
      "is required for apply patch");
}

TEST(ApiPatch, AnApplyCreatesAndThenChanges) {
  ApiWorld world;
  const auto apply = [&](std::string_view text) {
    return world.api.Patch(KindOf("configmaps"), {"default", "m"}, "", PatchType::kApply, Doc(text),
                           {.field_manager = "me"});
  };
  const auto created = apply(
      "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},'data':{'a':'1','b':'2'}}");
  EXPECT_EQ(ErrorOf(created), "ok");
  EXPECT_TRUE(created->created);
  const auto changed =
      apply("{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},'data':{'a':'3'}}");
  EXPECT_EQ(ErrorOf(changed), "ok");
  EXPECT_FALSE(changed->created);
  EXPECT_HOLDS(world.Get("configmaps", "m"), "{'data':{'a':'3','b':null}}");
  // The same again says nothing new, however late.
  world.clock.Advance(Duration::Seconds(60));
  const store::Version before = world.store->version();
  EXPECT_EQ(ErrorOf(apply("{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'m'},"
                          "'data':{'a':'3'}}")),
            "ok");
  EXPECT_EQ(world.store->version(), before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
