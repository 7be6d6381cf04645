#include "cluster/taints.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(TaintSets, EqualListsShareAnIdForGood) {
  TaintSets sets;
  const api::Taint gpu{"gpu", "yes", "NoSchedule"};
  const api::Taint spot{"spot", "", "PreferNoSchedule"};
  const TaintSetId none = sets.Intern({});
  const TaintSetId both = sets.Intern({gpu, spot});
  EXPECT_NE(none, both);
  EXPECT_EQ(sets.Intern({gpu, spot}), both);
  EXPECT_NE(sets.Intern({spot, gpu}), both);  // The first that a pod does not tolerate is reported.
  EXPECT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets.Get(both), (std::vector{gpu, spot}));
  EXPECT_TRUE(sets.Get(none).empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
