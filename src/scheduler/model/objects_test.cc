#include "scheduler/model/objects.h"

#include <gtest/gtest.h>

#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

TEST(Objects, AreFoundByNamespaceAndName) {
  Objects<api::Service> services;
  services.Put(MakeObject<api::Service>("web", "b"));
  services.Put(MakeObject<api::Service>("web", "a"));
  EXPECT_NE(services.Find({"a", "web"}), nullptr);
  EXPECT_EQ(services.Find({"c", "web"}), nullptr);
  ASSERT_EQ(services.all().size(), 2u);
  EXPECT_EQ(services.all().begin()->first.ToString(), "a/web");
}

TEST(Objects, PutReplaces) {
  Objects<api::Service> services;
  services.Put(MakeObject<api::Service>("web", "a"));
  api::Service changed = *MakeObject<api::Service>("web", "a");
  changed.selector.emplace();
  services.Put(std::make_shared<const api::Service>(changed));
  EXPECT_EQ(services.all().size(), 1u);
  EXPECT_TRUE(services.Find({"a", "web"})->selector.has_value());
}

TEST(Objects, OneThatWasRemovedCanBePutAgain) {
  Objects<api::Service> services;
  services.Put(MakeObject<api::Service>("web", "a"));
  services.Put(MakeObject<api::Service>("db", "a"));
  EXPECT_TRUE(services.Remove({"a", "web"}));
  EXPECT_EQ(services.Find({"a", "web"}), nullptr);
  EXPECT_EQ(services.all().size(), 1u);
  const auto again = MakeObject<api::Service>("web", "a");
  services.Put(again);
  EXPECT_EQ(services.FindRef({"a", "web"}), again);
  EXPECT_EQ(services.all().size(), 2u);
}

TEST(Objects, VersionRisesWithEveryChange) {
  Objects<api::Service> services;
  const uint64_t empty = services.version();
  services.Put(MakeObject<api::Service>("web", "a"));
  const uint64_t one = services.version();
  EXPECT_GT(one, empty);
  EXPECT_TRUE(services.Remove({"a", "web"}));
  EXPECT_GT(services.version(), one);
  EXPECT_FALSE(services.Remove({"a", "web"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
