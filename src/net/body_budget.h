// BodyBudget bounds the bytes of request bodies that a server holds, over all its connections, from
// their arrival until their exchanges end.
//
// May be used on any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace berth::net {

class BodyBudget {
 public:
  explicit BodyBudget(size_t limit) : limit_(limit) {}

  // Takes `bytes` and returns true, or takes nothing if fewer are left.
  bool Take(size_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= limit_) return true;
    Return(bytes);
    return false;
  }
  void Return(size_t bytes) { used_.fetch_sub(bytes); }

  size_t used() const { return used_.load(); }

 private:
  const size_t limit_;
  std::atomic<size_t> used_ = 0;
};

// BodyShare is the part of a budget that one request holds. It is returned on destruction.
class BodyShare {
 public:
  // Without a budget there is no bound.
  explicit BodyShare(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
  ~BodyShare() {
    if (budget_ != nullptr) budget_->Return(bytes_);
  }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  // Returns false, and changes nothing, if the budget has fewer than `bytes` left.
  bool Grow(size_t bytes) {
    if (budget_ != nullptr && !budget_->Take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }

 private:
  const std::shared_ptr<BodyBudget> budget_;
  size_t bytes_ = 0;
};

}  // namespace berth::net
