#include "engine/explain.h"

#include <algorithm>

#include "engine/scheduling_cycle.h"

namespace berth {
namespace {

class Explainer {
 public:
  Explainer(Attempt& attempt, Instant now, Random& random)
      : attempt_(attempt), nodes_(attempt.cluster().nodes()), now_(now), random_(random) {}

  Explanation Run() {
    explanation_.pre_filter = attempt_.PreFilter();
    NoteRestriction();
    if (explanation_.pre_filter.rejected()) {
      ExplainFailure();
    } else if (!explanation_.pre_filter.ok()) {
      explanation_.error = explanation_.pre_filter.Message();
    } else {
      ExplainNodes();
    }
    return std::move(explanation_);
  }

 private:
  void NoteRestriction() {
    if (!attempt_.restriction()) return;
    auto& names = explanation_.restricted_to.emplace();
    for (Symbol name : *attempt_.restriction())
      names.push_back(attempt_.cluster().symbols().Text(name));
    std::ranges::sort(names);
  }

  void ExplainNodes() {
    const NodeRow nominated = FittingNominatedNode(attempt_);
    if (Verdict error = attempt_.Filter(); !error.ok()) {
      explanation_.error = error.Message();
    } else if (attempt_.feasible().None() && !nominated.valid()) {
      ExplainFailure();
    } else {
      ListNodes(attempt_.Diagnose(Verdict()));
      if (!attempt_.feasible().None()) ExplainScores();
    }
    if (!nominated.valid()) return;
    // The pod has its node, whatever is right or wrong with the others.
    explanation_.nominated_node_fits = true;
    explanation_.best_nodes = {nodes_.name(nominated)};
    explanation_.error.clear();
  }

  void ListNodes(const Diagnosis& diagnosis) {
    std::map<NodeRow, const Verdict*> judged;
    for (const auto& [row, verdict] : diagnosis.nodes) judged.emplace(row, &verdict);
    nodes_.present().ForEach([&](size_t r) {
      const NodeRow row{static_cast<uint32_t>(r)};
      Explanation::Node& node = explanation_.nodes[nodes_.name(row)];
      node.excluded_by_pre_filter = !attempt_.candidates().Test(r);
      if (auto found = judged.find(row); found != judged.end()) {
        node.verdict = *found->second;
      } else if (node.excluded_by_pre_filter) {
        node.verdict = diagnosis.absent;
      }
    });
  }

  void ExplainScores() {
    Attempt::ScoreTable table;
    if (Verdict error = attempt_.ScoreInDetail(table); !error.ok()) {
      // A single feasible node is taken without scores, so no score can fail then.
      if (attempt_.feasible().Count() > 1) {
        explanation_.error = error.Message();
      } else {
        explanation_.best_nodes = FeasibleNames();
      }
      return;
    }
    int64_t highest = INT64_MIN;
    for (const auto& column : table.plugins) explanation_.scoring_plugins.push_back(column.plugin);
    attempt_.feasible().ForEach([&](size_t row) {
      Explanation::Node& node =
          explanation_.nodes[nodes_.name(NodeRow{static_cast<uint32_t>(row)})];
      for (const auto& column : table.plugins) node.scores[column.plugin] = column.scores[row];
      node.total = table.totals[row];
      highest = std::max(highest, node.total);
    });
    attempt_.feasible().ForEach([&](size_t row) {
      if (table.totals[row] != highest) return;
      explanation_.best_nodes.push_back(nodes_.name(NodeRow{static_cast<uint32_t>(row)}));
    });
    std::ranges::sort(explanation_.best_nodes);
  }

  std::vector<std::string> FeasibleNames() const {
    std::vector<std::string> names;
    attempt_.feasible().ForEach(
        [&](size_t row) { names.push_back(nodes_.name(NodeRow{static_cast<uint32_t>(row)})); });
    std::ranges::sort(names);
    return names;
  }

  void ExplainFailure() {
    Diagnosis diagnosis = attempt_.Diagnose(explanation_.pre_filter);
    if (explanation_.pre_filter.ok()) ListNodes(diagnosis);
    explanation_.fit_error_before_post_filter = diagnosis.Message();
    explanation_.rejected_by.assign(diagnosis.rejected_by.begin(), diagnosis.rejected_by.end());

    PreemptionReport report;
    FailedCycle failed{attempt_, diagnosis, now_, random_, &report};
    Task<PostFilterResult> task = RunPostFilters(failed);
    task.Start();  // No extender is asked, so it does not wait.
    const PostFilterResult& result = task.result();
    explanation_.post_filter = result.verdict;
    diagnosis.post_filter_message = result.verdict.Message();
    explanation_.fit_error = diagnosis.Message();
    if (report.asked) explanation_.preemption = Describe(report);
  }

  Explanation::Preemption Describe(const PreemptionReport& report) const {
    const Cluster& cluster = attempt_.cluster();
    Explanation::Preemption told;
    told.eligible = report.eligible;
    for (const auto& [row, victims] : report.candidates) {
      auto& candidate = told.candidates[nodes_.name(row)];
      candidate.budget_violations = victims.budget_violations;
      for (PodId id : victims.pods) {
        const PodRecord& pod = cluster.pod(id);
        candidate.victims.push_back({pod.key().ToString(), pod.object->priority()});
      }
    }
    for (const auto& [row, verdict] : report.rejected)
      told.rejected.emplace(nodes_.name(row), verdict);
    for (NodeRow row : report.equally_good) told.equally_good.push_back(nodes_.name(row));
    std::ranges::sort(told.equally_good);
    if (report.selected.valid()) told.selected = nodes_.name(report.selected);
    return told;
  }

  Attempt& attempt_;
  const NodeTable& nodes_;
  const Instant now_;
  Random& random_;
  Explanation explanation_;
};

}  // namespace

Explanation ExplainAttempt(Attempt& attempt, Instant now, Random random) {
  return Explainer(attempt, now, random).Run();
}

}  // namespace berth
