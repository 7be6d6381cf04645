#include "api/scheme/kind_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace berth::api::scheme {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

// Returns a kind whose objects are stored in its own form, or in that of `stored`.
KindPtr CustomKindOf(std::string_view group, std::string_view version, std::string_view resource,
                     std::string_view name, const KindPtr& stored = nullptr) {
  struct Owner {
    Kind kind;
    CustomKind custom;
  };
  const auto owner = std::make_shared<Owner>();
  Kind* kind = &owner->kind;
  kind->group = group;
  kind->version = version;
  kind->resource = resource;
  kind->kind = name;
  kind->group_version = std::string(group) + "/" + std::string(version);
  kind->collection = 1'000;
  kind->custom = &owner->custom;
  owner->custom.stored = stored != nullptr ? stored.get() : kind;
  return {owner, kind};
}

TEST(KindSetTest, FindsBuiltInAndCustomKinds) {
  const KindPtr jobs = CustomKindOf("batch.volcano.sh", "v1alpha1", "jobs", "Job");
  const KindSet kinds({jobs}, 7);
  EXPECT_EQ(kinds.revision(), 7u);
  EXPECT_EQ(kinds.Find("", "v1", "pods").get(), &KindOf("pods"));
  EXPECT_EQ(kinds.Find("batch.volcano.sh", "v1alpha1", "jobs"), jobs);
  EXPECT_EQ(kinds.Find("batch.volcano.sh", "v1", "jobs"), nullptr);
  EXPECT_EQ(kinds.FindByName("batch.volcano.sh/v1alpha1", "Job"), jobs);
  EXPECT_EQ(kinds.FindByName("batch/v1", "Job").get(), &KindOf("jobs.batch"));
  EXPECT_EQ(kinds.FindByName("batch.volcano.sh/v1alpha1", "Jobs"), nullptr);
}

TEST(KindSetTest, OnlyTheBuiltInKindOfANameIsBuiltIn) {
  const KindPtr jobs = CustomKindOf("batch.volcano.sh", "v1alpha1", "jobs", "Job");
  EXPECT_TRUE(KindOf("jobs.batch").IsBuiltIn("Job"));
  EXPECT_FALSE(jobs->IsBuiltIn("Job"));
}

TEST(KindSetTest, BuiltInResourcesAreNotReplaced) {
  const KindSet kinds({CustomKindOf("apps", "v1", "deployments", "Deployment")}, 1);
  EXPECT_EQ(kinds.Find("apps", "v1", "deployments").get(), &KindOf("deployments.apps"));
  const auto alpha = std::ranges::count_if(Kinds(), &Kind::alpha_workload);
  EXPECT_EQ(kinds.all().size(), Kinds().size() - static_cast<size_t>(alpha));
}

TEST(KindSetTest, AlphaKindsAreServedIfWanted) {
  for (const bool on : {false, true}) {
    const KindSet kinds({}, 0, on);
    EXPECT_EQ(kinds.Find("scheduling.k8s.io", "v1alpha2", "podgroups") != nullptr, on);
    EXPECT_EQ(kinds.FindByName("scheduling.k8s.io/v1alpha2", "Workload") != nullptr, on);
    EXPECT_EQ(std::ranges::count(kinds.all(), std::string_view("podgroups"), &Kind::resource),
              on ? 1 : 0);
  }
}

TEST(KindSetTest, ListsGroupsInOrderAndPreferredVersionsFirst) {
  const KindSet kinds({CustomKindOf("b.example.com", "v1beta1", "widgets", "Widget"),
                       CustomKindOf("b.example.com", "v1", "widgets", "Widget"),
                       CustomKindOf("b.example.com", "v1", "gadgets", "Gadget"),
                       CustomKindOf("a.example.com", "v1", "things", "Thing")},
                      1);
  std::vector<std::string> custom;
  for (const Kind* kind : kinds.all()) {
    if (kind->custom != nullptr)
      custom.push_back(kind->group_version + " " + std::string(kind->resource));
  }
  EXPECT_THAT(custom, ElementsAre("a.example.com/v1 things", "b.example.com/v1 gadgets",
                                  "b.example.com/v1 widgets", "b.example.com/v1beta1 widgets"));
  EXPECT_TRUE(std::ranges::is_sorted(kinds.all(), {}, &Kind::group));
}

TEST(KindSetTest, EachCollectionHasOneStoredKind) {
  const KindPtr unserved = CustomKindOf("example.com", "v1", "things", "Thing");
  const KindSet kinds({CustomKindOf("example.com", "v1alpha1", "things", "Thing", unserved),
                       CustomKindOf("example.com", "v1beta1", "things", "Thing", unserved)},
                      1, /*alpha_workloads=*/true);
  ASSERT_EQ(kinds.stored().size(), CollectionNames().size() + 1);
  for (size_t i = 0; i < CollectionNames().size(); ++i) {
    EXPECT_EQ(kinds.stored()[i]->collection, i);
    EXPECT_EQ(&StoredKind(*kinds.stored()[i]), kinds.stored()[i].get());
  }
  EXPECT_EQ(kinds.stored().back().get(), unserved.get());
}

TEST(KindSetTest, VersionsAreOrderedAsClientsPreferThem) {
  std::vector<std::string_view> versions = {"foo10", "v1alpha1", "v11alpha2", "v2",  "foo1",
                                            "v1",    "v3beta1",  "v12alpha1", "v10", "v10beta3"};
  std::ranges::sort(versions, IsPreferredVersion);
  EXPECT_THAT(versions, ElementsAre("v10", "v2", "v1", "v10beta3", "v3beta1", "v12alpha1",
                                    "v11alpha2", "v1alpha1", "foo1", "foo10"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::scheme
