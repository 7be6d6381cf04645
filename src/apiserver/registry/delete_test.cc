// Deletion: grace periods, finalizers, preconditions, propagation and namespaces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

TEST(ApiDelete, APodWithoutANodeIsRemovedAtOnce) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  const auto deleted = fixture.Delete("pods", "a");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_TRUE(deleted->gone);
  EXPECT_TRUE(fixture.Get("pods", "a").is_null());
  EXPECT_EQ(deleted->object->version, fixture.store->version());
  EXPECT_EQ(ErrorOf(fixture.Delete("pods", "a")), "404 NotFound: pods \"a\" not found");
}

TEST(ApiDelete, ARunningPodGetsItsGracePeriod) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  ASSERT_TRUE(fixture.Bind("a", "n"));
  const auto deleted = fixture.Delete("pods", "a");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z',"
               "'deletionGracePeriodSeconds':30,'generation':2}}");

  // A longer grace period changes nothing; a shorter one does, but never into the past.
  fixture.clock.Advance(Duration::Seconds(5));
  const store::Version before = fixture.store->version();
  EXPECT_FALSE(fixture.Delete("pods", "a")->gone);
  EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 60})->gone);
  EXPECT_EQ(fixture.store->version(), before);
  EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 10})->gone);
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:10Z',"
               "'deletionGracePeriodSeconds':10,'generation':2}}");
  EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 1})->gone);
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:05Z',"
               "'deletionGracePeriodSeconds':1}}");
  EXPECT_TRUE(fixture.Delete("pods", "a", {.grace_period_seconds = 0})->gone);
  EXPECT_TRUE(fixture.Get("pods", "a").is_null());
}

TEST(ApiDelete, AnyGracePeriodGivesATimeThatClientsCanRead) {
  for (const int64_t grace : {int64_t{9'000'000'000}, std::numeric_limits<int64_t>::max()}) {
    ApiFixture fixture;
    fixture.Make("pods", kPodA);
    ASSERT_TRUE(fixture.Bind("a", "n"));
    EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = grace})->gone);
    EXPECT_HOLDS(fixture.Get("pods", "a"),
                 fmt::format("{{'metadata':{{'deletionTimestamp':'2125-12-08T00:00:00Z',"
                             "'deletionGracePeriodSeconds':{}}}}}",
                             grace));
    // A shorter one counts from the first delete.
    fixture.clock.Advance(Duration::Seconds(5));
    EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 30})->gone);
    EXPECT_HOLDS(fixture.Get("pods", "a"),
                 "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:30Z',"
                 "'deletionGracePeriodSeconds':30}}");
  }
  ApiFixture fixture;
  fixture.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'i'}],"
               "'terminationGracePeriodSeconds':9223372036854775807}}");
  ASSERT_TRUE(fixture.Bind("a", "n"));
  EXPECT_FALSE(fixture.Delete("pods", "a")->gone);
  EXPECT_HOLDS(fixture.Get("pods", "a"),
               "{'metadata':{'deletionTimestamp':'2125-12-08T00:00:00Z'}}");
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 5})->gone);
  EXPECT_TRUE(fixture.Delete("pods", "a", {.grace_period_seconds = least})->gone);
}

TEST(ApiDelete, AFinishedPodNeedsNoGracePeriod) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  ASSERT_TRUE(fixture.Bind("a", "n"));
  ASSERT_TRUE(fixture.Merge("pods", "a", "{'status':{'phase':'Succeeded'}}", "status"));
  EXPECT_TRUE(fixture.Delete("pods", "a")->gone);
}

