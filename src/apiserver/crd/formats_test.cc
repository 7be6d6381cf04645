#include "apiserver/crd/formats.h"

#include <gtest/gtest.h>

#include <string>

#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {
namespace BERTH_TEST_FILE {

struct FormatCase {
  const char* format;
  const char* text;
  bool valid;
};

class FormatTest : public testing::TestWithParam<FormatCase> {};

TEST_P(FormatTest, AcceptsWhatKubeApiserverAccepts) {
  const Format format = FindFormat(GetParam().format, SchemaType::kString);
  ASSERT_NE(format, Format::kNone) << GetParam().format;
  EXPECT_EQ(HasFormat(GetParam().text, format), GetParam().valid)
      << GetParam().format << " " << GetParam().text;
}

const FormatCase kFormatCases[] = {
    {"date", "2026-02-28", true},
    {"date", "2026-02-29", false},
    {"date", "2024-02-29", true},
    {"date", "2026-2-28", false},
    {"date-time", "2026-01-01T23:59:59Z", true},
    {"datetime", "2026-01-01t10:00:00.5+02:00", true},
    {"date-time", "2026-01-01T24:00:00Z", false},
    {"date-time", "2026-01-01", false},
    {"duration", "1h30m", true},
    {"duration", "2 hours", true},
    {"duration", "soon", false},
    {"ipv4", "10.0.0.1", true},
    {"ipv4", "010.0.0.1", true},
    {"ipv4", "10.0.0", false},
    {"ipv4", "10.0.0.256", false},
    {"ipv6", "fe80::1", true},
    {"ipv6", "10.0.0.1", false},
    {"cidr", "10.0.0.0/8", true},
    {"cidr", "10.0.0.0/33", false},
    {"cidr", "fd00::/64", true},
    {"mac", "01:23:45:67:89:ab", true},
    {"mac", "01:23:45:67:89", false},
    {"uuid", "123e4567-e89b-12d3-a456-426614174000", true},
    {"uuid", "123e4567", false},
    {"uuid4", "123e4567-e89b-42d3-a456-426614174000", true},
    {"uri", "https://example.com/a?b=c", true},
    {"uri", "/path", true},
    {"uri", "no uri", false},
    {"hostname", "a.example.com", true},
    {"hostname", "-a", false},
    {"email", "a@example.com", true},
    {"email", "a", false},
    {"byte", "YWJj", true},
    {"byte", "YWJ", false},
    {"password", "anything at all", true},
    {"isbn10", "0321751043", true},
    {"isbn10", "0321751044", false},
    {"isbn13", "978-0321751041", true},
    {"creditcard", "4111 1111 1111 1111", true},
    {"creditcard", "4111 1111 1111 1112", false},
    {"ssn", "123-45-6789", true},
    {"hexcolor", "#FFF", true},
    {"rgbcolor", "rgb(1, 2, 3)", true},
    {"bsonobjectid", "507f1f77bcf86cd799439011", true},
    {"k8s-short-name", "a-b", true},
    {"k8s-short-name", "a.b", false},
    {"k8s-long-name", "a.b", true},
};

INSTANTIATE_TEST_SUITE_P(All, FormatTest, testing::ValuesIn(kFormatCases));

TEST(FormatTest, BelongToATypeOfValues) {
  EXPECT_EQ(FindFormat("int32", SchemaType::kInteger), Format::kInt32);
  EXPECT_EQ(FindFormat("int32", SchemaType::kString), Format::kNone);
  EXPECT_EQ(FindFormat("date", SchemaType::kInteger), Format::kNone);
  EXPECT_EQ(FindFormat("date", SchemaType::kAny), Format::kDate);
  EXPECT_EQ(FindFormat("nonsense", SchemaType::kString), Format::kNone);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::crd
