#include "explain/pod_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "explain/changed_cluster.h"
#include "explain/sentence.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::explain {
namespace {

using scheduler::engine::Explanation;

PodState StateOf(const api::Pod& pod, const scheduler::framework::WaitingPods& waiting) {
  if (pod.status.phase == "Succeeded") return PodState::kSucceeded;
  if (pod.status.phase == "Failed") return PodState::kFailed;
  if (!pod.spec.node_name.empty()) return PodState::kRunning;
  if (waiting.Waits(pod.metadata.uid)) return PodState::kWaiting;
  if (!pod.spec.scheduling_gates.empty()) return PodState::kGated;
  return pod.status.nominated_node_name.empty() ? PodState::kPending : PodState::kNominated;
}

std::optional<api::PodCondition> ScheduledCondition(const api::Pod& pod) {
  const auto found =
      std::ranges::find(pod.status.conditions, "PodScheduled", &api::PodCondition::type);
  return found == pod.status.conditions.end() ? std::nullopt : std::optional(*found);
}

// The pod as the scheduler saw it, or would see it: without a node, and without gates.
api::Ref<api::Pod> AsPending(const api::Pod& pod, const std::string& scheduler_name) {
  auto pending = api::CopyToChange(pod);
  pending->spec.node_name.clear();
  pending->spec.scheduling_gates.clear();
  pending->spec.scheduler_name = scheduler_name;
  if (!pod.spec.node_name.empty()) pending->status = {};
  return pending;
}

// A pod that no profile serves is decided about as one of `profile`.
const std::string& SchedulerOf(const scheduler::engine::Engine& engine, const api::Pod& pod,
                               const std::string& profile) {
  return engine.Serves(pod) ? pod.spec.scheduler_name : profile;
}

Outcome OutcomeOf(const Explanation& explanation) {
  if (!explanation.error.empty()) return Outcome::kError;
  if (!explanation.best_nodes.empty()) return Outcome::kFits;
  const bool preempts = explanation.preemption && !explanation.preemption->selected.empty();
  return preempts ? Outcome::kPreempts : Outcome::kUnschedulable;
}

PodExplanation::Decision DecisionOf(const Explanation& explanation, const std::string& node,
                                    size_t nodes) {
  PodExplanation::Decision decision;
  decision.outcome = OutcomeOf(explanation);
  decision.best_nodes = explanation.best_nodes;
  if (decision.outcome == Outcome::kPreempts) {
    decision.nominated_node = explanation.preemption->selected;
  }
  decision.message = explanation.error.empty() ? explanation.fit_error : explanation.error;
  decision.rejected_by = explanation.rejected_by;
  std::string chosen = node;
  if (chosen.empty() && !explanation.best_nodes.empty()) chosen = explanation.best_nodes.front();
  decision.explanation = Summarize(explanation, chosen, nodes);
  return decision;
}

PodExplanation::Placement PlacementOf(const scheduler::model::Cluster& cluster,
                                      const Explanation& explanation, const std::string& node) {
  PodExplanation::Placement placement;
  placement.node = node;
  const auto found = explanation.nodes.find(node);
  // A pod that PreFilter rejects is evaluated on no node.
  const scheduler::model::NodeRow row = cluster.nodes().Find(cluster.symbols().Find(node));
  placement.node_exists = row.valid() && cluster.nodes().present().Test(row.index());
  placement.fits =
      found != explanation.nodes.end() && found->second.verdict.ok() && explanation.error.empty();
  placement.chosen =
      std::ranges::find(explanation.best_nodes, node) != explanation.best_nodes.end();
  if (!placement.chosen) {
    placement.why_not = explanation.error.empty() ? scheduler::engine::WhyNot(explanation, node)
                                                  : explanation.error;
  }
  return placement;
}

class PodExplainer {
 public:
  PodExplainer(scheduler::engine::Engine& engine, const api::Pod& pod, std::string profile,
               Instant now, const ExplainOptions& options)
      : engine_(engine), pod_(pod), profile_(std::move(profile)), now_(now), options_(options) {}

