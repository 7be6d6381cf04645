#include "api/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "api/big_decimal.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

using Format = Quantity::Format;

Quantity Q(std::string_view text) {
  const Result<Quantity> quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity.value_or(Quantity());
}

struct ParseCase {
  const char* text;
  const char* printed;
  int64_t value;
  int64_t milli;
};

class QuantityParseTest : public testing::TestWithParam<ParseCase> {};

TEST_P(QuantityParseTest, PrintsAndRounds) {
  const Quantity quantity = Q(GetParam().text);
  EXPECT_EQ(quantity.ToString(), GetParam().printed) << GetParam().text;
  EXPECT_EQ(quantity.Value(), GetParam().value) << GetParam().text;
  EXPECT_EQ(quantity.MilliValue(), GetParam().milli) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Ordinary, QuantityParseTest,
    testing::Values(ParseCase{"0", "0", 0, 0},  //
                    ParseCase{"4", "4", 4, 4000}, ParseCase{"100m", "100m", 1, 100},
                    ParseCase{"0.1", "100m", 1, 100}, ParseCase{"1.5", "1500m", 2, 1500},
                    ParseCase{"1001m", "1001m", 2, 1001}, ParseCase{"2000m", "2", 2, 2000},
                    ParseCase{"1000k", "1M", 1000000, 1000000000},
                    ParseCase{"1024", "1024", 1024, 1024000},
                    ParseCase{"1Ki", "1Ki", 1024, 1024000}, ParseCase{"0.5Ki", "512", 512, 512000},
                    ParseCase{"1.1Ki", "1126400m", 1127, 1126400},
                    ParseCase{"0.1Ki", "102400m", 103, 102400},
                    ParseCase{"1.5Gi", "1536Mi", 1610612736, 1610612736000},
                    ParseCase{"2048Ki", "2Mi", 2097152, 2097152000},
                    ParseCase{"16Gi", "16Gi", 17179869184, 17179869184000},
                    ParseCase{"-1.5", "-1500m", -2, -1500}, ParseCase{"-100m", "-100m", -1, -100}));

INSTANTIATE_TEST_SUITE_P(FinerThanNanoRoundsUp, QuantityParseTest,
                         testing::Values(ParseCase{"0.5n", "1n", 1, 1},
                                         ParseCase{"1.5n", "2n", 1, 1},
                                         ParseCase{"-0.5n", "-1n", -1, -1},
                                         ParseCase{"0.1m", "100u", 1, 1},
                                         ParseCase{"9.9999999999", "10", 10, 10000},
                                         ParseCase{"1e-999999999", "1e-9", 1, 1}));

// Upstream retains a text that its fast path finds canonical, even if formatting would differ.
INSTANTIATE_TEST_SUITE_P(
    Echo, QuantityParseTest,
    testing::Values(ParseCase{"+5", "+5", 5, 5000},  //
                    ParseCase{"5.", "5.", 5, 5000}, ParseCase{"00100", "00100", 100, 100000},
                    ParseCase{"1E3", "1E3", 1000, 1000000},
                    ParseCase{"1e+3", "1e+3", 1000, 1000000}, ParseCase{"1.500", "1.500", 2, 1500},
                    ParseCase{"123456789.123456789", "123456789.123456789", 123456790,
                              123456789124},
                    ParseCase{"748.350G", "748.350G", 748350000000, 748350000000000},
                    ParseCase{"+5Ki", "+5Ki", 5120, 5120000}));

INSTANTIATE_TEST_SUITE_P(
    NoEcho, QuantityParseTest,
    testing::Values(ParseCase{"00", "0", 0, 0},  //
                    ParseCase{"-0", "0", 0, 0}, ParseCase{"+0Ki", "0", 0, 0},
                    ParseCase{"0.001", "1m", 1, 1}, ParseCase{".442E3", "442", 442, 442000},
                    ParseCase{"123.000", "123", 123, 123000},
                    ParseCase{"1000", "1k", 1000, 1000000}, ParseCase{"+1000", "1k", 1000, 1000000},
                    ParseCase{"+8Ki", "8Ki", 8192, 8192000},
                    ParseCase{"1.0e3", "1e3", 1000, 1000000},
                    ParseCase{"12E2", "1200", 1200, 1200000}, ParseCase{"1E-2", "10e-3", 1, 10}));

