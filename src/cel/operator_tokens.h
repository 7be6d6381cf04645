// Which functions the binary operators of the grammar stand for.
#pragma once

#include <string_view>

#include "cel/lexer.h"

namespace berth::cel {

// Returns the function of < == in and so on; empty for other tokens.
std::string_view RelationOperator(TokenKind kind);

// Returns how tightly an operator of arithmetic binds; 0 for other tokens.
int CalculationPrecedence(TokenKind kind);
// Returns the function of an operator of arithmetic.
std::string_view CalculationOperator(TokenKind kind);

}  // namespace berth::cel
