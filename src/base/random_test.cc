#include "base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>

namespace berth {
namespace BERTH_TEST_FILE {

// The published first outputs of SplitMix64: a recorded run must replay on any later version.
TEST(Random, IsSplitMix64) {
  Random zero(0);
  EXPECT_EQ(zero.Next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(zero.Next(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(zero.Next(), 0x06c45d188009454fu);

  Random other(1234567);
  EXPECT_EQ(other.Next(), 6457827717110365317u);
  EXPECT_EQ(other.Next(), 3203168211198807973u);
  EXPECT_EQ(other.Next(), 9817491932198370423u);
}

// The outputs above are 0.883, 0.431 and 0.026 of 2^64.
TEST(Random, BelowScalesTheOutput) {
  Random random(0);
  EXPECT_EQ(random.Below(100), 88u);
  EXPECT_EQ(random.Below(100), 43u);
  EXPECT_EQ(random.Below(100), 2u);
}

TEST(Random, ChanceComparesWithThePercentage) {
  Random random(0);
  EXPECT_FALSE(random.Chance(88));  // drew 88
  EXPECT_TRUE(random.Chance(44));   // drew 43
  EXPECT_TRUE(random.Chance(3));    // drew 2
}

RC_GTEST_PROP(RandomProperty, BelowStaysBelow, (uint64_t seed)) {
  const uint64_t bound = *rc::gen::suchThat<uint64_t>([](uint64_t b) { return b > 0; });
  Random random(seed);
  for (int i = 0; i < 20; ++i) RC_ASSERT(random.Below(bound) < bound);
}

RC_GTEST_PROP(RandomProperty, ChanceOfZeroAndOfHundredAreCertain, (uint64_t seed)) {
  Random random(seed);
  for (int i = 0; i < 20; ++i) {
    RC_ASSERT_FALSE(random.Chance(0));
    RC_ASSERT(random.Chance(100));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
