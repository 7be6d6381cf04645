#include "base/string_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

// Returns strings of 16 bytes with one std::hash, which is MurmurHash64A with a known seed: the
// second word undoes what the first one did.
std::vector<std::string> Colliding(size_t count) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr uint64_t kInverse = 0x5f7a0ea7e59b19bd;  // Of the multiplier, modulo 2^64.
  constexpr uint64_t kSeed = 0xc70f6907;
  constexpr int kShift = 47;
  auto mix = [](uint64_t word) {
    word *= kMultiplier;
    word ^= word >> kShift;
    return word * kMultiplier;
  };
  auto unmix = [](uint64_t word) {
    word *= kInverse;
    word ^= word >> kShift;
    return word * kInverse;
  };
  std::vector<std::string> result;
  for (uint64_t first = 0; first < count; ++first) {
    const uint64_t state = ((kSeed ^ (16 * kMultiplier)) ^ mix(first)) * kMultiplier;
    const uint64_t words[] = {first, unmix(state)};
    result.emplace_back(16, '\0');
    std::memcpy(result.back().data(), words, sizeof words);
  }
  return result;
}

TEST(StringHash, SpreadsStringsThatCollideElsewhere) {
  const std::vector<std::string> strings = Colliding(1000);
  std::set<size_t> standard;
  std::set<size_t> hashes;
  for (const std::string& text : strings) {
    standard.insert(std::hash<std::string>()(text));
    hashes.insert(StringHash()(text));
  }
  EXPECT_EQ(standard.size(), 1u) << "these strings do not collide; the test shows nothing";
  EXPECT_EQ(hashes.size(), strings.size());
}

TEST(StringHash, CoversEveryByteAndTheLength) {
  std::set<size_t> hashes;
  size_t count = 0;
  for (size_t size = 0; size < 40; ++size) {
    const std::string text(size, '\0');
    hashes.insert(StringHash()(text));
    ++count;
    EXPECT_EQ(StringHash()(text), StringHash()(std::string(text)));
    for (size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = 'x';
      hashes.insert(StringHash()(other));
      ++count;
    }
  }
  EXPECT_EQ(hashes.size(), count);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
