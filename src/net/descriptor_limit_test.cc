#include "net/descriptor_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace berth::net {
namespace BERTH_TEST_FILE {

TEST(DescriptorLimitTest, IsRaisedAsFarAsAllowed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_cur, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(DescriptorLimit(), low.rlim_cur);
  RaiseDescriptorLimit();
  EXPECT_EQ(DescriptorLimit(), std::min<rlim_t>(before.rlim_max, 65'536));
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
