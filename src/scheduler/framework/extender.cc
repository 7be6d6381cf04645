#include "scheduler/framework/extender.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/pod.h"
#include "base/check.h"

namespace berth::scheduler::framework {

namespace {

constexpr int64_t kMaxContribution = int64_t{1} << 56;
constexpr int64_t kScale = 10;  // From an extender's range of scores to that of nodes.

}  // namespace

const std::string& VerbOf(const ExtenderConfig& extender, ExtenderStep step) {
  switch (step) {
    case ExtenderStep::kFilter:
      return extender.filter_verb;
    case ExtenderStep::kPrioritize:
      return extender.prioritize_verb;
    case ExtenderStep::kPreempt:
      return extender.preempt_verb;
    case ExtenderStep::kBind:
      return extender.bind_verb;
  }
  CHECK(false);
}

std::string UrlOf(const ExtenderConfig& extender, ExtenderStep step) {
  std::string_view prefix = extender.url_prefix;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return fmt::format("{}/{}", prefix, VerbOf(extender, step));
}

bool IsInterested(const ExtenderConfig& extender, const api::Pod& pod) {
  if (extender.managed_resources.empty()) return true;
  const auto names_one = [&](const api::Container& container) {
    return std::ranges::any_of(extender.managed_resources, [&](const ManagedResource& resource) {
      return container.resources.requests.contains(resource.name) ||
             container.resources.limits.contains(resource.name);
    });
  };
  return std::ranges::any_of(pod.spec.containers, names_one) ||
         std::ranges::any_of(pod.spec.init_containers, names_one);
}

std::vector<ExtenderConfig> InOrderOfUse(std::vector<ExtenderConfig> extenders) {
  std::ranges::stable_partition(extenders, [](const ExtenderConfig& e) { return !e.ignorable; });
  return extenders;
}

int64_t Contribution(const ExtenderConfig& extender, int64_t score) {
  int64_t product = 0;
  if (__builtin_mul_overflow(score, extender.weight, &product) ||
      __builtin_mul_overflow(product, kScale, &product)) {
    return (score < 0) == (extender.weight < 0) ? kMaxContribution : -kMaxContribution;
  }
  return std::clamp(product, -kMaxContribution, kMaxContribution);
}

std::string StatusError(const ExtenderConfig& extender, ExtenderStep step, int status) {
  return fmt::format("failed {} with extender at URL {}, code {}", VerbOf(extender, step),
                     UrlOf(extender, step), status);
}

}  // namespace berth::scheduler::framework
