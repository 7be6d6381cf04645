#include "cel/operator_tokens.h"

#include "cel/operators.h"

namespace berth::cel {

std::string_view RelationOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kLess:
      return operators::kLess;
    case TokenKind::kLessEquals:
      return operators::kLessEquals;
    case TokenKind::kGreater:
      return operators::kGreater;
    case TokenKind::kGreaterEquals:
      return operators::kGreaterEquals;
    case TokenKind::kEquals:
      return operators::kEquals;
    case TokenKind::kNotEquals:
      return operators::kNotEquals;
    case TokenKind::kIn:
      return operators::kIn;
    default:
      return {};
  }
}

int CalculationPrecedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::kStar:
    case TokenKind::kSlash:
    case TokenKind::kPercent:
      return 2;
    case TokenKind::kPlus:
    case TokenKind::kMinus:
      return 1;
    default:
      return 0;
  }
}

std::string_view CalculationOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kStar:
      return operators::kMultiply;
    case TokenKind::kSlash:
      return operators::kDivide;
    case TokenKind::kPercent:
      return operators::kModulo;
    case TokenKind::kPlus:
      return operators::kAdd;
    default:
      return operators::kSubtract;
  }
}

}  // namespace berth::cel
