#include "base/base64.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Base64, RoundTrips) {
  const struct {
    std::string_view bytes;
    const char* text;
  } cases[] = {
      {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
      {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {{"\0\xff\xfe", 3}, "AP/+"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EncodeBase64(c.bytes), c.text);
    EXPECT_EQ(DecodeBase64(c.text), c.bytes) << c.text;
  }
}

TEST(Base64, IgnoresLineEndsOnly) {
  EXPECT_EQ(DecodeBase64("Zm\r\n9v\n"), "foo");
  for (const char* const text : {"Zm9", "Zg=", "Zg===", "Z===", "=", "Zg==Zg==", "Zm 9v", "Zm9_"}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(Base64, EncodesAndDecodesBothAlphabets) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("a"), "YQ==");
  EXPECT_EQ(EncodeBase64("ab"), "YWI=");
  EXPECT_EQ(EncodeBase64("abc"), "YWJj");
  EXPECT_EQ(EncodeBase64("\xfb\xff"), "+/8=");
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
  EXPECT_EQ(DecodeBase64Url("-_8"), "\xfb\xff");
  EXPECT_EQ(DecodeBase64Url("YWJj"), "abc");
  EXPECT_EQ(DecodeBase64Url("YQ=="), std::nullopt);
  EXPECT_EQ(DecodeBase64Url("Y"), std::nullopt);
  EXPECT_EQ(DecodeBase64Url("YR"), std::nullopt);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
