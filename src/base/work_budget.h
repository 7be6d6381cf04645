// WorkBudget limits the work of one computation whose input strangers choose, such as a search.
//
// The computation itself counts what it does, in units that it documents, inside its innermost
// loops. No clock is read: the same input ends at the same place on every machine.
#pragma once

#include <cstdint>

namespace berth {

class WorkBudget {
 public:
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  explicit constexpr WorkBudget(uint64_t limit = kUnlimited) : limit_(limit) {}

  // Counts `work`. Returns whether all that was counted is within the limit; once it is not, it
  // never is again.
  constexpr bool Spend(uint64_t work) {
    spent_ = work > UINT64_MAX - spent_ ? UINT64_MAX : spent_ + work;
    return spent_ <= limit_;
  }
  // Counts so much that the limit is exceeded: the rest is known to be beyond it.
  constexpr void Exhaust() {
    if (limit_ != kUnlimited && spent_ <= limit_) spent_ = limit_ + 1;
  }

  constexpr bool exceeded() const { return spent_ > limit_; }
  constexpr uint64_t spent() const { return spent_; }
  constexpr uint64_t left() const { return exceeded() ? 0 : limit_ - spent_; }

 private:
  uint64_t limit_;
  uint64_t spent_ = 0;
};

}  // namespace berth
