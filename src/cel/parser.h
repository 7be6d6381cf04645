// The parser of expressions.
#pragma once

#include <memory>
#include <string_view>

#include "cel/ast.h"
#include "cel/issues.h"

namespace berth::cel {

// Parses the source of `ast` and sets its root. Adds an issue if it is no expression, or one that
// is too large or nested too deeply (limits.h). `has_bind` if cel.bind is a macro.
void Parse(Ast& ast, bool has_bind, Issues& issues);

}  // namespace berth::cel