  Result<PodExplanation> Run() {
    Describe();
    if (result_.state == PodState::kSucceeded || result_.state == PodState::kFailed) {
      result_.notes.push_back("the pod has finished and needs no node");
      result_.sentence = SentenceWithoutDecision(result_);
      return std::move(result_);
    }
    if (Status status = AddGroup(); !status) return std::unexpected(status.error());
    // The engine has decided about it, and counts it on its node.
    if (result_.state == PodState::kWaiting) {
      result_.sentence = SentenceWithoutDecision(result_);
      return std::move(result_);
    }
    if (!engine_.Serves(pod_)) {
      result_.notes.push_back(
          fmt::format("schedulerName is \"{}\", which no profile serves: this is what {} decides",
                      pod_.spec.scheduler_name, profile_));
    }
    if (options_.brief && options_.fix.node.empty() && TryBrief()) {
      if (Status status = AddFixes(); !status) return std::unexpected(status.error());
      return std::move(result_);
    }
    auto explanation = DecideAgain(engine_, pod_, profile_, now_);
    if (!explanation) return std::unexpected(explanation.error());
    const size_t nodes = engine_.cluster().nodes().present_count();
    result_.decision = DecisionOf(*explanation, pod_.spec.node_name, nodes);
    if (result_.state == PodState::kRunning) {
      result_.placement = PlacementOf(engine_.cluster(), *explanation, pod_.spec.node_name);
      // It says why a node is better than the others.
      if (!result_.placement->chosen) result_.decision->explanation.why.clear();
    }
    if (!options_.fix.node.empty()) {
      result_.on = PlacementOf(engine_.cluster(), *explanation, options_.fix.node);
    }
    AddSentence(*explanation);
    if (Status status = AddFixes(); !status) return std::unexpected(status.error());
    return std::move(result_);
  }

 private:
  void Describe() {
    result_.pod = {pod_.metadata.namespace_, pod_.metadata.name};
    result_.uid = pod_.metadata.uid;
    result_.state = StateOf(pod_, engine_.waiting_pods());
    result_.terminating = pod_.metadata.deletion_timestamp.has_value();
    result_.scheduler_name = pod_.spec.scheduler_name;
    result_.priority = pod_.priority();
    result_.workload = WorkloadOf(engine_.cluster(), pod_);
    result_.node = pod_.spec.node_name;
    result_.nominated_node = pod_.status.nominated_node_name;
    result_.gates = pod_.spec.scheduling_gates;
    result_.condition = ScheduledCondition(pod_);
    if (result_.state == PodState::kWaiting) {
      const auto& waiting = engine_.waiting_pods().all().find(pod_.metadata.uid)->second;
      result_.node = waiting.node;
      for (const auto& [plugin, timeout] : waiting.held_by) result_.permit.push_back(plugin);
    }
    if (result_.terminating) result_.notes.push_back("the pod is being deleted");
  }

  Status AddGroup() {
    const bool waits = result_.node.empty() && !result_.terminating;
    if (!options_.group || !waits || !engine_.cluster().features().has_groups()) return {};
    const auto key = scheduler::model::GroupNamedBy(pod_);
    if (!key) return {};
    auto group = ExplainGroup(engine_, *key);
    if (!group) return std::unexpected(group.error());
    result_.group = *std::move(group);
    return {};
  }

