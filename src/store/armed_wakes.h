// ArmedWakes is the set of readers that have read everything and want to be called at the next
// event.
//
// Not thread-safe but for Wake::call, which is called without the store's lock. All O(1), but for
// TakeAll.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace berth::store {

struct Wake {
  std::function<void()> call;  // May be null.
  bool armed = false;
  size_t slot = 0;  // In ArmedWakes, if armed.
};

class ArmedWakes {
 public:
  void Arm(const std::shared_ptr<Wake>& wake);
  void Disarm(Wake& wake);
  // Disarms all and appends them to `out`.
  void TakeAll(std::vector<std::shared_ptr<Wake>>& out);

 private:
  std::vector<std::shared_ptr<Wake>> armed_;
};

}  // namespace berth::store
