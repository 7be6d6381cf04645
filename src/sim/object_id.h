// ObjectId names an object among all kinds.
#pragma once

#include <cstddef>
#include <string>

#include "api/object.h"

namespace berth::sim {

struct ObjectId {
  size_t kind = 0;  // Its place in api::Object.
  api::ObjectKey key;

  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

inline ObjectId IdOf(const api::Object& object) { return {object.index(), api::KeyOf(object)}; }

template <typename T>
ObjectId IdOf(api::ObjectKey key) {
  return {api::Object(std::in_place_type<api::Ref<T>>).index(), std::move(key)};
}

inline api::ObjectKey KeyOf(const api::ObjectMeta& meta) { return {meta.namespace_, meta.name}; }

// The object as a T; nullptr if it is of another kind.
template <typename T>
api::Ref<T> As(const api::Object& object) {
  const auto* ref = std::get_if<api::Ref<T>>(&object);
  return ref == nullptr ? nullptr : *ref;
}

}  // namespace berth::sim
