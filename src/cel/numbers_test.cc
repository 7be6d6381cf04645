#include "cel/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace berth::cel {
namespace BERTH_TEST_FILE {

TEST(Numbers, FormatsDoublesLikeGo) {
  EXPECT_EQ(FormatDouble(1.5), "1.5");
  EXPECT_EQ(FormatDouble(0), "0");
  EXPECT_EQ(FormatDouble(-0.0), "-0");
  EXPECT_EQ(FormatDouble(100000), "100000");
  EXPECT_EQ(FormatDouble(1e6), "1e+06");
  EXPECT_EQ(FormatDouble(123456789), "1.23456789e+08");
  EXPECT_EQ(FormatDouble(0.0001), "0.0001");
  EXPECT_EQ(FormatDouble(0.00001), "1e-05");
  EXPECT_EQ(FormatDouble(1e300), "1e+300");
  EXPECT_EQ(FormatDouble(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(FormatFixedShortest(5400), "5400");
  EXPECT_EQ(FormatFixedShortest(1e-9), "0.000000001");
}

TEST(Numbers, ParsesLikeGo) {
  EXPECT_EQ(ParseInt("+42"), 42);
  EXPECT_EQ(ParseInt("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ParseInt("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseInt(" 1"), std::nullopt);
  EXPECT_EQ(ParseInt(""), std::nullopt);
  EXPECT_EQ(ParseInt("+-1"), std::nullopt);
  EXPECT_EQ(ParseUint("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(ParseUint("-1"), std::nullopt);
  EXPECT_EQ(ParseUint("+1"), std::nullopt);
  EXPECT_EQ(ParseDouble("1e3"), 1000);
  EXPECT_EQ(ParseDouble("-.5"), -0.5);
  EXPECT_EQ(ParseDouble("0x1p-2"), 0.25);
  EXPECT_EQ(ParseDouble("0x1"), std::nullopt);
  EXPECT_EQ(ParseDouble("1e999"), std::nullopt);
  EXPECT_EQ(ParseDouble("1e-999"), 0);
  EXPECT_EQ(ParseDouble("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*ParseDouble("NaN")));
  EXPECT_EQ(ParseDouble("1x"), std::nullopt);
}

TEST(Numbers, ComparesByValue) {
  const Value big = Value::Uint(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(CompareNumbers(Value::Int(-1), big), std::partial_ordering::less);
  EXPECT_EQ(CompareNumbers(big, Value::Int(-1)), std::partial_ordering::greater);
  EXPECT_EQ(CompareNumbers(Value::Int(2), Value::Double(2)), std::partial_ordering::equivalent);
  EXPECT_EQ(CompareNumbers(Value::Double(1e300), big), std::partial_ordering::greater);
  EXPECT_EQ(CompareNumbers(Value::Int(1), Value::Double(std::nan(""))),
            std::partial_ordering::unordered);
  EXPECT_EQ(ExactInt(9223372036854775808.0), std::nullopt);
  EXPECT_EQ(ExactInt(-9223372036854775808.0), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ExactInt(1.5), std::nullopt);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cel
