// ChangeLog records, on the engine's thread, what the engine hears and decides, for the mirror to
// catch up with (mirror.h).
//
// While it is closed it only counts. It closes itself when nobody takes for too long what it has
// recorded, so that its memory is bounded: the mirror then copies the model again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "api/meta.h"
#include "api/object_fwd.h"
#include "runtime/engine_driver.h"

namespace berth::inspect {

class ChangeLog final : public runtime::EngineTap {
 public:
  // Some seconds of a large cluster: a change takes about a hundred bytes besides the object.
  static constexpr size_t kMaxChanges = 65'536;

  struct Changes {
    std::vector<api::ObjectChange> objects;  // In order; without pods.
    std::vector<api::ObjectKey> pods;        // That changed, with repetitions.
  };

  // Starts recording from now on. Any thread.
  void Open();
  // Returns what was recorded since the last call; nothing if it has closed. Any thread.
  std::optional<Changes> Take();
  void Close();

  // Counts everything that the engine heard or decided. Any thread.
  uint64_t sequence() const { return sequence_.load(std::memory_order_relaxed); }

  void OnEvent(const scheduler::engine::Event& event) override;
  void OnDecision(const scheduler::engine::Decision& decision) override;

 private:
  void Count() { sequence_.fetch_add(1, std::memory_order_relaxed); }
  template <typename Add>
  void Record(Add add);

  std::atomic<uint64_t> sequence_ = 0;
  std::atomic<bool> open_ = false;
  std::mutex mutex_;  // Guards the members below.
  Changes changes_;
};

}  // namespace berth::inspect
