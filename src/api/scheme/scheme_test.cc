#include "api/scheme/scheme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace berth::api::scheme {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(KindsTest, TheCoreGroupComesFirstAndGroupsStayTogether) {
  EXPECT_EQ(Kinds().front().group, "");
  EXPECT_TRUE(std::ranges::is_sorted(Kinds(), {}, &Kind::group));
}

TEST(KindsTest, EveryShortNameMeansOneResource) {
  std::map<std::string_view, std::set<std::string_view>> meant;
  for (const Kind& kind : Kinds()) {
    for (const std::string_view name : kind.short_names) meant[name].insert(kind.resource);
    meant[kind.singular].insert(kind.resource);
    meant[kind.resource].insert(kind.resource);
  }
  for (const auto& [name, resources] : meant) EXPECT_EQ(resources.size(), 1u) << name;
}

TEST(KindsTest, EveryVerbIsKnownAndInOrder) {
  const std::set<std::string_view> known = {"create", "delete", "deletecollection", "get",
                                            "list",   "patch",  "update",           "watch"};
  for (const Kind& kind : Kinds()) {
    EXPECT_FALSE(kind.verbs.empty()) << kind.resource;
    std::vector<std::vector<std::string_view>> lists = {kind.verbs};
    for (const Subresource& subresource : kind.subresources) lists.push_back(subresource.verbs);
    for (const auto& verbs : lists) {
      EXPECT_TRUE(std::ranges::is_sorted(verbs)) << kind.resource;
      for (const std::string_view verb : verbs) EXPECT_TRUE(known.contains(verb)) << verb;
    }
  }
}

TEST(KindsTest, KindsWithAStatusSubresourceHaveAStatus) {
  for (const Kind& kind : Kinds()) {
    EXPECT_EQ(kind.has_status, kind.FindSubresource("status") != nullptr) << kind.resource;
  }
}

TEST(KindsTest, EveryKindIsFoundByEachOfItsNames) {
  for (const Kind& kind : Kinds()) {
    EXPECT_EQ(FindKind(kind.group, kind.version, kind.resource), &kind);
    EXPECT_EQ(FindKindByName(kind.api_version(), kind.kind), &kind);
    EXPECT_EQ(KindOf(kind.group_resource()).resource, kind.resource);
    EXPECT_EQ(KindOf(kind.group_resource()).group, kind.group);
  }
}

TEST(KindsTest, UnknownKindsAreNotFound) {
  EXPECT_EQ(FindKind("", "v1", "pod"), nullptr);
  EXPECT_EQ(FindKind("", "v2", "pods"), nullptr);
  EXPECT_EQ(FindKind("apps", "v1", "pods"), nullptr);
  EXPECT_EQ(FindKindByName("v1", "Deployment"), nullptr);
  EXPECT_EQ(FindKindByName("apps/v1beta1", "Deployment"), nullptr);
}

TEST(KindsTest, NamesAreJoinedAsKubernetesJoinsThem) {
  EXPECT_EQ(KindOf("pods").api_version(), "v1");
  EXPECT_EQ(KindOf("pods").group_resource(), "pods");
  EXPECT_EQ(KindOf("deployments.apps").api_version(), "apps/v1");
  EXPECT_EQ(KindOf("events.events.k8s.io").api_version(), "events.k8s.io/v1");
}

TEST(KindsTest, CollectionsAreDistinctExceptForEvents) {
  const std::vector<std::string> names = CollectionNames();
  std::map<uint32_t, std::set<std::string>> users;
  for (const Kind& kind : Kinds()) {
    if (!kind.stored) continue;
    ASSERT_LT(kind.collection, names.size());
    users[kind.collection].insert(kind.group_resource());
  }
  EXPECT_EQ(users.size(), names.size());
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  for (const auto& [collection, resources] : users) {
    if (names[collection] == "events") {
      EXPECT_THAT(resources, UnorderedElementsAre("events", "events.events.k8s.io"));
    } else {
      EXPECT_EQ(resources.size(), 1u) << names[collection];
    }
  }
  EXPECT_EQ(names[KindOf("deployments.apps").collection], "apps/deployments");
}

TEST(KindsTest, VersionsShareACollectionInTheFormOfThePreferredOne) {
  const Kind* v1 = FindKind("autoscaling", "v1", "horizontalpodautoscalers");
  const Kind* v2 = FindKind("autoscaling", "v2", "horizontalpodautoscalers");
  ASSERT_TRUE(v1 != nullptr && v2 != nullptr);
  EXPECT_EQ(v1->collection, v2->collection);
  EXPECT_EQ(&StoredKind(*v1), v2);
  EXPECT_EQ(&StoredKind(*v2), v2);
  EXPECT_EQ(&KindOf("horizontalpodautoscalers.autoscaling"), v2);
  EXPECT_EQ(&StoredKind(KindOf("events.events.k8s.io")), &KindOf("events"));
  EXPECT_EQ(&StoredKind(KindOf("pods")), &KindOf("pods"));
  const Kind& review = KindOf("tokenreviews.authentication.k8s.io");
  EXPECT_EQ(&StoredKind(review), &review);
}

