#include "scheduler/engine/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scheduler/engine/scheduling_cycle.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {
namespace {

class Explainer {
 public:
  Explainer(framework::Attempt& attempt, Instant now, Random& random, ExplainDepth depth)
      : attempt_(attempt),
        nodes_(attempt.cluster().nodes()),
        now_(now),
        random_(random),
        depth_(depth) {}

  Explanation Run() {
    attempt_.cycle().set_date(now_);
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
    const model::NodeRow nominated = FittingNominatedNode(attempt_);
    if (framework::Verdict error = attempt_.Filter(); !error.ok()) {
      explanation_.error = error.Message();
      ListNodesOneByOne();
    } else if (attempt_.feasible().None() && !nominated.valid()) {
      ExplainFailure();
    } else {
      ListNodes(attempt_.Diagnose(framework::Verdict()));
      if (!attempt_.feasible().None()) ExplainScores();
    }
    if (!nominated.valid()) return;
    // The pod has its node, whatever the result for the others.
    explanation_.nominated_node_fits = true;
    explanation_.best_nodes = {nodes_.name(nominated)};
    explanation_.error.clear();
  }

  // After an error, which ends filtering for all nodes.
  void ListNodesOneByOne() {
    attempt_.candidates().ForEach([&](size_t r) {
      const model::NodeRow row{static_cast<uint32_t>(r)};
      Explanation::Node& node = explanation_.nodes[nodes_.name(row)];
      node.verdict = attempt_.FilterNode(row);
      if (node.verdict.ok()) node.allocations = AllocationsOn(row);
    });
  }

  std::map<std::string, api::AllocationResult> AllocationsOn(model::NodeRow row) {
    std::map<std::string, api::AllocationResult> all;
    for (const framework::FilterPlugin* filter : attempt_.profile().filter()) {
      if (const auto* chooses = dynamic_cast<const framework::DeviceFilter*>(filter))
        all.merge(chooses->Allocations(attempt_.cycle(), row));
    }
    return all;
  }

  void ListNodes(const framework::Diagnosis& diagnosis) {
    std::map<model::NodeRow, const framework::Verdict*> judged;
    diagnosis.ForEach([&](model::NodeRow row, const framework::Verdict& verdict) {
      judged.emplace(row, &verdict);
    });
    nodes_.present().ForEach([&](size_t r) {
      const model::NodeRow row{static_cast<uint32_t>(r)};
      Explanation::Node& node = explanation_.nodes[nodes_.name(row)];
      if (attempt_.placement() != nullptr && !attempt_.placement()->Test(r)) {
        node.verdict = OutsideOfPlacement();
        return;
      }
      node.excluded_by_pre_filter = !attempt_.candidates().Test(r);
      if (auto found = judged.find(row); found != judged.end()) {
        node.verdict = *found->second;
        if (depth_ == ExplainDepth::kDetails) node.details = DetailsOf(row, node.verdict);
      } else if (node.excluded_by_pre_filter) {
        node.verdict = diagnosis.absent;
      } else if (attempt_.feasible().Test(r)) {
        node.allocations = AllocationsOn(row);
      }
    });
  }

  framework::Verdict OutsideOfPlacement() const {
    const auto generators = attempt_.profile().placement_generate();
    return framework::Verdict(framework::Code::kUnschedulableAndUnresolvable,
                              "node is not in the placement that was tried for the pod group")
        .By(generators.empty() ? "" : generators[0]->name());
  }

  // Before scoring: until then the cycle states are those of filtering.
  std::string DetailsOf(model::NodeRow row, const framework::Verdict& verdict) {
    const auto filters = attempt_.profile().filter();
    const auto filter =
        std::ranges::find(filters, verdict.plugin(), &framework::FilterPlugin::name);
    if (!verdict.rejected() || filter == filters.end()) return "";
    if ((*filter)->Judge(attempt_.cycle(), row).rejected()) {
      return (*filter)->Details(attempt_.cycle(), row);
    }
    // The node itself fits: the cause is among its nominated pods.
    std::vector<std::string> rivals;
    const model::Cluster& cluster = attempt_.cluster();
    for (model::PodId id : cluster.nominations().PodsOn(nodes_.info(row).name)) {
      if (cluster.pod(id).uid() == attempt_.cycle().pod().uid()) continue;
      rivals.push_back(cluster.pod(id).key().ToString());
    }
    std::ranges::sort(rivals);
    return fmt::format("the node fits only without its nominated pods: {}",
                       fmt::join(rivals, ", "));
  }

