#include "engine/twin_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "twin/preemption.h"

namespace berth {
namespace {

// The order of reasons does not matter.
std::string Text(const Verdict& verdict) {
  std::vector<std::string> reasons = verdict.reasons();
  std::ranges::sort(reasons);
  const std::string by = verdict.plugin().empty() ? "" : " by " + verdict.plugin();
  if (reasons.empty()) return fmt::format("{}{}", ToString(verdict.code()), by);
  return fmt::format("{}{}: {}", ToString(verdict.code()), by, fmt::join(reasons, ", "));
}

std::string TextWithoutPlugin(const Verdict& verdict) {
  return Text(Verdict(verdict.code(), verdict.reasons()));
}

std::string Text(const std::string& text) { return text.empty() ? "nothing" : text; }
std::string Text(bool flag) { return flag ? "yes" : "no"; }
std::string Text(int64_t number) { return fmt::format("{}", number); }
std::string Text(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(names, " "));
}

class Differ {
 public:
  template <typename T>
  void Expect(const std::string& what, const T& fast, const T& slow) {
    if (Text(fast) != Text(slow)) Add(what, Text(fast), Text(slow));
  }
  void Add(std::string what, std::string fast, std::string slow) {
    found_.push_back({std::move(what), std::move(fast), std::move(slow)});
  }
  // For each key of either map: both(key, fast, slow) or a difference.
  template <typename Fast, typename Slow, typename Both>
  void Join(std::string_view what, const std::map<std::string, Fast>& fast,
            const std::map<std::string, Slow>& slow, Both&& both) {
    for (const auto& [key, value] : fast) {
      if (const auto found = slow.find(key); found != slow.end()) {
        both(key, value, found->second);
      } else {
        Add(fmt::format("{} {}", what, key), "present", "absent");
      }
    }
    for (const auto& [key, value] : slow) {
      if (!fast.contains(key)) Add(fmt::format("{} {}", what, key), "absent", "present");
    }
  }
  TwinDifferences Take() { return std::move(found_); }

 private:
  TwinDifferences found_;
};

// The errors with which the cycle may end.
std::set<std::string> PossibleErrors(const twin::Answer& slow) {
  std::set<std::string> errors{slow.error};
  if (slow.error.empty()) return errors;
  for (const auto& [name, at] : slow.nodes) {
    if (at.verdict.code() == Code::kError) errors.insert(at.verdict.Message());
  }
  return errors;
}

std::string WhatOf(const std::string& node, const Verdict& fast, const Verdict& slow) {
  const std::string& plugin = slow.plugin().empty() ? fast.plugin() : slow.plugin();
  return plugin.empty() ? "node " + node : fmt::format("node {}, plugin {}", node, plugin);
}

void CompareNodes(const Explanation& fast, const twin::Answer& slow, Differ& differ) {
  differ.Join("node", fast.nodes, slow.nodes,
              [&](const std::string& name, const Explanation::Node& a, const twin::NodeAnswer& b) {
                differ.Expect(WhatOf(name, a.verdict, b.verdict), a.verdict, b.verdict);
                differ.Expect(fmt::format("node {}, left out by PreFilter", name),
                              a.excluded_by_pre_filter, b.excluded_by_pre_filter);
                differ.Join(fmt::format("node {}, score of", name), a.scores, b.scores,
                            [&](const std::string& plugin, int64_t x, int64_t y) {
                              differ.Expect(fmt::format("node {}, plugin {}, score", name, plugin),
                                            x, y);
                            });
                differ.Expect(fmt::format("node {}, total score", name), a.total, b.total);
              });
}

std::vector<std::string> NamesOf(const std::vector<api::ObjectKey>& keys) {
  std::vector<std::string> names;
  for (const api::ObjectKey& key : keys) names.push_back(key.ToString());
  return names;
}

void ComparePreemption(const Explanation::Preemption& fast, const twin::Preemption& slow,
                       Differ& differ) {
  differ.Expect("preemption, eligible", fast.eligible, slow.eligible);
  differ.Join("preemption, candidate", fast.candidates, slow.candidates,
              [&](const std::string& node, const auto& a, const twin::Candidate& b) {
                std::vector<std::string> victims;
                for (const auto& victim : a.victims) victims.push_back(victim.pod);
                differ.Expect(fmt::format("node {}, plugin DefaultPreemption, victims", node),
                              victims, NamesOf(b.victims));
                differ.Expect(
                    fmt::format("node {}, plugin DefaultPreemption, budget violations", node),
                    a.budget_violations, static_cast<int64_t>(b.pdb_violations));
              });
  differ.Join("preemption, rejected", fast.rejected, slow.rejected,
              [&](const std::string& node, const Verdict& a, const Verdict& b) {
                differ.Expect(fmt::format("node {}, plugin DefaultPreemption", node),
                              TextWithoutPlugin(a), TextWithoutPlugin(b));
              });
  differ.Expect("preemption, equally good nodes", fast.equally_good, slow.equally_good);
}

void CompareFailure(const Explanation& fast, const twin::Answer& slow, Differ& differ) {
  differ.Expect("message before preemption", fast.fit_error_before_post_filter,
                slow.fit_error_before_post_filter);
  differ.Expect("message", fast.fit_error, slow.fit_error);
  differ.Expect("plugins in the way", fast.rejected_by,
                std::vector(slow.unschedulable_plugins.begin(), slow.unschedulable_plugins.end()));
  if (fast.fit_error.empty() || slow.fit_error.empty()) return;
  differ.Expect("PostFilter", TextWithoutPlugin(fast.post_filter),
                TextWithoutPlugin(slow.post_filter));
  // Another plugin may have come between; then nobody has looked for victims.
  Explanation::Preemption none;
  none.eligible = true;
  ComparePreemption(fast.preemption.value_or(none), slow.preemption.value_or(twin::Preemption()),
                    differ);
}

}  // namespace

