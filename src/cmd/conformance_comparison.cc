#include "cmd/conformance_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "cmd/conformance_allocations.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kNothing = "(none)";

std::string Listed(const std::vector<std::string>& names) {
  return names.empty() ? std::string(kNothing) : fmt::format("{}", fmt::join(names, ", "));
}

std::string Quoted(const std::string& text) {
  return text.empty() ? std::string(kNothing) : fmt::format("\"{}\"", text);
}

std::string Listed(const scheduler::engine::Explanation::Preemption::Candidate& candidate) {
  std::vector<std::string> victims;
  for (const auto& victim : candidate.victims) victims.push_back(victim.pod);
  return fmt::format("victims {}; {} budget violations", Listed(victims),
                     candidate.budget_violations);
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

bool SameVerdict(const scheduler::framework::Verdict& a, const scheduler::framework::Verdict& b) {
  return a.code() == b.code() && a.plugin() == b.plugin() &&
         Sorted(a.reasons()) == Sorted(b.reasons());
}

bool Fits(const scheduler::engine::Explanation::Node& node) { return node.verdict.ok(); }

size_t CountFeasible(const scheduler::engine::Explanation& explanation) {
  return static_cast<size_t>(std::ranges::count_if(
      explanation.nodes, [](const auto& entry) { return Fits(entry.second); }));
}

int64_t BestTotal(const scheduler::engine::Explanation& explanation) {
  if (explanation.best_nodes.empty()) return 0;
  auto best = explanation.nodes.find(explanation.best_nodes.front());
  return best == explanation.nodes.end() ? 0 : best->second.total;
}

// Collects the differences between one expected and one actual explanation.
class Comparison {
 public:
  Comparison(const scheduler::engine::Explanation& expected,
             const scheduler::engine::Explanation& actual, const CompareOptions& options)
      : expected_(expected), actual_(actual), options_(options) {}

  void PreFilter() {
    Check("preFilter", expected_.pre_filter, actual_.pre_filter);
    auto names = [](const auto& nodes) { return nodes ? Listed(*nodes) : "all nodes"; };
    Check("preFilter nodeNames", names(expected_.restricted_to), names(actual_.restricted_to));
  }

  // Compares the verdicts of the expected nodes; with `all`, no other node may have one.
  void Filter(bool all) {
    for (const auto& [name, node] : expected_.nodes) {
      const std::string what = "filter " + name;
      auto found = actual_.nodes.find(name);
      if (found == actual_.nodes.end()) {
        Add(what, Describe(node.verdict), "not evaluated");
        continue;
      }
      Check(what, node.verdict, found->second.verdict);
      if (node.excluded_by_pre_filter != found->second.excluded_by_pre_filter) {
        auto text = [](bool excluded) { return excluded ? "excluded" : "not excluded"; };
        Add(what + " by PreFilter", text(node.excluded_by_pre_filter),
            text(found->second.excluded_by_pre_filter));
      }
    }
    if (!all) return;
    for (const auto& [name, node] : actual_.nodes) {
      if (!expected_.nodes.contains(name))
        Add("filter " + name, "not evaluated", Describe(node.verdict));
    }
  }

  // Compares the scores of nodes that are feasible on both sides; Filter reports the others.
  void Scores() {
    for (const auto& [name, node] : expected_.nodes) {
      auto found = actual_.nodes.find(name);
      if (found == actual_.nodes.end() || !Fits(node) || !Fits(found->second)) continue;
      NodeScores(name, node, found->second);
    }
  }

  void BestNodes() {
    if (!options_.scores_of.empty()) return;
    Check("bestNodes", Listed(expected_.best_nodes), Listed(actual_.best_nodes));
    if (expected_.nominated_node_fits != actual_.nominated_node_fits) {
      auto text = [](bool fits) { return fits ? "yes" : "no"; };
      Add("nominatedNodeFits", text(expected_.nominated_node_fits),
          text(actual_.nominated_node_fits));
    }
  }

  void Outcome() {
    if (!SameError()) Add("error", Quoted(expected_.error), Quoted(actual_.error));
    // Cases recorded by calling the plugins directly have no PostFilter result.
    const bool post_filter_ran = expected_.preemption.has_value() || expected_.fit_error.empty();
    Check("fitError", Quoted(expected_.fit_error),
          Quoted(post_filter_ran ? actual_.fit_error : actual_.fit_error_before_post_filter));
    Check("fitErrorBeforePostFilter", Quoted(expected_.fit_error_before_post_filter),
          Quoted(actual_.fit_error_before_post_filter));
    Check("unschedulablePlugins", Listed(expected_.rejected_by),
          Listed(Sorted(actual_.rejected_by)));
    if (post_filter_ran) Preemption();
  }

  void Check(const std::string& what, const std::string& expected, const std::string& actual) {
    if (expected != actual) Add(what, expected, actual);
  }
  void Check(const std::string& what, int64_t expected, int64_t actual) {
    if (expected != actual) Add(what, fmt::format("{}", expected), fmt::format("{}", actual));
  }
  void Check(const std::string& what, const scheduler::framework::Verdict& expected,
             const scheduler::framework::Verdict& actual) {
    if (!SameVerdict(expected, actual)) Add(what, Describe(expected), Describe(actual));
  }
  void Check(const std::string& what, const std::map<std::string, int64_t>& expected,
             const std::map<std::string, int64_t>& actual) {
    for (const std::string& name : Names(expected, actual)) {
      Check(fmt::format("{} {}", what, name), ValueOf(expected, name), ValueOf(actual, name));
    }
  }
  void Add(std::string what, std::string expected, std::string actual) {
    differences_.push_back({std::move(what), std::move(expected), std::move(actual)});
  }

  bool Counts(const std::string& plugin) const {
    return options_.scores_of.empty() ||
           std::ranges::find(options_.scores_of, plugin) != options_.scores_of.end();
  }

  Differences Take() { return std::move(differences_); }

 private:
  static int64_t ValueOf(const std::map<std::string, int64_t>& map, const std::string& name) {
    auto found = map.find(name);
    return found == map.end() ? 0 : found->second;
  }

  template <typename Map>
  static std::set<std::string> Names(const Map& a, const Map& b) {
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    return names;
  }

  void NodeScores(const std::string& name, const scheduler::engine::Explanation::Node& expected,
                  const scheduler::engine::Explanation::Node& actual) {
    for (const std::string& plugin : Names(expected.scores, actual.scores)) {
      if (!Counts(plugin)) continue;
      Check(fmt::format("score {} {}", plugin, name), ValueOf(expected.scores, plugin),
            ValueOf(actual.scores, plugin));
    }
    if (options_.scores_of.empty()) Check("total " + name, expected.total, actual.total);
  }

  // Accepts the error of any node, since it is random which one kube-scheduler returns.
  bool SameError() const {
    if (expected_.error == actual_.error) return true;
    if (expected_.error.empty() || actual_.error.empty()) return false;
    return std::ranges::any_of(expected_.nodes, [&](const auto& entry) {
      const scheduler::framework::Verdict& verdict = entry.second.verdict;
      return verdict.code() == scheduler::framework::Code::kError &&
             verdict.Message() == actual_.error;
    });
  }

  void Preemption() {
    // An error of an earlier PostFilter plugin skips preemption; the recorded preemption is then
    // meaningless.
    if (expected_.preemption &&
        expected_.post_filter.code() == scheduler::framework::Code::kError && !actual_.preemption) {
      PostFilterStatus();
      return;
    }
    if (expected_.preemption.has_value() != actual_.preemption.has_value()) {
      auto text = [](const auto& preemption) { return preemption ? "attempted" : "not attempted"; };
      Add("preemption", text(expected_.preemption), text(actual_.preemption));
      return;
    }
    if (!expected_.preemption) return;
    const scheduler::engine::Explanation::Preemption& expected = *expected_.preemption;
    const scheduler::engine::Explanation::Preemption& actual = *actual_.preemption;
    auto yes_or_no = [](bool value) { return std::string(value ? "yes" : "no"); };
    Check("preemption eligible", yes_or_no(expected.eligible), yes_or_no(actual.eligible));
    Candidates(expected, actual);
    Rejected(expected, actual);
    Check("preemption selectedAny", Listed(expected.equally_good),
          Listed(Sorted(actual.equally_good)));
    const bool right = expected.equally_good.empty()
                           ? actual.selected.empty()
                           : std::ranges::find(expected.equally_good, actual.selected) !=
                                 expected.equally_good.end();
    if (!right) {
      Add("preemption selected", "one of " + Listed(expected.equally_good),
          Quoted(actual.selected));
    }
    PostFilterStatus();
  }

  void PostFilterStatus() {
    const scheduler::framework::Verdict& expected = expected_.post_filter;
    const scheduler::framework::Verdict& actual = actual_.post_filter;
    if (expected.code() != actual.code() || expected.reasons() != actual.reasons()) {
      Add("preemption status", Describe(expected), Describe(actual));
    }
  }

  void Candidates(const scheduler::engine::Explanation::Preemption& expected,
                  const scheduler::engine::Explanation::Preemption& actual) {
    for (const std::string& name : Names(expected.candidates, actual.candidates)) {
      auto text = [&](const auto& candidates) {
        auto found = candidates.find(name);
        return found == candidates.end() ? "not a candidate" : Listed(found->second);
      };
      Check("preemption candidate " + name, text(expected.candidates), text(actual.candidates));
    }
  }

  void Rejected(const scheduler::engine::Explanation::Preemption& expected,
                const scheduler::engine::Explanation::Preemption& actual) {
    for (const std::string& name : Names(expected.rejected, actual.rejected)) {
      auto want = expected.rejected.find(name);
      auto got = actual.rejected.find(name);
      const std::string what = "preemption rejected " + name;
      if (want == expected.rejected.end()) {
        Add(what, "not rejected", Describe(got->second));
      } else if (got == actual.rejected.end()) {
        Add(what, Describe(want->second), "not rejected");
      } else {
        Check(what, want->second, got->second);
      }
    }
  }

  const scheduler::engine::Explanation& expected_;
  const scheduler::engine::Explanation& actual_;
  const CompareOptions& options_;
  Differences differences_;
};

// Returns the digest of all nodes of `actual`, as recorded in the cases.
ExpectedDigest Digest(const scheduler::engine::Explanation& actual) {
  ExpectedDigest digest;
  for (const auto& [name, node] : actual.nodes) {
    if (Fits(node)) {
      ++digest.feasible;
      for (const auto& [plugin, score] : node.scores) digest.score_sums[plugin] += score;
      digest.score_sums["total"] += node.total;
      continue;
    }
    ++digest.rejected_by[node.verdict.plugin()];
    for (const std::string& reason : node.verdict.reasons()) ++digest.rejected_reasons[reason];
  }
  digest.best_total = BestTotal(actual);
  return digest;
}

DeviceAllocations AllocationsOf(const scheduler::engine::Explanation& explanation) {
  DeviceAllocations allocations;
  for (const auto& [name, node] : explanation.nodes) {
    if (!node.allocations.empty()) allocations[name] = node.allocations;
  }
  return allocations;
}

}  // namespace

