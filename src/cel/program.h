// Program is a compiled expression.
//
// Immutable: threads may evaluate one program at the same time. It refers to the functions and type
// names of its environment, so that the environment that declares them must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/evaluation.h"
#include "cel/node.h"
#include "cel/type.h"
#include "cel/value.h"

namespace berth::cel {

struct CompileError {
  enum class Kind : uint8_t {
    kInvalid,   // The expression is wrong.
    kInternal,  // A constant in it cannot be computed.
  };
  Kind kind = Kind::kInvalid;
  std::string message;
};

// An expression that was parsed, checked and validated.
class CheckedExpression {
 public:
  static std::expected<std::unique_ptr<CheckedExpression>, CompileError> Make(
      std::string_view expression, const Environment& environment);

  const Ast& ast() const { return ast_; }
  const Environment& environment() const { return environment_; }
  const Type& type() const { return *ast_.root()->type; }
  // Reports whether the expression refers to the variable of the environment.
  bool Uses(std::string_view variable) const;

 private:
  CheckedExpression(std::string_view expression, const Environment& environment)
      : environment_(environment), types_(&environment.types()), ast_(expression) {}

  const Environment& environment_;
  TypePool types_;
  Ast ast_;
};

class Program {
 public:
  // Fails if a constant cannot be computed, such as int("x").
  static std::expected<std::unique_ptr<Program>, CompileError> Make(
      const CheckedExpression& expression);

  // `evaluation` must have local_count() local variables and the variables of the environment.
  Value Evaluate(Evaluation& evaluation) const { return root_->Evaluate(evaluation); }
  uint32_t local_count() const { return local_count_; }
  // The regular expressions that are constants.
  size_t pattern_count() const { return pattern_count_; }
  size_t pattern_instructions() const { return pattern_instructions_; }

 private:
  friend class Planner;

  Program() = default;

  Arena arena_;  // Of constants.
  std::vector<std::unique_ptr<const Node>> nodes_;
  const Node* root_ = nullptr;
  uint32_t local_count_ = 0;
  size_t pattern_count_ = 0;
  size_t pattern_instructions_ = 0;
};

}  // namespace berth::cel
