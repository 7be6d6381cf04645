#include "scheduler/engine/paranoid_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/terminal.h"
#include "scheduler/devices/search.h"
#include "scheduler/engine/explain.h"
#include "scheduler/engine/reference_comparison.h"
#include "scheduler/framework/attempt.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/framework/scores.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::engine {
namespace {

// Cached results against new ones, with the same plugins.
class FreshAttempt {
 public:
  FreshAttempt(framework::Attempt& cached, const CycleOutcome& outcome)
      : cached_(cached),
        outcome_(outcome),
        nodes_(cached.cluster().nodes()),
        results_(cached.profile(), cached.cluster(), cached.cycle().pod_class()),
        fresh_(cached.cluster(), cached.profile(), results_, cached.cycle().pod()) {
    fresh_.StartAt(cached.start());
    fresh_.ConfineTo(cached.placement());
    fresh_.cycle().set_date(cached.cycle().date());
  }

  ReferenceMismatches Compare() {
    Run();
    return std::move(differences_);
  }

 private:
  void Run() {
    if (outcome_.kind != CycleOutcome::Kind::kNode &&
        outcome_.kind != CycleOutcome::Kind::kFitError)
      return;
    if (const framework::Verdict pre_filter = fresh_.PreFilter(); !pre_filter.ok()) {
      if (outcome_.kind == CycleOutcome::Kind::kNode) Differ("PreFilter", "Success", pre_filter);
      return;
    }
    if (const model::NodeRow nominated = FittingNominatedNode(fresh_); nominated.valid()) {
      ExpectChoice(nominated);
      return;
    }
    if (const framework::Verdict filtered = fresh_.Filter(); !filtered.ok()) {
      Differ("Filter", "Success", filtered);
      return;
    }
    nodes_.present().ForEach(
        [&](size_t row) { CompareNode(model::NodeRow{static_cast<uint32_t>(row)}); });
    if (outcome_.kind == CycleOutcome::Kind::kNode && differences_.empty()) CompareChoice();
  }

  void CompareNode(model::NodeRow node) {
    const size_t row = node.index();
    const std::string name = "node " + nodes_.name(node);
    if (!cached_.searched() && cached_.candidates().Test(row) != fresh_.candidates().Test(row)) {
      Differ(name + ", candidate", Text(cached_.candidates().Test(row)),
             Text(fresh_.candidates().Test(row)));
    }
    if (!fresh_.candidates().Test(row)) return;
    const framework::Verdict verdict = fresh_.FilterNode(node);
    const std::string what =
        verdict.plugin().empty() ? name : fmt::format("{}, plugin {}", name, verdict.plugin());
    const bool fits = cached_.searched() ? verdict.ok() : cached_.feasible().Test(row);
    if (fits != verdict.ok() && (fits || !cached_.limit()))
      Differ(what + " (cached results)", Text(fits), verdict);
    if (fresh_.feasible().Test(row) != verdict.ok())
      Differ(what + " (all nodes at once)", Text(fresh_.feasible().Test(row)), verdict);
  }

  void CompareChoice() {
    if (cached_.limit()) fresh_.KeepFirst(*cached_.limit());
    if (fresh_.feasible().Count() == 1) {
      fresh_.feasible().ForEach(
          [&](size_t row) { ExpectChoice(model::NodeRow{static_cast<uint32_t>(row)}); });
      return;
    }
    framework::Attempt::ScoreTable table;
    if (const framework::Verdict scored = fresh_.ScoreInDetail(table); !scored.ok()) {
      Differ("Score", "Success", scored);
      return;
    }
    ExpectChoice(fresh_.BestOf(table.totals));
  }

  void ExpectChoice(model::NodeRow node) {
    if (outcome_.node != node) Differ("choice (cached results)", Text(outcome_.node), Text(node));
  }

  std::string Text(model::NodeRow node) const {
    return node.valid() ? nodes_.name(node) : "no node";
  }
  static std::string Text(bool fits) { return fits ? "fits" : "does not fit"; }

  void Differ(std::string what, std::string fast, std::string fresh) {
    differences_.push_back({std::move(what), std::move(fast), std::move(fresh)});
  }
  void Differ(std::string what, std::string fast, const framework::Verdict& fresh) {
    Differ(std::move(what), std::move(fast),
           fmt::format("{} {}", framework::ToString(fresh.code()), fresh.Message()));
  }

