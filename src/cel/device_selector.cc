#include "cel/device_selector.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "cel/arena.h"
#include "cel/cost_estimate.h"
#include "cel/environment.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"

namespace berth::cel {
namespace {

// The limits of the API on the parts of a device, for the estimate.
constexpr uint64_t kMaxDriver = 63;
constexpr uint64_t kMaxDomain = 63;
constexpr uint64_t kMaxId = 32;
constexpr uint64_t kMaxEntries = 32;
constexpr uint64_t kMaxAttributeValue = 64;

class DeviceEnvironment {
 public:
  explicit DeviceEnvironment(DeviceSelector::Scope scope) : environment_(&KubernetesEnvironment()) {
    environment_.AddBind();
    if (scope == DeviceSelector::Scope::kStored) AddIncludes(environment_);
    TypePool& types = environment_.types();
    const Type* const device = types.Object("kubernetes.DRADevice");
    const auto by_domain = [&](const Type* value) {
      return types.Map(&kStringType, types.Map(&kStringType, value));
    };
    environment_.AddField(device, "driver", &kStringType);
    environment_.AddField(device, "attributes", by_domain(&kAnyType));
    environment_.AddField(device, "capacity", by_domain(&kQuantityType));
    environment_.AddField(device, "allowMultipleAllocations", &kBoolType);
    environment_.AddVariable("device", device);
  }

  const Environment& environment() const { return environment_; }

 private:
  Environment environment_;
};

const Environment& EnvironmentOf(DeviceSelector::Scope scope) {
  if (scope == DeviceSelector::Scope::kNew) {
    static const DeviceEnvironment environment(DeviceSelector::Scope::kNew);
    return environment.environment();
  }
  static const DeviceEnvironment environment(DeviceSelector::Scope::kStored);
  return environment.environment();
}

// Limits of device.attributes["domain"].id and the like.
std::optional<uint64_t> DeviceSizeLimit(std::span<const std::string_view> path) {
  if (path[0] != "device" || path.size() < 2) return std::nullopt;
  if (path[1] == "driver" && path.size() == 2) return kMaxDriver;
  if (path[1] == "allowMultipleAllocations" && path.size() == 2) return 1;
  const bool attributes = path[1] == "attributes";
  if (!attributes && path[1] != "capacity") return std::nullopt;
  if (path.size() == 2) return kMaxEntries;
  if (path[2] == "@keys" && path.size() == 3) return kMaxDomain;
  // A domain as a field has no known limit.
  if (path[2] != "@values") return std::nullopt;
  if (path.size() == 3) return kMaxEntries;
  if (path.size() > 4) return std::nullopt;
  if (path[3] == "@keys") return kMaxId;
  if (attributes) return kMaxAttributeValue;
  return path[3] == "@values" ? std::optional<uint64_t>(0) : std::nullopt;
}

std::expected<std::unique_ptr<CheckedExpression>, CompileError> CheckSelector(
    std::string_view expression, DeviceSelector::Scope scope) {
  auto checked = CheckedExpression::Make(expression, EnvironmentOf(scope));
  if (!checked) return checked;
  const Type& type = (*checked)->type();
  if (type.kind == TypeKind::kBool || type.kind == TypeKind::kAny) return checked;
  return std::unexpected(CompileError{
      CompileError::Kind::kInvalid,
      fmt::format("must evaluate to bool or the unknown type, not {}", TypeToString(type))});
}

// Go's words for why a value is no bool.
std::string_view WhyNoBool(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return "unsupported native conversion from string to 'bool'";
    case Kind::kSemver:
      return "type conversion error from 'Semver' to 'bool'";
    default:
      return "unsupported type conversion from 'int' to bool";
  }
}

}  // namespace

std::expected<DeviceSelector, CompileError> DeviceSelector::Compile(std::string_view expression,
                                                                    Scope scope) {
  auto checked = CheckSelector(expression, scope);
  if (!checked) return std::unexpected(std::move(checked.error()));
  auto program = Program::Make(**checked);
  if (!program) return std::unexpected(std::move(program.error()));
  return DeviceSelector(std::move(*program));
}

std::expected<uint64_t, CompileError> DeviceSelector::EstimateCost(std::string_view expression,
                                                                   Scope scope) {
  auto checked = CheckSelector(expression, scope);
  if (!checked) return std::unexpected(std::move(checked.error()));
  return cel::EstimateCost((*checked)->ast(), DeviceSizeLimit);
}

DeviceSelector::Outcome DeviceSelector::Evaluate(const Device& device, uint64_t cost_limit,
                                                 uint64_t step_limit) const {
  const auto fail = [](EvaluationError::Kind kind, std::string message) {
    return std::unexpected(EvaluationError{kind, std::move(message)});
  };
  if (device.error()) return {fail(EvaluationError::Kind::kRuntime, *device.error())};
  Arena arena;
  const std::array<Value, 1> variables{device.value()};
  Evaluation evaluation(arena, cost_limit, variables, program_->local_count(), step_limit);
  const Value result = program_->Evaluate(evaluation);
  const uint64_t cost = evaluation.cost();
  if (evaluation.aborted()) {
    const bool by_cost = evaluation.abort_reason() == Evaluation::Abort::kCost;
    return {fail(by_cost ? EvaluationError::Kind::kCost : EvaluationError::Kind::kRuntime,
                 evaluation.abort_message()),
            cost, evaluation.steps()};
  }
  if (result.is_error()) {
    return {fail(EvaluationError::Kind::kRuntime, std::string(result.message())), cost,
            evaluation.steps()};
  }
  if (!result.is(Kind::kBool)) {
    return {fail(EvaluationError::Kind::kRuntime,
                 fmt::format("CEL result of type {} could not be converted to bool: {}",
                             result.type().name, WhyNoBool(result))),
            cost, evaluation.steps()};
  }
  return {result.boolean(), cost, evaluation.steps()};
}

}  // namespace berth::cel
