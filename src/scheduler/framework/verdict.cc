#include "scheduler/framework/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <utility>

namespace berth::scheduler::framework {

std::string_view ToString(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kError:
      return "Error";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::kWait:
      return "Wait";
    case Code::kSkip:
      return "Skip";
    case Code::kPending:
      return "Pending";
  }
  return "Unknown";
}

std::string Verdict::Message() const { return fmt::format("{}", fmt::join(reasons_, ", ")); }

namespace {

size_t HashOf(const Verdict& verdict) {
  size_t hash = static_cast<size_t>(verdict.code());
  auto mix = [&](const std::string& text) {
    hash = hash * 1'000'003 + std::hash<std::string>{}(text);
  };
  mix(verdict.plugin());
  for (const std::string& reason : verdict.reasons()) mix(reason);
  return hash;
}

}  // namespace

VerdictTable::Number VerdictTable::Add(Verdict verdict) {
  const size_t hash = HashOf(verdict);
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i] == hash && verdicts_[i] == verdict) return static_cast<Number>(i);
  }
  hashes_.push_back(hash);
  verdicts_.push_back(std::move(verdict));
  return static_cast<Number>(verdicts_.size() - 1);
}

Diagnosis::Diagnosis(VerdictTable known)
    : verdicts_(std::move(known)), counts_(verdicts_.size(), 0) {}

void Diagnosis::ResizeRows(size_t rows) {
  if (rows > by_row_.size()) by_row_.resize(std::max(rows, all_nodes), kNotJudged);
}

VerdictTable::Number Diagnosis::Add(model::NodeRow node, Verdict verdict) {
  const VerdictTable::Number number = verdicts_.Add(std::move(verdict));
  Add(node, number);
  return number;
}

void Diagnosis::Add(model::NodeRow node, VerdictTable::Number verdict) {
  counts_.resize(verdicts_.size(), 0);
  if (counts_[verdict]++ == 0) AddRejector(verdicts_[verdict]);
  ResizeRows(node.index() + 1);
  by_row_[node.index()] = verdict;
  ++judged_;
}

namespace {

bool AllAreEqual(std::span<const VerdictTable::Number> numbers) {
  VerdictTable::Number differences = 0;  // Without a branch, so that it is vectorised.
  for (VerdictTable::Number number : numbers) differences |= number ^ numbers[0];
  return differences == 0;
}

}  // namespace

void Diagnosis::Add(const model::NodeMask& nodes, std::span<const VerdictTable::Number> by_row) {
  ResizeRows(nodes.size());
  const std::vector<size_t> before = counts_;
  for (size_t w = 0; w < nodes.words().size(); ++w) {
    uint64_t rest = nodes.words()[w];
    const size_t first = w * 64;
    if (rest == ~uint64_t{0} && AllAreEqual(by_row.subspan(first, 64))) {
      counts_[by_row[first]] += 64;
      std::fill_n(by_row_.begin() + static_cast<ptrdiff_t>(first), 64, by_row[first]);
      continue;
    }
    for (; rest != 0; rest &= rest - 1) {
      const size_t row = first + static_cast<size_t>(std::countr_zero(rest));
      by_row_[row] = by_row[row];
      ++counts_[by_row[row]];
    }
  }
  judged_ += nodes.Count();
  for (VerdictTable::Number i = 0; i < verdicts_.size(); ++i) {
    if (before[i] == 0 && counts_[i] > 0) AddRejector(verdicts_[i]);
  }
}

void Diagnosis::AddRejector(const Verdict& verdict) {
  if (verdict.plugin().empty()) return;
  (verdict.code() == Code::kPending ? pending_on : rejected_by).insert(verdict.plugin());
}

std::string Diagnosis::Message() const {
  std::string message = fmt::format("0/{} nodes are available:", all_nodes);
  if (!pre_filter_message.empty()) {
    message += fmt::format(" {}.", pre_filter_message);
  } else {
    std::map<std::string_view, size_t> counts;
    ForEachVerdict([&](const Verdict& verdict, size_t nodes) {
      for (const std::string& reason : verdict.reasons()) counts[reason] += nodes;
    });
    std::vector<std::string> lines;
    for (const auto& [reason, count] : counts) lines.push_back(fmt::format("{} {}", count, reason));
    std::ranges::sort(lines);
    if (!lines.empty()) message += fmt::format(" {}.", fmt::join(lines, ", "));
  }
  if (!post_filter_message.empty()) message += " " + post_filter_message;
  return message;
}

}  // namespace berth::scheduler::framework
