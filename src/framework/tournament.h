// Tournament finds the highest of many totals, and among equals the first, at the cost of those
// that changed: the winners of all matches are kept.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace berth {

class Tournament {
 public:
  // Starts over: place i has totals[order(i)]. O(n).
  template <typename TotalAt>  // int32_t(size_t place)
  void Start(size_t places, TotalAt total_at) {
    size_ = std::bit_ceil(places == 0 ? 1 : places);
    best_.assign(2 * size_, INT32_MIN);
    for (size_t place = 0; place < places; ++place) best_[size_ + place] = total_at(place);
    for (size_t match = size_ - 1; match > 0; --match) Play(match);
  }

  // O(log n), less if nothing comes of it.
  void Set(size_t place, int32_t total) {
    size_t match = size_ + place;
    best_[match] = total;
    for (match /= 2; match > 0; match /= 2) {
      const int32_t before = best_[match];
      Play(match);
      if (best_[match] == before) return;
    }
  }

  // The highest total. Start comes first.
  int32_t highest() const { return best_[1]; }
  // The first place that has it. O(log n).
  size_t winner() const {
    size_t match = 1;
    while (match < size_) {
      match *= 2;
      if (best_[match] != best_[1]) ++match;
    }
    return match - size_;
  }

 private:
  void Play(size_t match) {
    best_[match] =
        best_[2 * match] < best_[2 * match + 1] ? best_[2 * match + 1] : best_[2 * match];
  }

  size_t size_ = 1;                                  // A power of two.
  std::vector<int32_t> best_{INT32_MIN, INT32_MIN};  // Of each match; places come from size_ on.
};

}  // namespace berth
