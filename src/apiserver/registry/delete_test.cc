// Stories of deletion.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

TEST(ApiDelete, APodWithoutANodeGoesAtOnce) {
  ApiFixture world;
  world.Make("pods", kPodA);
  const auto deleted = world.Delete("pods", "a");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_TRUE(deleted->gone);
  EXPECT_TRUE(world.Get("pods", "a").is_null());
  EXPECT_EQ(deleted->object->version, world.store->version());
  EXPECT_EQ(ErrorOf(world.Delete("pods", "a")), "404 NotFound: pods \"a\" not found");
}

TEST(ApiDelete, APodThatRunsGetsItsGrace) {
  ApiFixture world;
  world.Make("pods", kPodA);
  ASSERT_TRUE(world.Bind("a", "n"));
  const auto deleted = world.Delete("pods", "a");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(world.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z',"
               "'deletionGracePeriodSeconds':30,'generation':2}}");

  // Later and longer changes nothing; shorter does, but never into the past.
  world.clock.Advance(Duration::Seconds(5));
  const store::Version before = world.store->version();
  EXPECT_FALSE(world.Delete("pods", "a")->gone);
  EXPECT_FALSE(world.Delete("pods", "a", {.grace_period_seconds = 60})->gone);
  EXPECT_EQ(world.store->version(), before);
  EXPECT_FALSE(world.Delete("pods", "a", {.grace_period_seconds = 10})->gone);
  EXPECT_HOLDS(world.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:10Z',"
               "'deletionGracePeriodSeconds':10,'generation':2}}");
  EXPECT_FALSE(world.Delete("pods", "a", {.grace_period_seconds = 1})->gone);
  EXPECT_HOLDS(world.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:05Z',"
               "'deletionGracePeriodSeconds':1}}");
  EXPECT_TRUE(world.Delete("pods", "a", {.grace_period_seconds = 0})->gone);
  EXPECT_TRUE(world.Get("pods", "a").is_null());
}

TEST(ApiDelete, APodThatIsDoneNeedsNoGrace) {
  ApiFixture world;
  world.Make("pods", kPodA);
  ASSERT_TRUE(world.Bind("a", "n"));
  ASSERT_TRUE(world.Merge("pods", "a", "{'status':{'phase':'Succeeded'}}", "status"));
  EXPECT_TRUE(world.Delete("pods", "a")->gone);
}

