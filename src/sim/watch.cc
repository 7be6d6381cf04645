#include "sim/watch.h"

#include <iterator>

namespace berth::sim {
namespace {

template <typename Map>
auto Any(Map& map, Random& random) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(random.Below(map.size())));
}

}  // namespace

Event Watch::Tell(const Change& change) {
  const ObjectId id = IdOf(change.object);
  if (change.gone) {
    told_.erase(id);
    return ObjectGone{change.object};
  }
  told_.insert_or_assign(id, change.object);
  return ObjectPut{change.object};
}

Event Watch::Next(Random& random) {
  const auto object = Any(pending_, random);
  const Change change = std::move(object->second.front());
  object->second.pop_front();
  if (object->second.empty()) pending_.erase(object);
  return Tell(change);
}

std::optional<Event> Watch::Again(Random& random) {
  if (told_.empty()) return std::nullopt;
  return ObjectPut{Any(told_, random)->second};
}

std::vector<Event> Watch::Relist() {
  std::vector<Event> events;
  for (const auto& [id, changes] : std::exchange(pending_, {})) {
    const auto known = told_.find(id);
    if (!changes.back().gone) {
      told_.insert_or_assign(id, changes.back().object);
    } else if (known != told_.end()) {
      events.emplace_back(ObjectGone{known->second});
      told_.erase(known);
    }
  }
  for (const auto& [id, object] : told_) events.emplace_back(ObjectPut{object});
  return events;
}

std::vector<Event> Watch::FirstList(Random& random) {
  for (auto object = pending_.begin(); object != pending_.end();) {
    if (random.Chance(30)) {
      ++object;  // Stale.
    } else {
      Tell(object->second.back());
      object = pending_.erase(object);
    }
  }
  std::vector<Event> events;
  for (const auto& [id, object] : told_) events.emplace_back(ObjectPut{object});
  return events;
}

}  // namespace berth::sim
