// Bitset is a set of small integers, one bit each, sized at run time.
//
// Operations on two sets require equal sizes. Bits beyond size() are always zero, so that counting
// and comparing work on whole words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth {

class Bitset {
 public:
  Bitset() = default;
  explicit Bitset(size_t size, bool value = false) { Resize(size, value); }

  size_t size() const { return size_; }

  // Changes the size; new bits get `value`.
  void Resize(size_t size, bool value = false) {
    const size_t old_size = size_;
    words_.resize((size + 63) / 64, value ? ~uint64_t{0} : 0);
    size_ = size;
    if (value && old_size < size && old_size % 64 != 0) {
      words_[old_size / 64] |= ~uint64_t{0} << (old_size % 64);
    }
    ClearTail();
  }

  bool Test(size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void Set(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void Clear(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  void Assign(size_t i, bool value) { value ? Set(i) : Clear(i); }

  void ClearAll() { words_.assign(words_.size(), 0); }
  void SetAll() {
    words_.assign(words_.size(), ~uint64_t{0});
    ClearTail();
  }

  bool None() const {
    for (uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  size_t Count() const {
    size_t count = 0;
    for (uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }

  Bitset& operator&=(const Bitset& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  Bitset& operator|=(const Bitset& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  // Removes the members of `other`.
  Bitset& operator-=(const Bitset& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend bool operator==(const Bitset&, const Bitset&) = default;

  // Calls visit(i) for each member, in rising order. `visit` may clear the member it is given.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      uint64_t word = words_[w];
      if (word == kFull) {  // A loop that the compiler can unroll and vectorise.
        for (size_t bit = 0; bit < 64; ++bit) visit(w * 64 + bit);
        continue;
      }
      for (; word != 0; word &= word - 1) {
        visit(w * 64 + static_cast<size_t>(std::countr_zero(word)));
      }
    }
  }

  // Removes the members for which keep(i) is false.
  template <typename Keep>
  void KeepIf(Keep&& keep) {
    for (size_t w = 0; w < words_.size(); ++w) {
      uint64_t word = words_[w];
      if (word == kFull) {
        word = 0;
        for (size_t bit = 0; bit < 64; ++bit) word |= uint64_t{keep(w * 64 + bit)} << bit;
        words_[w] = word;
        continue;
      }
      for (uint64_t rest = word; rest != 0; rest &= rest - 1) {
        const auto bit = static_cast<size_t>(std::countr_zero(rest));
        if (!keep(w * 64 + bit)) word &= ~(uint64_t{1} << bit);
      }
      words_[w] = word;
    }
  }

  const std::vector<uint64_t>& words() const { return words_; }
  std::vector<uint64_t>& words() { return words_; }

 private:
  static constexpr uint64_t kFull = ~uint64_t{0};

  void ClearTail() {
    if (size_ % 64 != 0) words_.back() &= ~(~uint64_t{0} << (size_ % 64));
  }

  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

}  // namespace berth
