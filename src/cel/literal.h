// The values of literals.
#pragma once

#include "base/result.h"
#include "cel/arena.h"
#include "cel/lexer.h"
#include "cel/value.h"

namespace berth::cel {

// Returns the value of a literal, with a minus before it if `negative`. Texts are copied to
// `arena`. Fails for a number that is out of range and for an escape that is no code point.
Result<Value> LiteralValue(const Token& token, bool negative, Arena& arena);

}  // namespace berth::cel
