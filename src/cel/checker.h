// The type checker: finds the type of each part of an expression and the functions that it calls.
#pragma once

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/issues.h"
#include "cel/type.h"

namespace berth::cel {

// Sets the types and references of `ast`, which has a root, and adds an issue for each part that
// does not check. `types` must have those of the environment as its parent, and outlive the ast.
void Check(Ast& ast, const Environment& environment, TypePool& types, Issues& issues);

}  // namespace berth::cel
