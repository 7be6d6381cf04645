// Answers a ListQuery from a snapshot of now and the past that was asked for. Needs no lock.
#pragma once

#include "store/object_table.h"
#include "store/past.h"
#include "store/store.h"

namespace berth::store {

// Fills in all but the version. `now` and `past` are those of the query's range.
ListResult MakeList(const ListQuery& query, ObjectTable::Snapshot now, const Past& past);

}  // namespace berth::store
