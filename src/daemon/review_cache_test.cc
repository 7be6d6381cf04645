#include "daemon/review_cache.h"

#include <gtest/gtest.h>

#include "net/executor_testing.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

class ReviewCacheTest : public testing::Test {
 protected:
  void Store(const std::string& key, bool good, int64_t seconds) {
    cache_.Store(key, 1, good, Duration::Seconds(seconds));
  }
  bool Knows(const std::string& key) { return cache_.Find(key).has_value(); }

  net::ManualExecutor executor_;
  ReviewCache<int> cache_{executor_, 2};
};

TEST_F(ReviewCacheTest, ItHoldsABoundedNumber) {
  Store("a", true, 5);
  Store("b", true, 9);
  Store("c", true, 7);
  EXPECT_FALSE(Knows("a"));
  EXPECT_TRUE(Knows("b"));
  EXPECT_TRUE(Knows("c"));
}

TEST_F(ReviewCacheTest, InvalidOnesDoNotDisplaceValidOnes) {
  Store("valid", true, 5);
  for (int i = 0; i < 1000; ++i) Store("bogus" + std::to_string(i), false, 10);
  EXPECT_TRUE(Knows("valid"));
  EXPECT_TRUE(Knows("bogus999"));
  EXPECT_FALSE(Knows("bogus0"));
}

TEST_F(ReviewCacheTest, AFavourableResultIsRememberedWhenItHasExpired) {
  Store("a", true, 5);
  Store("b", false, 5);
  executor_.Advance(Duration::Seconds(5));
  EXPECT_FALSE(Knows("a"));
  EXPECT_TRUE(cache_.HadGood("a"));
  EXPECT_FALSE(cache_.HadGood("b"));
  // The newest result counts.
  Store("a", false, 5);
  EXPECT_TRUE(Knows("a"));
  EXPECT_FALSE(cache_.HadGood("a"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
