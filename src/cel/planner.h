// Planner turns a checked expression into the nodes of a program, and computes what is constant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/ast.h"
#include "cel/chain.h"
#include "cel/node.h"
#include "cel/program.h"

namespace berth::cel {

class Planner {
 public:
  explicit Planner(Program& program) : program_(program) {}

  // Returns false if a constant cannot be computed; error() tells why.
  bool Plan(const Expr& root);
  const std::string& error() const { return error_; }

 private:
  struct Local {
    std::string_view name;
    uint32_t slot;
  };

  // Each returns nullptr if planning failed.
  Node* PlanExpr(const Expr& expr);
  Node* PlanIdent(const Expr& expr);
  Node* PlanSelect(const Expr& expr);
  Node* PlanCall(const Expr& expr);
  Node* PlanIndex(Node& operand, Node& index, bool optional);
  Node* PlanConditional(const std::vector<Node*>& args);
  Node* PlanFunction(const Expr& expr, const std::vector<Node*>& args);
  Node* PlanList(const Expr& expr);
  Node* PlanMap(const Expr& expr);
  Node* PlanLoop(const Expr& expr);

  template <typename T>
  T* Add(T node) {
    return Add(std::make_unique<T>(std::move(node)));
  }
  template <typename T>
  T* Add(std::unique_ptr<T> node) {
    T* added = node.get();
    program_.nodes_.push_back(std::move(node));
    return added;
  }
  Node* AddConstant(const Value& value);
  Chain& ChainOf(Node& node);
  Node* Fail(std::string message);

  // Replaces a node whose parts are constant by its value. An error is left for the evaluation.
  Node* Fold(Node* node);
  // Replaces a call by its result if all arguments are known.
  Node* Remember(Node* call, const std::vector<Node*>& args);
  // Copies a value to the program; returns false if it is not small.
  bool CopySmall(const Value& value, Value& copy);

  uint32_t AddLocal(std::string_view name);

  Program& program_;
  std::vector<Local> locals_;
  std::string error_;
};

}  // namespace berth::cel
