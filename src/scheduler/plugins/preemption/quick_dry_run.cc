#include "scheduler/plugins/preemption/quick_dry_run.h"

#include <algorithm>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {
namespace {

QuickRating RatingOf(std::span<const PotentialVictims::Victim* const> victims, Instant now) {
  framework::VictimRating::Values values;
  values.highest_priority = victims.front()->priority;
  for (const PotentialVictims::Victim* victim : victims) {
    values.budget_violations += victim->over_budget;
    values.highest_priority = std::max(values.highest_priority, victim->priority);
    values.priority_sum += framework::VictimRating::CountedPriority(victim->priority);
  }
  values.victims = victims.size();
  values.earliest_start = now;
  bool no_start_time = true;
  for (const PotentialVictims::Victim* victim : victims) {
    if (victim->priority != values.highest_priority || !victim->start) continue;
    values.earliest_start = std::min(values.earliest_start, *victim->start);
    no_start_time = false;
  }
  return {framework::VictimRating(values), no_start_time};
}

}  // namespace

QuickDryRun::QuickDryRun(framework::Attempt& attempt, PotentialVictims& potential)
    : attempt_(attempt),
      potential_(potential),
      view_(attempt.view()),
      sums_suffice_(attempt.DependsOnRowsAlone() &&
                    attempt.FiltersThatRead(framework::Reads::kNode).empty()),
      by_sums_(attempt.RequiredBy(attempt.FiltersThatRead(framework::Reads::kSums))),
      found_(attempt.cluster().nodes().rows()) {}

void QuickDryRun::Prepare(std::span<const model::NodeRow> nodes, size_t first, size_t count,
                          const framework::Diagnosis& diagnosis, Instant now) {
  model::Cluster& cluster = attempt_.cluster();
  found_.ClearAll();
  // By verdict. Nodes for which sums do not decide are left to LookForVictims.
  std::vector<std::optional<bool>> sums_decide(diagnosis.verdicts().size());
  const auto verdict_of = diagnosis.by_row();
  for (size_t i = first; i < first + count; ++i) {
    const model::NodeRow node = nodes[i < nodes.size() ? i : i - nodes.size()];
    if (node.index() >= verdict_of.size() || !MayRate(node)) continue;
    const framework::VerdictTable::Number verdict = verdict_of[node.index()];
    if (verdict == framework::Diagnosis::kNotJudged) continue;
    std::optional<bool>& decide = sums_decide[verdict];
    if (!decide) {
      LookAtRejector(diagnosis.verdicts()[verdict].plugin());
      decide = rejector_sees_sums_ && after_rejector_.empty();
    }
    if (!*decide) continue;
    const PotentialVictims::List& list = potential_.On(cluster, view_, node, now);
    if (!list.victims.empty() && !list.has_scalars) found_.Set(node.index());
  }
  cluster.TrySwapSums(potential_.sums_without_victims());
  const bool done = framework::Filter(by_sums_, attempt_.cycle(), found_).ok();
  cluster.TrySwapSums(potential_.sums_without_victims());
  if (!done) found_.ClearAll();
}

const PotentialVictims::List* QuickDryRun::LookForVictims(model::NodeRow node,
                                                          const framework::Verdict& verdict,
                                                          Instant now) {
  if (!MayRate(node)) return nullptr;
  const PotentialVictims::List& list = potential_.On(attempt_.cluster(), view_, node, now);
  if (list.victims.empty()) return nullptr;
  LookAtRejector(verdict.plugin());
  return FitsByEviction(node, list) && PassesWithoutPods(node) ? &list : nullptr;
}

bool QuickDryRun::FitsByEviction(model::NodeRow node, const PotentialVictims::List& list) const {
  model::Cluster& cluster = attempt_.cluster();
  cluster.TrySubtractSums(node, list.freed, list.freed_pods);
  const bool fits = PassesBySums(node);
  cluster.TryAddSums(node, list.freed, list.freed_pods);
  if (!fits || rejector_sees_sums_) return fits;
  // If the node passes with all of its pods, none is evicted.
  const Rivals* const rivals = RivalsOn(node);
  if (rivals != nullptr) cluster.TryAddSums(node, rivals->requests, rivals->pods);
  const bool passes = PassesBySums(node);
  if (rivals != nullptr) cluster.TrySubtractSums(node, rivals->requests, rivals->pods);
  return !passes;
}

std::optional<QuickRating> QuickDryRun::Rate(model::NodeRow node, Instant now) {
  model::Cluster& cluster = attempt_.cluster();
  const PotentialVictims::List& among = potential_.On(cluster, view_, node, now);
  if (among.victims.empty()) return std::nullopt;
  const Rivals* const rivals = RivalsOn(node);
  cluster.TrySubtractSums(node, among.freed, among.freed_pods);
  Reprieve(among.victims, node);
  for (const Victim* victim : evicted_) cluster.TryAddSums(node, *victim->requests, 1);
  if (rivals != nullptr) cluster.TrySubtractSums(node, rivals->requests, rivals->pods);
  return RatingOf(evicted_, now);
}

void QuickDryRun::Reprieve(std::span<const Victim> victims, model::NodeRow node) {
  model::Cluster& cluster = attempt_.cluster();
  evicted_.clear();
  for (const Victim& victim : victims) {
    cluster.TryAddSums(node, *victim.requests, 1);
    if (PassesBySums(node)) continue;
    cluster.TrySubtractSums(node, *victim.requests, 1);
    evicted_.push_back(&victim);
  }
}

bool QuickDryRun::PassesBySums(model::NodeRow node) const {
  return framework::Passes(by_sums_, attempt_.cycle(), node);
}

void QuickDryRun::LookAtRejector(const std::string& plugin) {
  if (last_rejector_ == plugin) return;
  last_rejector_ = plugin;
  const auto filters = attempt_.profile().filter();
  const auto rejecting = std::ranges::find(filters, plugin, &framework::FilterPlugin::name);
  rejector_sees_sums_ =
      rejecting != filters.end() && (*rejecting)->reads() == framework::Reads::kSums;
  auto after = attempt_.FiltersThatRead(framework::Reads::kNodeAlone);
  std::erase_if(after, [&](const framework::FilterPlugin* filter) {
    return rejecting != filters.end() && std::ranges::find(filters, filter) < rejecting;
  });
  after_rejector_ = attempt_.RequiredBy(after);
}

bool QuickDryRun::PassesWithoutPods(model::NodeRow node) const {
  return framework::Passes(after_rejector_, attempt_.cycle(), node);
}

}  // namespace berth::scheduler::plugins
