// The estimated cost of calls and the sizes of their results.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/cost_estimate.h"
#include "cel/cost_range.h"
#include "cel/declarations.h"

namespace berth::cel {

// What the estimate knows about an argument.
struct EstimatedNode {
  const Expr* expr = nullptr;
  std::vector<std::string_view> path;  // Empty if it is no part of a variable.
  std::optional<CostRange> size;

  CostRange size_or_unknown() const { return size.value_or(CostRange::Unknown()); }
};

struct CallEstimate {
  CostRange cost;  // Without that of the arguments.
  std::optional<CostRange> result_size;
};

// Estimates a call of an overload. `target` is the receiver, or nullptr.
CallEstimate EstimateCall(const Function& function, const Overload& overload,
                          const EstimatedNode* target, std::span<const EstimatedNode> args,
                          const SizeLimit& size_limit);

}  // namespace berth::cel
