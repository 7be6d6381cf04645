#include "store/listing.h"

namespace berth::store {

ListResult MakeList(const ListQuery& query, ObjectTable::Snapshot now, const Past& past) {
  ListResult result;
  if (query.limit == 0 && !query.matches) result.objects.reserve(now.remaining());
  const auto full = [&] { return query.limit != 0 && result.objects.size() == query.limit; };
  const auto take = [&](const ObjectPtr& object) {
    if (!query.matches || query.matches(*object)) result.objects.push_back(object);
  };

  auto change = past.changes().begin();
  const auto changes_end = past.changes().end();
  // Takes what the past had before `name` (null: to the end) and the present has not.
  const auto take_gone = [&](const ObjectName* name) {
    while (change != changes_end && !full() && (name == nullptr || change->first < *name)) {
      if (change->second.before != nullptr) take(change->second.before);
      ++change;
    }
  };

  // One object is held back, as the past may have others before it.
  const ObjectPtr* next = full() ? nullptr : now.Next();
  while (next != nullptr) {
    const Object& object = **next;
    take_gone(&object.key);
    if (full()) break;
    if (change != changes_end && change->first == object.key) {
      if (change->second.before != nullptr) take(change->second.before);
      ++change;
    } else {
      take(*next);
    }
    next = full() ? nullptr : now.Next();
  }
  const size_t held_back = next != nullptr ? 1 : 0;
  if (!full()) take_gone(nullptr);

  // What is left of the present, put right by what is left of the changes.
  result.remaining = now.remaining() + held_back;
  for (; change != changes_end; ++change) {
    if (change->second.before != nullptr) ++result.remaining;
    if (change->second.exists_now) --result.remaining;
  }
  result.more = result.remaining > 0;
  return result;
}

}  // namespace berth::store
