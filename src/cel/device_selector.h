// DeviceSelector is a compiled CEL expression that selects devices: `cel.expression` of
// DeviceClasses and of requests in ResourceClaims.
//
// Immutable: compiled once, evaluated for any number of devices, by several threads at the same
// time. An evaluation takes a few hundred nanoseconds; what it may cost is bounded (limits.h).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cel/device.h"
#include "cel/limits.h"
#include "cel/program.h"

namespace berth::cel {

struct EvaluationError {
  enum class Kind : uint8_t {
    kRuntime,  // The expression failed for this device.
    kCost,     // The evaluation was cancelled at a limit.
  };
  Kind kind = Kind::kRuntime;
  std::string message;
};

class DeviceSelector {
 public:
  enum class Scope : uint8_t {
    kStored,  // What the scheduler and the allocator accept: all that was ever valid.
    kNew,     // What the API server accepts in new objects, with default feature gates.
  };

  // The message is that of kube-scheduler: compilation failed: ERROR: <input>:1:7: ...
  static std::expected<DeviceSelector, CompileError> Compile(std::string_view expression,
                                                             Scope scope = Scope::kStored);

  struct Outcome {
    std::expected<bool, EvaluationError> matches;
    uint64_t cost = 0;
    uint64_t steps = 0;  // Without cost.
  };
  Outcome Evaluate(const Device& device, uint64_t cost_limit = kMaxSelectorCost,
                   uint64_t step_limit = kMaxEvaluationSteps) const;

  // Returns the most that an evaluation costs, for the API server: it refuses a selector if that
  // exceeds kMaxSelectorCost. UINT64_MAX if there is no limit.
  static std::expected<uint64_t, CompileError> EstimateCost(std::string_view expression,
                                                            Scope scope = Scope::kNew);

 private:
  explicit DeviceSelector(std::unique_ptr<const Program> program) : program_(std::move(program)) {}

  std::unique_ptr<const Program> program_;
};

}  // namespace berth::cel
