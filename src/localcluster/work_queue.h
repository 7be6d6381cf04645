// WorkQueue holds the keys that a controller has yet to sync: each at most once, due now or at an
// instant.
//
// A key may be held until the controller's own writes have been observed, so that a controller
// never acts on state that it knows to be stale. All operations are O(log n).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apiserver/store/stored_object.h"
#include "base/time.h"

namespace berth::localcluster {

using apiserver::store::ObjectName;

struct NameHash {
  size_t operator()(const ObjectName& name) const {
    const size_t first = std::hash<std::string>()(name.namespace_);
    return first * 31 + std::hash<std::string>()(name.name);
  }
};

class WorkQueue {
 public:
  void Add(const ObjectName& key);
  // Queues the key at `at`. A key has one timer: the earlier instant wins.
  void AddAt(const ObjectName& key, Instant at);
  // Queues the key with a backoff that doubles with every failure until Succeeded.
  void AddAfterFailure(const ObjectName& key, Instant now);
  void Succeeded(const ObjectName& key) { failures_.erase(key); }
  // Drops the key's timer and failure count, for an object that is gone.
  void Forget(const ObjectName& key);

  // Makes Pop withhold `key` until events up to `version` have been observed.
  void Hold(const ObjectName& key, apiserver::store::Version version);

  // Returns the next key to sync, given the time and the version up to which events were observed.
  std::optional<ObjectName> Pop(Instant now, apiserver::store::Version seen);
  std::optional<Instant> NextDue() const;

  size_t size() const { return queued_.size() + timers_.size() + held_.size() + failures_.size(); }

 private:
  std::deque<ObjectName> ready_;
  std::unordered_set<ObjectName, NameHash> queued_;  // In ready_ or blocked_.
  std::set<std::pair<Instant, ObjectName>> timers_;
  std::unordered_map<ObjectName, Instant, NameHash> timer_of_;
  std::unordered_map<ObjectName, apiserver::store::Version, NameHash> held_;
  std::multimap<apiserver::store::Version, ObjectName>
      blocked_;  // Due, but held until that version.
  std::unordered_map<ObjectName, int, NameHash> failures_;
};

}  // namespace berth::localcluster
