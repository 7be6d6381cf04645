#include "base/bitset.h"

#include "base/vectorised.h"

namespace berth {
namespace {

// Without an instruction for it, counting the bits of a word is a call.
BERTH_VECTORISED
size_t CountBits(const uint64_t* words, size_t size) {
  size_t count = 0;
  for (size_t w = 0; w < size; ++w) count += static_cast<size_t>(std::popcount(words[w]));
  return count;
}

}  // namespace

size_t Bitset::Count() const {
  return begin_ < end_ ? CountBits(words_.data() + begin_, end_ - begin_) : 0;
}

}  // namespace berth
