// Bitset is a set of small integers, one bit each, sized at run time.
//
// Operations on two sets require equal sizes. Bits beyond size() are always zero, so that counting
// and comparing work on whole words. A set whose members are close to each other costs their range,
// not its size: words outside of a range that grows with each member are known to be zero.
#pragma once

#include <algorithm>
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
    end_ = std::min(end_, words_.size());
    if (value && old_size < size) {
      Cover(old_size / 64, words_.size());
      if (old_size % 64 != 0) words_[old_size / 64] |= ~uint64_t{0} << (old_size % 64);
    }
    ClearTail();
  }

  bool Test(size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void Set(size_t i) {
    words_[i / 64] |= uint64_t{1} << (i % 64);
    Cover(i / 64, i / 64 + 1);
  }
  // Adds the elements index_of(item) of all items.
  template <typename Items, typename IndexOf>
  void SetEach(const Items& items, IndexOf&& index_of) {
    for (const auto& item : items) {
      const size_t i = index_of(item);
      words_[i / 64] |= uint64_t{1} << (i % 64);
    }
    Cover(0, words_.size());
  }
  void Clear(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  void Assign(size_t i, bool value) { value ? Set(i) : Clear(i); }

  void ClearAll() {
    for (size_t w = begin_; w < end_; ++w) words_[w] = 0;
    begin_ = SIZE_MAX;
    end_ = 0;
  }
  void SetAll() {
    words_.assign(words_.size(), ~uint64_t{0});
    Cover(0, words_.size());
    ClearTail();
  }

  bool None() const {
    for (size_t w = begin_; w < end_; ++w) {
      if (words_[w] != 0) return false;
    }
    return true;
  }

  size_t Count() const;

  Bitset& operator&=(const Bitset& other) {
    KeepByWord([&](size_t w) { return other.words_[w]; });
    return *this;
  }
  Bitset& operator|=(const Bitset& other) {
    for (size_t w = other.begin_; w < other.end_; ++w) words_[w] |= other.words_[w];
    Cover(other.begin_, other.end_);
    return *this;
  }
  // Removes the members of `other`.
  Bitset& operator-=(const Bitset& other) {
    for (size_t w = other.begin_; w < other.end_; ++w) words_[w] &= ~other.words_[w];
    return *this;
  }
  friend bool operator==(const Bitset& a, const Bitset& b) {
    return a.size_ == b.size_ && a.words_ == b.words_;
  }

  // Calls visit(i) for each member, in rising order. `visit` may clear the member it is given.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (size_t w = begin_; w < end_; ++w) {
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
    for (size_t w = begin_; w < end_; ++w) {
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

  // Removes, from each word that may have members, those that are not in keep(its index).
  template <typename Keep>  // uint64_t(size_t word)
  void KeepByWord(Keep&& keep) {
    for (size_t w = begin_; w < end_; ++w) words_[w] &= keep(w);
  }

  // The members in the words from `begin` to `end`.
  Bitset Part(size_t begin, size_t end) const {
    Bitset part(size_);
    for (size_t w = std::max(begin, begin_); w < std::min(end, end_); ++w)
      part.words_[w] = words_[w];
    part.Cover(begin, end);
    return part;
  }

  const std::vector<uint64_t>& words() const { return words_; }
  // Adds some of the 64 elements of a word.
  void SetInWord(size_t w, uint64_t members) {
    words_[w] |= members;
    Cover(w, w + 1);
  }

 private:
  static constexpr uint64_t kFull = ~uint64_t{0};

  void ClearTail() {
    if (size_ % 64 != 0) words_.back() &= ~(~uint64_t{0} << (size_ % 64));
  }
  // There may be members in the words from `begin` to `end`.
  void Cover(size_t begin, size_t end) {
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, end);
  }

  std::vector<uint64_t> words_;
  size_t size_ = 0;
  // All other words are zero.
  size_t begin_ = SIZE_MAX, end_ = 0;
};

}  // namespace berth
