// Id<Tag> is a dense index with a type of its own, so that indexes of different tables do not mix.
//
// Tables assign ids from 0 upwards, so that they index vectors.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace berth {

template <typename Tag>
struct Id {
  uint32_t value = kNone;

  static constexpr uint32_t kNone = UINT32_MAX;

  constexpr bool valid() const { return value != kNone; }
  constexpr size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace berth

template <typename Tag>
struct std::hash<berth::Id<Tag>> {
  size_t operator()(berth::Id<Tag> id) const noexcept { return id.value; }
};
