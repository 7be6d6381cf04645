#include "cmd/object_files.h"

#include <gtest/gtest.h>

#include <memory>

namespace berth::cmd {
namespace BERTH_TEST_FILE {

TEST(ReadStreamTest, AnEndlessInputFails) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> zeros(std::fopen("/dev/zero", "rb"),
                                                              std::fclose);
  ASSERT_NE(zeros, nullptr);
  const auto text = ReadStream(zeros.get(), "-f /dev/zero", 1'000'000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "-f /dev/zero: larger than 1000000 bytes");
}

TEST(ReadStreamTest, TheLargestInputIsRead) {
  std::string bytes(1'000'000, 'x');
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      fmemopen(bytes.data(), bytes.size(), "rb"), std::fclose);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(ReadStream(file.get(), "a", bytes.size()).value_or(""), bytes);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cmd
