#include "cel/ast.h"

#include <algorithm>

namespace berth::cel {

Expr* Ast::New(ExprKind kind, size_t position) {
  Expr& expr = nodes_.emplace_back();
  expr.kind = kind;
  expr.position = static_cast<uint32_t>(position);
  return &expr;
}

Expr* Ast::Copy(const Expr& expr) {
  Expr* copy = &nodes_.emplace_back(expr);
  if (copy->target != nullptr) copy->target = Copy(*copy->target);
  for (Expr*& arg : copy->args) arg = Copy(*arg);
  if (copy->kind == ExprKind::kLoop) {
    Loop& loop = copy->loop;
    for (Expr** part : {&loop.range, &loop.init, &loop.condition, &loop.step, &loop.result}) {
      *part = Copy(**part);
    }
  }
  return copy;
}

void Ast::SetDepth(Expr& expr, bool counts) {
  int nesting = 0;
  int depth = 0;
  ForEachPart(expr, [&](const Expr& part) {
    nesting = std::max<int>(nesting, part.nesting);
    depth = std::max<int>(depth, part.depth);
  });
  // Saturated: the parser gives up long before.
  expr.nesting = static_cast<uint16_t>(std::min(nesting + (counts ? 1 : 0), UINT16_MAX - 1));
  expr.depth = static_cast<uint16_t>(std::min(depth + 1, UINT16_MAX - 1));
}

}  // namespace berth::cel
