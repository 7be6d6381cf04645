// The parser of expressions.
#pragma once

#include <memory>
#include <string_view>

#include "cel/ast.h"
#include "cel/issues.h"

namespace berth::cel {

// Parses the source of `ast` and sets its root. Adds an issue if it is no expression, or one that
// is too large or nested too deeply (limits.h).
void Parse(Ast& ast, Issues& issues);

}  // namespace berth::cel
