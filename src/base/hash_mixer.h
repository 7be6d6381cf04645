// HashMixer combines small integers, such as ids, into the hash of a key.
//
// Not for what strangers choose: see base/string_hash.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth {

class HashMixer {
 public:
  explicit HashMixer(uint64_t first = 0) : hash_(first) {}

  void Add(uint64_t value) { hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15ULL; }
  // The multiplication leaves the low bits the weakest; tables use them.
  size_t hash() const { return hash_ ^ (hash_ >> 29); }

 private:
  uint64_t hash_;
};

}  // namespace berth
