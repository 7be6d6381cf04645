#include "cmd/conformance_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cmd/text_table.h"

namespace berth {
namespace {

constexpr size_t kWidestColumn = 60;

}  // namespace

void ConformanceReport::Add(const std::string& group_name, const std::string& name,
                            const Differences& differences) {
  const auto [entry, is_new] = index_.try_emplace(group_name, groups_.size());
  if (is_new) groups_.emplace_back().name = group_name;
  Group& group = groups_[entry->second];
  ++(differences.empty() ? group.passed : group.failed);
  group.differences += differences.size();
  const size_t kept = std::min(limit_ - group.first.size(), differences.size());
  for (size_t i = 0; i < kept; ++i) group.first.emplace_back(name, differences[i]);
}

size_t ConformanceReport::passed() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.passed;
  return count;
}

size_t ConformanceReport::failed() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.failed;
  return count;
}

std::string ConformanceReport::ToString() const {
  size_t width = 0;
  for (const Group& group : groups_) width = std::max(width, DisplayWidth(group.name));
  std::string out;
  for (const Group& group : groups_) {
    out += fmt::format("{:<{}}  {:>5} passed  {:>5} failed\n", group.name, width, group.passed,
                       group.failed);
    TextTable table("    ");
    table.set_widest(kWidestColumn);
    for (const auto& [name, difference] : group.first) {
      table.Add(
          {name, difference.what, "expected " + difference.expected, "came " + difference.came});
    }
    out += table.ToString();
    const size_t left = group.differences - group.first.size();
    if (left > 0 && limit_ > 0) out += fmt::format("    and {} more differences\n", left);
  }
  return out + fmt::format("{} passed, {} failed\n", passed(), failed());
}

}  // namespace berth
