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
                    attempt.FiltersThatSee(framework::SeenOfPods::kAll).empty()),
      by_sums_(attempt.FiltersThatSee(framework::SeenOfPods::kSums)) {}

std::optional<QuickRating> QuickDryRun::Rate(model::NodeRow node, const framework::Verdict& verdict,
                                             Instant now) {
  if (!MayRate(node)) return std::nullopt;
  model::Cluster& cluster = attempt_.cluster();
  const std::span<const Victim> victims = potential_.On(cluster, node, now);
  if (victims.empty()) return std::nullopt;
  const auto* const rivals = view_.contested().Test(node.index()) ? &view_.rivals(node) : nullptr;
  if (rivals != nullptr && !rivals->are_small) return std::nullopt;

  if (rivals != nullptr) cluster.TryAddSums(node, rivals->requests, rivals->pods);
  for (const Victim& victim : victims) cluster.TrySubtractSums(node, *victim.requests, 1);
  Reprieve(victims, node);
  for (const Victim* victim : evicted_) cluster.TryAddSums(node, *victim->requests, 1);
  if (rivals != nullptr) cluster.TrySubtractSums(node, rivals->requests, rivals->pods);

  const bool helps = fits_without_victims_ && !evicted_.empty() && PassesWithoutPods(node, verdict);
  if (!helps) return std::nullopt;
  return RatingOf(evicted_, now);
}

void QuickDryRun::Reprieve(std::span<const Victim> victims, model::NodeRow node) {
  model::Cluster& cluster = attempt_.cluster();
  evicted_.clear();
  fits_without_victims_ = PassesBySums(node);
  for (const Victim& victim : victims) {
    if (fits_without_victims_) {
      cluster.TryAddSums(node, *victim.requests, 1);
      if (PassesBySums(node)) continue;
      cluster.TrySubtractSums(node, *victim.requests, 1);
    }
    evicted_.push_back(&victim);
  }
}

bool QuickDryRun::PassesBySums(model::NodeRow node) const {
  return std::ranges::all_of(by_sums_, [&](const framework::FilterPlugin* filter) {
    return filter->Passes(attempt_.cycle(), node);
  });
}

bool QuickDryRun::PassesWithoutPods(model::NodeRow node, const framework::Verdict& verdict) {
  if (last_rejector_ != verdict.plugin()) {
    last_rejector_ = verdict.plugin();
    after_rejector_ = attempt_.FiltersThatSee(framework::SeenOfPods::kNone);
    const auto filters = attempt_.profile().filter();
    const auto rejecting =
        std::ranges::find(filters, verdict.plugin(), &framework::FilterPlugin::name);
    std::erase_if(after_rejector_, [&](const framework::FilterPlugin* filter) {
      return rejecting != filters.end() && std::ranges::find(filters, filter) < rejecting;
    });
  }
  return std::ranges::all_of(after_rejector_, [&](const framework::FilterPlugin* filter) {
    return filter->Passes(attempt_.cycle(), node);
  });
}

}  // namespace berth::scheduler::plugins