// The numeric part may be missing.
INSTANTIATE_TEST_SUITE_P(NoDigits, QuantityParseTest,
                         testing::Values(ParseCase{".", "0", 0, 0}, ParseCase{"-", "0", 0, 0},
                                         ParseCase{"+.", "0", 0, 0}, ParseCase{"E", "0", 0, 0},
                                         ParseCase{"Ki", "0", 0, 0}, ParseCase{"e3", "0", 0, 0}));

INSTANTIATE_TEST_SUITE_P(
    Large, QuantityParseTest,
    testing::Values(
        ParseCase{"8Ei", "9223372036854775807", kMax, kMax},  // Binary is clamped.
        ParseCase{"-16Ei", "-9223372036854775807", -kMax, kMin},
        ParseCase{"7.5Ei", "7680Pi", 8646911284551352320, kMax},
        ParseCase{"0.9Ei", "1037629354146162278400m", 1037629354146162279, kMax},
        ParseCase{"9223372036854775808", "9223372036854775808", kMax, kMax},
        ParseCase{"-9223372036854775808", "-9223372036854775808", kMin, kMin},
        ParseCase{"-9223372036854775809", "-9223372036854775809", kMin, kMin},
        ParseCase{"9223372036854775.807", "9223372036854775807m", 9223372036854776, kMax},
        ParseCase{"9223372036854775.808", "9223372036854775808m", 9223372036854776, kMax},
        ParseCase{"1000E", "1e21", kMax, kMax}, ParseCase{"1e100", "10e99", kMax, kMax},
        ParseCase{"-1e999999999", "-1e999999999", kMin, kMin},
        ParseCase{"1234567890123456789012e999999900", "1234567890123456789012e999999900", kMax,
                  kMax}));

struct ErrorCase {
  const char* text;
  const char* error;
};

constexpr const char* kFormatError =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumberError = "unable to parse numeric part of quantity";
constexpr const char* kSuffixError = "unable to parse quantity's suffix";

class QuantityErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(QuantityErrorTest, IsRejected) {
  const Result<Quantity> quantity = Quantity::Parse(GetParam().text);
  ASSERT_FALSE(quantity.has_value()) << GetParam().text;
  EXPECT_EQ(quantity.error().message, GetParam().error) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, QuantityErrorTest,
    testing::Values(ErrorCase{"", kFormatError}, ErrorCase{" 1", kFormatError},
                    ErrorCase{"1 ", kFormatError}, ErrorCase{"1.2.3", kFormatError},
                    ErrorCase{"1GiB", kFormatError}, ErrorCase{"0x10", kFormatError},
                    ErrorCase{"1e3m", kFormatError}, ErrorCase{"1_000", kFormatError},
                    ErrorCase{"1K", kSuffixError}, ErrorCase{"1i", kSuffixError},
                    ErrorCase{"1ki", kSuffixError}, ErrorCase{"1mm", kSuffixError},
                    ErrorCase{"1e", kSuffixError}, ErrorCase{"1e+", kSuffixError},
                    ErrorCase{"1m1", kSuffixError}, ErrorCase{"--1", kSuffixError},
                    ErrorCase{"1e1000000001", kSuffixError},
                    ErrorCase{"10e999999999", kSuffixError},
                    ErrorCase{"1e99999999999999999999", kSuffixError},
                    ErrorCase{"e-10", kNumberError}, ErrorCase{"-.e-10", kNumberError}));

