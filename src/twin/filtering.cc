#include "twin/filtering.h"

#include <fmt/format.h>

namespace berth::twin {
namespace {

// Leaves what is in both.
void Intersect(const std::set<std::string>& with, std::optional<std::set<std::string>>& nodes) {
  if (!nodes) {
    nodes = with;
  } else {
    std::erase_if(*nodes, [&](const std::string& name) { return !with.contains(name); });
  }
}

Verdict NothingLeft(const std::set<std::string>& plugins) {
  if (plugins.size() == 1) return Unresolvable("node(s) didn't satisfy plugin " + *plugins.begin());
  return Unresolvable(
      fmt::format("node(s) didn't satisfy plugin(s) {} simultaneously", Bracketed(plugins)));
}

}  // namespace

std::string Bracketed(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return "[" + all + "]";
}

Filtering::Filtering(const Question& question) : question_(question) {
  const auto add = [&](const std::string& plugin) {
    auto rule = MakeRule(plugin, question);
    if (rule != nullptr) rules_.try_emplace(plugin, std::move(rule));
  };
  for (const std::string& plugin : question.rules.pre_filters) add(plugin);
  for (const std::string& plugin : question.rules.filters) add(plugin);
  for (const auto& [plugin, weight] : question.rules.scorers) add(plugin);
}

Filtering::Outcome Filtering::PreFilter() {
  Outcome outcome;
  for (const std::string& plugin : question_.rules.pre_filters) {
    const auto rule = rules_.find(plugin);
    if (rule == rules_.end()) continue;
    outcome.ran.insert(plugin);
    auto [verdict, nodes] = rule->second->PreFilter();
    if (verdict.skipped()) {
      skipped_.insert(plugin);
      continue;
    }
    if (verdict.rejected()) {
      outcome.verdict = std::move(verdict).By(plugin);
      return outcome;
    }
    if (!verdict.ok()) {
      outcome.verdict = Verdict::Error(fmt::format("running PreFilter plugin \"{}\": {}", plugin,
                                                   verdict.Message()))
                            .By(plugin);
      return outcome;
    }
    if (!nodes) continue;
    outcome.restricting.insert(plugin);
    Intersect(*nodes, outcome.nodes);
    if (outcome.nodes->empty()) {
      outcome.verdict = NothingLeft(outcome.restricting);
      return outcome;
    }
  }
  return outcome;
}

Verdict Filtering::RunFilters(const Trial& trial) const {
  for (const std::string& plugin : question_.rules.filters) {
    const auto rule = rules_.find(plugin);
    if (rule == rules_.end() || skipped_.contains(plugin)) continue;
    Verdict verdict = rule->second->Filter(trial);
    if (verdict.ok()) continue;
    if (verdict.rejected()) return std::move(verdict).By(plugin);
    return Verdict::Error(
               fmt::format("running \"{}\" filter plugin: {}", plugin, verdict.Message()))
        .By(plugin);
  }
  return {};
}

Verdict Filtering::Filter(const Trial& trial) const {
  Trial crowded = trial;
  bool any = false;
  for (const auto& [key, pod] : question_.world.NominatedTo(trial.name())) {
    if (pod->priority() < question_.pod.priority()) continue;
    if (pod->metadata.uid == question_.pod.metadata.uid) continue;
    crowded.Add(pod);
    any = true;
  }
  if (any) {
    Verdict verdict = RunFilters(crowded);
    if (!verdict.ok()) return verdict;
  }
  // Without them as well: affinity to a pod that has not arrived yet does not count.
  return RunFilters(trial);
}

}  // namespace berth::twin
