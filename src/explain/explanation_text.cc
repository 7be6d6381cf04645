#include "explain/explanation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text_table.h"

namespace berth::explain {
namespace {

using Align = TextTable::Align;

constexpr const char* kIndent = "  ";
constexpr const char* kTableIndent = "    ";
constexpr const char* kDetailsIndent = "           ";  // Under the second column.

// Returns the nodes of a group: "a, b, c and 7 more".
std::string Examples(const auto& group) {
  std::string text = fmt::format("{}", fmt::join(group.examples, ", "));
  const size_t more = group.count - group.examples.size();
  if (more > 0) text += fmt::format(" and {} more", more);
  return text;
}

// Returns the details of a group, to print below its row.
std::string DetailsBelow(const ExplanationSummary::Rejection& rejection) {
  std::string out;
  for (const auto& details : rejection.details) {
    out += kDetailsIndent;
    if (details.count != rejection.count) out += Examples(details) + ": ";
    out += details.text + "\n";
  }
  if (const size_t more = rejection.with_other_details) {
    out += fmt::format("{}and similar on {} more node{}\n", kDetailsIndent, more,
                       more == 1 ? "" : "s");
  }
  return out;
}

std::string Rejections(const ExplanationSummary& summary) {
  if (summary.rejections.empty()) return "";
  TextTable table(kTableIndent, {Align::kRight});
  table.Add({"NODES", "REJECTED BY", "REASON", "NAMES"});
  for (const auto& rejection : summary.rejections) {
    table.Add({fmt::format("{}", rejection.count),
               rejection.plugin.empty() ? "PreFilter" : rejection.plugin,
               fmt::format("{}", fmt::join(rejection.reasons, "; ")), Examples(rejection)});
  }
  std::string lines = table.ToString();
  size_t end = lines.find('\n') + 1;
  for (const auto& rejection : summary.rejections) {
    end = lines.find('\n', end) + 1;
    const std::string details = DetailsBelow(rejection);
    lines.insert(end, details);
    end += details.size();
  }
  return lines;
}

// Returns the plugins whose scores differ between nodes.
std::vector<std::string> DifferingPlugins(const ExplanationSummary& summary) {
  std::vector<std::string> plugins;
  std::ranges::copy_if(summary.plugins, std::back_inserter(plugins),
                       [&](const std::string& plugin) { return !summary.equal.contains(plugin); });
  return plugins;
}

std::string Scores(const ExplanationSummary& summary) {
  if (summary.scores.empty()) return "";
  const std::vector<std::string> plugins = DifferingPlugins(summary);
  std::vector<Align> align{Align::kLeft, Align::kRight};
  align.resize(plugins.size() + align.size(), Align::kRight);
  TextTable table(kIndent, align);
  std::vector<std::string> header{"  NODE", "TOTAL"};
  header.insert(header.end(), plugins.begin(), plugins.end());
  table.Add(std::move(header));
  for (const auto& scores : summary.scores) {
    std::vector<std::string> row{(scores.chosen ? "* " : "  ") + scores.node,
                                 fmt::format("{}", scores.total)};
    for (const std::string& plugin : plugins) {
      auto found = scores.plugins.find(plugin);
      row.push_back(found == scores.plugins.end() ? "0" : fmt::format("{}", found->second));
    }
    table.Add(std::move(row));
  }
  std::string out = table.ToString();
  const size_t more = summary.feasible - summary.scores.size();
  if (more > 0)
    out += fmt::format("{}and {} more nodes with lower or equal totals\n", kTableIndent, more);
  std::vector<std::string> equal;
  for (const std::string& plugin : summary.plugins) {
    auto found = summary.equal.find(plugin);
    if (found != summary.equal.end()) equal.push_back(fmt::format("{} {}", plugin, found->second));
  }
  if (!equal.empty()) {
    out += fmt::format("{}equal score on all nodes: {}\n", kTableIndent, fmt::join(equal, ", "));
  }
  return out;
}

// "shop/web-2 (priority 5)"
std::vector<std::string> VictimsOf(const ExplanationSummary::Candidate& candidate) {
  std::vector<std::string> texts;
  for (const auto& victim : candidate.victims) {
    texts.push_back(fmt::format("{} (priority {}{})", victim.pod, victim.priority,
                                victim.over_budget ? ", violates its PodDisruptionBudget" : ""));
  }
  return texts;
}

std::string Preemption(const ExplanationSummary& summary) {
  std::string out;
  if (!summary.post_filter.empty()) {
    out += fmt::format("{}PostFilter: {}\n", kIndent, fmt::join(summary.post_filter, ", "));
  }
  if (summary.candidates.empty()) return out;
  out += fmt::format(
      "{}Preemption is possible on {} node{}, evicting pods with priority below {}:\n", kIndent,
      summary.candidate_count, summary.candidate_count == 1 ? "" : "s", summary.priority);
  TextTable table(kIndent);
  table.Add({"  NODE", "VICTIMS", "NOT CHOSEN BECAUSE"});
  for (const auto& candidate : summary.candidates) {
    table.Add({(candidate.chosen ? "* " : "  ") + candidate.node,
               fmt::format("{}", fmt::join(VictimsOf(candidate), ", ")), candidate.why_not});
  }
  out += table.ToString();
  const size_t more = summary.candidate_count - summary.candidates.size();
  if (more > 0) out += fmt::format("{}and {} more nodes\n", kTableIndent, more);
  out += fmt::format(
      "{}Victims are the lower-priority pods that cannot be reprieved. Pods whose eviction "
      "violates "
      "a\n{}PodDisruptionBudget are reprieved first, then by priority and start time.\n",
      kTableIndent, kTableIndent);
  return out;
}

}  // namespace

std::string ToText(const ExplanationSummary& summary) {
  std::string out;
  if (!summary.pre_filter.empty()) {
    out += fmt::format("{}Rejected by PreFilter plugin {}: {}\n", kIndent,
                       summary.pre_filter_plugin, summary.pre_filter);
  } else {
    out += fmt::format("{}{} of {} nodes fit{}\n", kIndent, summary.feasible, summary.nodes,
                       summary.nominated_node_fits ? "; the nominated node is one of them" : "");
  }
  return out + Rejections(summary) + Scores(summary) + Preemption(summary);
}

}  // namespace berth::explain
