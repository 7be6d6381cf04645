// ValidationWork bounds what one write spends on schemas: compiling them and validating by them.
//
// While one exists, the functions of this folder charge it for what they do on its thread, and end
// with an error when it is exceeded. So a server can try a write where everybody is served, up to a
// small limit, and repeat it elsewhere if that is exceeded: nothing has been stored then. Without
// one, only the limits of each validation hold.
#pragma once

#include <atomic>
#include <cstdint>

namespace berth::apiserver::crd {

// Prices, in units of about 8 ns: what an automaton that must follow all its states takes for one
// instruction and one byte.
inline constexpr uint64_t kStepWork = 5;                  // Comparing a value with a schema.
inline constexpr uint64_t kCompiledInstructionWork = 25;  // Of a pattern.
inline constexpr uint64_t kRuleNodeWork = 100;            // Compiling a node of a validation rule.
inline constexpr uint64_t kRuleCostWork = 6;              // A unit of a rule's cost.

class ValidationWork {
 public:
  // Is charged for this thread's work until it is destroyed; another one that exists on the thread
  // is not meanwhile. Once `*cancelled` is true, which may be null, the work counts as exceeded.
  explicit ValidationWork(uint64_t limit, const std::atomic<bool>* cancelled = nullptr);
  ~ValidationWork();
  ValidationWork(const ValidationWork&) = delete;
  ValidationWork& operator=(const ValidationWork&) = delete;

  // Charges the work of this thread. Returns false if it is exceeded: what is being validated must
  // be refused.
  static bool Charge(uint64_t units);

  // Returns how much this thread may still be charged.
  static uint64_t Left();

  // Reports whether a charge was refused.
  bool exceeded() const { return exceeded_; }

 private:
  uint64_t left_;
  const std::atomic<bool>* cancelled_;
  bool exceeded_ = false;
  ValidationWork* const outer_;
};

}  // namespace berth::apiserver::crd