TEST(Quantity, RemembersItsFormat) {
  EXPECT_EQ(Q("1M").format(), Format::kDecimalSI);
  EXPECT_EQ(Q("1Mi").format(), Format::kBinarySI);
  EXPECT_EQ(Q("1e6").format(), Format::kDecimalExponent);
  EXPECT_EQ(Q("0.0001Ki").format(), Format::kDecimalSI) << "between 0 and 1 there are no bytes";
  EXPECT_EQ(Q("-0.0001Ki").format(), Format::kDecimalSI);
}

TEST(Quantity, PrintsMadeNumbersInTheirFormat) {
  EXPECT_EQ(Quantity().ToString(), "0");
  EXPECT_EQ(Quantity::FromValue(209715200).ToString(), "209715200");
  EXPECT_EQ(Quantity::FromValue(209715200, Format::kBinarySI).ToString(), "200Mi");
  EXPECT_EQ(Quantity::FromValue(1000, Format::kBinarySI).ToString(), "1k");
  EXPECT_EQ(Quantity::FromValue(-1024, Format::kBinarySI).ToString(), "-1Ki");
  EXPECT_EQ(Quantity::FromValue(5000, Format::kDecimalExponent).ToString(), "5e3");
  EXPECT_EQ(Quantity::FromMilli(1500).ToString(), "1500m");
  EXPECT_EQ(Quantity::FromMilli(2048000, Format::kBinarySI).ToString(), "2Ki");
  EXPECT_EQ(Quantity::FromMilli(2048001, Format::kBinarySI).ToString(), "2048001m");
  EXPECT_EQ(Quantity::FromValue(kMin).ToString(), "-9223372036854775808");
}

struct SumCase {
  const char* a;
  const char* b;
  const char* sum;
  const char* difference;
};

class QuantitySumTest : public testing::TestWithParam<SumCase> {};

TEST_P(QuantitySumTest, IsExact) {
  Quantity sum = Q(GetParam().a);
  sum += Q(GetParam().b);
  EXPECT_EQ(sum.ToString(), GetParam().sum);
  Quantity difference = Q(GetParam().a);
  difference -= Q(GetParam().b);
  EXPECT_EQ(difference.ToString(), GetParam().difference);
}

INSTANTIATE_TEST_SUITE_P(
    All, QuantitySumTest,
    testing::Values(
        SumCase{"100m", "1", "1100m", "-900m"}, SumCase{"1Gi", "512Mi", "1536Mi", "512Mi"},  //
        SumCase{"+5", "0", "5", "5"},  // The sum is reformatted.
        SumCase{"123456789.123456789", "0", "123456789123456789n", "123456789123456789n"},
        SumCase{"0", "2Ki", "2Ki", "-2Ki"},  // Zero takes the other format.
        SumCase{"0Ki", "2k", "2k", "-2k"},   //
        SumCase{"1Ki", "1n", "1024000000001n", "1023999999999n"}, SumCase{"4Ei", "4Ei", "8Ei", "0"},
        SumCase{"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
        SumCase{"0.9Ei", "-0.9Ei", "0", "2075258708292324556800m"},
        SumCase{"1e30", "-1", "999999999999999999999999999999", "1000000000000000000000000000001"},
        SumCase{"1e999999999", "1", "1e999999999", "1e999999999"},
        SumCase{"1", "1e999999999", "1e999999999", "-1e999999999"}));

TEST(Quantity, BinaryPrintsStopAtExbi) {
  Quantity sum = Q("4Ei");
  for (int i = 0; i < 8; ++i) sum += sum;
  EXPECT_EQ(sum.ToString(), "1024Ei");
}

TEST(Quantity, AddsToItself) {
  Quantity big = Q("9223372036854775807");
  big += big;
  EXPECT_EQ(big.ToString(), "18446744073709551614");
  big -= big;
  EXPECT_TRUE(big.IsZero());
  EXPECT_EQ(big.ToString(), "0");
}

TEST(Quantity, CopiesDoNotShareChanges) {
  const Quantity original = Q("0.9Ei");
  Quantity copy = original;
  copy += Q("1");
  EXPECT_EQ(original.ToString(), "1037629354146162278400m");
  EXPECT_EQ(copy.ToString(), "1037629354146162279400m");
}

// Each is less than the next.
TEST(Quantity, ComparesNumbersWhateverTheirFormat) {
  const std::vector<Quantity> ascending = {
      Q("-1e999999999"),
      Q("-1e100"),
      Q("-9223372036854775809"),
      Q("-9223372036854775808"),
      Q("-1Ki"),
      Q("-1k"),
      Q("-1"),
      Q("-1n"),
      Q("0"),
      Q("1n"),
      Q("999m"),
      Q("1"),
      Q("1001m"),
      Q("1k"),
      Q("1Ki"),
      Q("0.9Ei"),
      Q("8Ei"),
      Q("10E"),
      Q("1e100"),
      Q("1e999999999"),
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(ascending[i] <=> ascending[j], i <=> j)
          << ascending[i].ToString() << " and " << ascending[j].ToString();
    }
  }
}

