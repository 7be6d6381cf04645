#include "plugins/fifo_sort.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(FifoSort, ArrivalAloneDecides) {
  const FifoSort sort;
  const QueuedPod early{PodId{1}, 0, Instant{10}};
  const QueuedPod late_but_important{PodId{2}, 100, Instant{20}};
  EXPECT_TRUE(sort.Less(early, late_but_important));
  EXPECT_FALSE(sort.Less(late_but_important, early));
  EXPECT_FALSE(sort.Less(early, early));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
