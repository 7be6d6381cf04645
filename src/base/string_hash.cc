#include "base/string_hash.h"

#include <sys/random.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace berth {
namespace {

struct HashKey {
  uint64_t low;
  uint64_t high;
};

HashKey RandomHashKey() {
  HashKey key{};
  CHECK(getrandom(&key, sizeof key, 0) == sizeof key);
  return key;
}

uint64_t ReadWord(const char* bytes, size_t count) {
  uint64_t word = 0;
  if (count == 0) return word;  // `bytes` may be null, which memcpy does not accept.
  std::memcpy(&word, bytes, count);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

size_t StringHash::operator()(std::string_view text) const {
  static const HashKey key = RandomHashKey();
  uint64_t v0 = key.low ^ 0x736f6d6570736575;
  uint64_t v1 = key.high ^ 0x646f72616e646f6d;
  uint64_t v2 = key.low ^ 0x6c7967656e657261;
  uint64_t v3 = key.high ^ 0x7465646279746573;
  auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  auto absorb = [&](uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  };

  constexpr size_t kWord = sizeof(uint64_t);
  const char* next = text.data();
  size_t left = text.size();
  for (; left >= kWord; left -= kWord, next += kWord) absorb(ReadWord(next, kWord));
  absorb(ReadWord(next, left) | uint64_t{text.size()} << 56);
  v2 ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace berth
