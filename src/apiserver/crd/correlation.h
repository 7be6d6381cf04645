// Which values of an object before an update correspond to those after it.
#pragma once

#include <map>
#include <string>

#include "api/json/json.h"

namespace berth::apiserver::crd {

struct Schema;

// OldItems finds the items that a list had before an update. Only lists of type map identify their
// items, by their keys. The documents must outlive it.
class OldItems {
 public:
  // `old` is the list before the update, or null.
  OldItems(const Schema& list, const api::Json* old);

  // Returns the old item with the keys of `item`, or null.
  const api::Json* Find(const api::Json& item) const;

 private:
  const Schema& list_;
  std::map<std::string, const api::Json*> items_;  // By the keys as JSON.
};

// Reports whether a value is what it was before an update, where the order of lists of type map
// does not matter. Members that the schema lacks count as changed.
bool IsUnchanged(const Schema& schema, const api::Json& value, const api::Json& old);

}  // namespace berth::apiserver::crd
