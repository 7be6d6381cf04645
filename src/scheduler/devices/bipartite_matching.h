// Reports whether each item can have an option of its own, as bits of `options`: rows of equal
// length. Calls spend(work) for what it does, and gives up with true if that returns false.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::scheduler::devices {

template <typename Spend>  // bool(uint64_t work)
class BipartiteMatching {
 public:
  BipartiteMatching(const std::vector<std::vector<uint64_t>>& rows,
                    const std::vector<uint32_t>& row_of_item, Spend& spend)
      : rows_(rows), row_of_item_(row_of_item), spend_(spend) {
    const size_t words = rows.empty() ? 0 : rows[0].size();
    free_.assign(words, ~uint64_t{0});
    visited_.resize(words);
    item_of_.resize(words * 64);
  }

  bool Exists() {
    for (uint32_t item = 0; item < row_of_item_.size(); ++item) {
      visited_.assign(visited_.size(), 0);
      if (!Place(item)) return gave_up_;
    }
    return true;
  }

 private:
  // Gives the item a free option, or one whose item can have another.
  bool Place(uint32_t item) {
    const std::vector<uint64_t>& row = rows_[row_of_item_[item]];
    if (!spend_(row.size())) {
      gave_up_ = true;
      return false;
    }
    for (size_t w = 0; w < row.size(); ++w) {
      if (const uint64_t free = row[w] & free_[w]; free != 0) {
        free_[w] &= ~(free & -free);
        item_of_[w * 64 + static_cast<size_t>(std::countr_zero(free))] = item;
        return true;
      }
    }
    for (size_t w = 0; w < row.size(); ++w) {
      for (uint64_t rest = row[w] & ~visited_[w]; rest != 0; rest = row[w] & ~visited_[w]) {
        const size_t option = w * 64 + static_cast<size_t>(std::countr_zero(rest));
        visited_[w] |= rest & -rest;
        if (Place(item_of_[option])) {
          item_of_[option] = item;
          return true;
        }
        if (gave_up_) return false;
      }
    }
    return false;
  }

  const std::vector<std::vector<uint64_t>>& rows_;
  const std::vector<uint32_t>& row_of_item_;
  Spend& spend_;
  std::vector<uint64_t> free_, visited_;
  std::vector<uint32_t> item_of_;  // By option that is not free.
  bool gave_up_ = false;
};

}  // namespace berth::scheduler::devices
