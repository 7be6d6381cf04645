#include "explain/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/suggestion.h"
#include "explain/missing_objects.h"
#include "explain/node_sentence.h"
#include "explain/node_standing.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {
namespace {

using scheduler::engine::Explanation;
using scheduler::groups::GroupPreview;

Sentence VictimsSentence(const PodExplanation& pod, const Explanation& decided) {
  const std::string& node = pod.decision->nominated_node;
  std::vector<std::string> victims;
  if (decided.preemption) {
    const auto found = decided.preemption->candidates.find(node);
    if (found != decided.preemption->candidates.end()) {
      for (const auto& victim : found->second.victims) victims.push_back(victim.pod);
    }
  }
  return {fmt::format("It must first evict {} of lower priority from {}: {}",
                      Count(victims.size(), "pod"), node, SomeOf(victims)),
          "Preempts"};
}

Sentence PreFilterSentence(const Explanation& decided) {
  const std::string& plugin = decided.pre_filter.plugin();
  const bool restricted = decided.restricted_to && plugin.empty();
  if (plugin == "NodeAffinity" || restricted) {
    return {"Its node affinity names nodes that exclude one another", "NodeAffinity"};
  }
  return {Capitalized(decided.pre_filter.Message()), plugin};
}

// Of a pod that fits nowhere.
Sentence StuckSentence(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                       const Explanation& decided, Instant now) {
  const scheduler::model::Cluster& cluster = engine.cluster();
  if (auto missing = MissingObjectOf(cluster, *pending)) return *std::move(missing);
  if (!decided.error.empty()) return {"The scheduler fails: " + decided.error, "Error"};
  if (decided.pre_filter.rejected()) return PreFilterSentence(decided);
  auto fit = engine.Evaluate(pending, {}, now);
  if (!fit) return {Capitalized(fit.error().message), "Error"};
  if (!fit->pre_filter.ok()) return {Capitalized(fit->pre_filter.Message()), "PreFilter"};
  const CycleAccount account = [&decided]() -> const Explanation& { return decided; };
  return NodeSentence(cluster, *pending, StandingsOf(cluster, *pending, *std::move(fit), account));
}

Sentence FitsSentence(const PodExplanation& pod) {
  if (pod.state == PodState::kNominated) {
    return {fmt::format("A place on {} is reserved for it", pod.nominated_node), "Nominated"};
  }
  return {
      fmt::format("It fits on {}, and waits for its scheduler", SomeOf(pod.decision->best_nodes)),
      "Fits"};
}

// Of a member of a group: what stops the whole.
std::optional<Sentence> GroupSentence(const PodExplanation& pod, const Sentence& alone) {
  if (!pod.group) return std::nullopt;
  const GroupPreview& group = pod.group->decision;
  const std::string name = "PodGroup " + pod.group->group.name;
  if (!group.exists) return Sentence{name + " does not exist", "PodGroupMissing"};
  const bool stopped = group.outcome == GroupPreview::Outcome::kUnschedulable ||
                       group.outcome == GroupPreview::Outcome::kHeld;
  if (!stopped) return std::nullopt;
  const size_t pods = group.scheduled + group.members.size();
  const std::string needs = group.min_count
                                ? fmt::format("{} needs {} at once", name,
                                              Count(static_cast<size_t>(*group.min_count), "pod"))
                                : name + " is placed together";
  if (group.outcome == GroupPreview::Outcome::kHeld) {
    return Sentence{fmt::format("{}, and has {}", needs, pods), "PodGroup held"};
  }
  const auto missing = static_cast<size_t>(
      std::ranges::count_if(group.members, [](const auto& member) { return member.node.empty(); }));
  const bool fits_alone = alone.obstacle == "Fits";
  return Sentence{fmt::format("{}, and {} of {} have no node{}", needs, missing, Count(pods, "pod"),
                              fits_alone ? "" : ": " + alone.text),
                  "PodGroup " + (fits_alone ? std::string("incomplete") : alone.obstacle)};
}

Sentence SentenceOfDecision(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                            const Explanation& decided, const PodExplanation& pod, Instant now) {
  switch (pod.decision->outcome) {
    case Outcome::kFits:
      return FitsSentence(pod);
    case Outcome::kPreempts:
      return VictimsSentence(pod, decided);
    case Outcome::kUnschedulable:
    case Outcome::kError:
      break;
  }
  return StuckSentence(engine, pending, decided, now);
}

// Of a pod whose state decides, whatever nodes there are.
std::optional<Sentence> SentenceOfState(const PodExplanation& pod) {
  if (pod.state == PodState::kRunning) return Sentence{"It runs on " + pod.node, "Runs"};
  if (pod.terminating) return Sentence{"It is being deleted", "Deleted"};
  if (pod.state != PodState::kGated) return std::nullopt;
  const bool one = pod.gates.size() == 1;
  return Sentence{
      fmt::format("It waits until its scheduling {} {} {} removed, by the {} that added {}",
                  one ? "gate" : "gates", SomeOf(pod.gates), one ? "is" : "are",
                  one ? "controller" : "controllers", one ? "it" : "them"),
      "Gated " + SomeOf(pod.gates)};
}

}  // namespace

Sentence SentenceOf(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                    const Explanation& decided, const PodExplanation& pod, Instant now) {
  if (auto of_state = SentenceOfState(pod)) return *std::move(of_state);
  Sentence sentence = SentenceOfDecision(engine, pending, decided, pod, now);
  if (auto of_group = GroupSentence(pod, sentence)) return *std::move(of_group);
  return sentence;
}

Sentence BriefSentenceOf(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                         scheduler::engine::PodFit fit, const PodExplanation& pod, Instant now) {
  if (auto of_state = SentenceOfState(pod)) return *std::move(of_state);
  const scheduler::model::Cluster& cluster = engine.cluster();
  if (auto missing = MissingObjectOf(cluster, *pending)) return *std::move(missing);
  std::optional<Explanation> explanation;
  const CycleAccount account = [&]() -> const Explanation& {
    if (!explanation) explanation = engine.Explain(pending, now).value_or(Explanation());
    return *explanation;
  };
  return NodeSentence(cluster, *pending, StandingsOf(cluster, *pending, std::move(fit), account));
}

// Whether a scheduler of that name runs is not known to the engine; the condition tells that one
// has tried the pod.
Sentence UnservedSentence(const PodExplanation& pod, const std::string& profile) {
  if (pod.condition) {
    return {fmt::format(
                "Scheduler {} has not placed it: {}", pod.scheduler_name,
                pod.condition->message.empty() ? pod.condition->reason : pod.condition->message),
            "Unserved " + pod.scheduler_name};
  }
  Suggestion suggestion(pod.scheduler_name);
  suggestion.Consider(profile);
  return {fmt::format("No scheduler named {} looks at it{}", pod.scheduler_name, suggestion.Text()),
          "Unserved " + pod.scheduler_name};
}

Sentence SentenceWithoutDecision(const PodExplanation& pod) {
  switch (pod.state) {
    case PodState::kSucceeded:
      return {"It has run to completion", "Succeeded"};
    case PodState::kFailed:
      return {"It has failed", "Failed"};
    default:
      return {fmt::format("It has a place on {} and waits for {}", pod.node, SomeOf(pod.permit)),
              "Waits"};
  }
}

}  // namespace berth::explain
