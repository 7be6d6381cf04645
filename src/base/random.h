// Random is a seeded generator (SplitMix64): the same seed gives the same numbers on every machine,
// which the distributions of <random> do not guarantee.
#pragma once

#include <cstdint>

namespace berth {

__extension__ using Uint128 = unsigned __int128;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Returns a number in [0, bound). `bound` must be positive.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<Uint128>(Next()) * bound) >> 64);
  }

  // Returns true with a probability of `percent` in 100.
  bool Chance(unsigned percent) { return Below(100) < percent; }

 private:
  uint64_t state_;
};

}  // namespace berth