  framework::Attempt& cached_;
  const CycleOutcome& outcome_;
  const model::NodeTable& nodes_;
  framework::ClassResults results_;
  framework::Attempt fresh_;
  ReferenceMismatches differences_;
};

Explanation ExplainAfresh(framework::Attempt& attempt, Instant now) {
  framework::ClassResults results(attempt.profile(), attempt.cluster(),
                                  attempt.cycle().pod_class());
  framework::Attempt fresh(attempt.cluster(), attempt.profile(), results, attempt.cycle().pod());
  return ExplainAttempt(fresh, now, Random(0));
}

bool AllKnown(const auto& plugins) {
  return std::ranges::all_of(
      plugins, [](const auto* plugin) { return reference::KnowsPlugin(plugin->name()); });
}

// Reports whether a search for devices has ended at its limit: the reference implementation has
// another one.
bool IsUndecided(const Explanation& explanation) {
  return std::ranges::any_of(explanation.nodes, [](const auto& node) {
    const auto& reasons = node.second.verdict.reasons();
    return std::ranges::find(reasons, devices::kUndecided) != reasons.end();
  });
}

}  // namespace

NamedDecision ToNamedDecision(const model::Cluster& cluster, const CycleOutcome& outcome) {
  NamedDecision decided;
  decided.message = outcome.Message();
  decided.failed =
      outcome.kind == CycleOutcome::Kind::kError || outcome.kind == CycleOutcome::Kind::kNoNodes;
  if (outcome.kind == CycleOutcome::Kind::kNode) decided.node = cluster.nodes().name(outcome.node);
  if (const Symbol node = outcome.post_filter.nomination.node; node.valid())
    decided.nominated_node = cluster.symbols().Text(node);
  for (model::PodId victim : outcome.post_filter.victims)
    decided.victims.push_back(cluster.pod(victim).key().ToString());
  return decided;
}

bool ParanoidCheck::ReferenceSupports(framework::Attempt& attempt) {
  const framework::Profile& profile = attempt.profile();
  return AllKnown(profile.pre_filter()) && AllKnown(profile.filter()) &&
         AllKnown(profile.post_filter()) && AllKnown(profile.pre_score()) &&
         std::ranges::all_of(profile.score(), [](const framework::Profile::Scorer& scorer) {
           return reference::KnowsPlugin(scorer.plugin->name());
         });
}

ReferenceMismatches ParanoidCheck::DifferencesFromFresh(framework::Attempt& attempt,
                                                        const CycleOutcome& outcome) {
  return FreshAttempt(attempt, outcome).Compare();
}

ReferenceMismatches ParanoidCheck::Differences(framework::Attempt& attempt,
                                               const CycleOutcome& outcome, Instant now) const {
  ReferenceMismatches all = DifferencesFromFresh(attempt, outcome);
  if (!ReferenceSupports(attempt)) return all;
  // The reference implementation does not know of a write in PostFilter that failed.
  if (outcome.post_filter.verdict.code() == framework::Code::kError) return all;
  reference::Snapshot snapshot = SnapshotOf(attempt.cluster());
  const auto group = model::GroupNamedBy(*attempt.cycle().pod().object);
  if (group && attempt.profile().group_search().complete)
    ShowAllocationsOf(*group, attempt.cluster(), snapshot);
  const reference::Evaluation slow =
      reference::Evaluate(snapshot, *attempt.cycle().pod().object, rules_, now);
  const Explanation fast = ExplainAfresh(attempt, now);
  if (slow.gave_up || IsUndecided(fast)) return all;
  if (outcome.kind != CycleOutcome::Kind::kNoNodes)
    std::ranges::move(CompareWithReference(fast, slow), std::back_inserter(all));
  std::vector<std::string> order = reference::NodeOrder(snapshot);
  std::ranges::rotate(order, order.begin() + static_cast<ptrdiff_t>(attempt.start()));
  std::ranges::move(
      CompareDecision(ToNamedDecision(attempt.cluster(), outcome), slow, order, rules_),
      std::back_inserter(all));
  return all;
}

namespace {

void AbortIfAny(const ReferenceMismatches& differences, framework::Attempt& attempt) {
  if (differences.empty()) return;
  std::string text = fmt::format("berth: internal error: two ways to decide about pod {} differ\n",
                                 attempt.cycle().pod().key().ToString());
  for (const ReferenceMismatch& difference : differences) text += "  " + difference.Text() + "\n";
  PrintText(stderr, text);
  std::abort();
}

}  // namespace

void ParanoidCheck::Check(framework::Attempt& attempt, const CycleOutcome& outcome,
                          Instant now) const {
  AbortIfAny(Differences(attempt, outcome, now), attempt);
}

void ParanoidCheck::CheckMember(framework::Attempt& attempt, const CycleOutcome& outcome,
                                Instant now, bool post_filters) const {
  const model::Features& features = attempt.cluster().features();
  // Placements, and rules for the preemption by members.
  if (attempt.placement() != nullptr || !post_filters ||
      features.topology_aware_workload_scheduling || features.workload_aware_preemption)
    return AbortIfAny(DifferencesFromFresh(attempt, outcome), attempt);
  Check(attempt, outcome, now);
}

}  // namespace berth::scheduler::engine
