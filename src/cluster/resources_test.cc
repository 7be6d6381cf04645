#include "cluster/resources.h"

#include <gtest/gtest.h>

#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

TEST(ResourceVector, CountsCpuInThousandthsAndTheRestInUnits) {
  ScalarNames names;
  const ResourceVector v = ResourceVector::From({{"cpu", Amount("1500m")},
                                                 {"memory", Amount("2Ki")},
                                                 {"ephemeral-storage", Amount("1G")},
                                                 {"pods", Amount("110")},
                                                 {"example.com/gpu", Amount("3")},
                                                 {"hugepages-2Mi", Amount("4Mi")}},
                                                names);
  EXPECT_EQ(v.milli_cpu, 1500);
  EXPECT_EQ(v.memory, 2048);
  EXPECT_EQ(v.ephemeral_storage, 1'000'000'000);
  EXPECT_EQ(v.pods, 110);
  EXPECT_EQ(v.ScalarAmount(names.Find("example.com/gpu")), 3);
  EXPECT_EQ(v.ScalarAmount(names.Find("hugepages-2Mi")), 4 << 20);
}

TEST(ResourceVector, RoundsFractionsUp) {
  ScalarNames names;
  const ResourceVector v =
      ResourceVector::From({{"cpu", Amount("100u")}, {"memory", Amount("1500m")}}, names);
  EXPECT_EQ(v.milli_cpu, 1);
  EXPECT_EQ(v.memory, 2);
}

TEST(ResourceVector, DropsNamesThatNoRuleCounts) {
  ScalarNames names;
  EXPECT_EQ(ResourceVector::From({{"bogus", Amount("1")}}, names), ResourceVector());
  EXPECT_EQ(names.size(), 0u);
}

TEST(ResourceVector, ListsScalarsById) {
  ScalarNames names;
  const ScalarId z = names.Intern("example.com/z");
  const ScalarId a = names.Intern("example.com/a");
  const ResourceVector v =
      ResourceVector::From({{"example.com/a", Amount("0")}, {"example.com/z", Amount("7")}}, names);
  ASSERT_EQ(v.scalars.size(), 2u);  // What is listed as 0 has an entry.
  EXPECT_EQ(v.scalars[0], (ResourceVector::Scalar{z, 7}));
  EXPECT_EQ(v.scalars[1], (ResourceVector::Scalar{a, 0}));
  EXPECT_EQ(v.ScalarAmount(names.Intern("example.com/b")), 0);
}

TEST(ResourceVector, NegativeRequestsCountAsNone) {
  ScalarNames names;
  const api::ResourceList list = {{"cpu", Amount("-1")},
                                  {"memory", Amount("-5")},
                                  {"ephemeral-storage", Amount("-2")},
                                  {"example.com/gpu", Amount("-3")}};
  const ResourceVector requests = ResourceVector::FromRequests(list, names);
  EXPECT_EQ(requests.milli_cpu, 0);
  EXPECT_EQ(requests.memory, 0);
  EXPECT_EQ(requests.ephemeral_storage, 0);
  EXPECT_EQ(requests.ScalarAmount(names.Find("example.com/gpu")), 0);
  EXPECT_EQ(ResourceVector::From(list, names).milli_cpu, -1000);
}

TEST(ScalarNames, AreNumberedInOrderOfFirstSight) {
  ScalarNames names;
  EXPECT_FALSE(names.Find("example.com/b").valid());
  EXPECT_EQ(names.Intern("example.com/b").index(), 0u);
  EXPECT_EQ(names.Intern("example.com/a").index(), 1u);
  EXPECT_EQ(names.Intern("example.com/b").index(), 0u);
  EXPECT_EQ(names.Text(ScalarId{1}), "example.com/a");
  EXPECT_EQ(names.size(), 2u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
