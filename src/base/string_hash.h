// StringHash is the hash of containers whose keys strangers choose, such as labels and names: with
// std::hash, whose function and seed are known, one object could bring a hundred thousand keys that
// share a bucket, and every lookup would compare them all.
//
// It is SipHash-1-3 with a key that differs in every process. So does the order of a container that
// uses it: no decision may depend on that order.
#pragma once

#include <cstddef>
#include <string_view>

namespace berth {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const;
};

}  // namespace berth
