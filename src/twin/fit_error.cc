#include "twin/fit_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace berth::twin {

std::string FitErrorOf(size_t all_nodes, const std::map<std::string, Verdict>& verdicts,
                       const std::vector<std::string>& others) {
  std::map<std::string, size_t> counts;
  for (const auto& [node, verdict] : verdicts) {
    for (const std::string& reason : verdict.reasons()) ++counts[reason];
  }
  if (verdicts.size() < all_nodes) {
    for (const std::string& reason : others) counts[reason] += all_nodes - verdicts.size();
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(parts);
  const std::string head = fmt::format("0/{} nodes are available:", all_nodes);
  return parts.empty() ? head : fmt::format("{} {}.", head, fmt::join(parts, ", "));
}

std::string FitErrorOf(size_t all_nodes, const std::string& pre_filter_message) {
  return fmt::format("0/{} nodes are available: {}.", all_nodes, pre_filter_message);
}

}  // namespace berth::twin
