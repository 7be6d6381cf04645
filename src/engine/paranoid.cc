#include "engine/paranoid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engine/cluster_world.h"
#include "engine/explain.h"
#include "framework/select.h"
#include "twin/evaluate.h"
#include "twin/node_order.h"

namespace berth {
namespace {

// Kept results against fresh ones, through the same plugins.
class FreshAttempt {
 public:
  FreshAttempt(Attempt& kept, const CycleOutcome& outcome)
      : kept_(kept),
        outcome_(outcome),
        nodes_(kept.cluster().nodes()),
        results_(kept.profile(), kept.cluster(), kept.cycle().pod_class()),
        fresh_(kept.cluster(), kept.profile(), results_, kept.cycle().pod()) {}

  TwinDifferences Compare() {
    Run();
    return std::move(differences_);
  }

 private:
  void Run() {
    if (outcome_.kind != CycleOutcome::Kind::kNode &&
        outcome_.kind != CycleOutcome::Kind::kFitError)
      return;
    if (const Verdict pre_filter = fresh_.PreFilter(); !pre_filter.ok()) {
      if (outcome_.kind == CycleOutcome::Kind::kNode) Differ("PreFilter", "Success", pre_filter);
      return;
    }
    if (const NodeRow nominated = FittingNominatedNode(fresh_); nominated.valid()) {
      ExpectChoice(nominated);
      return;
    }
    if (const Verdict filtered = fresh_.Filter(); !filtered.ok()) {
      Differ("Filter", "Success", filtered);
      return;
    }
    nodes_.present().ForEach([&](size_t row) { CompareNode(NodeRow{static_cast<uint32_t>(row)}); });
    if (outcome_.kind == CycleOutcome::Kind::kNode && differences_.empty()) CompareChoice();
  }

  void CompareNode(NodeRow node) {
    const size_t row = node.index();
    const std::string name = "node " + nodes_.name(node);
    if (kept_.candidates().Test(row) != fresh_.candidates().Test(row)) {
      Differ(name + ", candidate", Text(kept_.candidates().Test(row)),
             Text(fresh_.candidates().Test(row)));
    }
    if (!fresh_.candidates().Test(row)) return;
    const Verdict verdict = fresh_.FilterNode(node);
    const std::string what =
        verdict.plugin().empty() ? name : fmt::format("{}, plugin {}", name, verdict.plugin());
    if (kept_.feasible().Test(row) != verdict.ok())
      Differ(what + " (kept results)", Text(kept_.feasible().Test(row)), verdict);
    if (fresh_.feasible().Test(row) != verdict.ok())
      Differ(what + " (all nodes at once)", Text(fresh_.feasible().Test(row)), verdict);
  }

  void CompareChoice() {
    if (fresh_.feasible().Count() == 1) {
      fresh_.feasible().ForEach(
          [&](size_t row) { ExpectChoice(NodeRow{static_cast<uint32_t>(row)}); });
      return;
    }
    Attempt::ScoreTable table;
    if (const Verdict scored = fresh_.ScoreInDetail(table); !scored.ok()) {
      Differ("Score", "Success", scored);
      return;
    }
    ExpectChoice(SelectBest(fresh_.feasible(), std::span<const int64_t>(table.totals),
                            nodes_.order().rank()));
  }

  void ExpectChoice(NodeRow node) {
    if (outcome_.node != node) Differ("choice (kept results)", Text(outcome_.node), Text(node));
  }

  std::string Text(NodeRow node) const { return node.valid() ? nodes_.name(node) : "no node"; }
  static std::string Text(bool fits) { return fits ? "fits" : "does not fit"; }

  void Differ(std::string what, std::string fast, std::string fresh) {
    differences_.push_back({std::move(what), std::move(fast), std::move(fresh)});
  }
  void Differ(std::string what, std::string fast, const Verdict& fresh) {
    Differ(std::move(what), std::move(fast),
           fmt::format("{} {}", ToString(fresh.code()), fresh.Message()));
  }

  Attempt& kept_;
  const CycleOutcome& outcome_;
  const NodeTable& nodes_;
  ClassResults results_;
  Attempt fresh_;
  TwinDifferences differences_;
};

Explanation ExplainAfresh(Attempt& attempt, Instant now) {
  ClassResults results(attempt.profile(), attempt.cluster(), attempt.cycle().pod_class());
  Attempt fresh(attempt.cluster(), attempt.profile(), results, attempt.cycle().pod());
  return ExplainAttempt(fresh, now, Random(0));
}

bool AllKnown(const auto& plugins) {
  return std::ranges::all_of(plugins,
                             [](const auto* plugin) { return twin::KnowsPlugin(plugin->name()); });
}

}  // namespace

DecidedAs ByNames(const Cluster& cluster, const CycleOutcome& outcome) {
  DecidedAs decided;
  decided.message = outcome.Message();
  decided.failed =
      outcome.kind == CycleOutcome::Kind::kError || outcome.kind == CycleOutcome::Kind::kNoNodes;
  if (outcome.kind == CycleOutcome::Kind::kNode) decided.node = cluster.nodes().name(outcome.node);
  if (const Symbol node = outcome.post_filter.nomination.node; node.valid())
    decided.nominated_node = cluster.symbols().Text(node);
  for (PodId victim : outcome.post_filter.victims)
    decided.victims.push_back(cluster.pod(victim).key().ToString());
  return decided;
}

bool Paranoia::TwinKnows(Attempt& attempt) {
  const Profile& profile = attempt.profile();
  return attempt.cycle().spec().resource_claims.empty() && AllKnown(profile.pre_filter()) &&
         AllKnown(profile.filter()) && AllKnown(profile.post_filter()) &&
         AllKnown(profile.pre_score()) &&
         std::ranges::all_of(profile.score(), [](const Profile::Scorer& scorer) {
           return twin::KnowsPlugin(scorer.plugin->name());
         });
}

TwinDifferences Paranoia::Differences(Attempt& attempt, const CycleOutcome& outcome,
                                      Instant now) const {
  TwinDifferences all = FreshAttempt(attempt, outcome).Compare();
  if (!TwinKnows(attempt)) return all;
  const twin::World world = WorldOf(attempt.cluster());
  const twin::Answer slow = twin::Evaluate(world, *attempt.cycle().pod().object, rules_, now);
  if (outcome.kind != CycleOutcome::Kind::kNoNodes)
    std::ranges::move(CompareWithTwin(ExplainAfresh(attempt, now), slow), std::back_inserter(all));
  std::ranges::move(
      CompareDecision(ByNames(attempt.cluster(), outcome), slow, twin::NodeOrder(world), rules_),
      std::back_inserter(all));
  return all;
}

void Paranoia::Check(Attempt& attempt, const CycleOutcome& outcome, Instant now) const {
  const TwinDifferences differences = Differences(attempt, outcome, now);
  if (differences.empty()) return;
  std::string text = fmt::format("berth: internal error: two ways to decide about pod {} differ\n",
                                 attempt.cycle().pod().key().ToString());
  for (const TwinDifference& difference : differences) text += "  " + difference.Text() + "\n";
  std::fputs(text.c_str(), stderr);
  std::abort();
}

}  // namespace berth