TEST(ApiDelete, RemovingTheLastFinalizerRemovesTheObject) {
  ApiFixture fixture;
  fixture.Make("configmaps", "{'metadata':{'name':'m','finalizers':['x/a','x/b']}}");
  const auto deleted = fixture.Delete("configmaps", "m");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(fixture.Get("configmaps", "m"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z',"
               "'deletionGracePeriodSeconds':0}}");
  EXPECT_EQ(
      CausesOf(fixture.Merge("configmaps", "m", "{'metadata':{'finalizers':['x/a','x/b','x/c']}}")),
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
      "deleted, found new finalizers []string{\"x/c\"}");
  EXPECT_EQ(ErrorOf(fixture.Merge("configmaps", "m", "{'metadata':{'finalizers':['x/b']}}")), "ok");
  EXPECT_TRUE(fixture.Get("configmaps", "m").is_object());
  const auto last = fixture.Merge("configmaps", "m", "{'metadata':{'finalizers':null}}");
  EXPECT_EQ(ErrorOf(last), "ok");
  EXPECT_HOLDS(store::Parse(*last->object), "{'metadata':{'finalizers':null}}");
  EXPECT_TRUE(fixture.Get("configmaps", "m").is_null());
}

TEST(ApiDelete, AFinalizerRetainsAPodAfterItsGracePeriod) {
  ApiFixture fixture;
  fixture.Make("pods",
               "{'metadata':{'name':'a','finalizers':['x/a']},'spec':{'containers':"
               "[{'name':'c','image':'i'}]}}");
  ASSERT_TRUE(fixture.Bind("a", "n"));
  EXPECT_FALSE(fixture.Delete("pods", "a")->gone);
  // Without its finalizer it still has its grace period.
  EXPECT_FALSE(fixture.Delete("pods", "a", {.grace_period_seconds = 0})->gone);
  EXPECT_HOLDS(fixture.Get("pods", "a"), "{'metadata':{'deletionGracePeriodSeconds':0}}");
  ASSERT_TRUE(fixture.Merge("pods", "a", "{'metadata':{'finalizers':[]}}"));
  EXPECT_TRUE(fixture.Get("pods", "a").is_null());
}

TEST(ApiDelete, PreconditionsMustHold) {
  ApiFixture fixture;
  const api::Json pod = fixture.Make("pods", kPodA);
  const std::string uid(api::StringAt(api::ObjectAt(api::AsObject(pod), "metadata"), "uid"));
  EXPECT_EQ(ErrorOf(fixture.Delete("pods", "a", {.uid = "x"})),
            "409 Conflict: Operation cannot be fulfilled on pods \"a\": the UID in the "
            "precondition (x) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(fixture.Delete("pods", "a", {.resource_version = "1"}).error().reason, "Conflict");
  EXPECT_TRUE(fixture.Delete("pods", "a", {.uid = uid})->gone);
}

TEST(ApiDelete, ADryRunDeletesNothing) {
  ApiFixture fixture;
  fixture.Make("pods", kPodA);
  EXPECT_TRUE(fixture.Delete("pods", "a", {.dry_run = true})->gone);
  EXPECT_TRUE(fixture.Get("pods", "a").is_object());
}

TEST(ApiDelete, DependentsAreLeftToTheGarbageCollector) {
  ApiFixture fixture;
  constexpr std::string_view kSet =
      "{'metadata':{'name':'r'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
      "'template':{'metadata':{'labels':{'a':'b'}},"
      "'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
  fixture.Make("replicasets.apps", kSet);
  EXPECT_FALSE(fixture.Delete("replicasets.apps", "r", {.propagation_policy = "Foreground"})->gone);
  EXPECT_HOLDS(fixture.Get("replicasets.apps", "r"),
               "{'metadata':{'finalizers':['foregroundDeletion'],'generation':2}}");
  EXPECT_FALSE(fixture.Delete("replicasets.apps", "r", {.propagation_policy = "Orphan"})->gone);
  EXPECT_HOLDS(fixture.Get("replicasets.apps", "r"), "{'metadata':{'finalizers':['orphan']}}");
  EXPECT_TRUE(fixture.Delete("replicasets.apps", "r", {.propagation_policy = "Background"})->gone);
  EXPECT_EQ(ErrorOf(fixture.Delete("replicasets.apps", "r", {.propagation_policy = "Maybe"})),
            "400 BadRequest: propagationPolicy: Unsupported value: \"Maybe\": supported values: "
            "\"Background\", \"Foreground\", \"Orphan\"");
}

TEST(ApiDelete, AJobOrphansItsPodsByDefault) {
  ApiFixture fixture;
  constexpr std::string_view kJob =
      "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never',"
      "'containers':[{'name':'c','image':'i'}]}}}}";
  fixture.Make("jobs.batch", kJob);
  EXPECT_FALSE(fixture.Delete("jobs.batch", "j")->gone);
  EXPECT_HOLDS(fixture.Get("jobs.batch", "j"), "{'metadata':{'finalizers':['orphan']}}");
  EXPECT_TRUE(fixture.Delete("jobs.batch", "j", {.propagation_policy = "Background"})->gone);
}

TEST(ApiDelete, ANamespaceIsRemovedWhenItIsEmpty) {
  ApiFixture fixture;
  EXPECT_EQ(ErrorOf(fixture.Delete("namespaces", "default")),
            "403 Forbidden: namespaces \"default\" is forbidden: this namespace may not be "
            "deleted");
  fixture.Make("namespaces", "{'metadata':{'name':'x'}}");
  fixture.Make("pods", kPodA, "x");
  fixture.Make("configmaps", "{'metadata':{'name':'m','finalizers':['x/a']}}", "x");
  const auto deleted = fixture.Delete("namespaces", "x");
  EXPECT_EQ(ErrorOf(deleted), "ok");
  EXPECT_FALSE(deleted->gone);
  EXPECT_HOLDS(fixture.Get("namespaces", "x"),
               "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'},"
               "'status':{'phase':'Terminating'}}");

  EXPECT_EQ(fixture.api.DeleteNamespaceContent("x", std::nullopt).objects, 1U);
  const auto held =
      fixture.api.Patch(api::scheme::KindOf("configmaps"), {"x", "m"}, "", patch::PatchType::kMerge,
                        Doc("{'metadata':{'finalizers':null}}"));
  EXPECT_EQ(ErrorOf(held), "ok");
  EXPECT_EQ(fixture.api.DeleteNamespaceContent("x", std::nullopt).objects, 0U);

  // Only the subresource finalize changes the finalizers of the spec.
  EXPECT_EQ(ErrorOf(fixture.Merge("namespaces", "x", "{'spec':{'finalizers':[]}}")), "ok");
  EXPECT_TRUE(fixture.Get("namespaces", "x").is_object());
  api::Json empty = fixture.Get("namespaces", "x");
  empty.get_object()["spec"].get_object()["finalizers"].emplace_array();
  EXPECT_EQ(ErrorOf(fixture.Update("namespaces", "x", empty, "finalize")), "ok");
  EXPECT_TRUE(fixture.Get("namespaces", "x").is_null());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
