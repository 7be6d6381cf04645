#include "scheduler/plugins/preemption/default_preemption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/priority_view.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/plugins/preemption/dry_run.h"
#include "scheduler/plugins/preemption/group_victims.h"
#include "scheduler/plugins/preemption/potential_victims.h"
#include "scheduler/plugins/preemption/quick_dry_run.h"
#include "scheduler/plugins/preemption/victims.h"

namespace berth::scheduler::plugins {
namespace {

framework::PostFilterResult Unschedulable(std::string why, bool clear_nomination) {
  return {framework::Verdict(framework::Code::kUnschedulable, "preemption: " + std::move(why)),
          {clear_nomination, {}},
          {}};
}

framework::PostFilterResult NotEligible(const framework::FailedCycle& failed, std::string why) {
  ENGINE_LOG(failed.log, 5, "Pod is not eligible for preemption",
             {{"pod", failed.attempt.cycle().pod().key().ToString()}, {"reason", why}});
  return Unschedulable(std::move(why), /*clear_nomination=*/false);
}

// Reports whether a victim of lower priority is terminating on the pod's nominated node: wait for
// it.
bool HasTerminatingVictim(const framework::FailedCycle& failed) {
  const model::Cluster& cluster = failed.attempt.cluster();
  const api::Pod& pod = *failed.attempt.cycle().pod().object;
  if (pod.status.nominated_node_name.empty()) return false;
  const model::NodeRow node =
      cluster.nodes().Find(cluster.symbols().Find(pod.status.nominated_node_name));
  if (!node.valid() || !cluster.nodes().present().Test(node.index())) return false;
  if (failed.diagnosis.Of(node).code() == framework::Code::kUnschedulableAndUnresolvable)
    return false;
  return std::ranges::any_of(cluster.nodes().info(node).pods, [&](model::PodId id) {
    const model::PodRecord& other = cluster.pod(id);
    if (!other.terminating() || other.object->priority() >= pod.priority()) return false;
    const auto& conditions = other.object->status.conditions;
    const auto found = std::ranges::find(conditions, "DisruptionTarget", &api::PodCondition::type);
    return found != conditions.end() && found->status == "True" &&
           found->reason == "PreemptionByScheduler";
  });
}

// Returns the nodes where evicting pods may help, in node order. `buffer` may hold them.
std::span<const model::NodeRow> PotentialNodes(const framework::FailedCycle& failed,
                                               std::vector<model::NodeRow>& buffer) {
  const framework::Diagnosis& diagnosis = failed.diagnosis;
  const std::vector<model::NodeRow>& rows = failed.attempt.cluster().nodes().order().rows();
  size_t potential = 0;
  diagnosis.ForEachVerdict([&](const framework::Verdict& verdict, size_t nodes) {
    if (verdict.code() == framework::Code::kUnschedulable) potential += nodes;
  });
  if (potential == rows.size()) return rows;
  buffer.resize(rows.size());
  size_t count = 0;
  for (model::NodeRow row : rows) {
    buffer[count] = row;  // Without a branch: the pattern is not predictable.
    count += diagnosis.Of(row).code() == framework::Code::kUnschedulable;
  }
  return std::span(buffer).first(count);
}

framework::PostFilterResult PreemptionError(const std::vector<std::string>& errors) {
  framework::PostFilterResult result;
  result.verdict = framework::Verdict::Error(
      "preemption: " +
      (errors.size() == 1 ? errors[0] : fmt::format("[{}]", fmt::join(errors, ", "))));
  return result;
}

void FillReport(framework::PreemptionReport& report, const DryRunResult& run,
                const std::vector<framework::PreemptionCandidate>& candidates,
                const std::vector<size_t>& best) {
  report.candidates = candidates;
  run.rejected.ForEach([&](model::NodeRow node, const framework::Verdict& verdict) {
    report.rejected.emplace_back(node, verdict);
  });
  for (size_t i : best) report.equally_good.push_back(candidates[i].node);
  if (!best.empty()) report.selected = candidates[best[0]].node;
}

// Finds the best candidate, among equals the first, with its victims.
framework::Verdict FindBest(framework::FailedCycle& failed, const DryRunResult& run,
                            framework::PreemptionCandidate& chosen) {
  const auto best = std::ranges::min_element(run.candidates, {}, &DryRunResult::Candidate::rating);
  chosen.node = best->node;
  if (best->outcome == nullptr)
    return SelectVictimsOnNode(failed.attempt, best->node, failed.now, chosen.victims);
  chosen.victims = best->outcome->victims;
  return {};
}

framework::PostFilterResult Select(const framework::FailedCycle& failed,
                                   framework::PreemptionCandidate chosen) {
  const model::Cluster& cluster = failed.attempt.cluster();
  ENGINE_LOG(failed.log, 2, "the target node for the preemption is determined",
             {{"pod", failed.attempt.cycle().pod().key().ToString()},
              {"node", cluster.nodes().name(chosen.node)}});
  framework::PostFilterResult result;
  result.nomination = {/*replace=*/true, cluster.nodes().info(chosen.node).name};
  result.victims = std::move(chosen.victims.pods);
  return result;
}

// The level at which the victims of every candidate are logged.
constexpr int kLevelOfVictims = 5;

void LogVictims(const framework::FailedCycle& failed,
                const std::vector<framework::PreemptionCandidate>& candidates) {
  const model::Cluster& cluster = failed.attempt.cluster();
  for (const auto& [node, victims] : candidates) {
    for (model::PodId victim : victims.pods) {
      ENGINE_LOG(
          failed.log, kLevelOfVictims, "Pod is a potential preemption victim on node",
          {{"pod", cluster.pod(victim).key().ToString()}, {"node", cluster.nodes().name(node)}});
    }
  }
}

void LogNoCandidate(const framework::FailedCycle& failed, bool no_potential_nodes) {
  const std::string pod = failed.attempt.cycle().pod().key().ToString();
  if (no_potential_nodes) {
    ENGINE_LOG(failed.log, 3, "Preemption will not help schedule pod on any node", {{"pod", pod}});
  }
  ENGINE_LOG(failed.log, 2,
             "No preemption candidate is found; preemption is not helpful for scheduling",
             {{"pod", pod}});
}

// Reports whether victims of the preemptor, a pod or a group, are being evicted.
bool IsPreempting(const model::Cluster& cluster, const std::string& preemptor_uid) {
  if (!cluster.preemptions().UnderWay(preemptor_uid)) return false;
  const auto* last = cluster.preemptions().LastVictimOf(preemptor_uid);
  if (last == nullptr) return true;
  const model::PodId id = cluster.pods().Find(last->pod.namespace_, last->pod.name);
  return id.valid() && cluster.pod(id).uid() == last->uid && !cluster.pod(id).terminating();
}

// The pod's group, if that preempts for its members.
std::optional<api::ObjectKey> GroupThatPreempts(const model::Cluster& cluster,
                                                const api::Pod& pod) {
  if (!cluster.features().workload_aware_preemption) return std::nullopt;
  return model::GroupNamedBy(pod);
}

// Returns why a member of a group may not preempt on its own; nothing if it may.
std::optional<std::string> WhyNotAlone(const model::Cluster& cluster, const api::Pod& pod) {
  if (!cluster.features().has_groups()) return std::nullopt;
  const auto key = model::GroupNamedBy(pod);
  if (!key) return std::nullopt;
  if (cluster.features().topology_aware_workload_scheduling) {
    const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(*key);
    if (group == nullptr) return "pod group for pod not found";
    if (!group->topology_keys.empty())
      return "not eligible due to placement-based pod group scheduling limitation";
  }
  if (cluster.features().workload_aware_preemption)
    return "not eligible due to workload aware preemption enabled";
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> DefaultPreemption::Make(
    const framework::DefaultPreemptionArgs& args) {
  return std::unique_ptr<framework::Plugin>(new DefaultPreemption(args));
}

framework::Verdict DefaultPreemption::PreEnqueue(const model::Cluster& cluster,
                                                 const model::PodRecord& pod) const {
  const auto group = GroupThatPreempts(cluster, *pod.object);
  if (group) {
    const api::PodGroup* object = cluster.objects<api::PodGroup>().Find(*group);
    if (object == nullptr || !IsPreempting(cluster, object->metadata.uid)) return {};
    return {framework::Code::kUnschedulableAndUnresolvable,
            "waiting for the preemption for this pod group to be finished"};
  }
  if (!IsPreempting(cluster, pod.uid())) return {};
  return {framework::Code::kUnschedulableAndUnresolvable,
          "waiting for the preemption for this pod to be finished"};
}

std::unique_ptr<framework::ClassState> DefaultPreemption::Compile(model::Cluster&,
                                                                  const model::PodClass&) const {
  return std::make_unique<DryRunCache>();
}

size_t DefaultPreemption::WantedCandidates(size_t potential) const {
  const size_t share = potential * static_cast<size_t>(args_.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<size_t>(args_.min_candidate_nodes_absolute)),
                  potential);
}

Task<framework::PostFilterResult> DefaultPreemption::PostFilter(
    framework::FailedCycle& failed) const {
  failed.preemption_tried = true;
  if (failed.report != nullptr) failed.report->tried = true;
  if (framework::Measurements* to = failed.attempt.meter().to()) to->PreemptionTried();
  const auto why_not = WhyNotAlone(failed.attempt.cluster(), *failed.attempt.cycle().pod().object);
  if (why_not) co_return NotEligible(failed, *why_not);
  if (failed.attempt.cycle().spec().preemption_policy == "Never")
    co_return NotEligible(failed, "not eligible due to preemptionPolicy=Never.");
  if (HasTerminatingVictim(failed))
    co_return NotEligible(failed, "not eligible due to a terminating pod on the nominated node.");
  if (failed.report != nullptr) failed.report->eligible = true;

  std::vector<model::NodeRow> buffer;
  const std::span<const model::NodeRow> nodes = PotentialNodes(failed, buffer);
  auto& cache = failed.attempt.cycle().class_cache<DryRunCache>(*this);
  const bool needs_all_victims =
      failed.advisor != nullptr || failed.report != nullptr || failed.log.IsOn(kLevelOfVictims);
  std::optional<QuickDryRun> quick;
  if (!needs_all_victims) {
    auto& potential = failed.attempt.view().state<PotentialVictims>(*this);
    potential.Refresh(failed.attempt.cluster());
    quick.emplace(failed.attempt, potential);
  }
  const DryRunResult run = DryRunPreemption(failed, cache, quick ? &*quick : nullptr, nodes,
                                            WantedCandidates(nodes.size()));
  if (run.candidates.empty()) {
    if (failed.report != nullptr) FillReport(*failed.report, run, {}, {});
    if (!run.errors.empty()) co_return PreemptionError(run.errors);
    if (failed.log.IsOn(2)) [[unlikely]]
      LogNoCandidate(failed, nodes.empty());
    co_return Unschedulable(run.rejected.Message(), /*clear_nomination=*/true);
  }
  if (!needs_all_victims) {
    framework::PreemptionCandidate best;
    const framework::Verdict verdict = FindBest(failed, run, best);
    if (!verdict.ok()) co_return PreemptionError({verdict.Message()});
    co_return Select(failed, std::move(best));
  }

  std::vector<framework::PreemptionCandidate> candidates;
  for (const DryRunResult::Candidate& candidate : run.candidates)
    candidates.push_back({candidate.node, candidate.outcome->victims});
  if (failed.log.IsOn(kLevelOfVictims)) [[unlikely]]
    LogVictims(failed, candidates);
  if (failed.advisor != nullptr) {
    const framework::Verdict advice =
        co_await failed.advisor->ProcessPreemption(failed.attempt.cycle().pod(), candidates);
    if (!advice.ok()) co_return PreemptionError({advice.Message()});
    if (candidates.empty()) {
      if (failed.report != nullptr) FillReport(*failed.report, run, {}, {});
      co_return Unschedulable("no candidate node for preemption", /*clear_nomination=*/false);
    }
  }
  const std::vector<size_t> best = BestCandidates(failed.attempt.cluster(), candidates, failed.now);
  if (failed.report != nullptr) FillReport(*failed.report, run, candidates, best);
  co_return Select(failed, std::move(candidates[best[0]]));
}

Task<framework::PodGroupPostFilterResult> DefaultPreemption::PodGroupPostFilter(
    framework::FailedGroup& failed) const {
  return SelectVictimsForGroup(failed);
}

std::vector<framework::ClusterEventWithHint> DefaultPreemption::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kDelete}}};
}

Result<bool> DefaultPreemption::QueueingHint(const model::Cluster&, const model::PodRecord&,
                                             const framework::ClusterEvent&) const {
  return false;
}

}  // namespace berth::scheduler::plugins
