#include "cel/evaluation.h"

#include "cel/node.h"

namespace berth::cel {

Evaluation::Evaluation(Arena& arena, uint64_t cost_limit, std::span<const Value> variables,
                       uint32_t local_count, uint64_t step_limit)
    : arena_(arena),
      variables_(variables),
      locals_(arena.NewArray<Local>(local_count)),
      cost_limit_(cost_limit),
      step_limit_(step_limit) {}

bool Evaluation::Reserve(uint64_t bytes) {
  if (aborted()) return false;
  if (bytes <= kMaxEvaluationBytes && arena_.bytes() + bytes <= kMaxEvaluationBytes) return true;
  AbortWith(Abort::kCost, fmt::format("operation cancelled: the values need more than {} bytes",
                                      kMaxEvaluationBytes));
  return false;
}

void Evaluation::AbortWith(Abort reason, std::string message) {
  if (aborted()) return;
  abort_ = reason;
  abort_message_ = std::move(message);
}

void Evaluation::AbortAtLimit() {
  if (cost_ > cost_limit_) {
    AbortWith(Abort::kCost, "operation cancelled: actual cost limit exceeded");
  } else {
    Reserve(kMaxEvaluationBytes);
  }
}

void Evaluation::AbortAtSteps() {
  AbortWith(Abort::kCost, fmt::format("operation cancelled: more than {} steps", step_limit_));
}

Value Evaluation::ReadLocal(uint32_t slot) {
  Local& local = locals_[slot];
  if (local.init != nullptr) {
    const Node* init = local.init;
    local.init = nullptr;
    local.value = init->Evaluate(*this);
  }
  return local.value;
}

}  // namespace berth::cel
