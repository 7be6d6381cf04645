// Past undoes events: it says what a collection was before them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "store/history.h"
#include "store/object.h"

namespace berth::store {

class Past {
 public:
  struct Change {
    ObjectPtr before;         // Null: there was none.
    bool exists_now = false;  // After all the events.
  };

  Past() = default;
  // `events` are all that followed the past, oldest first; of those, the ones about names in
  // `namespace_` (nothing: all) that are greater than `after` count.
  Past(std::span<const History::Stretch> events, const std::optional<std::string>& namespace_,
       const std::optional<ObjectName>& after);

  // The objects that differ, by name.
  const std::map<ObjectName, Change>& changes() const { return changes_; }

 private:
  std::map<ObjectName, Change> changes_;
};

}  // namespace berth::store
