// Macros: calls that the parser replaces by other expressions, such as has, all and cel.bind.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/issues.h"

namespace berth::cel {

struct MacroCall {
  Ast& ast;
  Issues& issues;
  size_t position;  // Of everything that the macro adds.
  std::string_view name;
  Expr* target;  // nullptr for a global call.
  const std::vector<Expr*>& args;
  bool has_bind;  // cel.bind is a macro.
};

// Returns the expression that a call stands for, or nullopt if it is no macro. A macro with wrong
// arguments adds an issue, and stands for something that does not matter.
std::optional<Expr*> ExpandMacro(const MacroCall& call);

// The accumulator of a loop: no identifier of an expression has this name.
inline constexpr std::string_view kAccumulator = "@result";

}  // namespace berth::cel
