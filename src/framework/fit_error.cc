#include "framework/fit_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace berth {

Diagnosis::Diagnosis(VerdictTable known)
    : verdicts_(std::move(known)), counts_(verdicts_.size(), 0) {}

void Diagnosis::MakeRoom(size_t rows) {
  if (rows > by_row_.size()) by_row_.resize(std::max(rows, all_nodes), kNotJudged);
}

void Diagnosis::Add(NodeRow node, Verdict verdict) {
  const VerdictTable::Number number = verdicts_.Add(std::move(verdict));
  counts_.resize(verdicts_.size(), 0);
  if (counts_[number]++ == 0) Blame(verdicts_[number]);
  MakeRoom(node.index() + 1);
  by_row_[node.index()] = number;
  ++judged_;
}

void Diagnosis::Add(const NodeMask& nodes, std::span<const VerdictTable::Number> by_row) {
  MakeRoom(nodes.size());
  const std::vector<size_t> before = counts_;
  nodes.ForEach([&](size_t row) {
    by_row_[row] = by_row[row];
    ++counts_[by_row[row]];
  });
  judged_ += nodes.Count();
  for (VerdictTable::Number i = 0; i < verdicts_.size(); ++i) {
    if (before[i] == 0 && counts_[i] > 0) Blame(verdicts_[i]);
  }
}

void Diagnosis::Blame(const Verdict& verdict) {
  if (verdict.plugin().empty()) return;
  (verdict.code() == Code::kPending ? pending_on : rejected_by).insert(verdict.plugin());
}

std::string Diagnosis::Message() const {
  std::string message = fmt::format("0/{} nodes are available:", all_nodes);
  if (!pre_filter_message.empty()) {
    message += fmt::format(" {}.", pre_filter_message);
  } else {
    std::map<std::string_view, size_t> counts;
    auto add = [&](const Verdict& verdict, size_t nodes) {
      if (nodes == 0) return;
      for (const std::string& reason : verdict.reasons()) counts[reason] += nodes;
    };
    for (VerdictTable::Number i = 0; i < verdicts_.size(); ++i) add(verdicts_[i], counts_[i]);
    if (judged_ < all_nodes) add(absent, all_nodes - judged_);
    std::vector<std::string> lines;
    for (const auto& [reason, count] : counts) lines.push_back(fmt::format("{} {}", count, reason));
    std::ranges::sort(lines);
    if (!lines.empty()) message += fmt::format(" {}.", fmt::join(lines, ", "));
  }
  if (!post_filter_message.empty()) message += " " + post_filter_message;
  return message;
}

}  // namespace berth
