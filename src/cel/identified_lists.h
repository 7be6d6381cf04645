// Lists that stand for sets and maps: x-kubernetes-list-type in the schemas of custom resources.
//
// Each item has an identity: its key fields in a map, itself in a set. Such lists are equal in any
// order, and a + b replaces or keeps the items that both have.
#pragma once

#include <span>
#include <string_view>

#include "cel/equality.h"
#include "cel/evaluation.h"
#include "cel/value.h"

namespace berth::cel {

struct ListIdentity {
  // The fields that identify an item; empty for sets. They must outlive the list.
  std::span<const std::string_view> key_fields;
};

// `a` has an identity (ListData::identity), which counts for both lists.
Equality EqualIdentified(Evaluation& evaluation, const Value& a, const Value& b);
// Returns `a` with the items of `b`: those that `a` has, too, are replaced in a map and left out in
// a set.
Value JoinIdentified(Evaluation& evaluation, const Value& a, const Value& b);

}  // namespace berth::cel
