#include "store/past.h"

namespace berth::store {

Past::Past(std::span<const History::Stretch> events, const std::optional<std::string>& namespace_,
           const std::optional<ObjectName>& after) {
  for (const History::Stretch& stretch : events) {
    for (size_t i = stretch.begin; i < stretch.end; ++i) {
      const Event& event = (*stretch.chunk)[i];
      const ObjectName& name = event.object->key;
      if (namespace_ && name.namespace_ != *namespace_) continue;
      if (after && name <= *after) continue;
      // The first event of a name says what was before all of them.
      const auto [at, added] = changes_.try_emplace(name);
      if (added) at->second.before = event.previous;
      at->second.exists_now = event.type != EventType::kDeleted;
    }
  }
}

}  // namespace berth::store