  // Describes a pod that fits nowhere by its verdicts alone. Returns false if it is not one, or if
  // more has to be known.
  bool TryBrief() {
    const bool waits = result_.state == PodState::kPending || result_.state == PodState::kGated;
    if (!waits || result_.group || !engine_.Serves(pod_)) return false;
    const auto pending = AsPending(pod_, pod_.spec.scheduler_name);
    const auto decision = engine_.Preview(pending, now_);
    if (!decision || decision->kind != scheduler::engine::Decision::Kind::kUnschedulable ||
        !decision->victims.empty() || !decision->nominated_node.empty()) {
      return false;
    }
    auto fit = engine_.Evaluate(pending, {}, now_);
    if (!fit || !fit->pre_filter.ok()) return false;
    Explanation explanation;
    explanation.fit_error = decision->message;
    result_.decision = DecisionOf(explanation, "", engine_.cluster().nodes().present_count());
    result_.sentence = BriefSentenceOf(engine_, pending, *std::move(fit), result_, now_);
    return true;
  }

  void AddSentence(const Explanation& explanation) {
    const auto pending = AsPending(pod_, SchedulerOf(engine_, pod_, profile_));
    result_.sentence = SentenceOf(engine_, pending, explanation, result_, now_);
    if (!engine_.Serves(pod_) && result_.state == PodState::kPending) {
      result_.sentence = UnservedSentence(result_, profile_);
    }
  }

  // Fixes are for pods that fit nowhere, or not on the node that was asked for.
  Status AddFixes() {
    const bool stuck =
        result_.decision->outcome == Outcome::kUnschedulable && result_.state != PodState::kRunning;
    const bool wanted = result_.on ? result_.on->node_exists && !result_.on->fits : stuck;
    if (!options_.fixes || !wanted) return {};
    scheduler::engine::WhatIf what_if(engine_);
    if (!pod_.spec.node_name.empty()) what_if.Delete(std::make_shared<const api::Pod>(pod_));
    const auto pending = AsPending(pod_, SchedulerOf(engine_, pod_, profile_));
    FixOptions options = options_.fix;
    options.opens_nodes = result_.sentence.obstacle.starts_with("Closed");
    auto fixes = FindFixes(engine_, pending, now_, options);
    if (!fixes) return std::unexpected(fixes.error());
    result_.fixes = *std::move(fixes);
    return {};
  }

  scheduler::engine::Engine& engine_;
  const api::Pod& pod_;
  const std::string profile_;
  const Instant now_;
  const ExplainOptions& options_;
  PodExplanation result_;
};

}  // namespace

std::string_view ToString(PodState state) {
  switch (state) {
    case PodState::kPending:
      return "Pending";
    case PodState::kNominated:
      return "Nominated";
    case PodState::kGated:
      return "Gated";
    case PodState::kWaiting:
      return "Waiting";
    case PodState::kRunning:
      return "Running";
    case PodState::kSucceeded:
      return "Succeeded";
    case PodState::kFailed:
      return "Failed";
  }
  return "";
}

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFits:
      return "Fits";
    case Outcome::kPreempts:
      return "Preempts";
    case Outcome::kUnschedulable:
      return "Unschedulable";
    case Outcome::kError:
      return "Error";
  }
  return "";
}

Result<Explanation> DecideAgain(scheduler::engine::Engine& engine, const api::Pod& pod,
                                const std::string& profile, Instant now) {
  scheduler::engine::WhatIf what_if(engine);
  if (!pod.spec.node_name.empty()) what_if.Delete(std::make_shared<const api::Pod>(pod));
  return engine.Explain(AsPending(pod, SchedulerOf(engine, pod, profile)), now);
}

Result<PodExplanation> ExplainPod(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pod,
                                  const std::string& profile, Instant now,
                                  const ExplainOptions& options) {
  return PodExplainer(engine, *pod, profile, now, options).Run();
}

Result<PodExplanation> ExplainWithFix(scheduler::engine::Engine& engine,
                                      const api::Ref<api::Pod>& pod, const Fix& fix,
                                      const std::string& profile, Instant now) {
  ChangedCluster changed(engine, pod, now);
  for (const Change& change : fix.changes) changed.Make(change);
  const auto variant = std::make_shared<const api::Pod>(changed.pod());
  return ExplainPod(engine, variant, profile, now, {.fixes = false});
}

}  // namespace berth::explain
