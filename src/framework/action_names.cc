#include "framework/action_names.h"

#include <bit>
#include <iterator>

namespace berth {
namespace {

// In the order of their bits.
constexpr std::string_view kNames[] = {
    "Add",
    "Delete",
    "UpdateNodeAllocatable",
    "UpdateNodeLabel",
    "UpdateNodeTaint",
    "UpdateNodeCondition",
    "UpdateNodeAnnotation",
    "UpdateNodeDeclaredFeature",
    "UpdatePodLabel",
    "UpdatePodScaleDown",
    "UpdatePodToleration",
    "UpdatePodSchedulingGatesEliminated",
    "UpdatePodGeneratedResourceClaim",
};
static_assert(std::ssize(kNames) == std::popcount(kAllActions));

}  // namespace

std::string_view NameOf(Actions action) {
  if (std::popcount(action) != 1 || (action & kAllActions) == 0) return "";
  return kNames[std::countr_zero(action)];
}

Actions ActionNamed(std::string_view name) {
  for (size_t bit = 0; bit < std::size(kNames); ++bit) {
    if (kNames[bit] == name) return static_cast<Actions>(1U << bit);
  }
  return 0;
}

}  // namespace berth
