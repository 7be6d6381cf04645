#include "cel/issues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cel/value.h"

namespace berth::cel {

void Issues::Add(size_t offset, std::string message) {
  if (++count_ <= kMaxReported) {
    issues_.push_back({std::min(offset, source_.size()), true, std::move(message)});
  }
}

void Issues::AddWithoutPosition(std::string message) {
  if (++count_ <= kMaxReported) issues_.push_back({0, false, std::move(message)});
}

std::string Issues::ToString() const {
  std::vector<const Issue*> sorted;
  for (const Issue& issue : issues_) sorted.push_back(&issue);
  std::ranges::stable_sort(sorted, [](const Issue* a, const Issue* b) {
    return std::pair(a->has_position, a->offset) < std::pair(b->has_position, b->offset);
  });
  std::string text;
  for (const Issue* issue : sorted) {
    if (!text.empty()) text += '\n';
    text += Format(*issue);
  }
  if (count_ > kMaxReported) {
    text += fmt::format("\n{} more errors were truncated", count_ - kMaxReported);
  }
  return text;
}

std::string Issues::Format(const Issue& issue) const {
  if (!issue.has_position) return "ERROR: <input>:-1:0: " + issue.message;
  const std::string_view before = source_.substr(0, issue.offset);
  const size_t line = static_cast<size_t>(std::ranges::count(before, '\n')) + 1;
  const size_t start = before.rfind('\n') + 1;
  const std::string_view left = before.substr(start);
  std::string text =
      fmt::format("ERROR: <input>:{}:{}: {}", line, CountCodePoints(left) + 1, issue.message);
  const size_t end = std::min(source_.find('\n', issue.offset), source_.size());
  std::string snippet(source_.substr(start, end - start));
  // Longer lines are not printed.
  constexpr size_t kMaxSnippet = 16'384;
  if (snippet.size() > kMaxSnippet) return text;
  std::ranges::replace(snippet, '\t', ' ');
  text += "\n | " + snippet + "\n | ";
  // A character of several bytes is probably twice as wide as others.
  for (std::string_view rest = left; !rest.empty();) {
    const size_t size = CodePointSize(rest);
    text += size > 1 ? "\uFF0E" : ".";
    rest.remove_prefix(size);
  }
  const std::string_view here = source_.substr(issue.offset, end - issue.offset);
  return text + (!here.empty() && CodePointSize(here) > 1 ? "\uFF3E" : "^");
}

}  // namespace berth::cel
