#include "scheduler/devices/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/string_hash.h"

namespace berth::scheduler::devices {
namespace {

std::vector<std::shared_ptr<Selector>> CompileSelectors(
    const std::vector<api::DeviceSelector>& selectors, SelectorTable& table) {
  std::vector<std::shared_ptr<Selector>> compiled;
  for (const api::DeviceSelector& selector : selectors)
    compiled.push_back(selector.cel_expression ? table.Use(*selector.cel_expression) : nullptr);
  return compiled;
}

// In the order in which kube-scheduler checks them.
std::optional<std::string> ProblemOf(const api::DeviceSubRequest& request, std::string_view name,
                                     const ClassRef& device_class) {
  for (size_t i = 0; i < request.selectors.size(); ++i) {
    if (request.selectors[i].cel_expression) continue;
    return fmt::format(
        ", request {}, selector #{}: CEL expression empty (unsupported selector type?)", name, i);
  }
  const std::string& class_name = request.device_class_name;
  if (class_name.empty()) {
    return fmt::format(", request {}: missing device class name (unsupported request type?)", name);
  }
  if (device_class == nullptr) {
    return fmt::format(
        ", request {0}: could not retrieve device class {1}: deviceclass.resource.k8s.io \"{1}\" "
        "not found",
        name, class_name);
  }
  if (request.allocation_mode != "ExactCount" && request.allocation_mode != "All") {
    return fmt::format(", request {}: unsupported count mode {}", name, request.allocation_mode);
  }
  return std::nullopt;
}

bool RequestsCapacity(const api::DeviceSubRequest& request) {
  return request.capacity_requests.has_value();
}

// What the feature gates forbid.
std::optional<std::string> GateProblemOf(const api::DeviceRequest& request, const Gates& gates) {
  if (!gates.prioritized_list && !request.first_available.empty()) {
    return fmt::format(
        ", request {}: has subrequests, but the DRAPrioritizedList feature is disabled",
        request.name);
  }
  if (gates.consumable_capacity || gates.stable()) return std::nullopt;
  constexpr std::string_view kText =
      "has capacity requests, but the DRAConsumableCapacity feature is disabled";
  if (request.exactly && RequestsCapacity(*request.exactly))
    return fmt::format(", request {}: {}", request.name, kText);
  const auto found = std::ranges::find_if(request.first_available, RequestsCapacity);
  if (found == request.first_available.end()) return std::nullopt;
  return fmt::format(", subrequest {}: {}", found->name, kText);
}

CompiledConstraint CompileConstraint(const api::DeviceConstraint& constraint, size_t index,
                                     const CompiledClaim& claim, const Gates& gates) {
  CompiledConstraint compiled;
  const bool is_known =
      constraint.match_attribute || (constraint.distinct_attribute && !gates.stable());
  if (!is_known) {
    compiled.error =
        fmt::format(", constraint #{}: empty constraint (unsupported constraint type?)", index);
    return compiled;
  }
  compiled.distinct = !constraint.match_attribute;
  compiled.attribute =
      compiled.distinct ? *constraint.distinct_attribute : *constraint.match_attribute;
  const std::unordered_set<std::string_view, StringHash> names(constraint.requests.begin(),
                                                               constraint.requests.end());
  for (const CompiledRequest& request : claim.requests) {
    const bool all = names.empty() || names.contains(request.name);
    std::vector<bool>& applies = compiled.applies.emplace_back();
    for (const CompiledAlternative& alternative : request.alternatives)
      applies.push_back(all || names.contains(alternative.result_name));
  }
  return compiled;
}

// Reports whether the constraint applies to single devices of requests only.
bool IsOfSingleDevices(const CompiledConstraint& constraint, const CompiledClaim& claim) {
  for (size_t r = 0; r < claim.requests.size(); ++r) {
    const auto& alternatives = claim.requests[r].alternatives;
    for (size_t i = 0; i < alternatives.size(); ++i) {
      if (constraint.applies[r][i] &&
          (alternatives[i].all_devices || alternatives[i].request->count > 1))
        return false;
    }
  }
  return true;
}

// Reports whether an equal constraint of the claim always gives the same result.
//
// That of a distinct attribute depends on the order of constraints if a request has several
// devices: one that is violated makes those before it forget the request's last device. See
// ConstraintState.
bool IsRepeated(const CompiledConstraint& constraint, const CompiledClaim& claim) {
  const auto& known = claim.constraints;
  const auto equals = [&](const CompiledConstraint& other) {
    return !other.error && other.distinct == constraint.distinct &&
           other.attribute == constraint.attribute && other.applies == constraint.applies;
  };
  if (constraint.distinct && !IsOfSingleDevices(constraint, claim))
    return !known.empty() && equals(known.back());
  return std::ranges::any_of(known, equals);
}

}  // namespace

CompiledClaim CompileClaim(std::shared_ptr<const api::ResourceClaimSpec> spec,
                           const std::function<ClassRef(const std::string&)>& find_class,
                           SelectorTable& selectors, const Gates& gates) {
  CompiledClaim claim{.spec = std::move(spec), .requests = {}, .constraints = {}};
  auto compile = [&](const api::DeviceSubRequest& request, const std::string& parent) {
    CompiledAlternative alternative;
    alternative.request = &request;
    alternative.own_name = request.name.empty() ? std::string_view(parent) : request.name;
    alternative.result_name = parent;
    alternative.device_class = find_class(request.device_class_name);
    alternative.error = ProblemOf(request, alternative.own_name, alternative.device_class);
    alternative.all_devices = request.allocation_mode == "All";
    if (alternative.error) return alternative;
    alternative.class_selectors = CompileSelectors(alternative.device_class->selectors, selectors);
    alternative.selectors = CompileSelectors(request.selectors, selectors);
    for (const auto& selector : alternative.selectors)
      claim.selector_bytes += selector == nullptr ? 0 : selector->expression().size();
    return alternative;
  };
  for (const api::DeviceRequest& request : claim.spec->requests) {
    CompiledRequest& compiled = claim.requests.emplace_back();
    compiled.name = request.name;
    compiled.error = GateProblemOf(request, gates);
    compiled.has_alternatives = !request.first_available.empty();
    for (const api::DeviceSubRequest& alternative : request.first_available) {
      compiled.alternatives.push_back(compile(alternative, request.name));
      compiled.alternatives.back().result_name += "/" + alternative.name;
    }
    if (!compiled.has_alternatives && request.exactly) {
      compiled.alternatives.push_back(compile(*request.exactly, request.name));
      compiled.alternatives.back().admin_access = request.exactly->admin_access.value_or(false);
    }
    if (compiled.alternatives.empty() && !compiled.error)
      compiled.error = fmt::format(", request {}: unknown request type", request.name);
  }
  for (size_t i = 0; i < claim.spec->constraints.size(); ++i) {
    CompiledConstraint constraint = CompileConstraint(claim.spec->constraints[i], i, claim, gates);
    if (constraint.error || !IsRepeated(constraint, claim))
      claim.constraints.push_back(std::move(constraint));
  }
  return claim;
}

const api::DeviceAttribute* FindAttribute(const Device& device, const std::string& attribute) {
  const auto& attributes = device.object->attributes;
  if (const auto found = attributes.find(attribute); found != attributes.end())
    return &found->second;
  const size_t slash = attribute.find('/');
  const std::string_view name = attribute;
  if (slash == std::string_view::npos || name.substr(0, slash) != device.slice->object().driver)
    return nullptr;
  const auto found = attributes.find(name.substr(slash + 1));
  return found == attributes.end() ? nullptr : &found->second;
}

namespace {

bool Tolerates(const api::DeviceToleration& toleration, const api::DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

}  // namespace

bool HasUntoleratedTaint(const api::Device& device, const api::DeviceSubRequest& request) {
  return std::ranges::any_of(device.taints, [&](const api::DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
    return std::ranges::none_of(request.tolerations, [&](const api::DeviceToleration& toleration) {
      return Tolerates(toleration, taint);
    });
  });
}

}  // namespace berth::scheduler::devices
