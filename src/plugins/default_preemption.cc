#include "plugins/default_preemption.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/failed_cycle.h"
#include "plugins/dry_run.h"
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
  const std::vector<NodeRow>& rows = failed.attempt.cluster().nodes().order().rows();
  std::vector<NodeRow> potential(rows.size());
  size_t count = 0;
  for (NodeRow row : rows) {
    potential[count] = row;  // Without a branch: which nodes they are follows no pattern.
    count += failed.diagnosis.Of(row).code() == Code::kUnschedulable;
  }
  potential.resize(count);
  return potential;
}

PostFilterResult Broken(const std::vector<std::string>& errors) {
  PostFilterResult result;
  result.verdict = Verdict::Error(
      "preemption: " +
      (errors.size() == 1 ? errors[0] : fmt::format("[{}]", fmt::join(errors, ", "))));
  return result;
}

void FillReport(PreemptionReport& report, const DryRun& run,
                const std::vector<PreemptionCandidate>& candidates,
                const std::vector<size_t>& best) {
  for (const PreemptionCandidate& candidate : candidates)
    report.candidates.emplace_back(candidate.node, candidate.victims);
  run.vain().ForEach(
      [&](NodeRow node, const Verdict& verdict) { report.rejected.emplace_back(node, verdict); });
  for (size_t i : best) report.equally_good.push_back(candidates[i].node);
  if (!best.empty()) report.selected = candidates[best[0]].node;
}

// The one to take when nobody else has a say: among equals the first.
PreemptionCandidate BestOf(const DryRun& run, Instant now) {
  std::vector<VictimRating> ratings;
  for (const DryRun::Candidate& candidate : run.candidates())
    ratings.push_back(candidate.result->RatingAt(now));
  const auto& [node, result] = run.candidates()[LowestRated(ratings)[0]];
  return {node, result->victims};
}

PostFilterResult Take(const Cluster& cluster, PreemptionCandidate chosen) {
  PostFilterResult result;
  result.nomination = {/*replace=*/true, cluster.nodes().info(chosen.node).name};
  result.victims = std::move(chosen.victims.pods);
  return result;
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

std::unique_ptr<const ClassState> DefaultPreemption::Compile(Cluster&, const PodClass&) const {
  return std::make_unique<KeptTrials>();
}

size_t DefaultPreemption::WantedCandidates(size_t potential) const {
  const size_t share = potential * static_cast<size_t>(args_.min_candidate_nodes_percentage) / 100;
  return std::min(std::max(share, static_cast<size_t>(args_.min_candidate_nodes_absolute)),
                  potential);
}

Task<PostFilterResult> DefaultPreemption::PostFilter(FailedCycle& failed) const {
  if (failed.report != nullptr) failed.report->asked = true;
  if (Measurements* to = failed.attempt.meter().to()) to->PreemptionTried();
  if (failed.attempt.cycle().spec().preemption_policy == "Never") {
    co_return Refuse("not eligible due to preemptionPolicy=Never.", /*clear_nomination=*/false);
  }
  if (RoomIsBeingMade(failed)) {
    co_return Refuse("not eligible due to a terminating pod on the nominated node.",
                     /*clear_nomination=*/false);
  }
  if (failed.report != nullptr) failed.report->eligible = true;

  const std::vector<NodeRow> nodes = PotentialNodes(failed);
  const auto& kept = failed.attempt.cycle().compiled<KeptTrials>(*this);
  const DryRun run(failed, kept, nodes, WantedCandidates(nodes.size()));
  if (run.candidates().empty()) {
    if (failed.report != nullptr) FillReport(*failed.report, run, {}, {});
    if (!run.errors().empty()) co_return Broken(run.errors());
    co_return Refuse(run.vain().Message(), /*clear_nomination=*/true);
  }
  const Cluster& cluster = failed.attempt.cluster();
  if (failed.advisor == nullptr && failed.report == nullptr)
    co_return Take(cluster, BestOf(run, failed.now));

  std::vector<PreemptionCandidate> candidates;
  for (const auto& [node, result] : run.candidates()) candidates.push_back({node, result->victims});
  if (failed.advisor != nullptr) {
    const Verdict advice =
        co_await failed.advisor->Narrow(failed.attempt.cycle().pod(), candidates);
    if (!advice.ok()) co_return Broken({advice.Message()});
    if (candidates.empty()) co_return Refuse(run.vain().Message(), /*clear_nomination=*/true);
  }
  const std::vector<size_t> best = BestCandidates(cluster, candidates, failed.now);
  if (failed.report != nullptr) FillReport(*failed.report, run, candidates, best);
  co_return Take(cluster, std::move(candidates[best[0]]));
}

std::vector<Interest> DefaultPreemption::Interests() const { return {{{Resource::kPod, kDelete}}}; }

Result<bool> DefaultPreemption::MayHelp(const Cluster&, const PodRecord&,
                                        const ClusterEvent&) const {
  return false;
}

}  // namespace berth
