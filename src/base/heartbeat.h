// Heartbeat shows other threads whether a thread that works in pieces still ends them.
//
// The thread beats whenever it ends a piece of work, however long the whole takes, and rests while
// it has nothing to do.
#pragma once

#include <atomic>
#include <cstdint>

namespace berth {

class Heartbeat {
 public:
  // --- on the thread ---

  // A piece of work has ended; the next begins. Costs a store.
  void Beat() {
    beats_.store(beats_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void Rest() { resting_.store(true, std::memory_order_relaxed); }
  void Wake() {
    Beat();
    resting_.store(false, std::memory_order_relaxed);
  }

  // --- on any thread ---

  uint64_t beats() const { return beats_.load(std::memory_order_relaxed); }
  bool resting() const { return resting_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> beats_ = 0;
  std::atomic<bool> resting_ = true;
};

}  // namespace berth
