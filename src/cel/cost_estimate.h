// The estimate of what an expression costs at most. The API server refuses expressions whose
// estimate exceeds the limit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "cel/ast.h"

namespace berth::cel {

// Returns the largest size of a part of a variable: the path begins with the variable's name,
// followed by fields and, for the parts of maps, @keys and @values. nullopt if it has no limit.
using SizeLimit = std::function<std::optional<uint64_t>(std::span<const std::string_view> path)>;

// `ast` has passed the checker. Returns the most that an evaluation costs; UINT64_MAX if there is
// no limit.
uint64_t EstimateCost(const Ast& ast, const SizeLimit& size_limit);

}  // namespace berth::cel