std::string Describe(const scheduler::framework::Verdict& verdict) {
  std::string text(scheduler::framework::ToString(verdict.code()));
  if (!verdict.plugin().empty()) text += " by " + verdict.plugin();
  if (!verdict.reasons().empty()) text += fmt::format(": {}", fmt::join(verdict.reasons(), "; "));
  return text;
}

Differences Compare(const Expectation& expected, const scheduler::engine::Explanation& actual,
                    const CompareOptions& options) {
  Comparison comparison(expected.explanation, actual, options);
  comparison.PreFilter();
  comparison.Filter(/*all=*/true);
  if (expected.scored) comparison.Scores();
  comparison.BestNodes();
  comparison.Outcome();
  Differences differences = comparison.Take();
  // A cycle that fails allocates nothing, whatever other nodes could offer.
  if (expected.allocates_devices && expected.explanation.error.empty()) {
    std::ranges::move(
        CompareAllocations(AllocationsOf(expected.explanation), AllocationsOf(actual)),
        std::back_inserter(differences));
  }
  return differences;
}

Differences CompareDigest(const ExpectedDigest& expected,
                          const scheduler::engine::Explanation& actual,
                          const CompareOptions& options) {
  const ExpectedDigest digest = Digest(actual);
  Comparison comparison(expected.sample, actual, options);
  comparison.PreFilter();
  comparison.Filter(/*all=*/false);
  comparison.Scores();
  comparison.BestNodes();
  comparison.Check("feasible", static_cast<int64_t>(expected.feasible),
                   static_cast<int64_t>(digest.feasible));
  comparison.Check("rejectedBy", expected.rejected_by, digest.rejected_by);
  comparison.Check("rejectedReasons", expected.rejected_reasons, digest.rejected_reasons);
  auto counted = [&](std::map<std::string, int64_t> sums) {
    std::erase_if(sums, [&](const auto& entry) { return !comparison.Counts(entry.first); });
    return sums;
  };
  comparison.Check("scoreSums", counted(expected.score_sums), counted(digest.score_sums));
  if (options.scores_of.empty()) {
    comparison.Check("bestTotal", expected.best_total, digest.best_total);
  }
  comparison.Check("error", Quoted(expected.sample.error), Quoted(actual.error));
  comparison.Check("fitError", Quoted(expected.sample.fit_error), Quoted(actual.fit_error));
  comparison.Check("fitErrorBeforePostFilter", Quoted(expected.sample.fit_error_before_post_filter),
                   Quoted(actual.fit_error_before_post_filter));
  comparison.Check("unschedulablePlugins", Listed(expected.sample.rejected_by),
                   Listed(Sorted(actual.rejected_by)));
  return comparison.Take();
}

Differences CompareStep(size_t step, const ExpectedStep& expected,
                        const scheduler::engine::Explanation& actual) {
  scheduler::engine::Explanation unused;
  const CompareOptions options;
  Comparison comparison(unused, actual, options);
  auto what = [&](std::string_view field) { return fmt::format("step {} {}", step, field); };
  comparison.Check(what("bestNodes"), Listed(expected.best_nodes), Listed(actual.best_nodes));
  comparison.Check(what("bestTotal"), expected.best_total, BestTotal(actual));
  comparison.Check(what("feasible"), static_cast<int64_t>(expected.feasible),
                   static_cast<int64_t>(CountFeasible(actual)));
  comparison.Check(what("fitError"), Quoted(expected.fit_error),
                   Quoted(actual.fit_error_before_post_filter));
  comparison.Check(what("error"), std::string(kNothing), Quoted(actual.error));
  return comparison.Take();
}

}  // namespace berth::cmd