TEST(Quantity, EqualNumbersAreEqual) {
  EXPECT_EQ(Q("1Ki"), Q("1024"));
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("+1"), Q("1"));
  EXPECT_EQ(Q("1000E"), Q("1e21"));
  EXPECT_EQ(Q("0Ki"), Q("0"));
  EXPECT_EQ(Q("12345678901234567890123"), Q("12345678901234567890123000m"));
  EXPECT_NE(Q("1"), Q("1001m"));
}

TEST(Quantity, HasASign) {
  EXPECT_EQ(Q("-1n").Sign(), -1);
  EXPECT_EQ(Q("0").Sign(), 0);
  EXPECT_EQ(Q("0.9Ei").Sign(), 1);
  EXPECT_EQ(Q("-12345678901234567890123").Sign(), -1);
}

TEST(BigDecimal, DropsWhatIsTooSmallToMatter) {
  const BigDecimal one(1, 0);
  const BigDecimal near(1, BigDecimal::kMaxSpan + 1);
  const BigDecimal far(1, BigDecimal::kMaxSpan + 2);
  EXPECT_GT(near + one, near);
  EXPECT_EQ(far + one, far);
}

TEST(BigDecimal, RoundsAwayFromZero) {
  BigDecimal number(-199901, -4);
  number.RoundAwayFromZero(-2);
  EXPECT_EQ(number, BigDecimal(-20, 0));
  number.RoundAwayFromZero(1);
  EXPECT_EQ(number, BigDecimal(-20, 0));
  number.RoundAwayFromZero(5);
  EXPECT_EQ(number, BigDecimal(-1, 5));
}

TEST(Quantity, IsAnIntegerOnlyWithoutArbitraryPrecision) {
  const auto integer = [](std::string_view text) { return Quantity::Parse(text)->AsInt64(); };
  EXPECT_EQ(integer("108"), 108);
  EXPECT_EQ(integer("1.5k"), 1500);
  EXPECT_EQ(integer("40Gi"), 42949672960);
  EXPECT_EQ(integer("-2e3"), -2000);
  EXPECT_EQ(integer("0"), 0);
  for (const char* text :
       {"1.0", "0.0", "1500m", "1.5Gi", "20E", "100Ti", "1Pi", "1234567890123456789"}) {
    EXPECT_EQ(integer(text), std::nullopt) << text;
  }
  Quantity sum = *Quantity::Parse("1Gi");
  sum += *Quantity::Parse("1k");
  EXPECT_EQ(sum.AsInt64(), 1073742824);
  sum += *Quantity::Parse("1.5Gi");
  EXPECT_EQ(sum.AsInt64(), std::nullopt);
}

TEST(Quantity, ApproximatesAsADouble) {
  const auto number = [](std::string_view text) {
    return Quantity::Parse(text)->AsApproximateFloat64();
  };
  EXPECT_EQ(number("1500m"), 1.5);
  EXPECT_EQ(number("-40Gi"), -42949672960.0);
  EXPECT_EQ(number("20E"), 2e19);
  EXPECT_EQ(number("12345678901234567890123"), 12345678901234567890123.0);
  EXPECT_EQ(number("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("0"), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
