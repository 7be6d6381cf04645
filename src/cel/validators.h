// What Kubernetes checks besides types: literals that cannot be converted, patterns that do not
// compile, lists of mixed types, and format strings that do not fit their arguments.
#pragma once

#include "cel/ast.h"
#include "cel/issues.h"

namespace berth::cel {

// Adds an issue for each violation. `ast` has passed the checker.
void Validate(const Ast& ast, Issues& issues);

}  // namespace berth::cel
