// Evaluation is the state of one evaluation of a program: its cost, its local variables and the
// arena of its values.
//
// An operation that exceeds a limit aborts the evaluation: whatever is computed from then on is
// ignored. Errors of the expression itself are values, see value.h.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cel/arena.h"
#include "cel/limits.h"
#include "cel/value.h"

namespace berth::cel {

class Node;

class Evaluation {
 public:
  enum class Abort : uint8_t {
    kNone,
    kCost,      // The limit of the cost, or of memory or steps.
    kInternal,  // Where cel-go panics.
  };

  // `arena` and `variables` must outlive the evaluation and the values that it returns.
  Evaluation(Arena& arena, uint64_t cost_limit, std::span<const Value> variables,
             uint32_t local_count, uint64_t step_limit = kMaxEvaluationSteps);

  Arena& arena() { return arena_; }
  const Value& variable(uint32_t slot) const { return variables_[slot]; }

  // Adds to the cost, and aborts if it exceeds the limit. Returns false if aborted.
  bool Charge(uint64_t units) {
    if (aborted()) return false;
    cost_ = units > UINT64_MAX - cost_ ? UINT64_MAX : cost_ + units;
    if (cost_ <= cost_limit_ && arena_.bytes() <= kMaxEvaluationBytes) [[likely]]
      return true;
    AbortAtLimit();
    return false;
  }
  // Takes back one unit that was charged.
  void Refund() {
    if (!aborted() && cost_ > 0) --cost_;
  }
  // Counts work that has no cost, and aborts if there is too much. Returns false if aborted.
  bool Spend(uint64_t steps) {
    if (aborted()) return false;
    steps_ += steps;
    if (steps_ <= step_limit_) [[likely]]
      return true;
    AbortAtSteps();
    return false;
  }
  // Counts the work of reading a text, which matters only if it is long.
  bool SpendOnText(const Value& value) {
    if (!value.is(Kind::kString) && !value.is(Kind::kBytes)) return true;
    return value.text().size() < kBytesPerStep || Spend(value.text().size() / kBytesPerStep);
  }
  // Reports whether `bytes` more may be allocated; aborts if not.
  bool Reserve(uint64_t bytes);

  void AbortWith(Abort reason, std::string message);
  bool aborted() const { return abort_ != Abort::kNone; }
  Abort abort_reason() const { return abort_; }
  const std::string& abort_message() const { return abort_message_; }
  uint64_t cost() const { return cost_; }
  uint64_t steps() const { return steps_; }

  // Returns an error value. `message` must outlive the evaluation.
  static Value Fail(std::string_view message) { return Value::Error(message); }
  template <typename... Args>
  Value FailWith(fmt::format_string<Args...> format, Args&&... args) {
    return Value::Error(arena_.Copy(fmt::format(format, std::forward<Args>(args)...)));
  }
  Value NewString(std::string_view text) { return Value::String(arena_.Copy(text)); }
  Value NewOptional(const Value& value) { return Value::Optional(arena_.New<Value>(value)); }

  // Local variables: those of a loop are set for each round, and an accumulator gets its first
  // value when it is first read.
  void SetLocal(uint32_t slot, const Value& value) { locals_[slot] = {value, nullptr}; }
  void SetLazyLocal(uint32_t slot, const Node& init) { locals_[slot] = {Value(), &init}; }
  Value ReadLocal(uint32_t slot);

 private:
  struct Local {
    Value value;
    const Node* init;  // Not evaluated yet.
  };

  // Bytes of a text that take as long as looking at one element.
  static constexpr size_t kBytesPerStep = 4;

  void AbortAtLimit();
  void AbortAtSteps();

  Arena& arena_;
  std::span<const Value> variables_;
  Local* locals_;
  uint64_t cost_ = 0;
  uint64_t cost_limit_;
  uint64_t steps_ = 0;
  uint64_t step_limit_;
  Abort abort_ = Abort::kNone;
  std::string abort_message_;
};

}  // namespace berth::cel