  void ExplainScores() {
    framework::Attempt::ScoreTable table;
    if (framework::Verdict error = attempt_.ScoreInDetail(table); !error.ok()) {
      // A single feasible node is selected without scores, so no score can fail then.
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
          explanation_.nodes[nodes_.name(model::NodeRow{static_cast<uint32_t>(row)})];
      for (const auto& column : table.plugins) node.scores[column.plugin] = column.scores[row];
      node.total = table.totals[row];
      highest = std::max(highest, node.total);
    });
    attempt_.feasible().ForEach([&](size_t row) {
      if (table.totals[row] != highest) return;
      explanation_.best_nodes.push_back(nodes_.name(model::NodeRow{static_cast<uint32_t>(row)}));
    });
    std::ranges::sort(explanation_.best_nodes);
  }

  std::vector<std::string> FeasibleNames() const {
    std::vector<std::string> names;
    attempt_.feasible().ForEach([&](size_t row) {
      names.push_back(nodes_.name(model::NodeRow{static_cast<uint32_t>(row)}));
    });
    std::ranges::sort(names);
    return names;
  }

  void ExplainFailure() {
    framework::Diagnosis diagnosis = attempt_.Diagnose(explanation_.pre_filter);
    if (explanation_.pre_filter.ok()) ListNodes(diagnosis);
    explanation_.fit_error_before_post_filter = diagnosis.Message();
    explanation_.rejected_by.assign(diagnosis.rejected_by.begin(), diagnosis.rejected_by.end());

    framework::PreemptionReport report;
    framework::FailedCycle failed{attempt_, diagnosis, now_, random_, &report};
    Task<framework::PostFilterResult> task = RunPostFilters(failed);
    task.Start();  // No extender is called, so it does not wait.
    const framework::PostFilterResult& result = task.result();
    explanation_.post_filter = result.verdict;
    diagnosis.post_filter_message = result.verdict.Message();
    explanation_.fit_error = diagnosis.Message();
    if (report.tried) explanation_.preemption = Describe(report);
  }

  Explanation::Preemption Describe(const framework::PreemptionReport& report) const {
    const model::Cluster& cluster = attempt_.cluster();
    Explanation::Preemption described;
    described.eligible = report.eligible;
    described.priority = attempt_.cycle().pod_class().priority;
    const auto selected = std::ranges::find(report.candidates, report.selected,
                                            [](const auto& candidate) { return candidate.node; });
    for (const auto& [row, victims] : report.candidates) {
      auto& candidate = described.candidates[nodes_.name(row)];
      candidate.budget_violations = victims.budget_violations;
      for (model::PodId id : victims.pods) {
        const model::PodRecord& pod = cluster.pod(id);
        const bool over_budget = std::ranges::count(victims.over_budget, id) > 0;
        candidate.victims.push_back({pod.key().ToString(), pod.object->priority(), over_budget});
      }
      candidate.started = framework::EarliestStart(cluster, victims, now_);
      if (selected != report.candidates.end()) {
        const framework::VictimRating best(cluster, selected->victims, now_);
        candidate.lost_by = best.DifferenceTo(framework::VictimRating(cluster, victims, now_));
      }
    }
    for (const auto& [row, verdict] : report.rejected)
      described.rejected.emplace(nodes_.name(row), verdict);
    for (model::NodeRow row : report.equally_good)
      described.equally_good.push_back(nodes_.name(row));
    std::ranges::sort(described.equally_good);
    if (report.selected.valid()) described.selected = nodes_.name(report.selected);
    return described;
  }

  framework::Attempt& attempt_;
  const model::NodeTable& nodes_;
  const Instant now_;
  Random& random_;
  const ExplainDepth depth_;
  Explanation explanation_;
};

}  // namespace

Explanation ExplainAttempt(framework::Attempt& attempt, Instant now, Random random,
                           ExplainDepth depth) {
  return Explainer(attempt, now, random, depth).Run();
}

}  // namespace berth::scheduler::engine