TEST(ApiDelete, TheLastFinalizerLetsGo) {
  ApiFixture world;
  world.Make("configmaps", "{'metadata':{'name':'m','finalizers':['x/a','x/b']}}");
  const auto deleted = world.Delete("configmaps", "m");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(world.Get("configmaps", "m"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z',"
               "'deletionGracePeriodSeconds':0}}");
  EXPECT_EQ(
      CausesOf(world.Merge("configmaps", "m", "{'metadata':{'finalizers':['x/a','x/b','x/c']}}")),
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
      "deleted, found new finalizers []string{\"x/c\"}");
  EXPECT_EQ(ErrorOf(world.Merge("configmaps", "m", "{'metadata':{'finalizers':['x/b']}}")), "ok");
  EXPECT_TRUE(world.Get("configmaps", "m").is_object());
  const auto last = world.Merge("configmaps", "m", "{'metadata':{'finalizers':null}}");
  EXPECT_EQ(ErrorOf(last), "ok");
  EXPECT_HOLDS(store::Parse(*last->object), "{'metadata':{'finalizers':null}}");
  EXPECT_TRUE(world.Get("configmaps", "m").is_null());
}

TEST(ApiDelete, AFinalizerOfAPodOutlastsItsGrace) {
  ApiFixture world;
  world.Make("pods",
             "{'metadata':{'name':'a','finalizers':['x/a']},'spec':{'containers':"
             "[{'name':'c','image':'i'}]}}");
  ASSERT_TRUE(world.Bind("a", "n"));
  EXPECT_FALSE(world.Delete("pods", "a")->gone);
  // Without its finalizer it still has its grace.
  EXPECT_FALSE(world.Delete("pods", "a", {.grace_period_seconds = 0})->gone);
  EXPECT_HOLDS(world.Get("pods", "a"), "{'metadata':{'deletionGracePeriodSeconds':0}}");
  ASSERT_TRUE(world.Merge("pods", "a", "{'metadata':{'finalizers':[]}}"));
  EXPECT_TRUE(world.Get("pods", "a").is_null());
}

TEST(ApiDelete, PreconditionsMustHold) {
  ApiFixture world;
  const api::Json pod = world.Make("pods", kPodA);
  const std::string uid(api::StringAt(api::ObjectAt(api::AsObject(pod), "metadata"), "uid"));
  EXPECT_EQ(ErrorOf(world.Delete("pods", "a", {.uid = "x"})),
            "409 Conflict: Operation cannot be fulfilled on pods \"a\": the UID in the "
            "precondition (x) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(world.Delete("pods", "a", {.resource_version = "1"}).error().reason, "Conflict");
  EXPECT_TRUE(world.Delete("pods", "a", {.uid = uid})->gone);
}

TEST(ApiDelete, ADryRunDeletesNothing) {
  ApiFixture world;
  world.Make("pods", kPodA);
  EXPECT_TRUE(world.Delete("pods", "a", {.dry_run = true})->gone);
  EXPECT_TRUE(world.Get("pods", "a").is_object());
}

TEST(ApiDelete, DependentsAreLeftToTheGarbageCollector) {
  ApiFixture world;
  constexpr std::string_view kSet =
      "{'metadata':{'name':'r'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
      "'template':{'metadata':{'labels':{'a':'b'}},"
      "'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
  world.Make("replicasets.apps", kSet);
  EXPECT_FALSE(world.Delete("replicasets.apps", "r", {.propagation_policy = "Foreground"})->gone);
  EXPECT_HOLDS(world.Get("replicasets.apps", "r"),
               "{'metadata':{'finalizers':['foregroundDeletion'],'generation':2}}");
  EXPECT_FALSE(world.Delete("replicasets.apps", "r", {.propagation_policy = "Orphan"})->gone);
  EXPECT_HOLDS(world.Get("replicasets.apps", "r"), "{'metadata':{'finalizers':['orphan']}}");
  EXPECT_TRUE(world.Delete("replicasets.apps", "r", {.propagation_policy = "Background"})->gone);
  EXPECT_EQ(ErrorOf(world.Delete("replicasets.apps", "r", {.propagation_policy = "Maybe"})),
            "400 BadRequest: propagationPolicy: Unsupported value: \"Maybe\": supported values: "
            "\"Background\", \"Foreground\", \"Orphan\"");
}

TEST(ApiDelete, AJobLeavesItsPodsUnlessToldOtherwise) {
  ApiFixture world;
  constexpr std::string_view kJob =
      "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
      "'containers':[{'name':'c','image':'i'}]}}}}";
  world.Make("jobs.batch", kJob);
  EXPECT_FALSE(world.Delete("jobs.batch", "j")->gone);
  EXPECT_HOLDS(world.Get("jobs.batch", "j"), "{'metadata':{'finalizers':['orphan']}}");
  EXPECT_TRUE(world.Delete("jobs.batch", "j", {.propagation_policy = "Background"})->gone);
}

TEST(ApiDelete, ANamespaceEndsWhenItIsEmptied) {
  ApiFixture world;
  EXPECT_EQ(ErrorOf(world.Delete("namespaces", "default")),
            "403 Forbidden: namespaces \"default\" is forbidden: this namespace may not be "
            "deleted");
  world.Make("namespaces", "{'metadata':{'name':'x'}}");
  world.Make("pods", kPodA, "x");
  world.Make("configmaps", "{'metadata':{'name':'m','finalizers':['x/a']}}", "x");
  const auto deleted = world.Delete("namespaces", "x");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(world.Get("namespaces", "x"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'},"
               "'status':{'phase':'Terminating'}}");

  EXPECT_EQ(world.api.DeleteNamespaceContent("x", std::nullopt), 1U);
  const auto held =
      world.api.Patch(api::scheme::KindOf("configmaps"), {"x", "m"}, "", patch::PatchType::kMerge,
                      Doc("{'metadata':{'finalizers':null}}"));
  EXPECT_EQ(ErrorOf(held), "ok");
  EXPECT_EQ(world.api.DeleteNamespaceContent("x", std::nullopt), 0U);

  // The finalizers of the spec go their own way alone.
  EXPECT_EQ(ErrorOf(world.Merge("namespaces", "x", "{'spec':{'finalizers':[]}}")), "ok");
  EXPECT_TRUE(world.Get("namespaces", "x").is_object());
  api::Json empty = world.Get("namespaces", "x");
  empty.get_object()["spec"].get_object()["finalizers"].emplace_array();
  EXPECT_EQ(ErrorOf(world.Update("namespaces", "x", empty, "finalize")), "ok");
  EXPECT_TRUE(world.Get("namespaces", "x").is_null());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
