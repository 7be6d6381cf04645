// The nodes of a program: what is evaluated.
//
// Immutable once planned, so that threads may evaluate a program at the same time. Nodes charge
// what cel-go charges, in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "cel/declarations.h"
#include "cel/evaluation.h"
#include "cel/regex.h"
#include "cel/value.h"

namespace berth::cel {

class Chain;

class Node {
 public:
  virtual ~Node() = default;
  // Returns a value or an error value. What it returns in an evaluation that was aborted means
  // nothing.
  virtual Value Evaluate(Evaluation& evaluation) const = 0;

  // The value of a constant.
  virtual const Value* constant() const { return nullptr; }
  // Whether the value is known, though evaluating it costs something.
  virtual bool is_known() const { return false; }
  virtual Chain* chain() { return nullptr; }
};

class Constant final : public Node {
 public:
  explicit Constant(const Value& value) : value_(value) {}
  Value Evaluate(Evaluation&) const override { return value_; }
  const Value* constant() const override { return &value_; }
  bool is_known() const override { return true; }

 private:
  Value value_;
};

// The result of a call with constant arguments, which was made once. Its cost is charged each time.
class Remembered final : public Node {
 public:
  Remembered(const Value& value, uint64_t cost) : value_(value), cost_(cost) {}
  Value Evaluate(Evaluation& evaluation) const override {
    evaluation.Charge(cost_);
    return value_;
  }
  bool is_known() const override { return true; }

 private:
  Value value_;
  uint64_t cost_;
};

// a && b, a || b: an operand that decides makes up for errors in others.
class Logic final : public Node {
 public:
  Logic(bool is_and, const Node& a, const Node& b) : is_and_(is_and), a_(a), b_(b) {}
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  bool is_and_;
  const Node& a_;
  const Node& b_;
};

class Equals final : public Node {
 public:
  Equals(const Node& a, const Node& b, bool negated) : a_(a), b_(b), negated_(negated) {}
  Value Evaluate(Evaluation& evaluation) const override;
  bool is_known() const override { return a_.is_known() && b_.is_known(); }

 private:
  const Node& a_;
  const Node& b_;
  bool negated_;
};

class FunctionCall final : public Node {
 public:
  // `overload` is the only one that the checker found, or nullptr. `pattern` is the compiled
  // pattern of a regular expression that is a constant.
  FunctionCall(const Function& function, const Overload* overload, std::vector<const Node*> args,
               std::unique_ptr<const re2::RE2> pattern);
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  static constexpr size_t kMaxArgs = 4;

  const Function& function_;
  const Overload* overload_;
  CostRule cost_;
  bool stops_at_error_;
  bool takes_errors_;
  std::vector<const Node*> args_;
  std::unique_ptr<const re2::RE2> pattern_;
};

class NewList final : public Node {
 public:
  NewList(std::vector<const Node*> items, std::vector<bool> optional)
      : items_(std::move(items)), optional_(std::move(optional)) {}
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  std::vector<const Node*> items_;
  std::vector<bool> optional_;
};

class NewMap final : public Node {
 public:
  // `entries` are keys and values in turn.
  NewMap(std::vector<const Node*> entries, std::vector<bool> optional)
      : entries_(std::move(entries)), optional_(std::move(optional)) {}
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  Value Build(Evaluation& evaluation) const;

  std::vector<const Node*> entries_;
  std::vector<bool> optional_;
};

// Macros such as all and map, and cel.bind.
class LoopNode final : public Node {
 public:
  struct Parts {
    const Node* range = nullptr;
    const Node* init = nullptr;
    const Node* condition = nullptr;
    const Node* step = nullptr;
    const Node* result = nullptr;
    // Slots of local variables. The second one of two variables follows the first.
    uint32_t accumulator = 0;
    uint32_t variable = 0;
    bool has_two_variables = false;
  };

  explicit LoopNode(const Parts& parts) : parts_(parts) {}
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  // Sets the variables and runs one round; returns false if it is the last.
  bool Round(Evaluation& evaluation, const Value& first, const Value& second) const;
  void RunRounds(Evaluation& evaluation, const Value& range) const;

  Parts parts_;
};

// a.or(b), a.orValue(b): evaluates `b` only if `a` has no value.
class OptionalOr final : public Node {
 public:
  OptionalOr(const Node& a, const Node& b, bool to_value) : a_(a), b_(b), to_value_(to_value) {}
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  const Node& a_;
  const Node& b_;
  bool to_value_;
};

// x in [1, 2, 3], with a list of constants.
class InSet final : public Node {
 public:
  // Returns nullptr if the list has an item that is not bool, a number or a string.
  static std::unique_ptr<InSet> Make(const Node& value, const Value& list);
  Value Evaluate(Evaluation& evaluation) const override;

 private:
  explicit InSet(const Node& value) : value_(value) {}

  struct Hash {
    size_t operator()(const Value& value) const;
  };
  // Of the same type.
  struct Same {
    bool operator()(const Value& a, const Value& b) const;
  };

  const Node& value_;
  std::unordered_set<Value, Hash, Same> set_;
};

}  // namespace berth::cel
