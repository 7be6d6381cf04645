#include "scheduler/recording/file_format.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace berth::scheduler::recording {
namespace BERTH_TEST_FILE {

TEST(Compression, PiecesRoundTrip) {
  const std::vector<std::string> pieces = {"first", std::string(100'000, 'x'), "first",
                                           std::string("\0\xff", 2)};
  Deflater deflater;
  Inflater inflater;
  for (const std::string& piece : pieces) {
    const auto unpacked = inflater.Decompress(deflater.Compress(piece), 1 << 20);
    ASSERT_TRUE(unpacked.has_value());
    EXPECT_EQ(*unpacked, piece);
  }
}

// zlib's output arrives in chunks; no length is special.
TEST(Compression, PiecesOfAnyLengthRoundTrip) {
  Random random(1);
  Deflater deflater;
  Inflater inflater;
  for (size_t size = 4050; size < 4150; ++size) {
    std::string piece;
    while (piece.size() < size) piece += static_cast<char>(random.Next());
    ASSERT_EQ(inflater.Decompress(deflater.Compress(piece), 1 << 20), piece) << size;
  }
}

TEST(Compression, RepetitionsCostLittle) {
  const std::string text = "topologySpreadConstraints: whenUnsatisfiable: DoNotSchedule";
  Deflater deflater;
  const size_t first = deflater.Compress(text).size();
  EXPECT_LT(deflater.Compress(text).size(), first / 4);
}

TEST(Compression, RefusesOutputBeyondTheLimit) {
  const std::string packed = Deflater().Compress(std::string(1'000'000, '0'));
  EXPECT_LT(packed.size(), 2000u);
  EXPECT_TRUE(Inflater().Decompress(packed, 1'000'000).has_value());
  EXPECT_FALSE(Inflater().Decompress(packed, 999'999).has_value());
}

TEST(Compression, RefusesOtherInput) {
  EXPECT_FALSE(Inflater().Decompress("\xff\xff\xff", 1000).has_value());
  // The end of a stream, which a Deflater never writes.
  EXPECT_FALSE(Inflater().Decompress(std::string("\x03\x00", 2), 1000).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::recording