TEST(KindsTest, BothKindsOfEventsSelectTheSameValues) {
  const auto& core = KindOf("events").selectable_fields;
  const auto& events = KindOf("events.events.k8s.io").selectable_fields;
  ASSERT_EQ(events.size() + 1, core.size());
  for (size_t i = 0; i < events.size(); ++i) {
    std::string same(events[i]);
    if (same.starts_with("regarding.")) same.replace(0, 9, "involvedObject");
    if (same == "reportingController") same = "reportingComponent";
    EXPECT_EQ(core[i], same);
  }
  EXPECT_EQ(core.back(), "source");
}

// The kinds that kube-scheduler v1.36 watches: it schedules nothing while one of them is missing.
TEST(KindsTest, HasEveryKindThatTheSchedulerWatches) {
  for (const char* name :
       {"pods", "nodes", "namespaces", "services", "replicationcontrollers", "persistentvolumes",
        "persistentvolumeclaims", "replicasets.apps", "statefulsets.apps",
        "poddisruptionbudgets.policy", "storageclasses.storage.k8s.io", "csinodes.storage.k8s.io",
        "csidrivers.storage.k8s.io", "csistoragecapacities.storage.k8s.io",
        "volumeattachments.storage.k8s.io", "resourceclaims.resource.k8s.io",
        "resourceslices.resource.k8s.io", "deviceclasses.resource.k8s.io"}) {
    const Kind& kind = KindOf(name);
    EXPECT_EQ(kind.version, "v1") << name;
    EXPECT_THAT(kind.verbs, testing::IsSupersetOf({"list", "watch"})) << name;
  }
}

TEST(KindsTest, PodsHaveTheirSubresources) {
  const Kind& pods = KindOf("pods");
  ASSERT_NE(pods.FindSubresource("eviction"), nullptr);
  EXPECT_EQ(pods.FindSubresource("eviction")->group, "policy");
  EXPECT_THAT(pods.FindSubresource("binding")->verbs, ElementsAre("create"));
  EXPECT_NE(pods.FindSubresource("status"), nullptr);
  EXPECT_EQ(pods.FindSubresource("logs"), nullptr);
}

std::vector<std::string> Those(bool (*are)(const Kind&)) {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) {
    if (are(kind)) names.push_back(kind.group_resource());
  }
  return names;
}

TEST(KindsTest, SomeRequireAVersionInEveryUpdate) {
  EXPECT_THAT(
      Those([](const Kind& kind) { return !kind.unconditional_update; }),
      UnorderedElementsAre("leases.coordination.k8s.io", "leasecandidates.coordination.k8s.io",
                           "poddisruptionbudgets.policy", "csinodes.storage.k8s.io",
                           "csidrivers.storage.k8s.io", "csistoragecapacities.storage.k8s.io",
                           "volumeattachments.storage.k8s.io", "runtimeclasses.node.k8s.io",
                           "customresourcedefinitions.apiextensions.k8s.io",
                           "apiservices.apiregistration.k8s.io",
                           "mutatingadmissionpolicies.admissionregistration.k8s.io",
                           "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
                           "mutatingwebhookconfigurations.admissionregistration.k8s.io",
                           "validatingadmissionpolicies.admissionregistration.k8s.io",
                           "validatingadmissionpolicybindings.admissionregistration.k8s.io",
                           "validatingwebhookconfigurations.admissionregistration.k8s.io"));
}

TEST(KindsTest, SomeAreCreatedByAnUpdate) {
  EXPECT_THAT(
      Those([](const Kind& kind) { return kind.create_on_update; }),
      UnorderedElementsAre("leases.coordination.k8s.io", "leasecandidates.coordination.k8s.io",
                           "events", "events.events.k8s.io", "services", "endpoints", "limitranges",
                           "runtimeclasses.node.k8s.io", "roles.rbac.authorization.k8s.io",
                           "rolebindings.rbac.authorization.k8s.io",
                           "clusterroles.rbac.authorization.k8s.io",
                           "clusterrolebindings.rbac.authorization.k8s.io"));
}

TEST(KindsTest, SomeHaveNoGeneration) {
  for (const char* name : {"nodes", "namespaces", "leases.coordination.k8s.io", "events"}) {
    EXPECT_FALSE(KindOf(name).has_generation) << name;
  }
  for (const char* name : {"pods", "deployments.apps", "jobs.batch", "poddisruptionbudgets.policy",
                           "priorityclasses.scheduling.k8s.io"}) {
    EXPECT_TRUE(KindOf(name).has_generation) << name;
  }
}

TEST(KindsTest, ReviewsAndBindingsAreOnlyCreated) {
  for (const Kind& kind : Kinds()) {
    const bool stored =
        kind.kind.find("Review") == std::string_view::npos && kind.kind != "Binding";
    EXPECT_EQ(kind.stored, stored) << kind.kind;
    if (kind.stored) continue;
    EXPECT_THAT(kind.verbs, ElementsAre("create")) << kind.kind;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::scheme
