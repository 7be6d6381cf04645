// Ast is an expression as a tree: what the parser builds, macros expanded, and the checker
// completes with types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/declarations.h"
#include "cel/environment.h"
#include "cel/type.h"
#include "cel/value.h"

namespace berth::cel {

enum class ExprKind : uint8_t { kLiteral, kIdent, kSelect, kCall, kList, kMap, kLoop };

struct Expr;

// A comprehension: what all, exists, map and others expand to.
//
//   accumulator = init
//   for (variable in range) { if (!condition) break; accumulator = step }
//   result
struct Loop {
  Expr* range = nullptr;
  std::string_view variable;
  std::string_view variable2;  // Empty if there is one variable.
  std::string_view accumulator;
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  // Only tests for the presence of the field: has(x.f).
  bool is_test = false;
  bool is_member_call = false;
  uint16_t nesting = 0;   // Of counted nodes, see kMaxNesting.
  uint16_t depth = 1;     // Of the tree.
  uint32_t position = 0;  // In bytes, in the source.
  Value literal;
  std::string_view name;       // Of an identifier, field or function.
  Expr* target = nullptr;      // The operand of a selection, the receiver of a call.
  std::vector<Expr*> args;     // Arguments; elements; keys and values in turn.
  std::vector<bool> optional;  // For each element or entry: [?a], {?k: v}.
  Loop loop;

  // Set by the checker.
  const Type* type = nullptr;
  const Function* function = nullptr;
  std::vector<const Overload*> overloads;           // Those that fit the types of the arguments.
  const Environment::Variable* variable = nullptr;  // nullptr for local variables.
  const Type* type_name = nullptr;                  // A type as a value.
  std::string_view key;                             // Of a selected field, if not its name.
};

class Ast {
 public:
  explicit Ast(std::string_view source) : source_(source) {}
  Ast(const Ast&) = delete;
  Ast& operator=(const Ast&) = delete;

  Expr* New(ExprKind kind, size_t position);
  // Returns a copy of the tree.
  Expr* Copy(const Expr& expr);
  // Sets nesting and depth, from those of the parts. `counts` if the node itself counts as nesting.
  static void SetDepth(Expr& expr, bool counts);

  std::string_view source() const { return source_; }
  size_t size() const { return nodes_.size(); }
  Arena& arena() { return arena_; }
  Expr* root() const { return root_; }
  void set_root(Expr* root) { root_ = root; }

 private:
  std::string source_;
  std::deque<Expr> nodes_;
  Arena arena_;
  Expr* root_ = nullptr;
};

// Calls `visit` with each direct part of the expression, in the order of evaluation.
template <typename Visit>
void ForEachPart(const Expr& expr, const Visit& visit) {
  if (expr.target != nullptr) visit(*expr.target);
  for (Expr* arg : expr.args) visit(*arg);
  if (expr.kind != ExprKind::kLoop) return;
  for (Expr* part :
       {expr.loop.range, expr.loop.init, expr.loop.condition, expr.loop.step, expr.loop.result}) {
    visit(*part);
  }
}

}  // namespace berth::cel
