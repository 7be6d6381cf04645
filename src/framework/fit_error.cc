#include "framework/fit_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace berth {

void Diagnosis::Add(NodeRow node, Verdict verdict) {
  Blame(verdict);
  nodes.emplace_back(node, std::move(verdict));
}

void Diagnosis::Blame(const Verdict& verdict) {
  if (verdict.plugin().empty()) return;
  (verdict.code() == Code::kPending ? pending_on : rejected_by).insert(verdict.plugin());
}

const Verdict& Diagnosis::Of(NodeRow node) const {
  auto found = std::ranges::find(nodes, node, &std::pair<NodeRow, Verdict>::first);
  return found == nodes.end() ? absent : found->second;
}

std::string Diagnosis::Message() const {
  std::string message = fmt::format("0/{} nodes are available:", all_nodes);
  if (!pre_filter_message.empty()) {
    message += fmt::format(" {}.", pre_filter_message);
  } else {
    std::map<std::string_view, size_t> counts;
    for (const auto& [node, verdict] : nodes) {
      for (const std::string& reason : verdict.reasons()) ++counts[reason];
    }
    if (nodes.size() < all_nodes) {
      for (const std::string& reason : absent.reasons()) counts[reason] += all_nodes - nodes.size();
    }
    std::vector<std::string> lines;
    for (const auto& [reason, count] : counts) lines.push_back(fmt::format("{} {}", count, reason));
    std::ranges::sort(lines);
    if (!lines.empty()) message += fmt::format(" {}.", fmt::join(lines, ", "));
  }
  if (!post_filter_message.empty()) message += " " + post_filter_message;
  return message;
}

}  // namespace berth
