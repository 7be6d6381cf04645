#include "scheduler/engine/events.h"

#include <utility>

namespace berth::scheduler::engine {

void AppendEvents(std::vector<api::ObjectChange> changes, std::vector<Event>& out) {
  out.reserve(out.size() + changes.size());
  for (api::ObjectChange& change : changes) {
    std::visit([&](auto& object) { out.emplace_back(std::move(object)); }, change);
  }
}

}  // namespace berth::scheduler::engine
