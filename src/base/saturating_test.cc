#include "base/saturating.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Saturating, AddsAndStopsAtTheLimits) {
  EXPECT_EQ(SaturatingAdd(2, 3), 5);
  EXPECT_EQ(SaturatingAdd(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(SaturatingAdd(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(SaturatingAdd(INT64_MAX, INT64_MIN), -1);
}

TEST(Saturating, SubtractsAndStopsAtTheLimits) {
  EXPECT_EQ(SaturatingSubtract(2, 3), -1);
  EXPECT_EQ(SaturatingSubtract(INT64_MIN, 1), INT64_MIN);
  EXPECT_EQ(SaturatingSubtract(0, INT64_MIN), INT64_MAX);
}

TEST(Saturating, MultipliesAndStopsAtTheLimits) {
  EXPECT_EQ(SaturatingMultiply(-2, 3), -6);
  EXPECT_EQ(SaturatingMultiply(INT64_MAX, 100), INT64_MAX);
  EXPECT_EQ(SaturatingMultiply(INT64_MAX, -100), INT64_MIN);
  EXPECT_EQ(SaturatingMultiply(INT64_MIN, -1), INT64_MAX);
}

TEST(Saturating, MultiplyDivideNeedsNoRoomForTheProduct) {
  EXPECT_EQ(MultiplyDivide(7, 100, 9), 77);
  EXPECT_EQ(MultiplyDivide(INT64_MAX / 2, 100, INT64_MAX), 49);
  EXPECT_EQ(MultiplyDivide(-7, 3, 2), -10);
  EXPECT_EQ(MultiplyDivide(INT64_MAX, 100, 2), INT64_MAX);
  EXPECT_EQ(MultiplyDivide(INT64_MIN, 100, 2), INT64_MIN);
}

}  // namespace
}  // namespace berth
