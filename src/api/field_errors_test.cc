#include "api/field_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::api {
namespace BERTH_TEST_FILE {

using ::testing::SizeIs;

TEST(FieldErrors, AreLimitedInNumber) {
  FieldErrors errors;
  for (int64_t i = 0; i < 100'000; ++i) errors.Invalid("a.b", i, "is bad");
  const std::vector<FieldError> taken = errors.Take();
  ASSERT_THAT(taken, SizeIs(kMaxReportedErrors + 1));
  EXPECT_EQ(taken[99].ToString(), "a.b: Invalid value: 99: is bad");
  EXPECT_EQ(taken.back().ToString(), "99900 more errors");
  EXPECT_TRUE(errors.empty());
}

TEST(FieldErrors, QuoteTheBeginningOfLongValues) {
  const std::string long_text(1'000'000, 'x');
  FieldErrors errors;
  errors.Invalid(long_text, std::string_view(long_text), long_text);
  errors.Duplicate("a", long_text);
  errors.NotFound("a", long_text);
  errors.NotSupported("a", long_text, {"b"});
  errors.Forbidden("a", long_text);
  errors.Required("a", long_text);
  for (const FieldError& error : errors.Take()) {
    EXPECT_LT(error.field.size(), kMaxQuotedBytes + 10) << error.reason;
    EXPECT_LT(error.message.size(), 2 * kMaxQuotedBytes + 100) << error.reason;
  }
}

TEST(FieldErrors, ValuesOfUsualLengthAreQuotedWhole) {
  FieldErrors errors;
  errors.Invalid("a", std::string_view("x\ny"), "is bad");
  EXPECT_EQ(errors.Take()[0].ToString(), R"(a: Invalid value: "x\ny": is bad)");
  EXPECT_EQ(Limited("x\ny"), "x\ny");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
