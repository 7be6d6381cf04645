// Watch is how a scheduler hears of changes: in order for each object, in any order across objects,
// late, and sometimes twice.
//
// It also knows what the scheduler has been told so far, which is all that it can know.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "engine/events.h"
#include "sim/api_model.h"

namespace berth::sim {

class Watch {
 public:
  void Append(const Change& change) { pending_[IdOf(change.object)].push_back(change); }

  bool idle() const { return pending_.empty(); }
  // Tells the next change of some object. There must be one.
  Event Next(Random& random);
  // Tells again what some object was last said to look like; nothing if none is known.
  std::optional<Event> Again(Random& random);

  // The connection was lost and everything is listed anew: each live object is told again, each
  // known one that went meanwhile as gone.
  std::vector<Event> Relist();
  // A new scheduler lists everything. Some of it is not the latest: the rest follows by Next.
  std::vector<Event> FirstList(Random& random);

  // Objects as the scheduler was told last.
  const std::map<ObjectId, api::Object>& told() const { return told_; }
  template <typename T>
  api::Ref<T> Told(const api::ObjectKey& key) const {
    const auto found = told_.find(IdOf<T>(key));
    return found == told_.end() ? nullptr : As<T>(found->second);
  }

 private:
  using Pending = std::map<ObjectId, std::deque<Change>>;

  Event Tell(const Change& change);

  Pending pending_;  // None is empty.
  std::map<ObjectId, api::Object> told_;
};

}  // namespace berth::sim
