#include "record/bytes.h"

#include <gtest/gtest.h>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Bytes, SmallNumbersAreShort) {
  const auto size = [](uint64_t number) {
    ByteWriter out;
    out.Number(number);
    return std::move(out).Take().size();
  };
  EXPECT_EQ(size(0), 1u);
  EXPECT_EQ(size(127), 1u);
  EXPECT_EQ(size(128), 2u);
  EXPECT_EQ(size(UINT64_MAX), 10u);
}

TEST(Bytes, WhatIsWrittenIsRead) {
  const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, uint64_t{1} << 63, UINT64_MAX};
  const int64_t signs[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  const std::string texts[] = {"", "text", std::string("\0\xff", 2), std::string(300, 'x')};
  ByteWriter out;
  for (const uint64_t number : numbers) out.Number(number);
  for (const int64_t number : signs) out.Signed(number);
  for (const std::string& text : texts) out.String(text);
  const std::string bytes = std::move(out).Take();
  ByteReader in(bytes);
  for (const uint64_t number : numbers) EXPECT_EQ(in.Number(), number);
  for (const int64_t number : signs) EXPECT_EQ(in.Signed(), number);
  for (const std::string& text : texts) EXPECT_EQ(in.String(), text);
  EXPECT_TRUE(in.finished());
}

TEST(Bytes, WhatIsMissingIsNoticed) {
  EXPECT_FALSE(ByteReader("x").finished());
  for (const std::string& bytes :
       {std::string(), std::string("\x80", 1), std::string(10, '\xff'),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), std::string(20, '\x80')}) {
    ByteReader in(bytes);
    EXPECT_EQ(in.Number(), 0u);
    EXPECT_FALSE(in.ok());
    EXPECT_FALSE(in.finished());
  }
  ByteReader in("\x05hell");
  EXPECT_EQ(in.String(), "");
  EXPECT_FALSE(in.ok());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
