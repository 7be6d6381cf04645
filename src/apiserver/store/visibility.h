// Visibility tracks which versions are visible, the callbacks that wait for others, and the failure
// of the journal; PendingWakeups tracks the cursors that wait for the next event.
//
// Not thread-safe. Both return the callbacks that are due; the store calls them without its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::store {

struct Wakeup {
  std::function<void()> call;  // May be null.
  bool armed = false;
  size_t slot = 0;  // In PendingWakeups, if armed.
};

// The wakeups of the cursors that have read everything. All operations are O(1) except TakeAll.
class PendingWakeups {
 public:
  void Arm(const std::shared_ptr<Wakeup>& wake);
  void Disarm(Wakeup& wake);
  // Disarms all and appends them to `out`.
  void TakeAll(std::vector<std::shared_ptr<Wakeup>>& out);

 private:
  std::vector<std::shared_ptr<Wakeup>> armed_;
};

class Visibility {
 public:
  using Done = std::function<void(Status)>;

  explicit Visibility(Version visible) : visible_(visible) {}

  // All versions up to this one are visible.
  Version visible() const { return visible_; }
  const std::optional<Error>& failure() const { return failure_; }

  // Records a write to `collection` that is not yet visible. Versions must increase.
  void Expect(Version version, uint32_t collection) { expected_.emplace_back(version, collection); }
  // Makes everything up to `version` visible. Returns the collections of the writes that become
  // visible, one per write, in order.
  std::vector<uint32_t> Advance(Version version);
  // Removes and returns the callbacks whose versions are visible, in the order of versions.
  std::vector<Done> TakeDue();
  // Records that no further version becomes visible. Removes and returns all callbacks.
  std::vector<Done> Fail(Error error);

  // Returns false if the version is visible or never will be; else moves from `done` and stores it.
  bool Wait(Version version, Done& done);

 private:
  Version visible_;
  std::optional<Error> failure_;
  std::deque<std::pair<Version, uint32_t>> expected_;
  std::multimap<Version, Done> waiting_;
};

}  // namespace berth::apiserver::store