std::string TwinDifference::Text() const {
  return fmt::format("{}:\n    fast: {}\n    slow: {}", what, fast, slow);
}

TwinDifferences CompareWithTwin(const Explanation& fast, const twin::Answer& slow) {
  Differ differ;
  if (!PossibleErrors(slow).contains(fast.error)) differ.Expect("error", fast.error, slow.error);
  if (!fast.error.empty() || !slow.error.empty()) return differ.Take();
  differ.Expect("PreFilter", fast.pre_filter, slow.pre_filter);
  if (fast.pre_filter.ok()) {
    const std::vector<std::string> any{"any"};
    differ.Expect("nodes named by PreFilter", fast.restricted_to.value_or(any),
                  slow.restricted_to.value_or(any));
  }
  // The others were not explained if something is wrong with one of them.
  if (!fast.nominated_node_fits || !fast.nodes.empty()) CompareNodes(fast, slow, differ);
  differ.Expect("nominated node fits", fast.nominated_node_fits, slow.nominated_node_fits);
  differ.Expect("best nodes", fast.best_nodes, slow.best_nodes);
  CompareFailure(fast, slow, differ);
  return differ.Take();
}

namespace {

void CompareChoice(const std::string& fast, const twin::Answer& slow,
                   const std::vector<std::string>& node_order, Differ& differ) {
  const auto first = std::ranges::find_if(node_order, [&](const std::string& node) {
    return std::ranges::find(slow.best_nodes, node) != slow.best_nodes.end();
  });
  differ.Expect("choice", fast, first == node_order.end() ? "" : *first);
}

void CompareVictims(const DecidedAs& fast, const twin::Preemption& slow, const twin::Rules& rules,
                    Differ& differ) {
  const std::string what =
      fmt::format("node {}, plugin DefaultPreemption, choice", fast.nominated_node);
  const auto candidate = slow.candidates.find(fast.nominated_node);
  if (candidate == slow.candidates.end()) {
    const bool agreed = slow.candidates.empty() && fast.nominated_node.empty();
    if (!agreed) differ.Add(what, Text(fast.nominated_node), Text(slow.equally_good));
    return;
  }
  differ.Expect(what + " of victims", fast.victims, NamesOf(candidate->second.victims));
  const size_t wanted =
      twin::WantedCandidates(rules.preemption, slow.candidates.size() + slow.rejected.size());
  if (slow.candidates.size() <= wanted) {
    if (!twin::Contains(slow.equally_good, fast.nominated_node))
      differ.Add(what, fast.nominated_node, Text(slow.equally_good));
    return;
  }
  const bool none_need_suffer = std::ranges::any_of(
      slow.candidates, [](const auto& other) { return other.second.pdb_violations == 0; });
  if (none_need_suffer && candidate->second.pdb_violations > 0)
    differ.Add(what, fast.nominated_node, "a node where all disruption budgets are respected");
}

}  // namespace

TwinDifferences CompareDecision(const DecidedAs& fast, const twin::Answer& slow,
                                const std::vector<std::string>& node_order,
                                const twin::Rules& rules) {
  Differ differ;
  CompareChoice(fast.node, slow, node_order, differ);
  if (!fast.node.empty() || !slow.best_nodes.empty()) return differ.Take();
  differ.Expect("cycle went wrong", fast.failed, !slow.error.empty());
  if (fast.failed || !slow.error.empty()) {
    if (!PossibleErrors(slow).contains(fast.message))
      differ.Expect("error", fast.message, slow.error);
    return differ.Take();
  }
  differ.Expect("message", fast.message, slow.fit_error);
  if (slow.preemption) CompareVictims(fast, *slow.preemption, rules, differ);
  return differ.Take();
}

}  // namespace berth
