// Id<Tag> is a dense index that cannot be mixed up with the index of something else.
//
// Ids are handed out by tables, start at 0 and stay small, so that they index vectors.
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
