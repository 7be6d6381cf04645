// PendingWakeups is the set of readers that have read everything and want to be called at the next
// event.
//
// Not thread-safe but for Wakeup::call, which is called without the store's lock. All O(1), but for
// TakeAll.
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

class PendingWakeups {
 public:
  void Arm(const std::shared_ptr<Wakeup>& wake);
  void Disarm(Wakeup& wake);
  // Disarms all and appends them to `out`.
  void TakeAll(std::vector<std::shared_ptr<Wakeup>>& out);

 private:
  std::vector<std::shared_ptr<Wakeup>> armed_;
};

// Visibility knows which versions are visible, who waits for others, and whether the journal has
// failed.
//
// Not thread-safe. It hands out the callbacks that are due; the store calls them without its lock.
class Visibility {
 public:
  using Done = std::function<void(Status)>;

  explicit Visibility(Version visible) : visible_(visible) {}

  // All versions up to this one are visible.
  Version visible() const { return visible_; }
  const std::optional<Error>& failure() const { return failure_; }

  // A write to `collection` that will be visible later. Versions must grow.
  void Expect(Version version, uint16_t collection) { expected_.emplace_back(version, collection); }
  // Everything up to `version` is visible. Returns the collections of the writes that now are, one
  // per write, in order.
  std::vector<uint16_t> Advance(Version version);
  // Takes those who waited for a version that is visible by now, in the order of their versions.
  std::vector<Done> TakeDue();
  // No further version becomes visible. Returns all who wait.
  std::vector<Done> Fail(Error error);

  // False if the version is visible or never will be; else keeps `done`, which is moved from.
  bool Wait(Version version, Done& done);

 private:
  Version visible_;
  std::optional<Error> failure_;
  std::deque<std::pair<Version, uint16_t>> expected_;
  std::multimap<Version, Done> waiting_;
};

}  // namespace berth::apiserver::store
