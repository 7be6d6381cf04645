#include "plugins/default_preemption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/failed_cycle.h"
#include "plugins/victims.h"

namespace berth {
namespace {

PostFilterResult Refuse(std::string why, bool clear_nomination) {
  return {
      Verdict(Code::kUnschedulable, "preemption: " + std::move(why)), {clear_nomination, {}}, {}};
}

// True if a less important pod is on its way out of the node that was promised to this one: wait
// for it.
bool RoomIsBeingMade(const FailedCycle& failed) {
  const Cluster& cluster = failed.attempt.cluster();
  const api::Pod& pod = *failed.attempt.cycle().pod().object;
  if (pod.status.nominated_node_name.empty()) return false;
  const NodeRow node = cluster.nodes().Find(cluster.symbols().Find(pod.status.nominated_node_name));
  if (!node.valid() || !cluster.nodes().present().Test(node.index())) return false;
  if (failed.diagnosis.Of(node).code() == Code::kUnschedulableAndUnresolvable) return false;
  return std::ranges::any_of(cluster.nodes().info(node).pods, [&](PodId id) {
    const PodRecord& other = cluster.pod(id);
    if (!other.terminating() || other.object->priority() >= pod.priority()) return false;
    const auto& conditions = other.object->status.conditions;
    const auto found = std::ranges::find(conditions, "DisruptionTarget", &api::PodCondition::type);
    return found != conditions.end() && found->status == "True" &&
           found->reason == "PreemptionByScheduler";
  });
}

// The nodes where evicting pods may help, in node order.
std::vector<NodeRow> PotentialNodes(const FailedCycle& failed) {
  std::vector<Code> codes(failed.attempt.cluster().nodes().rows(), failed.diagnosis.absent.code());
  for (const auto& [row, verdict] : failed.diagnosis.nodes) codes[row.index()] = verdict.code();
  std::vector<NodeRow> potential;
  std::ranges::copy_if(failed.attempt.cluster().nodes().order().rows(),
                       std::back_inserter(potential),
                       [&](NodeRow row) { return codes[row.index()] == Code::kUnschedulable; });
  return potential;
}

struct DryRun {
  std::vector<PreemptionCandidate> candidates;  // Those that respect all budgets first.
  Diagnosis vain;                               // The nodes where it does not work.
  std::vector<std::string> errors;              // Each once.
};

DryRun TryNodes(FailedCycle& failed, const std::vector<NodeRow>& nodes, size_t wanted) {
  DryRun run;
  run.vain.all_nodes = failed.attempt.cluster().nodes().present_count();
  run.vain.absent =
      Verdict(Code::kUnschedulableAndUnresolvable, "Preemption is not helpful for scheduling");
  if (nodes.empty()) return run;
  std::vector<PreemptionCandidate> violating;
  const size_t offset = failed.random.Below(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const bool enough =
        !run.candidates.empty() && run.candidates.size() + violating.size() >= wanted;
    if (enough && failed.report == nullptr) break;
    const NodeRow node = nodes[(offset + i) % nodes.size()];
    PreemptionCandidate candidate{node, {}};
    Verdict verdict = SelectVictims(failed.attempt, node, failed.now, candidate.victims);
    if (verdict.ok()) {
      auto& list = candidate.victims.budget_violations == 0 ? run.candidates : violating;
      list.push_back(std::move(candidate));
    } else if (verdict.rejected()) {
      run.vain.Add(node, std::move(verdict));
    } else {
      const std::string message = verdict.Message();
      if (std::ranges::find(run.errors, message) == run.errors.end()) run.errors.push_back(message);
    }
  }
  std::ranges::move(violating, std::back_inserter(run.candidates));
  return run;
}

PostFilterResult Broken(const std::vector<std::string>& errors) {
  PostFilterResult result;
  result.verdict = Verdict::Error(
      "preemption: " +
      (errors.size() == 1 ? errors[0] : fmt::format("[{}]", fmt::join(errors, ", "))));
  return result;
}

void FillReport(PreemptionReport& report, const DryRun& run, const std::vector<size_t>& best) {
  for (const auto& candidate : run.candidates)
    report.candidates.emplace_back(candidate.node, candidate.victims);
  report.rejected = run.vain.nodes;
  for (size_t i : best) report.equally_good.push_back(run.candidates[i].node);
  if (!best.empty()) report.selected = run.candidates[best[0]].node;
}

}  // namespace

Result<std::unique_ptr<Plugin>> DefaultPreemption::Make(const DefaultPreemptionArgs& args) {
  return std::unique_ptr<Plugin>(new DefaultPreemption(args));
}

Verdict DefaultPreemption::PreEnqueue(const Cluster& cluster, const PodRecord& pod) const {
  if (!cluster.preemptions().UnderWay(pod.uid())) return {};
  if (const auto* last = cluster.preemptions().LastVictimOf(pod.uid())) {
    const PodId id = cluster.pods().Find(last->pod.namespace_, last->pod.name);
    const bool leaving =
        !id.valid() || cluster.pod(id).uid() != last->uid || cluster.pod(id).terminating();
    if (leaving) return {};
  }
  return {Code::kUnschedulableAndUnresolvable,
          "waiting for the preemption for this pod to be finished"};
}

size_t DefaultPreemption::WantedCandidates(size_t potential) const {
  const size_t share = potential * static_cast<size_t>(args_.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<size_t>(args_.min_candidate_nodes_absolute)),
                  potential);
}

Task<PostFilterResult> DefaultPreemption::PostFilter(FailedCycle& failed) const {
  if (failed.report != nullptr) failed.report->asked = true;
  if (failed.attempt.cycle().spec().preemption_policy == "Never") {
    co_return Refuse("not eligible due to preemptionPolicy=Never.", /*clear_nomination=*/false);
  }
  if (RoomIsBeingMade(failed)) {
    co_return Refuse("not eligible due to a terminating pod on the nominated node.",
                     /*clear_nomination=*/false);
  }
  if (failed.report != nullptr) failed.report->eligible = true;

  const std::vector<NodeRow> nodes = PotentialNodes(failed);
  DryRun run = TryNodes(failed, nodes, WantedCandidates(nodes.size()));
  if (run.candidates.empty()) {
    if (failed.report != nullptr) FillReport(*failed.report, run, {});
    if (!run.errors.empty()) co_return Broken(run.errors);
    co_return Refuse(run.vain.Message(), /*clear_nomination=*/true);
  }
  if (failed.advisor != nullptr) {
    const Verdict advice =
        co_await failed.advisor->Narrow(failed.attempt.cycle().pod(), run.candidates);
    if (!advice.ok()) co_return Broken({advice.Message()});
    if (run.candidates.empty()) co_return Refuse(run.vain.Message(), /*clear_nomination=*/true);
  }
  const std::vector<size_t> best =
      BestCandidates(failed.attempt.cluster(), run.candidates, failed.now);
  if (failed.report != nullptr) FillReport(*failed.report, run, best);
  PreemptionCandidate& chosen = run.candidates[best[0]];
  PostFilterResult result;
  result.nomination = {/*replace=*/true, failed.attempt.cluster().nodes().info(chosen.node).name};
  result.victims = std::move(chosen.victims.pods);
  co_return result;
}

std::vector<Interest> DefaultPreemption::Interests() const { return {{{Resource::kPod, kDelete}}}; }

Result<bool> DefaultPreemption::MayHelp(const Cluster&, const PodRecord&,
                                        const ClusterEvent&) const {
  return false;
}

}  // namespace berth
